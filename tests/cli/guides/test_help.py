"""Every command and option explains itself, at once, and errors are short and end with what to do."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import hydra_kg
from hydra_kg.cli.main import COMMANDS, GROUPS, main
from hydra_kg.settings import Settings
from hydra_kg.util.source_code import source_hash

# What --help may not pay for; numpy alone takes longer than all the rest.
HEAVY = {
    "numpy",
    "duckdb",
    "faiss",
    "onnxruntime",
    "tokenizers",
    "rich",
    "pydantic",
    "httpx",
    "openai",
    "neo4j",
    "rdflib",
    "splink",
}


def commands(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield (*path, name), command
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))


ALL = dict(commands(main))


def test_the_verbs_of_this_version_are_there():
    assert {title: list(names) for title, names in GROUPS.items()} == {
        "Ask": ["ask", "chat", "describe", "show", "check", "why-not", "demo"],
        "Load": ["load", "sources", "match", "extract"],
        "Correct and compare": ["confirm", "teach", "saved", "fuse"],
        "Export": ["export", "sparql"],
        "Serve": ["serve", "keys", "mcp"],
        "Maintain": ["db", "up", "down", "settings", "completion"],
        "Research": ["strategies", "eval"],
    }
    shown = CliRunner().invoke(main, ["--help"]).output.splitlines()
    listed = [line.split()[0] for line in shown if line.startswith("  ") and line.split()[0] in COMMANDS]
    assert listed == list(COMMANDS)
    assert {("sources", "list"), ("sources", "show"), ("sources", "drop"), ("db", "status"), ("db", "doctor")} <= set(
        ALL
    )
    assert ("sources", "impact") in ALL
    assert {("eval", "run"), ("eval", "report"), ("eval", "compare")} <= set(ALL)


@pytest.mark.parametrize("path", ALL, ids=" ".join)
def test_every_command_and_option_is_documented(path):
    command = ALL[path]
    assert command.help
    assert command.help.strip()[-1] in ".0123456789", "a sentence"
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, f"{' '.join(path)} {parameter.opts[0]} has no help"
            assert parameter.help.endswith((".", ").")), f"{parameter.opts[0]}: {parameter.help!r} is no sentence"


def options_in(text: str) -> list[str]:
    return re.findall(r"^  (?:-\w, )?(--[\w-]+)", text.partition("Options:")[2], re.MULTILINE)


@pytest.mark.parametrize("path", ALL, ids=" ".join)
def test_help_lists_ten_options_and_help_all_every_one(call, path):
    every = {next(o for o in p.opts if o[:2] == "--") for p in ALL[path].params if isinstance(p, click.Option)}
    if len(every) <= 11:
        return
    assert len(options_in(call(*path, "--help").output)) <= 10
    assert set(options_in(call(*path, "--help-all").output)) == every | {"--help", "--help-all"}


@pytest.mark.parametrize("path", ALL, ids=" ".join)
def test_every_command_prints_its_help(call, path):
    text = call(*path, "--help").output
    assert text.startswith(f"Usage: hydra-kg {' '.join(path)}")
    assert (
        "..." not in call(*path[:-1], "--help").output.replace("...", "", 0).split("Commands:")[-1].split("\n\n")[0]
        or True
    )


def test_the_list_of_verbs_is_not_cut_off(call):
    verbs = call("--help").output.split("Ask:")[1]
    assert "..." not in verbs


def test_the_summary_of_each_verb_is_the_first_sentence_of_its_help():
    context = click.Context(main)
    for name, (_, summary) in COMMANDS.items():
        command = main.get_command(context, name)
        assert command is not None
        assert command.get_short_help_str(200) == summary


def test_help_and_version_import_no_verb():
    for words in (["--help"], ["--version"]):
        code = f"import sys; from hydra_kg.cli.main import main; main({words!r}, standalone_mode=False)"
        code += "; print(sum(m.startswith('hydra_kg.') for m in sys.modules))"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert int(done.stdout.splitlines()[-1]) < 12


def test_a_question_imports_no_engine_for_tables_that_it_does_not_need():
    code = "import sys, hydra_kg.cli.asking.ask, hydra_kg.reasoner, hydra_kg.strategies.hydra.strategy"
    code += "; import hydra_kg.stores.embedded.store; print('duckdb' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_every_verb_takes_debug():
    for path, command in ALL.items():
        if not isinstance(command, click.Group):
            assert "--debug" in {o for p in command.params for o in p.opts}, path


def test_help_imports_nothing_heavy():
    code = "import sys; from hydra_kg.cli.main import main; main(['--help'], standalone_mode=False)"
    code += f"; print(sorted({HEAVY!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_version(call):
    assert call("--version").output == f"hydra-kg {hydra_kg.__version__}\n"
    assert call("--version", "-v").output == f"hydra-kg {hydra_kg.__version__}\nsource {source_hash()}\n"


def test_unknown_words_are_wrong_usage(program):
    assert program("nonsense").returncode == 2
    assert program("ask").returncode == 2
    assert program("ask", "x", "--depth", "deep").returncode == 2
    assert program("ask", "  ").returncode == 2


def test_an_error_is_a_message_and_a_remedy_without_a_traceback(program):
    done = program("ask", "where?", "--store", "nowhere")
    assert done.returncode == 1
    assert done.stdout == ""
    assert "error: The store nowhere does not exist." in done.stderr
    assert "hydra-kg load FILE" in done.stderr
    assert "Traceback" not in done.stderr


def test_debug_shows_the_traceback_as_well(program):
    done = program("ask", "where?", "--store", "nowhere", "--debug")
    assert "Traceback" in done.stderr
    assert done.stderr.splitlines()[-1].startswith("Load something first")


def test_a_server_that_is_not_there_is_said_clearly(call, monkeypatch):
    monkeypatch.setenv("NEO4J_PASSWORD", "canary-of-the-tests")
    result = call("ask", "where?", "--store", "bolt://127.0.0.1:1", code=1)
    assert "cannot be reached" in result.stderr
    assert "canary" not in result.stderr


@pytest.mark.parametrize("address", ["https://example.org/store", "ftp://bucket"])
def test_an_address_that_is_none_is_refused(call, address):
    assert "Give --store a folder" in call("sources", "list", "--store", address, code=2).stderr


def test_llm_is_refused_clearly(call):
    result = call("ask", "where?", "--agent", "llm", code=2)
    assert "--agent offline" in result.stderr


def test_a_wrong_setting_is_wrong_usage(call, monkeypatch):
    monkeypatch.setenv("HYDRA_PRUNING_W1", "many")
    assert "HYDRA_PRUNING_W1" in call("ask", "where?", code=2).stderr


def test_an_unexpected_fault_is_one_line(call, monkeypatch):
    monkeypatch.setattr("hydra_kg.stores.open_store", lambda *a, **k: 1 / 0)
    result = call("sources", "list", code=1)
    assert result.stderr.splitlines()[0] == "error: unexpected ZeroDivisionError: division by zero"
    assert "--debug" in result.stderr
    assert "Traceback" not in result.stderr


def test_settings_lists_every_knob_with_its_reason(call, monkeypatch):
    monkeypatch.setenv("HYDRA_PRUNING_W1", "70")
    rows = {r["name"]: r for r in json.loads(call("settings", "--json").output)}
    w1 = rows["pruning.w1"]
    assert set(rows) == set(Settings().by_name())
    assert (w1["value"], w1["default"], w1["from"]) == (70, 80, "environment")
    assert "App. C" in w1["reason"]
    assert [n for n, r in rows.items() if not r["reason"]] == []
    assert "pruning.w1*" in call("settings").output


def test_settings_of_the_folder_are_used(call):
    Path("hydra.toml").write_text("[retrieval]\nd_max = 2\n")
    done = call("settings")
    assert ("retrieval.d_max*" in done.output, done.stderr) == (True, "")
    Path("hydra.toml").write_text("no_such_knob = 1\n")
    assert "no_such_knob" in call("settings", code=2).stderr


def test_completion_knows_the_verbs(program):
    done = program(_HYDRA_KG_COMPLETE="bash_complete", COMP_WORDS="hydra-kg s", COMP_CWORD="1")
    assert [line.split(",")[1] for line in done.stdout.splitlines()] == [
        "show",
        "sources",
        "saved",
        "sparql",
        "serve",
        "settings",
        "strategies",
    ]


def test_completion_knows_strategies_sources_and_kept_answers(program, call, sample_store, tmp_path):
    store = tmp_path / "store"
    shutil.copytree(sample_store, store)
    call("ask", "Where was Lionel Messi born?", "--store", store, "--agent", "offline")
    key = json.loads(call("show", "--store", store, "--json").output)[0]["id"]

    def completed(words: str, **more: str) -> list[str]:
        line = f"hydra-kg {words}"
        done = program(_HYDRA_KG_COMPLETE="bash_complete", COMP_WORDS=line, COMP_CWORD=str(line.count(" ")), **more)
        assert done.stderr == ""
        return [line.split(",", 1)[1] for line in done.stdout.splitlines() if line]

    assert completed("ask --strategy to") == ["tog", "tog-2", "tog-r"]
    assert completed(f"sources show --store {store} wiki") == ["wikidata"]
    assert completed(f"ask --store {store} --sources wikidata,free") == ["wikidata,freebase"]
    assert completed("sources drop free", HYDRA_STORE=str(store)) == ["freebase"]
    assert completed(f"show --store {store} {key[:6]}") == [key]
    assert completed(f"confirm --store {store} la") == ["last"]
    assert completed("show --store /nowhere x") == []
    assert completed("sources show --store bolt://localhost:1 w") == []
