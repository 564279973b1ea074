"""What bash, zsh and fish complete, by running them: verbs, options, strategies, sources, ids of kept answers."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest
from helpers.programs import own_environment

from hydra_kg.cli.main import COMMANDS

SHELLS = ("bash", "zsh", "fish")


def shell(name):
    return pytest.param(name, marks=pytest.mark.skipif(not shutil.which(name), reason=f"there is no {name} here"))


BASH = """
eval "$(hydra-kg completion bash)"
COMP_WORDS=({words}); COMP_CWORD={last}
_hydra_kg_completion hydra-kg
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
ZSH = """
compdef() {{ }}
eval "$(hydra-kg completion zsh)"
# Outside the line editor nothing can be offered: what would be is printed.
_describe() {{ print -l -- "${{completions_with_descriptions[@]}}" }}
compadd() {{ print -l -- "${{completions[@]}}" }}
words=({words}); CURRENT={current}
_hydra_kg_completion
"""
FISH = """
hydra-kg completion fish | source
complete -C "{line}"
"""


@pytest.fixture
def completed(tmp_path, monkeypatch):
    """Completes a line in a shell, with a program hydra-kg on the path that is this one."""
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "hydra-kg"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m hydra_kg "$@"\n')
    program.chmod(0o755)

    def run(name, line):
        words = line.split(" ")
        if name == "bash":
            script = BASH.format(words=" ".join(w or "''" for w in words), last=len(words) - 1)
        elif name == "zsh":
            script = ZSH.format(words=" ".join(w or "''" for w in words), current=len(words))
        else:
            script = FISH.format(line=line)
        path = f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}"
        env = own_environment(HOME=str(tmp_path), PATH=path)
        flags = {"bash": ["--norc", "-c"], "zsh": ["-f", "-c"], "fish": ["--no-config", "-c"]}[name]
        done = subprocess.run(
            [name, *flags, script], capture_output=True, text=True, timeout=60, env=env, cwd=tmp_path, check=False
        )
        return {row.split("\t")[0].split(":")[0].strip() for row in done.stdout.splitlines()} - {""}, done.stderr

    return run


@pytest.mark.parametrize("name", [shell(s) for s in SHELLS])
def test_a_shell_completes_verbs_and_strategies(completed, name):
    found, said = completed(name, "hydra-kg s")
    assert {v for v in COMMANDS if v.startswith("s")} == {f for f in found if f in COMMANDS}, said
    found, said = completed(name, "hydra-kg ask --strategy tog")
    assert {"tog", "tog-2", "tog-r"} <= found, said


@pytest.mark.parametrize("name", [shell(s) for s in SHELLS])
def test_a_shell_completes_sources_and_answers(completed, name, sample):
    """Every verb in bash; what a shell does with what it gets is the same for all."""
    answer, store = sample.ask("Where was Lionel Messi born?"), sample.store.path
    found, said = completed(name, f"hydra-kg ask --store {store} --sources wiki")
    assert "wikidata" in found, said
    for line in ("show", "export", "ask --after") if name == "bash" else ("ask --after",):
        verb, _, option = line.partition(" ")
        found, said = completed(name, f"hydra-kg {verb} --store {store} {option}".rstrip() + " ")
        assert answer.id in found, (line, said)


@pytest.mark.parametrize("name", SHELLS)
def test_the_script_is_printed(call, name):
    assert "_HYDRA_KG_COMPLETE" in call("completion", name).output
