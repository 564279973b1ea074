"""Who has so many rows of a table that names their owner, who has not paid, and ages on another day than today."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from helpers.own_data import loaded

from hydra_kg import Hydra

FILES = {
    "animals.csv": (
        "animal_id,name,species,born,owner\nA1,Biscuit,dog,2016-04-02,Hanna Vogt\n"
        "A2,Mittens,cat,2019-08-15,Omar Diallo\n"
        "A3,Rex,dog,2014-01-20,Hanna Vogt\nA4,Coco,rabbit,2021-05-30,Lea Brandt\nA5,Luna,dog,2020-02-29,Lea Brandt\n"
    ),
    "visits.csv": (
        "visit,animal_id,date,reason,insurer,paid\nV1,A1,2024-01-15,vaccination,Insurer One,yes\n"
        "V2,A3,2024-01-20,limping,Insurer Two,yes\nV3,A2,2024-02-03,checkup,Insurer One,no\n"
        "V4,A1,2024-03-05,ear infection,Insurer Three,no\n"
    ),
}


@pytest.fixture(scope="module")
def clinic(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    yield from loaded(tmp_path_factory.mktemp("clinic"), FILES, together="clinic")


@pytest.mark.parametrize(
    "question, answers",
    [
        ("Who has more than one animal?", {"Hanna Vogt", "Lea Brandt"}),
        ("Who owns at least two animals?", {"Hanna Vogt", "Lea Brandt"}),
        ("Which animals had more than one visit?", {"Biscuit"}),
        ("How old was Biscuit at the first visit?", set()),
        ("Which owners have not paid?", {"Hanna Vogt", "Omar Diallo"}),
        ("Which owners haven't paid?", {"Hanna Vogt", "Omar Diallo"}),
        ("Which animals have unpaid visits?", {"Biscuit", "Mittens"}),
        ("Which insurers have not paid?", {"Insurer One", "Insurer Three"}),
        ("Which owners have never paid?", {"Omar Diallo", "Lea Brandt"}),
    ],
)
def test_rows_are_counted_for_their_owner(clinic: Hydra, question: str, answers: set[str]) -> None:
    assert {a.name for a in clinic.ask(question, keep=False).answers} == answers


def test_all_of_their_rows_is_a_doubt(clinic: Hydra) -> None:
    answer = clinic.ask("Which owners have paid all their visits?", keep=False)
    assert (answer.verdict, answer.unchecked) == ("partial", ("all",))
