"""Tables as people write them: missing values, decimal commas, currencies, units, local dates, times and ranges."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hydra_kg import Hydra

Ask = Callable[[str], set[str]]

FERRIES = """ferry;price;length;built;load;insured;crew
Gull;18.500,00 €;12,5 m;31.12.1998;1.234,5;ja;4
Tern;71.250,50 €;9,25 m;05.03.2004;987,25;nein;6
Skua;n/a;10 m;17.08.2011;-;ja;various
Auk;9.900,00 €;8,1 m;unbekannt;45,0;ja;12
Eider;12.000,00 €;31 m;02.02.2001;100,0;nein;8
Plover;2.000,00 €;30 m;09.09.1999;30,0;nein;2
"""
ITEMS = """item_id,item,price,weight,added,vat,stock,maker_id
I1,Anchor,"$1,250.50",12 kg,03/25/2021,19%,1200,M1
I2,Rope,$80.00,3.5 kg,12/01/2021,7%,n/a,M2
I3,Buoy,?,2 kg,11/30/2020,19%,15,M1
I4,Chart,$15.25,0.1 kg,tbd,7%,"1,100",M2
I5,Lamp,$99.00,1 kg,02/14/2019,19%,3,M1
"""
MAKERS = "maker_id,maker,city\nM1,Blom,Oslo\nM2,Ask,Turku\n"
WALKS = """walk,duration,season,start,budget year
Ridge,2:45:10,2018–2021,14:30,FY2021
Shore,0:58:00,1999–2003,09:05,FY2019
Marsh,1:30:00,2005–2006,16:00,FY2020
Mill,1:10:30,2010–2012,08:15,FY2023
"""


def asking(tmp_path: Path, files: dict[str, str]) -> Iterator[Hydra]:
    folder = tmp_path / "files"
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    with Hydra(store=tmp_path / "store.db", agent="offline") as hydra:
        hydra.load(folder if len(files) > 1 else folder / next(iter(files)))
        yield hydra


def names(hydra: Hydra, question: str) -> set[str]:
    return {a.name for a in hydra.ask(question, keep=False).answers}


@pytest.fixture(scope="module")
def ferries(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    yield from asking(tmp_path_factory.mktemp("ferries"), {"ferries.csv": FERRIES})


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    yield from asking(tmp_path_factory.mktemp("shop"), {"items.csv": ITEMS, "makers.csv": MAKERS})


@pytest.fixture(scope="module")
def walks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    yield from asking(tmp_path_factory.mktemp("walks"), {"walks.csv": WALKS})


@pytest.mark.parametrize(
    "question, answers",
    [
        ("Which ferry is the most expensive?", {"Tern"}),
        ("What is the total load?", {"2396.75"}),
        ("What is the load of Gull?", {"1234.5"}),
        ("Which ferry was built first?", {"Gull"}),
        ("Which ferry is the longest?", {"Eider"}),
        ("How many ferries are insured?", {"3"}),
        ("What is the total crew?", {"32"}),
    ],
)
def test_a_file_with_decimal_commas(ferries: Hydra, question: str, answers: set[str]) -> None:
    assert names(ferries, question) == answers


@pytest.mark.parametrize(
    "question, answers",
    [
        ("What is the most expensive item?", {"Anchor"}),
        ("What is the total stock?", {"2318"}),
        ("Which item was added first?", {"Lamp"}),
        ("What is the average weight of items?", {"3.72"}),
    ],
)
def test_related_tables_with_amounts_units_and_local_dates(shop: Hydra, question: str, answers: set[str]) -> None:
    assert names(shop, question) == answers


@pytest.mark.parametrize(
    "question, answers",
    [
        ("Which walk has the longest duration?", {"Ridge"}),
        ("Which walk has the earliest start?", {"Mill"}),
        ("Which walk has the latest season?", {"Ridge"}),
        ("Which walk has the latest budget year?", {"Mill"}),
        ("What is the duration of Marsh?", {"1:30:00"}),
    ],
)
def test_durations_times_of_day_ranges_and_fiscal_years(walks: Hydra, question: str, answers: set[str]) -> None:
    assert names(walks, question) == answers


@pytest.mark.parametrize("files", [{"ferries.csv": FERRIES}, {"ferries.csv": FERRIES, "makers.csv": MAKERS}])
def test_the_report_counts_missing_values_and_names_exceptions(tmp_path: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    with Hydra(store=tmp_path / "store.db", agent="offline") as hydra:
        report = hydra.load(*(tmp_path / name for name in files), source="harbour" if len(files) > 1 else "")
        lines = "\n".join(str(one.described) for one in report.loads)
    assert "price: 1 missing value (“n/a” 1)" in lines
    assert "built: 1 missing value (“unbekannt” 1)" in lines
    assert "“1.234,5” becomes 1234.5" in lines
    assert "1 cell is not a number (“various” in row 4); stored as text" in lines


def test_a_header_that_names_a_column_too_many(tmp_path: Path) -> None:
    text = ",Shares,Cash paid,2\nFirst quarter,9.38,$500\nSecond quarter,7.82,400\nThird quarter,9.49,500\n"
    (tmp_path / "shares.csv").write_text(text, encoding="utf-8")
    with Hydra(store=tmp_path / "store.db", agent="offline") as hydra:
        report = hydra.load(tmp_path / "shares.csv")
        assert report.loads[0].rejected == {}
        assert {a.name for a in hydra.ask("What is the cash paid of Second quarter?", keep=False).answers} == {"400"}


def test_decimal_commas_do_not_separate_cells(tmp_path: Path) -> None:
    text = 'Harbour;Position;Tons;Day\nVisby;"57.6;18.3";97100,7;04/07/2020\nTurku;"60.4;22.2";1201,5;28/07/2020\n'
    (tmp_path / "tons.csv").write_text(text, encoding="utf-8")
    with Hydra(store=tmp_path / "store.db", agent="offline") as hydra:
        hydra.load(tmp_path / "tons.csv")
        assert names(hydra, "What is the total of tons?") == {"98302.2"}
        assert names(hydra, "How many tons has Turku?") == {"1201.5"}
