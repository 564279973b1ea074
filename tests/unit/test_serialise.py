"""The JSON form of an answer: the fields of the contract, markers that resolve, and a bounded size."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from helpers.samples.answers import BIRTH, MOZART, WIKIDATA, answer, crowd, evidence, fact, hop, no_answer, spoken

from hydra_kg.domain import AnswerValue, Exploration, Node
from hydra_kg.serialise import LIMIT, answer_json, fact_key, size, trim

CONTRACT = {
    "version",
    "id",
    "question",
    "strategy",
    "agent",
    "answers",
    "answer_text",
    "label",
    "verdict",
    "agreement",
    "amount",
    "confidence",
    "abstained",
    "truncated",
    "dissent",
    "citations",
    "paths",
    "explorations",
    "usage",
    "seconds",
    "manifest",
}


def test_has_every_field_of_the_contract():
    doc = answer_json(answer())
    assert doc["version"] == 1
    assert set(doc) >= CONTRACT
    assert set(doc["usage"]) == {"calls", "tokens_in", "tokens_out", "money"}
    path = doc["paths"][0]
    assert set(path) >= {"text", "hops", "scores", "phase"}
    assert set(path["scores"]) == {"relevance", "f1", "f2", "f3", "verification", "cross"}
    hop = path["hops"][0]
    assert hop["subject"] == {"id": "m.082db", "name": "Wolfgang Amadeus Mozart"}
    assert hop["predicate"] == "people.person.place_of_birth"
    assert [(s["source"], s["locator"]) for s in hop["sources"]] == [
        ("freebase", "freebase.nt.gz:11"),
        ("wikidata", "wikidata.nt.gz:12"),
    ]
    assert doc["citations"][2] == {
        "n": 3,
        "source": "wikipedia",
        "locator": "Mozart [0:28]",
        "url": "https://en.wikipedia.org/wiki/Mozart",
    }


def test_ids_are_text_and_all_members_of_a_class_are_there():
    doc = answer_json(answer())
    assert doc["answers"] == [{"id": "m.0fhxv", "name": "Salzburg", "ids": ["m.0fhxv", "Q34713"], "score": 0.9}]
    assert doc["paths"][0]["hops"][0]["sources"][0]["fact"] == fact_key(11) == "00000000000000b"


def test_a_literal_answer_has_a_value_and_no_id():
    literal = AnswerValue("1756", None, '"1756"^^xsd:gYear')
    doc = answer_json(replace(answer(), answers=(literal,)))
    assert doc["answers"] == [{"id": None, "name": "1756", "value": '"1756"^^xsd:gYear', "ids": [], "score": 0.0}]


def test_sources_carry_the_number_of_the_citation_that_opens_them():
    doc = answer_json(answer())
    assert [s["n"] for s in doc["paths"][0]["hops"][0]["sources"]] == [1, 2]
    assert doc["paths"][1]["passage"]["n"] == 3


def test_mentions_show_the_runners_up():
    (mention,) = answer_json(answer())["mentions"]
    assert mention["chosen"]["id"] == "m.082db"
    assert [c["id"] for c in mention["candidates"]] == ["m.082db", "m.0m0z4rt"]


def test_explorations_rank_kept_and_pruned_paths_with_the_reason():
    (phase,) = answer_json(answer())["explorations"]
    assert [(p["rank"], p["kept"], p.get("reason")) for p in phase["paths"]] == [
        (1, True, None),
        (2, False, "below the best 1"),
    ]
    assert phase["counts"] == {"edges": 1200, "paths": 2}


def test_two_runs_differ_in_id_and_seconds_alone():
    first, second = answer(id="one"), answer(id="two")
    phase = replace(second.explorations[0], seconds=9.9)
    second = replace(second, seconds={"total": 12.5}, explorations=(phase,))
    one, two = answer_json(first), answer_json(second)
    assert {k for k in one if one[k] != two[k]} == {"id", "seconds"}


def test_absent_fields_are_absent_and_missing_evidence_is_said():
    assert "claim" not in answer_json(answer())
    doc = answer_json(replace(no_answer(), claim="unknown"))
    assert doc["abstained"] is True
    assert doc["claim"] == "unknown"
    assert doc["missing"] == "a place of birth of Wolfgang Amadeus Mozart"


def test_what_json_cannot_say_becomes_null_or_text():
    odd = replace(answer(), confidence=float("nan"), manifest={"when": MOZART, 3: (1, 2.5)})
    doc = answer_json(odd)
    assert doc["confidence"] is None
    assert doc["manifest"]["3"] == [1, 2.5]
    json.dumps(doc, allow_nan=False)


@pytest.mark.parametrize("paths, sources", [(240, 1), (80, 40), (2000, 3)])
def test_a_big_exploration_fits_and_counts_what_it_left_out(paths, sources):
    doc = answer_json(answer(explored=crowd(paths, sources)))
    (phase,) = doc["explorations"]
    assert size(doc) <= LIMIT
    assert phase["paths"][0]["kept"]
    assert phase["paths"][0]["hops"][0]["sources"]
    assert len(phase["paths"]) + phase["left_out"] == paths + 1
    assert [p["rank"] for p in phase["paths"]] == list(range(1, len(phase["paths"]) + 1))


def test_cutting_keeps_the_hops_that_citations_open():
    facts = tuple(fact(i) for i in range(100, 5000))
    big = evidence(hop(MOZART, "people.person.place_of_birth", BIRTH.object, *facts, fact(11), fact(12, WIKIDATA)))
    doc = answer_json(replace(answer(), evidence=(big, spoken())))
    cited = {s["n"] for s in doc["paths"][0]["hops"][0]["sources"] if "n" in s}
    assert size(doc) <= LIMIT
    assert cited == {1, 2}
    assert doc["paths"][0]["hops"][0]["facts"] == 4902


def test_endless_names_do_not_break_the_limit():
    monster = Node(5, "m.0big", "x" * 200_000)
    doc = answer_json(answer(explored=[evidence(hop(MOZART, "y" * 50_000, monster, fact(1)))] * 20))
    assert size(doc) <= LIMIT


def test_what_fits_is_not_touched_and_cutting_changes_no_argument():
    small = answer_json(answer())
    assert trim(small) is small
    big = answer_json(answer(explored=crowd(100, 1)), limit=10**9)
    before = json.dumps(big)
    cut = trim(big, limit=40_000)
    assert json.dumps(big) == before
    assert size(cut) <= 40_000
    assert trim(cut, limit=40_000) == cut


def test_times_do_not_decide_what_is_cut():
    def cut(seconds: float) -> dict:
        phase = Exploration("kg", (MOZART,), "x", 2, {}, tuple(crowd(300, 1)), seconds)
        return answer_json(replace(answer(), explorations=(phase,), seconds={f"step{i}": seconds for i in range(20)}))

    one, two = cut(0.1), cut(1234.5678)
    assert one["explorations"] == two["explorations"]
