"""A number that sources state for several years is answered for the year that a question names."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.dated_entities import dump, entity

from hydra_kg import Hydra

KIEL = {1990: 245567, 2000: 232612, 2010: 239526}


@pytest.fixture(scope="module")
def cities(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    """A store with the population of two cities: one for several years, one for a single year."""
    folder: Path = tmp_path_factory.mktemp("cities")
    rows = entity("Q1707", "Kiel", "Q515", KIEL), entity("Q24879", "Bremen", "Q515", {2000: 539403})
    with Hydra(store=folder / "store", agent="offline") as hydra:
        hydra.load(dump(folder / "office.json", *rows), format="wikidata_json", source="office")
        yield hydra


@pytest.mark.parametrize(
    "question, answer",
    [
        ("What was the population of Kiel in 2000?", "232612"),
        ("What was Kiel's population in 1990?", "245567"),
        ("What was the population of Bremen in 2000?", "539403"),
        ("What is the population of Kiel?", "239526"),
        ("How many people lived in Kiel in 1990?", "245567"),
        ("In 1990, how many people lived in Kiel?", "245567"),
        ("How many inhabitants did Kiel have in 2000?", "232612"),
        ("How many people were there in Kiel in 2000?", "232612"),
        ("How populous was Kiel in 1990?", "245567"),
        ("What was the number of residents of Bremen in 2000?", "539403"),
    ],
)
def test_the_number_of_the_year_is_answered(cities: Hydra, question: str, answer: str):
    assert [one.name for one in cities.ask(question).answers] == [answer]


@pytest.mark.parametrize(
    "question", ["What was the population of Kiel in 1995?", "How many people lived in Bremen in 2010?"]
)
def test_a_year_without_a_number_is_not_answered(cities: Hydra, question: str):
    asked = cities.ask(question)
    assert not asked.answers
    assert question[-5:-1] in str(asked)


@pytest.mark.parametrize("question", ["How many people died in Kiel?", "How many people were born in Kiel in 1990?"])
def test_the_dead_and_the_born_are_not_the_population(cities: Hydra, question: str):
    assert not cities.ask(question).answers
