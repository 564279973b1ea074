"""Nouns of measures find the only column with their dimension, and two people of one row are no tie."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from helpers.own_data import loaded

from hydra_kg import Hydra

FILES = {
    "shows.json": json.dumps(
        [
            {"show": "Deep Rails", "hosts": ["Maya Ortiz", "Jon Falk"], "started": "2019-03-04", "listeners": 9100},
            {"show": "Bread Talk", "hosts": ["Sara Dunn"], "started": "2021-05-10", "listeners": 7000},
        ]
    ),
    "episodes.csv": (
        "episode,show,minutes,plays,distance_km,walker\nGhost Stations,Deep Rails,55,18500,3,Tom\n"
        "Night Trains,Deep Rails,61,9100,5,Kai\nRye or Wheat,Bread Talk,34,15000,2,Tom\n"
    ),
}


@pytest.fixture(scope="module")
def shows(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    yield from loaded(tmp_path_factory.mktemp("shows"), FILES, together="shows")


@pytest.mark.parametrize(
    "question, names",
    [
        ("What is the average length of the episodes of Deep Rails?", {"58"}),
        ("What is the average duration of the episodes?", {"50"}),
        ("Who walked the farthest?", {"Kai"}),
        ("Which shows started before Bread Talk?", {"Deep Rails"}),
        ("Who hosts the show with the most listeners?", {"Maya Ortiz", "Jon Falk"}),
    ],
)
def test_measures_comparisons_and_hosts_are_found_without_doubt(shows: Hydra, question: str, names: set[str]) -> None:
    answer = shows.ask(question, keep=False)
    assert {one.name for one in answer.answers} == names
    assert (answer.verdict, answer.unchecked) == ("single-source", ())
