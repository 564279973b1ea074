"""Of numbers whose years are qualifiers, the latest one is the answer, and is compared."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.dated_entities import dump, entity

from hydra_kg import Hydra

POPULATIONS = {
    "Kiel": {1990: 245567, 2020: 246601, 2000: 232612},
    "Bremen": {1990: 551219, 2020: 566573},
    "Soest": {2020: 48000, 1990: 990000},  # once counted with its district
}


@pytest.fixture(scope="module")
def cities(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    """A store of cities with a population for each of several years."""
    folder: Path = tmp_path_factory.mktemp("cities")
    found = [entity(f"Q{n}", name, "Q515", of) for n, (name, of) in enumerate(POPULATIONS.items(), 1001)]
    with Hydra(store=folder / "store", agent="offline") as hydra:
        hydra.load(dump(folder / "cities.json", *found), format="wikidata_json")
        yield hydra


@pytest.mark.parametrize(
    "question, answer",
    [
        ("What is the population of Kiel?", "246601"),
        ("What is the population of Soest?", "48000"),
        ("Which has the larger population, Bremen or Soest?", "Bremen"),
    ],
)
def test_the_latest_number_counts(cities: Hydra, question: str, answer: str):
    found = cities.ask(question)
    assert found.answer_text == answer
    assert "without a date" not in " ".join(found.unchecked)
