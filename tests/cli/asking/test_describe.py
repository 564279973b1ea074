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


@pytest.fixture
def wood(call, tmp_path):
    """A store of nests and counts; a count has no name, and its only number looks like a year."""
    folder = tmp_path / "wood"
    folder.mkdir()
    (folder / "nests.csv").write_text("nest_id,tree,area_ha\nN-1,oak,4.5\nN-2,ash,3.5\nN-3,oak,2.5\n")
    (folder / "counts.csv").write_text(
        "nest_id,eggs\nN-1,1500\nN-1,1700\nN-2,1600\nN-2,1500\nN-3,1650\nN-3,1700\n", encoding="utf-8"
    )
    call("load", folder, "--yes", "--store", tmp_path / "store")
    return tmp_path / "store"


def test_no_internal_id_is_shown_and_questions_are_english(call, wood):
    shown = call("describe", "--store", wood).output
    assert "wood:" not in shown
    assert "(count) → " in shown
    doc = json.loads(call("describe", "--json", "--questions", 40, "--store", wood).output)
    asked = [made["question"] for made in doc["questions"]]
    assert asked
    assert not [q for q in asked if "latest" in q or " ha " in q or "#" in q]


def test_keys_of_relations_are_shown_as_words(call, tmp_path):
    lines = [
        f"<http://rdf.freebase.com/ns/m.0{n}> <http://rdf.freebase.com/ns/{predicate}> {value} ."
        for n in range(3)
        for predicate, value in [
            ("type.object.name", f'"Wren {n}"@en'),
            ("user.birder.old_birds.nest_site", f"<http://rdf.freebase.com/ns/m.0{n + 1}>"),
        ]
    ]
    (tmp_path / "fb.nt").write_text("\n".join(lines) + "\n")
    call("load", tmp_path / "fb.nt", "--store", tmp_path / "store")
    shown = call("describe", "--store", tmp_path / "store").output
    assert "nest site" in shown
    assert "user.birder" not in shown


def test_an_example_calls_a_relation_without_the_type_that_owns_it(call, sample_store):
    questions = [line for line in call("describe", "--store", sample_store).stdout.splitlines() if " ask " in line]
    assert questions
    assert [q for q in questions if "the person " in q or "the film " in q] == []
