"""Questions over tables about periods, differences, places in an order or a file, sums of things, and what is not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.own_data import loaded

from hydra_kg import Hydra

TABLES = {
    "depot": """depot_id,depot_name,region,opened
1,Harbour,North,1988
2,Old Mill,North,2001
3,Airfield,South,2016
""",
    "driver": """driver_id,driver_name,depot_id,age,hired_on,monthly_salary
1,Una Lind,1,34,2015-03-02,3100
2,Pia Holm,1,52,2021-11-20,2800
3,Ole Berg,2,47,2009-07-14,2600
4,Ada Falk,2,29,2022-05-03,3300
""",
    "parcel": """parcel_id,driver_id,weight_kg,fee,sent_on,status
1,1,12,40,2024-03-05,delivered
2,1,30,15,2024-03-28,lost
3,2,8,90,2024-07-11,delivered
4,3,25,20,2023-02-01,returned
5,3,3,25,2023-09-30,delivered
6,3,5,12,2024-03-15,delivered
""",
}


@pytest.fixture(scope="module")
def hydra(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    yield from loaded(
        tmp_path_factory.mktemp("hydra"), {f"{name}.csv": text for name, text in TABLES.items()}, together="courier"
    )


@pytest.mark.parametrize(
    "question, answers",
    [
        ("How many parcels were sent in March 2024?", {"3"}),
        ("How many parcels were there in 2023?", {"2"}),
        ("Which drivers sent parcels in the second half of 2023?", {"Ole Berg"}),
        ("How many parcels were sent before March 2024?", {"2"}),
        ("How many parcels were sent after '2024-01-01'?", {"4"}),
        ("How many parcels were sent between '2023-01-01' and '2024-01-01'?", {"2"}),
        ("Which were the first 2 parcels that were sent after '2024-01-01'?", {"parcel 1", "parcel 6"}),
        ("How many more delivered parcels than lost parcels are there?", {"3"}),
        ("What is the difference between the highest and the lowest fee?", {"78"}),
        ("Which driver has the second highest salary?", {"Una Lind"}),
        ("Which driver has the highest total fee?", {"Pia Holm"}),
        ("How heavy is the heaviest parcel?", {"30"}),
        ("Who was hired most recently?", {"Ada Falk"}),
        ("What is the newest depot?", {"Airfield"}),
        ("Which driver earns the least?", {"Ole Berg"}),
        ("Drivers under 40", {"Una Lind", "Ada Falk"}),
        ("Average salary of the drivers by depot", {"Harbour: 2950", "Old Mill: 2950"}),
        ("Which drivers have no delivered parcel?", {"Ada Falk"}),
        ("Which driver is listed last?", {"Ada Falk"}),
        ("Which driver is listed right after Una Lind?", {"Pia Holm"}),
    ],
)
def test_rows_answer(hydra: Hydra, question: str, answers: set[str]) -> None:
    answer = hydra.ask(question, keep=False)
    assert {a.name for a in answer.answers} == answers
    assert answer.evidence


@pytest.mark.parametrize(
    "question",
    [
        "How many more delivered parcels than stolen parcels are there?",
        "How many parcels were sent in May 1999?",
        "Which driver is listed right after Harbour?",
    ],
)
def test_half_of_it_is_no_answer(hydra: Hydra, question: str) -> None:
    said = {a.name for a in hydra.ask(question, keep=False).answers}
    assert said <= {"0"}


SHOWINGS = """showing,film,starts
S1,Night Ferry,2026-05-01 20:30
S2,Paper Moon Bay,2026-05-01 19:00
S3,Night Ferry,2026-05-02 17:00
S4,Salt and Iron,2026-05-02 21:15
"""


@pytest.mark.parametrize(
    "question, answer", [("Which showing is the earliest?", "S2"), ("Which showing is the latest?", "S4")]
)
def test_moments_of_one_day_are_ordered_by_the_clock(
    tmp_path_factory: pytest.TempPathFactory, question: str, answer: str
) -> None:
    tables = {"showings.csv": SHOWINGS, "films.csv": "film,minutes\nNight Ferry,118\nPaper Moon Bay,95\n"}
    for showings in loaded(tmp_path_factory.mktemp("showings"), tables, together="cinema"):
        assert [a.name for a in showings.ask(question, keep=False).answers] == [answer]


def test_rates_are_nobody(tmp_path: Path) -> None:
    (tmp_path / "plants.csv").write_text(
        "plant,price,waterings\nMonstera,24.90,1 per week\nAloe,7.50,1 per month\nFern,12.00,2 per week\n", "utf-8"
    )
    with Hydra(store=tmp_path / "store", agent="offline") as hydra:
        hydra.load(tmp_path / "plants.csv", source="plants")
        assert not hydra.ask("Who waters the plants?", keep=False).answers
