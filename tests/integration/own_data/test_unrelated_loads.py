"""An unrelated load changes no answer: each group of loads is read as data of its own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from hydra_kg import Hydra
from hydra_kg.util.package_data import content

ASKED = {
    "What is the average price of glass products?": "60.75",
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
    hydra.load(Path(str(content("sample"))) / "shop")
    return hydra


def answers(hydra: Hydra, questions: Sequence[str]) -> dict[str, str]:
    return {question: hydra.ask(question, keep=False).answer_text for question in questions}


def dumps() -> list[Path]:
    folder = Path(str(content("sample")))
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
