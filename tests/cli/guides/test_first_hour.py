"""The first hour: what goes wrong for somebody new is one clear line with what to do, and the right exit status."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hydra_kg.util.package_data import find_content


@pytest.fixture
def after_demo(call, tmp_path, sample_store):
    """What the demonstration leaves (test_demo.py runs it)."""
    shutil.copytree(sample_store, tmp_path / "home" / "hydra-kg" / "demo")


@pytest.mark.usefixtures("after_demo")
def test_after_the_demo_a_question_needs_no_store(call):
    answer = call("ask", "When was Steve Jobs born?")
    assert "1955" in answer.output
    assert "the demo store" in answer.output
    assert "the demo store" in call("sources", "list").output


@pytest.mark.usefixtures("after_demo")
def test_a_load_makes_a_store_of_its_own_beside_the_demo(call):
    call("load", find_content("sample", "harbour.csv"), "--entity", "ferry", "--yes")
    answer = call("ask", "Which pier does the Aurora leave from?")
    assert "Pier 3" in answer.output
    assert "demonstration" not in answer.output


@pytest.mark.parametrize(
    "words, shown",
    [
        (["who", "directed", "inception?"], 'hydra-kg ask "who directed inception?"'),
        (["what", "is", "C$?"], "hydra-kg ask 'what is C$?'"),
    ],
)
def test_a_question_without_quotes(call, words, shown):
    result = call("ask", *words, code=2)
    assert "Put the question in quotes" in result.output
    assert shown in result.output


@pytest.mark.parametrize("words", [[], [""], ["  "]])
def test_no_question(call, words):
    assert 'Ask one: hydra-kg ask "' in call("ask", *words, code=2).output


def test_a_question_that_is_too_long(call, sample_store):
    result = call("ask", "where was John Lennon born and " * 100, "--store", sample_store, code=2)
    assert "2,000 are read" in result.output


def test_a_demo_on_a_server_is_refused_and_makes_no_folder(call):
    result = call("demo", "--store", "bolt://localhost:7687", code=2)
    assert "hydra-kg db copy" in result.output
    assert not Path("bolt:").exists()


def test_an_empty_file(call):
    Path("empty.csv").write_text("")
    result = call("load", "empty.csv", "--yes", code=1)
    assert "empty.csv is empty" in result.output


def test_a_name_that_is_no_utf8(call):
    name = os.fsdecode(b"st\xe4dte.csv")
    Path(name).write_text("name,inhabitants\nBonn,1\n")
    result = call("load", name, "--yes", code=2)
    assert "not valid UTF-8" in result.output
    assert "Rename the file" in result.output


def test_nothing_kept_is_no_load_and_replaces_nothing(call):
    Path("a.nt").write_text(
        "<http://rdf.freebase.com/ns/m.0a1>\t<http://rdf.freebase.com/ns/a.b.c>\t"
        "<http://rdf.freebase.com/ns/m.0a2>\t.\n"
    )
    call("load", "a.nt", "--as", "freebase", "--source", "s")
    Path("b.nt").write_text("nothing of this is a fact\n" * 3)
    result = call("load", "b.nt", "--as", "freebase", "--source", "s", "--replace", code=1)
    assert "b.nt has no facts" in result.output
    assert '"facts": 1' in call("sources", "list", "--json").output


def test_a_place_that_may_not_be_written(call):
    result = call(
        "load", find_content("sample", "harbour.csv"), "--entity", "ferry", "--yes", "--store", "/sys/store", code=1
    )
    assert "/sys" in result.output
    assert "Name another place" in result.output or "name another place" in result.output
    assert "Errno" not in result.output


@pytest.mark.usefixtures("heeds_interrupts")
def test_ctrl_c_says_that_the_load_goes_on(tmp_path):
    file = tmp_path / "many.csv"
    with file.open("w") as out:
        out.write("name,height\n")
        out.writelines(f"Tower {n},{n}\n" for n in range(60_000))
    command = [sys.executable, "-m", "hydra_kg", "load", str(file), "--yes", "--store", str(tmp_path / "store")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "XDG_DATA_HOME": str(tmp_path)}
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, env=environment) as process:
        assert process.stderr is not None
        while not (tmp_path / "store" / "staging").exists():
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        said = process.stderr.read().decode()
    assert process.returncode == 130
    assert "Run the same command again to go on where it stopped" in said
    assert "Traceback" not in said
    assert subprocess.run(command, env=environment, check=False, capture_output=True).returncode == 0
