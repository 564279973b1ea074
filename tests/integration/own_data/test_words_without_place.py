"""No answer over own tables is sure while a content word of the question has no place in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.own_data import loaded

from hydra_kg import Hydra
from hydra_kg.citations import SURE

CLUBS = """club,town,founded,points
Rovers,Larkwood,1901,44
United,Otterby,1888,39
Albion,Seaford,1921,51
Wanderers,Otterby,1899,39
"""

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def clubs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    """One CSV file of clubs, loaded and opened."""
    yield from loaded(tmp_path_factory.mktemp("clubs"), {"clubs.csv": CLUBS})


@pytest.mark.parametrize(
    "question",
    [
        "What is the manager of Rovers?",
        "How many players does Rovers have?",
        "Which goalkeeper is at Larkwood?",
    ],
)
def test_what_no_column_says_is_not_replaced_by_another_one(clubs: Hydra, question: str) -> None:
    assert clubs.ask(question, keep=False).abstained


@pytest.mark.parametrize(
    "question, answer, word",
    [
        ("How many points does Albion have now?", "51", "now"),
        ("What is the current town of Rovers?", "Larkwood", "current"),
        ("Which club has the fewest points?", "United and Wanderers", "which one, as 2 are equal"),
    ],
)
def test_a_word_without_a_place_is_named_and_the_answer_is_not_sure(
    clubs: Hydra, question: str, answer: str, word: str
) -> None:
    found = clubs.ask(question, keep=False)
    assert found.answer_text == answer
    assert found.confidence < SURE
    assert found.verdict == "partial"
    assert word in found.unchecked


@pytest.mark.parametrize(
    "question, answer",
    [
        ("Which town is Rovers in?", "Larkwood"),
        ("When was Albion founded?", "1921"),
        ("Which club has the most points?", "Albion"),
    ],
)
def test_a_question_of_which_every_word_has_a_place_is_sure(clubs: Hydra, question: str, answer: str) -> None:
    found = clubs.ask(question, keep=False)
    assert found.answer_text == answer
    assert found.confidence >= SURE


def test_rows_are_counted(clubs: Hydra) -> None:
    assert clubs.ask("How many clubs are there?", keep=False).answer_text == "4"


BRIDGES = """bridge,length,material,architect,opened
Ferry Bridge,520,steel,Ada Lind,1931-05-01
Mill Bridge,75,stone,Ada Lind,1871-09-12
Otter Bridge,180,steel,Bo Rask,1902-03-30
Quay Bridge,90,steel,Ada Lind,1950-07-07
"""
ARCHITECTS = """name,born
Ada Lind,1899-02-11
Bo Rask,1860-12-01
"""


@pytest.fixture(scope="module")
def bridges(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    """A folder of two tables, loaded and opened."""
    yield from loaded(
        tmp_path_factory.mktemp("bridges"), {"bridges.csv": BRIDGES, "architects.csv": ARCHITECTS}, together="data"
    )


@pytest.mark.parametrize("question", ["How wide is Ferry Bridge?", "What colour is Ferry Bridge?"])
def test_a_measure_or_quality_that_the_data_lack_is_not_replaced(bridges: Hydra, question: str) -> None:
    assert bridges.ask(question, keep=False).abstained


def test_a_stated_birth_is_no_death(bridges: Hydra) -> None:
    """No death is stated, so the date of birth must not end the life before the bridge was opened."""
    assert bridges.ask("How old was Bo Rask when Otter Bridge was opened?", keep=False).answer_text == "41"


def test_the_verb_of_a_percentage_parts_all_rows_from_those_counted(bridges: Hydra) -> None:
    asked = "What percentage of bridges of Ada Lind were made of steel?"
    assert float(bridges.ask(asked, keep=False).answers[0].name) == pytest.approx(66.67, abs=0.01)


@pytest.mark.parametrize("said", ["good morning", "Thank you!"])
def test_a_greeting_lists_no_rows(tmp_path, said: str) -> None:
    """ "Goods" means products, but nobody asks for them here."""
    file = tmp_path / "products.csv"
    file.write_text("product,price\nRug,40\nLamp,25\nBowl,12\n", encoding="utf-8")
    with Hydra(store=tmp_path / "store", agent="offline") as hydra:
        hydra.load(file)
        assert hydra.ask(said, keep=False).abstained


TRANSFERS = """transfer,day,from_account,to_account,amount
T1,2023-02-01,A-01,A-03,1500
T2,2023-02-14,A-02,A-01,820
T3,2023-03-03,A-03,A-02,2400
"""
MEMBERS = """member_id,name,joined,sponsor_id
M1,Ada Lund,2020-01-02,
M2,Bo Rask,2021-03-04,M1
M3,Ines Holt,,M2
"""
FARMS = """farm,region,hectares
Alder Hill,Upper Vale,120
Birch End,Lower Vale,about ninety
Cedar Croft,Upper Vale,210
Elm Reach,Marsh,64
"""


@pytest.fixture(scope="module")
def coop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    """A folder of three tables, one with a dirty number and one with an empty date."""
    yield from loaded(
        tmp_path_factory.mktemp("coop"),
        {"transfers.csv": TRANSFERS, "members.csv": MEMBERS, "farms.csv": FARMS},
        together="data",
    )


@pytest.mark.parametrize(
    "question, answer",
    [
        ("What is the total amount of the transfers?", "4720"),
        ("What is the number of transfers?", "3"),
        ("How many hectares does Elm Reach have?", "64"),
        ("Who is the sponsor of the sponsor of Ines Holt?", "Ada Lund"),
    ],
)
def test_a_column_is_counted_or_summed_by_what_it_says(coop: Hydra, question: str, answer: str) -> None:
    assert coop.ask(question, keep=False).answer_text == answer


@pytest.mark.parametrize(
    "question",
    [
        "Which transfers have a receipt?",  # not all transfers
        "When was Ines Holt born?",  # not the number of a row, nor the day of her sponsor
    ],
)
def test_words_that_should_choose_are_not_passed_over(coop: Hydra, question: str) -> None:
    assert coop.ask(question, keep=False).abstained


FISH = """@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix dct: <http://purl.org/dc/terms/> .
@prefix : <http://example.org/fish/> .
:fish a skos:Concept ; skos:prefLabel "Fish" ; skos:narrower :carp, :eel, :cod .
:carp a skos:Concept ; skos:prefLabel "Carp" ; skos:broader :fish ; dct:modified "2013-05-01" .
:eel a skos:Concept ; skos:prefLabel "Eel" ; skos:broader :fish .
:cod a skos:Concept ; skos:prefLabel "Cod" ; skos:broader :fish ; dct:modified "2019-11-20" .
"""


def test_a_missing_value_is_not_taken_from_a_neighbour(tmp_path) -> None:
    """The eel has no date; the carp and the cod are other narrower concepts of the same one."""
    file = tmp_path / "fish.ttl"
    file.write_text(FISH, encoding="utf-8")
    with Hydra(store=tmp_path / "store", agent="offline") as hydra:
        hydra.load(file)
        assert hydra.ask("When was Eel modified?", keep=False).abstained
        assert hydra.ask("When was Carp modified?", keep=False).answer_text == "2013-05-01"


def test_rows_that_are_only_near_to_the_noun_are_not_counted(tmp_path) -> None:
    file = tmp_path / "teams.csv"
    file.write_text(CLUBS.replace("club,", "team,", 1), encoding="utf-8")
    with Hydra(store=tmp_path / "store", agent="offline") as hydra:
        hydra.load(file)
        assert hydra.ask("How many players does Rovers have?", keep=False).abstained
        assert hydra.ask("How many teams are there?", keep=False).answer_text == "4"


def test_a_reference_of_a_table_to_itself_is_read_from_its_row(tmp_path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / "keepers.csv").write_text(
        "keeper_no,first_name,surname,sponsor\n17,Ida,Lund,\n18,Max,Orr,17\n19,Eva,Rist,17\n20,Jo,Pell,18\n", "utf-8"
    )
    (data / "woods.csv").write_text("wood,keeper_no\nNorth Wood,17\nFar Wood,20\n", "utf-8")
    with Hydra(store=tmp_path / "store", agent="offline") as hydra:
        hydra.load(data)
        assert hydra.ask("Who is the sponsor of Eva Rist?", keep=False).answer_text == "Ida Lund"


def test_a_preposition_in_a_heading_needs_no_place(tmp_path: Path) -> None:
    file = tmp_path / "visits.csv"
    file.write_text("visit,date of visit,cost\nA1,2024-01-02,30\nA2,2024-02-03,50\nA3,2024-03-01,70\n", "utf-8")
    with Hydra(store=tmp_path / "store", agent="offline") as hydra:
        hydra.load(file)
        found = hydra.ask("What is the average cost of a visit?", keep=False)
    assert (found.answer_text, found.unchecked) == ("50", ())


PAPERS = """paper,venue,year,unit price,quantity,cited
Tides,Nautica,2020,12,300,4
Knots,Nautica,2021,15,80,9
Hulls,Keel Review,2020,9,120,2
"""


@pytest.mark.parametrize(
    "question, answer, verdict",
    [
        ("Which papers were published in 2020?", "Hulls and Tides", "single-source"),
        ("Which papers were burnt in 2020?", "Hulls and Tides", "partial"),  # of that year
        ("How many units of Knots are there?", "80", "single-source"),  # not its unit price
        ("What is the unit price of Knots?", "15", "single-source"),
    ],
)
def test_what_was_published_in_a_year_is_of_that_year(tmp_path: Path, question: str, answer: str, verdict: str) -> None:
    for papers in loaded(tmp_path, {"papers.csv": PAPERS}):
        found = papers.ask(question, keep=False)
        assert (found.answer_text, found.verdict) == (answer, verdict)
