"""Questions that the first page proposes are such as people ask, and an empty store says why it answers none."""

from __future__ import annotations

from pathlib import Path

from hydra_kg import Hydra, Settings
from hydra_kg.serialise import answer_json
from hydra_kg.serving.web.readable import EMPTY, readable
from hydra_kg.serving.wording.replies import german
from hydra_kg.steps.schema.store_description import describe

PLANTS = "plant,height_meters,flowers\nFoxglove,1.5,June\nDahlia,1.3,August\nSalvia,0.7,July\n"


def test_examples_name_no_unit_and_ask_for_several_values_only_where_there_are_some(tmp_path: Path):
    (tmp_path / "plants.csv").write_text(PLANTS)
    with Hydra(store=tmp_path / "store", settings=Settings()) as hydra:
        hydra.load(tmp_path / "plants.csv", format="feed")
        with hydra.store.snapshot() as snapshot:
            asked = {one.question for one in describe(snapshot).candidates}
    assert any("height of" in question for question in asked)
    assert not [question for question in asked if "meters" in question or "flowers of" in question]


BOATS = """boat,owner,class,length
Aurora,Ida Berg,Sloop,9
Teist,Ida Berg,Yawl,10
Alke,Jon Lie,Sloop,8
Sula,Jon Lie,Sloop,7
"""


def test_examples_ask_who_and_count_for_each_of_a_few_values(tmp_path: Path):
    (tmp_path / "boats.csv").write_text(BOATS)
    with Hydra(store=tmp_path / "store", settings=Settings()) as hydra:
        hydra.load(tmp_path / "boats.csv", format="feed")
        with hydra.store.snapshot() as snapshot:
            made = {one.question: one.answers for one in describe(snapshot).candidates}
        assert set(made["How many boats are there for each class?"]) == {"Sloop: 3", "Yawl: 1"}
        assert any(question.startswith("Who is the owner of ") for question in made)
        answers = {q: {a.name for a in hydra.ask(q, keep=False).answers} for q in made}
    assert answers == {question: set(stated) for question, stated in made.items()}


JOBS = """job,customer since,paid,work
Aurora,2019-03-04,yes,new brakes
Teist,2019-03-05,no,new chain
Alke,2019-03-06,yes,new chain
Sula,2019-03-07,yes,new chain
"""


def test_examples_use_a_relation_as_a_noun_only_where_it_is_one(tmp_path: Path):
    (tmp_path / "jobs.csv").write_text(JOBS)
    with Hydra(store=tmp_path / "store", settings=Settings()) as hydra:
        hydra.load(tmp_path / "jobs.csv", format="feed")
        with hydra.store.snapshot() as snapshot:
            asked = [one.question for one in describe(snapshot).candidates]
    assert any("work of" in question for question in asked)
    assert not [question for question in asked if "paid" in question or "customer since of" in question]


def test_an_empty_store_says_what_to_load(tmp_path: Path):
    with Hydra(store=tmp_path / "store", settings=Settings()) as hydra:
        (tmp_path / "none.csv").write_text(PLANTS)
        hydra.load(tmp_path / "none.csv", source="none")
        hydra.store.drop("none")
        answer = hydra.ask("Who directed Titanic?")
    assert readable(answer_json(answer))["reason"] == EMPTY
    assert german(EMPTY, {}).startswith("Es ist noch nichts geladen.")
