"""The public Answer: short where people look, whole where programs read."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from hydra_kg import Answer, Hydra, answer_json


@pytest.fixture(scope="module")
def answer(sample: Hydra) -> Answer:
    found: Answer = sample.ask("Which football clubs play in the city where John Lennon was born?", keep=False)
    return found


def test_repr_is_short_and_str_is_for_people(answer):
    assert len(repr(answer)) <= 500
    assert "Liverpool F.C." in repr(answer)
    first, second, *paths = str(answer).split("\n")
    assert "Liverpool F.C." in first
    assert second.startswith("supported: ")
    assert 1 <= len(paths) <= 3


def test_hostile_text_moves_no_cursor_and_stays_short(answer):
    odd = replace(answer, question="\x1b[2J" + "x" * 9000, answer_text="\x1b[31mred <script>" + "y" * 9000)
    assert len(repr(odd)) <= 500
    assert "\x1b" not in repr(odd) + str(odd)
    assert "<script" not in odd._repr_html_()


def test_data_is_the_contract(answer):
    assert answer.to_dict() == answer_json(answer)
    assert json.loads(answer.to_json()) == json.loads(json.dumps(answer_json(answer)))


def test_pages(answer):
    assert "Liverpool F.C." in answer._repr_html_()
    assert "<script" not in answer._repr_html_()
    assert answer.html().startswith("<!doctype html>")


def test_no_answer(sample: Hydra):
    said = str(sample.ask("hello", keep=False))
    assert said == "No answer in these sources.\nNo name in the question is known to these sources."


def test_a_silence_prints_its_reason_and_what_may_be_right(answer):
    silent = replace(answer, abstained=True, missing="I could not check “never” against these sources")
    assert str(replace(silent, perhaps=answer.answers[:1])).split("\n")[1:] == [
        "I could not check “never” against these sources.",
        f"Perhaps: {answer.answers[0].name}",
    ]


def test_a_partial_answer_prints_what_was_not_checked(answer):
    lines = str(replace(answer, verdict="partial", unchecked=("in 1999",))).split("\n")
    assert lines[1] == "partial: part of the question could not be checked"
    assert lines[2] == "I could not check “in 1999” against these sources."


def test_one_question_asked_otherwise(sample: Hydra):
    question, kinds = "When was Steve Jobs born?", []
    other = sample.ask(question, keep=False, strategy="pog", listener=lambda event: kinds.append(event.kind))
    assert (other.strategy, kinds[-2:]) == ("pog", ["ask.total", "ask.answered"])
    assert sample.ask(question, keep=False).strategy == "hydra"
    assert sample.ask(question, keep=False, agent="offline").agent == "offline"
