"""The judgement of the committed questions, and what counts as a regression."""

from __future__ import annotations

import pytest

from bench.behaviour import suite
from bench.behaviour.suite_data import DATA


def asked(outcome: str, *answers: str, recorded: str = "right") -> suite.Asked:
    question = {"id": "q1", "question": "Which?", "answers": ["a"], "recorded": {"csv": recorded}}
    return suite.Asked(question, outcome, answers, 0.5)


@pytest.mark.parametrize(
    "gold, document, outcome",
    [
        ({"answers": ["60.75"]}, {"answers": [{"name": "60.7500"}], "confidence": 0.9}, "right sure"),
        ({"answers": ["Ada", "Bo"]}, {"answers": [{"name": "Bo"}, {"name": "Ada"}], "confidence": 0.5}, "right"),
        ({"answers": ["Ada", "Bo"], "ordered": True}, {"answers": [{"name": "Bo"}, {"name": "Ada"}]}, "wrong"),
        ({"answers": ["Ada", "Bo"]}, {"answers": [{"name": "Ada"}], "confidence": 0.9}, "wrong sure"),
        ({"answers": ["no"]}, {"answers": [{"name": "x"}], "claim": "false", "confidence": 0.9}, "right sure"),
        ({"answers": ["149"], "also": ["€149.00"]}, {"answers": [{"name": "€149.00"}]}, "right"),
        ({"answers": []}, {"answers": [], "confidence": 0.9}, "right"),
        ({"answers": []}, {"answers": [{"name": "x"}], "confidence": 0.9}, "wrong sure"),
        ({"answers": ["Ada"]}, {"answers": [{"name": "Ada"}], "abstained": True}, "silent"),
    ],
)
def test_answers_are_judged(gold, document, outcome):
    assert suite.judge({"id": "q1", "question": "?", **gold}, document).outcome == outcome


@pytest.mark.parametrize(
    "old, new, worse",
    [
        ("right sure", "right", False),
        ("right", "silent", True),
        ("right", "wrong", True),
        ("silent", "wrong", True),
        ("silent", "right", False),
        ("wrong", "wrong sure", True),
        ("wrong sure", "wrong sure", False),
        ("wrong sure", "silent", False),
    ],
)
def test_regressions_are_lost_answers_new_errors_and_new_certainty(old, new, worse):
    assert bool(suite.find_regressions("csv", [asked(new, "b", recorded=old)])) == worse


def test_a_question_without_a_record_is_reported():
    assert suite.find_regressions("turtle", [asked("right", "a")])


def test_forms_differ_in_outcome_or_answers_but_not_in_confidence():
    alike = {"csv": [asked("right sure", "a")], "turtle": [asked("right", "a")]}
    other = {"csv": [asked("wrong", "b")], "turtle": [asked("wrong", "c")]}
    assert suite.find_differences(alike) == []
    assert len(suite.find_differences(other)) == 1


@pytest.mark.parametrize("data", DATA)
def test_every_question_is_complete_and_its_id_unique(data):
    questions = suite.read_questions(data)
    assert len({q["id"] for q in questions}) == len(questions)
    assert len({q["question"] for q in questions}) == len(questions)
    for question in questions:
        assert question["data"] == data
        assert set(question["recorded"]) == set(DATA[data])
