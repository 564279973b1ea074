"""States and days in cells ("available", "Mon, Wed"), means at the end of a question, and what people gave."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from helpers.own_data import loaded

from hydra_kg import Hydra

VOLUNTEERS = (
    'Name,Phone,Days,Since\nInes Roth,555-0101,"Mon, Wed",2020\nJan Kolar,555-0102,Sat,2022\n'
    'Mira Sand,,"Sat, Sun",2019\nLeo Grant,555-0104,"Mon, Tue, Fri",2023\n'
)
FILES = {
    "animals.csv": (
        "name,species,weight,status\nBella,dog,28.5,available\nMilo,cat,4.2,adopted\nLuna,cat,3.9,available\n"
        "Rex,dog,12.1,adopted\nCoco,rabbit,1.8,available\nOscar,dog,31,adopted\n"
    ),
    "visits.csv": "visit,animal,date,visitors\nV1,Bella,2024-01-08,4\nV2,Bella,2024-02-08,8\nV3,Rex,2024-02-09,3\n",
    "volunteers.csv": VOLUNTEERS,
    "adoptions.csv": "Animal,Adopter,Adopted on,Fee\nMilo,Hanna Weiss,2023-07-03,60\nRex,Tom Arden,2023-01-15,120\n"
    "Oscar,Hanna Weiss,2023-02-20,100\n",
    "donations.csv": (
        "Donor,Date,Amount,Purpose\nHanna Weiss,2023-01-10,50 EUR,food\nAcme Pets,2023-02-01,1000 EUR,kennels\n"
        "Tom Arden,2023-03-05,25 EUR,food\nHanna Weiss,2023-06-18,40 EUR,medicine\nanonymous,2023-07-01,80 EUR,\n"
    ),
}


@pytest.fixture(scope="module")
def shelter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    yield from loaded(tmp_path_factory.mktemp("shelter"), FILES, together="shelter")


@pytest.mark.parametrize(
    "question, answers",
    [
        ("Which dogs are available?", {"Bella"}),
        ("How many dogs are available?", {"1"}),
        ("Which volunteers work on Saturday?", {"Jan Kolar", "Mira Sand"}),
        ("How many volunteers work on Mondays?", {"2"}),
        ("How many visitors did Bella have?", {"12"}),
        ("How many visitors did Bella have on average?", {"6"}),
        ("How much did Hanna Weiss pay in fees?", {"160"}),
        ("Which donor donated the most?", {"Acme Pets"}),
        ("How much was donated for food?", {"75"}),
        ("How much did Tom Arden pay?", {"120"}),  # the fee of an adoption, not what he donated
        ("How much did Hanna Weiss donate?", {"90"}),
        ("How much did Hanna Weiss give?", {"90"}),
        ("Who donated the most?", {"Acme Pets"}),
    ],
)
def test_states_days_and_amounts(shelter: Hydra, question: str, answers: set[str]) -> None:
    answer = shelter.ask(question, keep=False)
    assert {a.name.removesuffix(" EUR") for a in answer.answers} == answers


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    yield from loaded(tmp_path_factory.mktemp("alone"), {"volunteers.csv": VOLUNTEERS})


@pytest.mark.parametrize(
    "question, answers",
    [
        ("Which volunteers work on Saturday?", {"Jan Kolar", "Mira Sand"}),
        ("How many volunteers work on Monday?", {"2"}),
        ("Who works on Mondays and Wednesdays?", {"Ines Roth"}),
    ],
)
def test_cells_of_one_file_are_split_into_days(alone: Hydra, question: str, answers: set[str]) -> None:
    assert {a.name for a in alone.ask(question, keep=False).answers} == answers


def test_a_year_is_not_found_by_its_first_digits(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Days and months are abbreviated to three letters; 1995 is no route 199."""
    buses = "bus,route,stop\nB1,199,Elm\nB2,200,Oak\nB3,199,Ash\n"
    for alone in loaded(tmp_path_factory.mktemp("buses"), {"buses.csv": buses}):
        assert "2" not in {a.name for a in alone.ask("How many buses have the route 1995?", keep=False).answers}
