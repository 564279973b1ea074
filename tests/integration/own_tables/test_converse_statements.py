"""Yes or no over own data: the converse of what is stated is not said to be so."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hydra_kg import Hydra

FIRMS = """@prefix : <http://example.org/f/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:acme a :Company ; rdfs:label "Acme Tools" ; :foundedBy :ann ; :owns :bolt .
:bolt a :Company ; rdfs:label "Bolt Works" ; :foundedBy :bob .
:ann a :Person ; rdfs:label "Ann Lee" ; :mentorOf :bob .
:bob a :Person ; rdfs:label "Bob May" .
:foundedBy rdfs:label "founded by" . :owns rdfs:label "owns" . :mentorOf rdfs:label "mentor of" .
"""
BOOKS = "title,written_by\nSalt Road,Ida Holm\nNight Boat,Max Ruud\nTin House,Leo Falk\n"
AUTHORS = "name,born,taught_by\nIda Holm,1950,Leo Falk\nMax Ruud,1960,Ida Holm\nLeo Falk,1920,\n"


@pytest.fixture(scope="module")
def firms(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    folder = tmp_path_factory.mktemp("firms")
    yield from _loaded(folder, {"firms.ttl": FIRMS})


@pytest.fixture(scope="module")
def books(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    folder = tmp_path_factory.mktemp("books")
    yield from _loaded(folder, {"books.csv": BOOKS, "authors.csv": AUTHORS})


def _loaded(folder: Path, files: dict[str, str]) -> Iterator[Hydra]:
    (folder / "data").mkdir()
    for name, text in files.items():
        (folder / "data" / name).write_text(text, encoding="utf-8")
    with Hydra(store=folder / "data.db", agent="offline") as hydra:
        hydra.load(folder / "data")
        yield hydra


@pytest.mark.parametrize(
    "question, stated",
    [
        ("Was Acme Tools founded by Ann Lee?", True),
        ("Did Ann Lee found Acme Tools?", True),
        ("Was Ann Lee founded by Acme Tools?", False),
        ("Did Acme Tools found Ann Lee?", False),
        ("Does Acme Tools own Bolt Works?", True),
        ("Is Bolt Works owned by Acme Tools?", True),
        ("Does Bolt Works own Acme Tools?", False),
        ("Is Acme Tools owned by Bolt Works?", False),
        ("Is Ann Lee the mentor of Bob May?", True),
        ("Is Bob May the mentor of Ann Lee?", False),
    ],
)
def test_the_converse_of_a_link_is_not_so(firms: Hydra, question: str, stated: bool) -> None:
    assert ([a.name for a in firms.ask(question).answers] == ["yes"]) == stated


@pytest.mark.parametrize(
    "question, stated",
    [
        ("Was Salt Road written by Ida Holm?", True),
        ("Was Ida Holm written by Salt Road?", False),
        ("Was Max Ruud taught by Ida Holm?", True),
        ("Did Ida Holm teach Max Ruud?", True),
        ("Was Ida Holm taught by Max Ruud?", False),
        ("Did Max Ruud teach Ida Holm?", False),
    ],
)
def test_the_converse_of_a_cell_is_not_so(books: Hydra, question: str, stated: bool) -> None:
    assert ([a.name for a in books.ask(question).answers] == ["yes"]) == stated
