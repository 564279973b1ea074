"""A table gives the same answers loaded alone and next to another one, though repeated texts are stored otherwise."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hydra_kg import Hydra

HORSES = """horse_id,horse,keeper,stable,height (cm),born,Shod?
1,Brisk,Ida Lund,North Yard,152,2011-04-02,yes
2,Cloud,Max Orr,Mill Yard,140,2014-06-11,No
3,Dapple,Ida Lund,North Yard,161,2009-01-30,Yes
4,Ember,Eva Rist,Fen Yard,148,2016-09-19,n
5,Flint,Jo Falk,North Yard,155,2012-12-01,y
"""
Ask = Callable[[str], set[str]]
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", params=["alone", "folder"])
def ask(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    """The table of horses by itself, or in a folder with one of other things."""
    folder = tmp_path_factory.mktemp(request.param) / "farm"
    folder.mkdir()
    (folder / "horses.csv").write_text(HORSES, encoding="utf-8")
    (folder / "tins.csv").write_text("tin_code,grams\nT-1,400\nT-2,250\nT-3,800\n", encoding="utf-8")
    with Hydra(store=folder.parent / "store", agent="offline") as hydra:
        hydra.load(folder if request.param == "folder" else folder / "horses.csv")
        yield lambda question: {a.name for a in hydra.ask(question, keep=False).answers}


@pytest.mark.parametrize(
    "question, answers",
    [
        ("Who is the keeper of Cloud?", {"Max Orr"}),
        ("Which horses does Ida Lund keep?", {"Brisk", "Dapple"}),
        ("Which horses are in North Yard?", {"Brisk", "Dapple", "Flint"}),
        ("Which horses are in the same stable as Brisk?", {"Dapple", "Flint"}),
        ("Which stable has the most horses?", {"North Yard"}),
        ("How many horses are in North Yard?", {"3"}),
        ("Which stables are there?", {"North Yard", "Mill Yard", "Fen Yard"}),
        ("Which horses are shod?", {"Brisk", "Dapple", "Flint"}),
        ("What is the tallest horse in North Yard?", {"Dapple"}),
        ("What is the average height of the horses in North Yard?", {"156"}),
        ("Max Orr keeps Cloud.", {"yes"}),
        ("When was Ember born?", {"2016-09-19"}),
    ],
)
def test_both_forms_give_the_answer(ask: Ask, question: str, answers: set[str]) -> None:
    assert ask(question) == answers


def test_tables_named_one_by_one_are_one_feed_if_they_refer_to_one_another(tmp_path: Path):
    gym = Path(__file__).resolve().parents[2] / "behaviour" / "data" / "gym"
    with Hydra(store=tmp_path / "store", agent="offline") as hydra:
        report = hydra.load(*sorted(gym.glob("*.csv")))
        assert [(load.name, load.format) for load in report.loads] == [("gym", "feed")]
        assert hydra.ask("Which specialty does the trainer of Deadlift Club have?").answer_text == "Strength"


def test_tables_of_the_same_things_named_one_by_one_stay_sources_of_their_own(tmp_path: Path):
    for name, pier in (("harbour", 3), ("tourbook", 5)):
        (tmp_path / f"{name}.csv").write_text(f"ferry id,ferry,pier\nF1,Aurora,Pier {pier}\n")
    with Hydra(store=tmp_path / "store", agent="offline") as hydra:
        report = hydra.load(tmp_path / "harbour.csv", tmp_path / "tourbook.csv")
        assert [load.name for load in report.loads] == ["harbour", "tourbook"]
