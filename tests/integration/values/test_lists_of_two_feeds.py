"""Two feeds that each name one actor of a film do not disagree; two that state two running times do."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from hydra_kg.cli.main import main

PREFIX = """@prefix ex: <https://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
ex:film rdfs:label "film" . ex:actor rdfs:label "actor" . ex:director rdfs:label "director" .
"""
FILM = 'ex:{0} a ex:film ; rdfs:label "{0}" ; ex:actor ex:{1} ; ex:director ex:{2} ; ex:running_time {3} .\n'
FEEDS = {
    "north": [
        ("Salt", "Ida_Holm", "Phil_Noy", 100),
        ("Dune", "Tim_Char", "Den_Vil", 155),
        ("Kraal", "Zoe_Day", "P", 99),
    ],
    "south": [
        ("Salt", "Liv_Schr", "Den_Vil", 150),
        ("Dune", "Zoe_Day", "Den_Vil", 155),
        ("Kraal", "Ida_Holm", "P", 99),
    ],
}


def run(*args: object) -> str:
    return CliRunner().invoke(main, [str(a) for a in args]).stdout


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    path = tmp_path_factory.mktemp("feeds")
    for name, films in FEEDS.items():
        people = {p for _, actor, director, _ in films for p in (actor, director)}
        labels = "".join(f'ex:{p} rdfs:label "{p.replace("_", " ")}" .\n' for p in sorted(people))
        (path / f"{name}.ttl").write_text(PREFIX + "".join(FILM.format(*film) for film in films) + labels)
        run("load", path / f"{name}.ttl", "--source", name, "--store", path / "store")
    return path / "store"


def asked(store, question):
    return json.loads(run("ask", question, "--json", "--store", store))


def test_two_actors_are_two_answers_and_no_conflict(store):
    doc = asked(store, "Who is the actor of Salt?")
    assert {a["name"] for a in doc["answers"]} == {"Ida Holm", "Liv Schr"}
    assert (doc["verdict"], doc["decision"], doc["dissent"]) == ("single-source", "answer", [])
    assert doc["certainty"] == "all words matched; 2 rows · sure"
    assert asked(store, "How many actors does Dune have?")["certainty"] == "all words matched; 1 row · sure"


@pytest.mark.parametrize(
    "question, values",
    [("Who directed Salt?", {"Phil Noy", "Den Vil"}), ("What is the running time of Salt?", {"100", "150"})],
)
def test_two_values_of_a_relation_with_one_are_a_conflict(store, question, values):
    doc = asked(store, question)
    assert {a["name"] for a in doc["answers"]} == values
    assert (doc["verdict"], doc["certainty"]) == ("contested", "contested: sources differ")
    assert doc["answer_text"].startswith("Sources disagree: ")


@pytest.mark.parametrize("entity", [("Salt",), ()], ids=["one thing", "the whole store"])
def test_fusion_believes_both_actors_and_names_no_conflict(store, entity):
    groups = json.loads(run("fuse", *entity, "--json", "--store", store))["values"]
    conflicts = {g["attribute"] for g in groups if g["entity"]["name"] == "Salt" and g["conflict"]}
    assert conflicts == {"director", "running time"}
    actors = [v for g in groups if (g["entity"]["name"], g["attribute"]) == ("Salt", "actor") for v in g["values"]]
    assert all(v["believed"] for v in actors)
