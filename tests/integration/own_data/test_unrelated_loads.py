"""An unrelated load changes no answer: each group of loads is read as data of its own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from hydra_kg import Hydra
from hydra_kg.util.package_data import find_content

ASKED = {
    "What is the average price of glass products?": "60.75 EUR",
    "What is the most expensive product?": "Fathom Rug",
    "How many pieces are there in total?": "140",
    "Which products cost more than 100?": "Heron Stool, Fathom Rug and Otter Chair",
}
"""Questions about the shop of the sample."""

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def birds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of 120 birds and the woods they live in."""
    file = tmp_path_factory.mktemp("birds") / "birds.ttl"
    head = "@prefix : <https://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
    rows = (
        f':bird{n} a :Bird ; rdfs:label "Warbler{n}" ; :livesIn :wood{n % 7} . '
        f':wood{n % 7} rdfs:label "Wood{n % 7}" .\n'
        for n in range(120)
    )
    file.write_text(head + "".join(rows), encoding="utf-8")
    return file


def load_shop(store: Path, *others: Path) -> Hydra:
    hydra = Hydra(store=store, agent="offline")
    for other in others:
        hydra.load(other)
    hydra.load(Path(str(find_content("sample"))) / "shop")
    return hydra


def answers(hydra: Hydra, questions: Sequence[str]) -> dict[str, str]:
    return {question: hydra.ask(question, keep=False).answer_text for question in questions}


def dumps() -> list[Path]:
    folder = Path(str(find_content("sample")))
    return [folder / f"{name}.nt.gz" for name in ("freebase", "wikidata", "fb2w")]


@pytest.mark.parametrize("beside", ["nothing", "birds", "dumps", "dumps and birds"])
def test_the_shop_answers_alike_alone_and_next_to_unrelated_data(tmp_path, birds, beside):
    others = [*(dumps() if "dumps" in beside else ()), *([birds] if "birds" in beside else ())]
    with load_shop(tmp_path / "store", *others) as hydra:
        assert answers(hydra, list(ASKED)) == ASKED


def test_birds_answer_next_to_the_shop(tmp_path, birds):
    with load_shop(tmp_path / "store", birds) as hydra:
        assert answers(hydra, ["Where does Warbler3 live?"]) == {"Where does Warbler3 live?": "Wood3"}


def test_two_files_of_one_vocabulary_are_read_together(tmp_path):
    """A film and its director in two loads: the question needs both."""
    head = "@prefix : <https://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
    films, people = tmp_path / "films.ttl", tmp_path / "people.ttl"
    films.write_text(head + ':salt a :Film ; rdfs:label "Salt" ; :director :ada .\n', encoding="utf-8")
    people.write_text(
        head + ':ada a :Person ; rdfs:label "Ada Lindqvist" ; :birthPlace :oldhaven .\n'
        ':oldhaven a :Town ; rdfs:label "Oldhaven" .\n',
        encoding="utf-8",
    )
    with Hydra(store=tmp_path / "store", agent="offline") as hydra:
        hydra.load(films)
        hydra.load(people)
        question = "What is the birth place of the director of Salt?"
        assert answers(hydra, [question]) == {question: "Oldhaven"}


BOATS = """boat,owner,berth,length
Titanic,Marta Quill,Pier 3,12
Swift,Emil Trast,Pier 1,9
Paris,Nora Veld,Pier 2,15
Otter,Marta Quill,Pier 4,7
"""


def load_boats(folder: Path, *others: Path) -> Hydra:
    """Return a store of boats, two of which are called like things of the dumps."""
    file = folder / "boats.csv"
    file.write_text(BOATS, encoding="utf-8")
    hydra = Hydra(store=folder / "store", agent="offline")
    for one in (*others, file):
        hydra.load(one)
    return hydra


def test_the_names_and_words_that_a_part_knows_say_whether_it_answers(tmp_path):
    about_boats = {
        "Who owns the Titanic?": "Marta Quill",
        "What is the length of Paris?": "15",
        "Who owns the Swfit?": "Emil Trast",  # misspelt
        "which boats does marta quill own": "Otter and Titanic",
        "Which boat is the longest?": "Paris",
    }
    about_dumps = {
        "Who directed Titanic?": "James Cameron",
        "In which country is Paris?": "France",
        "Where is Paris?": "France",
        "who directed inception": "Christopher Nolan",
        "What is the capital of Germany?": "Berlin",
    }
    with load_boats(tmp_path, *dumps()) as hydra:
        assert answers(hydra, [*about_boats, *about_dumps]) == about_boats | about_dumps


def test_a_topic_chosen_by_hand_says_which_part_answers(tmp_path):
    with load_boats(tmp_path, *dumps()) as hydra:
        film = hydra.ask("Who directed Titanic?", keep=False).answers[0]
        assert film.name == "James Cameron"
        chosen = hydra.ask("Who owns the Titanic?", topics=["m.0dr_4"], keep=False)
        assert chosen.answer_text != "Marta Quill"


def test_own_data_answers_next_to_more_facts_than_are_read_into_memory(tmp_path, monkeypatch):
    """The bound counts the own load, not the dumps beside it, also through the snapshots that questions see."""
    monkeypatch.setattr("hydra_kg.steps.own_graphs.graph_reading.MOST_FACTS", 1_000)
    with load_shop(tmp_path / "store", *dumps()) as hydra:
        assert answers(hydra, list(ASKED)) == ASKED


def test_a_graph_is_used_after_the_snapshot_that_it_was_read_from_is_closed(tmp_path: Path) -> None:
    (tmp_path / "boats.csv").write_text("boat,owner\nAurora,Ida Berg\nTeist,Mona Vik\n")
    (tmp_path / "piers.csv").write_text("pier,depth\nNorth,4\nSouth,3\n")
    with Hydra(store=tmp_path / "store", agent="offline") as hydra:
        hydra.load(tmp_path / "boats.csv", extra={"entity": "boat"})
        assert hydra.ask("Who owns the Aurora?").answer_text == "Ida Berg"
        hydra.load(tmp_path / "piers.csv", format="feed")
        assert hydra.ask("Which pier has a depth of 4?").answer_text == "North"
        hydra.store.drop("piers")  # the loads are those of the first question, in another snapshot
        assert hydra.ask("Which boat does Mona Vik own?").answer_text == "Teist"
