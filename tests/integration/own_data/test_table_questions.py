"""Questions over a folder of tables are read as columns, conditions, groups and orders over rows, and carried out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hydra_kg import Hydra
from hydra_kg.steps.tables import operation_words

TABLES = {
    "singers.csv": """singer_id,name,country,birth_year,net_worth
1,Una Lind,France,1971,12.5
2,Pia Holm,Norway,1985,8
3,Ole Berg,France,1990,30
4,Ada Falk,Denmark,1964,
5,Jan Moen,Norway,1979,4.5
""",
    "venues.csv": """venue_id,name,city,capacity
10,Old Mill,Bergen,400
11,Blue Barn,Lyon,1200
12,Tin House,Aarhus,150
""",
    "concerts.csv": """concert_id,title,year,venue_id
100,Winter Songs,2019,10
101,Harbour Night,2021,11
102,Spring Tour,2021,11
103,Quiet Hours,2022,10
""",
    "singer_concert.csv": """singer_id,concert_id
1,100
1,101
2,101
3,102
3,103
1,103
""",
}


@pytest.fixture(scope="module")
def hydra(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    folder: Path = tmp_path_factory.mktemp("music")
    for name, text in TABLES.items():
        (folder / name).write_text(text, encoding="utf-8")
    with Hydra(store=folder / "music.db", agent="offline") as hydra:
        for_load = folder / "tables"
        for_load.mkdir()
        for name in TABLES:
            (folder / name).rename(for_load / name)
        hydra.load(for_load)
        yield hydra


@pytest.mark.parametrize(
    "question, answers",
    [
        ("How many singers are there?", {"5"}),
        ("What are the names of singers from France?", {"Una Lind", "Ole Berg"}),
        ("Which singers were born before 1975?", {"Una Lind", "Ada Falk"}),
        ("What is the average capacity of venues?", {"583.3333333333"}),
        ("What is the median capacity of venues?", {"400"}),
        ("What are the names of the venues whose capacity is above the median?", {"Blue Barn"}),
        ("Show the median capacity of venues per city.", {"Bergen: 400", "Lyon: 1200", "Aarhus: 150"}),
        ("What is the total net worth of singers from Norway?", {"12.5"}),
        ("Which venue has the largest capacity?", {"Blue Barn"}),
        ("Who is the youngest singer?", {"Ole Berg"}),
        ("Which singer has the most concerts?", {"Una Lind"}),
        ("What are the names of singers who have no concerts?", {"Ada Falk", "Jan Moen"}),
        ("Which singers have at least 2 concerts?", {"Una Lind", "Ole Berg"}),
        ("List the titles of concerts held at the Blue Barn.", {"Harbour Night", "Spring Tour"}),
        ("What are the cities of venues with a capacity above 300?", {"Bergen", "Lyon"}),
        ("How many concerts took place in 2021?", {"2"}),
        ("Show the number of singers per country.", {"France: 2", "Norway: 2", "Denmark: 1"}),
        ("Which singers are not from Norway?", {"Una Lind", "Ole Berg", "Ada Falk"}),
        ("What are the names of the singers whose net worth is higher than the average?", {"Ole Berg"}),
        ("Which country is the most common?", {"France", "Norway"}),
        ("What percentage of singers are from France?", {"40"}),
        ("Who is older, Pia Holm or Una Lind?", {"Una Lind"}),
        ('Find the titles of concerts whose title contains "Night".', {"Harbour Night"}),
    ],
)
def test_rows_answer(hydra: Hydra, question: str, answers: set[str]) -> None:
    answer = hydra.ask(question, keep=False)
    assert {a.name for a in answer.answers} == answers
    assert answer.evidence


def test_one_row_of_the_lexicon_adds_a_word_for_an_operator(hydra: Hydra, monkeypatch: pytest.MonkeyPatch) -> None:
    question = "What is the midpoint of the capacity of venues?"
    before = hydra.ask(question, keep=False)
    rows = operation_words.lexicon_table("operators")
    monkeypatch.setattr(operation_words, "lexicon_table", lambda *_: [*rows, ["median", "", "[the ]midpoint of[ the]"]])
    operation_words.operator_patterns.cache_clear()
    try:
        after = hydra.ask(question, keep=False)
    finally:
        operation_words.operator_patterns.cache_clear()
    assert [a.name for a in before.answers] != ["400"]
    assert [a.name for a in after.answers] == ["400"]


def test_other_words_can_be_given(tmp_path: Path) -> None:
    folder = tmp_path / "music"
    folder.mkdir()
    (folder / "venues.csv").write_text(TABLES["venues.csv"], encoding="utf-8")
    (folder / "concerts.csv").write_text(TABLES["concerts.csv"], encoding="utf-8")
    feeds = tmp_path / "feeds.yaml"
    feeds.write_text(
        "feeds: {music: {tables: {venues: {also: [hall], columns: {capacity: {also: [seats]}}}}}}\n", encoding="utf-8"
    )
    with Hydra(store=tmp_path / "store", agent="offline") as hydra:
        hydra.load(folder, extra={"feeds": str(feeds)})
        answer = hydra.ask("Which halls have more than 300 seats?", keep=False)
    assert {a.name for a in answer.answers} == {"Old Mill", "Blue Barn"}


def test_an_order_is_kept_and_each_answer_cites_its_row(hydra: Hydra) -> None:
    answer = hydra.ask("List the names of venues in descending order of capacity.", keep=False)
    assert [a.name for a in answer.answers] == ["Blue Barn", "Old Mill", "Tin House"]
    cited = {c.locator for c in answer.citations}
    assert len(cited) >= 3


def test_rows_without_a_value_are_counted(hydra: Hydra) -> None:
    answer = hydra.ask("What is the average net worth of singers?", keep=False)
    assert [a.name for a in answer.answers] == ["13.75"]
    assert "over 4 singers; 1 without one" in answer.computation


def test_other_columns_are_said_beside(hydra: Hydra) -> None:
    answer = hydra.ask("What are the names and capacities of all venues?", keep=False)
    assert {a.name for a in answer.answers} == {"Old Mill", "Blue Barn", "Tin House"}
    assert "Blue Barn, 1200" in answer.computation


@pytest.mark.parametrize(
    "question",
    [
        "How many left-handed singers are there?",
        "What are the names of singers who never smoked?",
        "Which venue has the heaviest roof?",
        "How many singers were born in Atlantis?",
        "Which singers are from Portugal?",
    ],
)
def test_what_no_column_says_is_not_passed_over(hydra: Hydra, question: str) -> None:
    assert not hydra.ask(question, keep=False).answers


def test_the_reading_is_said_in_plain_words(hydra: Hydra) -> None:
    answer = hydra.ask("What are the names and the birth years of the singers from France?")
    assert {a.name for a in answer.answers} == {"Una Lind", "Ole Berg"}
    assert set(answer.computation.split("; ")) == {"Una Lind, 1971", "Ole Berg, 1990"}
    assert answer.steps[-1].text == "name and birth year of singers whose country is France"


def test_one_row_of_a_table_in_the_plural_is_said_in_the_singular(tmp_path: Path) -> None:
    file = tmp_path / "boats.csv"
    file.write_text("boat_id,name,colour\n1,Anna,red\n2,Bella,blue\n3,Cora,red\n", encoding="utf-8")
    with Hydra(store=tmp_path / "boats.db", agent="offline") as hydra:
        hydra.load(file)
        answer = hydra.ask("What are the names of the red boats?", keep=False)
    assert answer.steps[-1].text == "name of boats whose colour is red"
