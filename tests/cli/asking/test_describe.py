"""``hydra-kg describe``: what is in a store, and questions that it was seen to answer."""

from __future__ import annotations

import json

import pytest

PEOPLE = """name,job,city,born
Pia Holm,cooper,Vester,1948
Jon Brandt,miller,Vester,1962
Ada Lund,cooper,Norby,1951
"""


@pytest.fixture
def store(call, tmp_path):
    (tmp_path / "people.csv").write_text(PEOPLE, encoding="utf-8")
    call("load", tmp_path / "people.csv", "--yes", "--store", tmp_path / "store")
    return tmp_path / "store"


def test_classes_relations_and_questions_are_shown(call, store):
    shown = call("describe", "--store", store).output
    assert "people" in shown
    assert "city" in shown
    assert "Vester" in shown
    assert 'hydra-kg ask "' in shown


def test_each_question_shown_is_answered_as_shown(call, store):
    doc = json.loads(call("describe", "--json", "--store", store).output)
    assert doc["facts"] == 9
    assert {k: doc["classes"][0][k] for k in ("name", "count")} == {"name": "people", "count": 3}
    assert len(doc["questions"]) >= 3
    for made in doc["questions"]:
        told = json.loads(call("ask", made["question"], "--json", "--agent", "offline", "--store", store).output)
        assert {a["name"] for a in told["answers"]} == set(made["answers"])


def test_an_answer_that_is_none_points_there(call, store):
    told = call("ask", "Who invented the telescope?", "--agent", "offline", "--store", store, code=3).output
    assert "hydra-kg describe" in told


def test_an_empty_store_is_called_empty(call, empty_store):
    assert "Nothing is loaded yet" in call("describe", "--store", empty_store).output
