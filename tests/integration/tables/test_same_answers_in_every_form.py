"""The same facts as Turtle and as CSV files get the same answers: nested superlatives, times between events, roles."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bench.behaviour.twin_forms import write_twin
from hydra_kg import Hydra

FACTS = {
    "ships": [
        {"name": "Petrel", "builder": "Ola Brask", "owner": "Mia Torp", "harbour": "Vik", "length": 31,
         "launched": "1951-03-02", "admission_date": "1953-01-10"},
        {"name": "Curlew", "builder": "Ola Brask", "owner": "Jon Dahl", "harbour": "Vik", "length": 44,
         "launched": "1958-08-20", "admission_date": "1958-09-01"},
        {"name": "Gannet", "builder": "Ola Brask", "owner": "Mia Torp", "harbour": "Sund", "length": 27,
         "launched": "1949-06-11", "admission_date": "1950-02-03"},
        {"name": "Osprey", "builder": "Mia Torp", "owner": "Jon Dahl", "harbour": "Sund", "length": 52,
         "launched": "1963-11-30", "admission_date": "1964-05-06"},
        {"name": "Plover", "builder": "Ola Brask", "owner": "Jon Dahl", "harbour": "Eid", "length": 38,
         "launched": "1955-04-04", "admission_date": "1955-07-08"},
    ],
    "harbours": [
        {"name": "Vik", "berths": 40, "pilot": "Ane Lie"},
        {"name": "Sund", "berths": 65, "pilot": "Per Moe"},
        {"name": "Eid", "berths": 12, "pilot": "Ane Lie"},
    ],
    "persons": [
        {"name": "Ola Brask", "date_of_birth": "1910-05-17"},
        {"name": "Mia Torp", "date_of_birth": "1921-12-01"},
        {"name": "Jon Dahl", "date_of_birth": "1919-02-28"},
    ],
}  # fmt: skip

Ask = Callable[[str], set[str]]


@pytest.fixture(scope="module", params=["turtle", "csv"])
def ask(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    work: Path = tmp_path_factory.mktemp(request.param)
    facts = work / "ships.json"
    facts.write_text(json.dumps(FACTS), encoding="utf-8")
    with Hydra(store=work / "ships.db", agent="offline") as hydra:
        hydra.load(write_twin(facts, request.param, work / "files"))
        yield lambda question: {a.name for a in hydra.ask(question).answers}


@pytest.mark.parametrize(
    "question, answers",
    [
        ("Which ship is the longest in the harbour with the most berths?", {"Osprey"}),
        ("Who is the pilot of the harbour of the oldest ship?", {"Per Moe"}),
        ("Which ships are in neither Vik nor Sund?", {"Plover"}),
        ("Which owners have ships in both Vik and Sund?", {"Mia Torp", "Jon Dahl"}),
        ("Which ships were launched after Plover?", {"Curlew", "Osprey"}),
        ("Which ships are longer than Petrel?", {"Curlew", "Osprey", "Plover"}),
        ("How many days passed between the admission of Petrel and the admission of Gannet?", {"1072"}),
        ("How old was Ola Brask when Curlew was launched?", {"48"}),
        ("Which ships were admitted before 1955?", {"Petrel", "Gannet"}),
        ("List the harbours ordered by number of berths", {"Eid", "Vik", "Sund"}),
        ("What is the ratio of ships in Vik to ships in Eid?", {"2"}),
        ("Which harbour has more ships, Vik or Eid?", {"Vik"}),
        ("Which ships are in the same harbour as Petrel?", {"Curlew"}),
        ("What percentage of ships built by Ola Brask are owned by Jon Dahl?", {"50"}),
    ],
)
def test_every_form_gives_the_answer(ask: Ask, question: str, answers: set[str]) -> None:
    assert ask(question) == answers


def test_dates_of_rows_with_several_dates_are_not_guessed(ask: Ask) -> None:
    assert ask("How many days passed between Petrel and Gannet?") == set()


@pytest.fixture(scope="module")
def one_table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    work: Path = tmp_path_factory.mktemp("one")
    rows = [",".join(map(str, row.values())) for row in FACTS["ships"]]
    table = work / "ships.csv"
    table.write_text("\n".join([",".join(FACTS["ships"][0]), *rows]) + "\n", encoding="utf-8")
    with Hydra(store=work / "one.db", agent="offline") as hydra:
        hydra.load(table)
        yield hydra


@pytest.mark.parametrize(
    "question, answer",
    [
        ("Did Mia Torp build Osprey?", "yes"),
        ("Did Mia Torp build Curlew?", "no"),
        ("Mia Torp built Osprey.", "yes"),
        ("Ola Brask built Osprey.", "no"),
        ("Who built more ships, Ola Brask or Mia Torp?", "Ola Brask"),
    ],
)
def test_one_table_answers_claims_and_comparisons(one_table: Hydra, question: str, answer: str) -> None:
    assert [a.name for a in one_table.ask(question).answers] == [answer]


def test_a_step_on_the_way_is_no_answer(one_table: Hydra) -> None:
    assert one_table.ask("Where was the owner of Osprey born?").abstained
