"""hydra-kg ask on the sample: an answer, its evidence, citations that open, and the contract of --json."""

from __future__ import annotations

import gzip
import json
import re
import shutil

import pytest

from hydra_kg.util.package_data import find_content

BORN = "Where was Lionel Messi born?"
SEARCHED = "Which films star Leonardo DiCaprio?"
"""A list, which a search for paths completes."""


@pytest.fixture
def store(sample_store, tmp_path):
    """A copy of the sample store, for tests that look at what is kept."""
    shutil.copytree(sample_store, tmp_path / "store")
    return tmp_path / "store"


def ask(call, store, *words, code=0):
    return call("ask", *words, "--store", store, "--agent", "offline", code=code)


def test_answers_with_evidence_and_citations(call, sample_store):
    lines = ask(call, sample_store, BORN).output.splitlines()
    assert lines[0].startswith("Rosario")
    assert re.match(r"(supported|single-source): ", lines[1])
    text = "\n".join(lines)
    assert "Lionel Messi (m.06qjgc" in text
    used = set(re.findall(r"\[(\d+)\]", text.split("Citations")[0]))
    listed = set(re.findall(r"^  \[(\d+)\]", text.split("Citations")[1], re.MULTILINE))
    assert used == listed != set()


def test_every_citation_opens_the_line_that_states_it(call, sample_store):
    doc = json.loads(ask(call, sample_store, BORN, "--json").output)
    assert doc["citations"]
    for c in doc["citations"]:
        name, _, line = c["locator"].rpartition(":")
        if name.endswith(".nt.gz"):
            with gzip.open(find_content("sample", name), "rt", encoding="utf-8") as file:
                stated = file.readlines()[int(line) - 1]
            assert re.search(r"m\.06qjgc|Q615\b", stated), stated


def test_json_is_the_contract_and_repeats_but_for_id_and_seconds(call, sample_store):
    first, second = (json.loads(ask(call, sample_store, BORN, "--json").output) for _ in range(2))
    assert first["version"] == 1
    assert first["answers"][0]["id"] == "m.02tb17"
    assert {k for k in first if first[k] != second[k]} <= {"id", "seconds"}
    assert first["manifest"]["loads"]


def test_a_topic_overrides_linking(call, sample_store):
    doc = json.loads(ask(call, sample_store, "Where was he born?", "--topic", "m.06qjgc", "--json").output)
    assert doc["answers"][0]["id"] == "m.02tb17"
    same = json.loads(ask(call, sample_store, "Where was he born?", "--topic", "Q615", "--json").output)
    assert same["answers"] == doc["answers"], "any member of a same-as class names it"
    assert "m.06qjgc_" in ask(call, sample_store, BORN, "--topic", "m.06qjgc_", code=1).stderr


def test_sources_limit_what_may_be_used(call, sample_store):
    doc = json.loads(
        ask(call, sample_store, "Who directed Forrest Gump?", "--sources", "wikidata, fb2w", "--json").output
    )
    assert {s["source"] for p in doc["paths"] for h in p["hops"] for s in h["sources"]} == {"wikidata"}
    assert "freebase" in ask(call, sample_store, BORN, "--sources", "nothing", code=1).stderr


def test_no_answer_is_exit_status_3_with_the_best_paths(call, sample_store):
    result = ask(call, sample_store, "What is the shoe size of zzyzzx qwrtp?", code=3)
    assert result.stdout.startswith("No answer in these sources.")
    doc = json.loads(ask(call, sample_store, "What is the shoe size of zzyzzx qwrtp?", "--json", code=3).stdout)
    assert doc["abstained"] is True
    assert doc["answers"] == []


def test_the_answer_is_kept_and_shown(call, store):
    doc = json.loads(ask(call, store, BORN, "--json").output)
    assert json.loads(call("show", "last", "--json", "--store", store).output) == doc
    text = call("show", doc["id"][:6], "--store", store).output
    assert "Phase 1" in text
    assert "selected (" in text


def test_a_trace_that_cannot_be_written_is_one_warning_after_the_answer(call, store):
    for kept in store.glob("traces.sqlite*"):
        kept.unlink()
    (store / "traces.sqlite").mkdir()
    result = ask(call, store, BORN)
    assert result.output.startswith("Rosario")
    assert result.stderr.count("warning: The answer could not be stored") == 1


def test_events_are_json_lines_on_stderr(call, sample_store):
    result = ask(call, sample_store, BORN, "--events")
    kinds = [json.loads(line)["kind"] for line in result.stderr.splitlines()]
    assert kinds[-2:] == ["ask.total", "ask.answered"]  # the answer was kept in between (docs/python.md)
    assert "ask.link" in kinds
    assert result.stdout.startswith("Rosario")


def test_show_paths_and_verbose_print_more(call, sample_store):
    def paths(*words) -> int:
        return len(re.findall(r"^  \d+\. ", ask(call, sample_store, SEARCHED, *words).output, re.MULTILINE))

    assert paths("--show-paths", 0) == 0
    assert paths("--show-paths", 1) == 1
    assert paths("--show-paths", 12) == 12 != paths()
    text = ask(call, sample_store, SEARCHED, "--verbose").output
    assert "relevance" in text
    assert "seconds: " in text
    pog = ask(call, sample_store, BORN, "--strategy", "pog", "--preset", "paper", "--verbose").output
    assert "evidence class: KG only" in pog


def test_any_text_is_a_legal_question(call, sample_store):
    for question in (
        "AT&T?",
        "a-b",
        "C++",
        "o'neil",
        '"',
        "%",
        "* OR 1",
        "\x1b[31mred",
        "日本の首都は?",
        "x" * 2000,
        "-5",
        "(",
        "NEAR(",
    ):
        result = call("ask", "--store", sample_store, "--", question, code=None)
        assert result.exit_code in (0, 3), (question, result.output)
        assert "\x1b" not in result.output


def test_runs_without_a_network(program, sample_store):
    done = program("ask", BORN, "--store", sample_store, "--no-network")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Rosario")


def test_exit_status_3_as_a_program(program, sample_store):
    assert program("ask", "Who is zzyzzx qwrtp?", "--store", sample_store).returncode == 3
