"""Rows are compared with named rows, today and other columns: "started before Salt", "still running", "the same"."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hydra_kg import Hydra

FILES = {
    "halls": "hall,capacity,floor,monthly rent\nMain Hall,120,3,900\nBarn,300,1,1500\nStudio,80,2,600\n",
    "plays": "title,author,director,hall,first shown,last shown,budget,paid\n"
    "The Tide,Ada Lund,Tom Reed,Main Hall,2011-02-01,2014-05-30,4000,yes\n"
    "Salt Road,Ben Cole,Ada Lund,Barn,2015-09-10,,7500,no\n"
    "Paper Moon,Ada Lund,Ada Lund,Main Hall,2019-03-03,,2500,no\n",
    "actors": "name,joined,monthly fee,mentor\nIda Moe,2012-01-01,2100,\nJon Falk,2016-04-01,1900,Ida Moe\n"
    "Eva Rist,2020-10-01,1800,\n",
    "shows": "show,play,date,sold out\n1,Salt Road,2024-04-02,no\n"
    "2,Salt Road,2024-05-03,yes\n3,Paper Moon,2024-05-20,yes\n",
    "roles": "role,play,actor\nKing,Salt Road,Ida Moe\nFool,Salt Road,Jon Falk\nMoon,Paper Moon,Eva Rist\n",
}
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def theatre(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    """Four CSV files in one folder, loaded and opened."""
    folder = tmp_path_factory.mktemp("theatre")
    (folder / "theatre").mkdir()
    for name, text in FILES.items():
        (folder / "theatre" / f"{name}.csv").write_text(text, encoding="utf-8")
    with Hydra(store=folder / "store", agent="offline") as hydra:
        hydra.load(folder / "theatre")
        yield hydra


@pytest.mark.parametrize(
    "question, names",
    [
        ("Did Jon Falk start before Ida Moe?", {"no"}),
        ("Did Eva Rist join after Jon Falk?", {"yes"}),
        ("Did Paper Moon start after Salt Road?", {"yes"}),
        ("Is the budget of Salt Road bigger than that of The Tide?", {"yes"}),
        ("Is the Main Hall more expensive than the Barn?", {"no"}),
        ("Which plays cost more than Paper Moon?", {"The Tide", "Salt Road"}),
        ("Which plays were written and directed by the same person?", {"Paper Moon"}),
        ("Who wrote and directed a play?", {"Ada Lund"}),
        ("How many plays are there?", {"3"}),
        ("How much is still unpaid?", {"10000"}),
        ("Which hall is on the second floor?", {"Studio"}),
        ("Which shows were in May?", {"2", "3"}),
        ("Which plays are still running?", {"Salt Road", "Paper Moon"}),
        ("Which play ended in 2014?", {"The Tide"}),
        ("Which hall is bigger, the Main Hall or the Barn?", {"Barn"}),
    ],
)
def test_rows_are_compared(theatre: Hydra, question: str, names: set[str]) -> None:
    assert {a.name for a in theatre.ask(question, keep=False).answers} == names


@pytest.mark.parametrize(
    "question",
    [
        "Which actors played a role that they did not like?",
        "Who plays the piano?",
        "Do you play musicals?",
    ],
)
def test_what_no_column_states_has_no_answer(theatre: Hydra, question: str) -> None:
    assert not theatre.ask(question, keep=False).answers
