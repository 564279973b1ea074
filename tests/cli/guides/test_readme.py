"""The commands in README.md run as they stand there, in order, in an empty folder with a store of the sample."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.programs import own_environment

ROOT = Path(__file__).resolve().parents[3]
README = ROOT / "README.md"
NEEDS_MORE = re.compile(r"HYDRA_DATA|\.\./|eval run (?!.*sample)|OPENAI_API_KEY|neo4j://|hydra-kg (up|down)\b")
"""What the sample alone cannot run; the README says so where it shows it."""

STATUS = {0, 3}


def blocks() -> list[list[str]]:
    """Commands of each ``console`` block, in order; a line that ends with a backslash goes on."""
    if not README.is_file():
        return []
    found = []
    for block in re.findall(r"^```console\n(.*?)^```", README.read_text("utf-8"), re.MULTILINE | re.DOTALL):
        lines = block.replace("\\\n", " ").splitlines()
        commands = [line[2:].strip() for line in lines if line.startswith("$ hydra-kg")]
        if commands:
            found.append(commands)
    return found


@pytest.mark.skipif(not README.is_file(), reason="there is no README.md yet")
def test_the_readme_shows_commands():
    assert [c for b in blocks() for c in b if c.startswith("hydra-kg ask")]


@pytest.mark.parametrize("commands", blocks(), ids=lambda b: b[0])
def test_the_readme_runs(commands, sample_store, tmp_path):
    place = tmp_path / "home" / "hydra-kg"
    shutil.copytree(sample_store, place / "store")
    if not commands[0].startswith("hydra-kg demo"):
        shutil.copytree(sample_store, tmp_path / "demo")  # the one that the page has made before
    for sample in filter(Path.is_file, (ROOT / "hydra_kg" / "sample").iterdir()):
        shutil.copy(sample, tmp_path)
    program = tmp_path / "bin" / "hydra-kg"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m hydra_kg "$@"\n')
    program.chmod(0o755)
    path = f"{program.parent}{os.pathsep}{os.environ.get('PATH', '')}"
    environment = own_environment(tmp_path / "home", PATH=path)
    for command in commands:
        if NEEDS_MORE.search(command):
            print(f"left out, needs more than the sample: {command}")
            continue
        done = subprocess.run(
            ["sh", "-c", command], capture_output=True, text=True, check=False, cwd=tmp_path, env=environment
        )
        assert done.returncode in STATUS, f"{command}\n{done.stdout}\n{done.stderr}"
        assert "Traceback" not in done.stderr
