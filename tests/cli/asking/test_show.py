"""Kept answers: listed, printed with kept and pruned paths, and with the sources of every hop."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest
from helpers.samples.answers import BIRTH, MOZART, PASSAGE, answer, crowd, evidence, no_answer, planned, spoken

from hydra_kg.cli.printing import SEARCHED, answer_lines, exploration_lines
from hydra_kg.domain import Node
from hydra_kg.serialise import answer_json
from hydra_kg.stores.embedded.traces import SqliteTraces


@pytest.fixture
def store(empty_store):
    traces = SqliteTraces(empty_store / "traces.sqlite")
    traces.save(answer_json(no_answer(id="ffff0000")))
    traces.save(answer_json(answer(id="a1b2c3d4")))
    return empty_store


def test_lists_the_newest_first(call, store):
    lines = call("show", "--store", store).output.splitlines()
    assert lines[0].split() == ["id", "date", "(UTC)", "verdict", "question", "answer"]
    assert [line.split()[0] for line in lines[1:]] == ["a1b2c3d4", "ffff0000"]
    listed = json.loads(call("show", "--store", store, "--json", "--limit", 1).output)
    assert [k["id"] for k in listed] == ["a1b2c3d4"]


def test_without_answers_it_says_how_to_get_one(call, empty_store):
    assert "hydra-kg ask" in call("show", "--store", empty_store).output
    assert "hydra-kg ask" in call("show", "last", "--store", empty_store, code=1).stderr


@pytest.mark.parametrize("word", ["a1b2c3d4", "a1b", "last"])
def test_prints_phases_with_kept_and_pruned_paths_and_scores(call, store, word):
    text = call("show", word, "--store", store).output
    assert "Q: where was mozart born?" in text
    assert "Phase 1: kg · depth 2" in text
    kept, pruned = text[text.index("  selected (1)") :].split("  pruned (1)")
    assert "born in → Salzburg" in kept
    assert "very near to the question · stated by 2 independent sources" in kept
    assert "0.780" not in text
    assert "relevance 0.800" in call("show", word, "-v", "--store", store).output
    assert "place of death → Vienna" in pruned
    assert "below the best 1" in pruned
    assert "edges 1,200" in text


def test_why_prints_the_sources_of_every_hop(call, store):
    text = call("show", "--why", "--store", store).output
    assert "freebase  freebase.nt.gz:11  fact 00000000000000b" in text
    assert "wikidata  wikidata.nt.gz:12" in text
    assert "f1 = ρ" not in text, "formulas are for who asks for numbers"


def test_json_is_the_kept_answer(call, store):
    doc = json.loads(call("show", "last", "--json", "--store", store).output)
    assert doc == answer_json(answer(id="a1b2c3d4"))


def test_unknown_ids_are_said(call, store):
    assert "begins with 'zzz'" in call("show", "zzz", "--store", store, code=1).stderr
    assert "does not exist" in call("show", "--store", "nowhere", code=1).stderr


def test_taking_an_answer_off_a_server_needs_both_names(call, store):
    assert "--remove needs an ID, and --to" in call("show", "a1b2", "--remove", "--store", store, code=2).stderr
    assert "--remove needs an ID" in call("show", "--remove", "--to", "neo4j://localhost", code=2).stderr
    assert "is not the address" in call("show", "a1b2", "--to", "http://localhost", "--store", store, code=2).stderr


def test_the_query_for_browser_can_be_had_alone(call, store):
    text = call("show", "a1b2", "--cypher", "--paths", 3, "--store", store).output
    assert text.startswith('MATCH (q:HydraQuestion {id: "a1b2c3d4"})')
    assert "place <= 3" in text
    assert "$" not in text


def test_impact_of_a_source(call, store):
    text = call("sources", "impact", "freebase", "--store", store).output
    assert text.startswith("freebase (not loaded any more): 2 answers use 2 of its facts. Without it 0 would lose")
    assert "a1b2c3d4" in text
    doc = json.loads(call("sources", "impact", "wikidata", "--store", store, "--json").output)
    assert doc["counts"] == {"questions": 2, "facts": 1, "lost": 0, "weakened": 0}
    assert [(q["id"], q["keeps"]) for q in doc["questions"]] == [("a1b2c3d4", ["Salzburg"]), ("ffff0000", [])]
    assert "sources list" in call("sources", "impact", "nobody", "--store", store, code=1).stderr


def resolved(lines: list[str]) -> tuple[set[str], set[str]]:
    """Numbers that stand in evidence, and numbers that are listed."""
    text = "\n".join(lines)
    body, _, listed = text.partition("\nCitations\n")
    return set(re.findall(r"\[(\d+)\]", body)), set(re.findall(r"^  \[(\d+)\]", listed, re.MULTILINE))


@pytest.mark.parametrize("made", [answer(), no_answer(), answer(explored=crowd(30, 9)), answer(explored=[spoken()])])
@pytest.mark.parametrize("count", [0, 1, 2, 3, 5, 100])
def test_every_marker_resolves_and_none_is_unused(made, count):
    used, listed = resolved(list(answer_lines(answer_json(made), show_paths=count)))
    assert used == listed


def test_answer_comes_first_then_verdict_then_how_it_was_understood():
    lines = list(answer_lines(answer_json(answer())))
    assert lines[0] == "Salzburg  (m.0fhxv)"
    assert lines[1] == "supported: independent sources agree · sure"
    assert lines[3] == "Understood as"
    assert "Wolfgang Amadeus Mozart (m.082db, composer)" in lines[4]
    assert "did you mean: Mozart (m.0m0z4rt, village)" in lines[5]
    assert lines[7] == "Evidence"


def test_names_that_print_alike_are_told_apart_and_said_to_be_odd():
    doc = answer_json(answer())
    doc["mentions"][0]["candidates"][1]["name"] = "Wolf\u200bgang Amadeus M\u043ezart"
    said = "\n".join(answer_lines(doc))
    assert "Wolfgang Amadeus Mozart (m.082db, composer)" in said
    odd = "m.0m0z4rt, mixes Latin and Cyrillic letters, holds characters that are not shown"
    assert f"did you mean: Wolfgang Amadeus M\u043ezart ({odd}, village)" in said


def test_citations_open_a_line_of_a_dump_or_a_span_of_a_page():
    lines = list(answer_lines(answer_json(answer())))
    assert "  [1] freebase.nt.gz:11  (freebase)" in lines
    assert "  [3] https://en.wikipedia.org/wiki/Mozart [0:28]  (wikipedia)" in lines


def test_no_answer_comes_with_what_is_missing_and_shows_searched_paths_only_on_request():
    lines = list(answer_lines(answer_json(no_answer())))
    assert lines[:2] == [
        "No answer in these sources.",
        "Nothing that the sources state says “born in” of Wolfgang Amadeus Mozart.",
    ]
    assert not any(line.startswith(("Perhaps", "Paths", "  1. ")) for line in lines)
    assert SEARCHED in list(answer_lines(answer_json(no_answer()), show_paths=2))


def test_more_paths_are_the_next_best_with_their_fate():
    text = "\n".join(answer_lines(answer_json(answer()), show_paths=3))
    assert "place of death → Vienna [4]   (pruned: below the best 1)" in text


def test_hostile_names_reach_no_terminal():
    evil = Node(5, "m.0\x1b[5m", "evil\x1b]0;owned\x07 \u202ename\r\n[99] fake")
    doc = answer_json(answer(explored=[evidence(BIRTH), evidence(BIRTH.__class__(MOZART, "p\x9b31m", "t\x00", evil))]))
    doc["question"] = doc["answer_text"] = doc["label"] = doc["dissent"] = "\x1b[31mX"
    doc["dissent"] = ["\x1b[2Jwiped"]
    for line in [*answer_lines(doc, show_paths=9, verbose=True), *exploration_lines(doc, why=True)]:
        assert not re.search(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e]", line), repr(line)


ASKED = "  Asked: the number of operas written by Mozart"


def test_what_was_asked_stands_under_how_it_was_understood(call, empty_store):
    SqliteTraces(empty_store / "traces.sqlite").save(answer_json(planned()))
    lines = call("show", "last", "--store", empty_store).output.splitlines()
    assert lines[lines.index("Understood as") + 1] == ASKED
    assert "  operas written by Mozart: 2" in lines
    assert lines[lines.index("Perhaps: Mozart") + 1] == "I could not check “in 1786” against these sources."


def test_an_answer_says_what_was_asked_only_on_request():
    doc = answer_json(planned())
    assert ASKED not in list(answer_lines(doc))
    assert ASKED in list(answer_lines(doc, verbose=True))


@pytest.mark.parametrize("plan", [{}, {"root": {"operator": "Guess"}}, ["cut"]])
def test_a_kept_plan_that_cannot_be_read_is_left_out(plan):
    lines = list(answer_lines({**answer_json(planned()), "plan": plan}, plan=True))
    assert "Understood as" in lines
    assert not [line for line in lines if "Asked" in line]


def test_passage_is_named_under_why():
    text = "\n".join(exploration_lines(answer_json(answer(explored=[spoken()])), why=True))
    assert f"passage Mozart  {PASSAGE.locator}  (wikipedia)" in text


def test_a_page_that_cannot_be_written_is_said(call, store, tmp_path):
    (tmp_path / "file").write_text("")
    result = call("show", "--html", tmp_path / "file" / "page.html", "--store", store, code=None)
    assert result.exit_code in (1, 2)
    assert "page.html" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_partial_answer_is_never_called_sure():
    made = replace(answer(), verdict="partial", unchecked=("before", "president of"), confidence=0.6)
    lines = list(answer_lines(answer_json(made)))
    assert "partial: part of the question could not be checked" in lines
    assert "I could not check “before” and “president of” against these sources." in lines


@pytest.mark.parametrize("agreement, said", [(1.0, False), (0.5, True)])
def test_a_choice_is_explained_only_where_sources_differ(agreement, said):
    made = replace(answer(), dissent=("wikidata also says Vienna",), agreement=agreement, amount=2.0)
    assert ("chosen_by" in answer_json(made)) is said
