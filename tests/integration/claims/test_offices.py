"""Whether somebody holds an office, where other people hold it and somebody holds another one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hydra_kg import Hydra

CLUBS = """@prefix : <http://ex.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:club a :Club ; rdfs:label "Harrow Club" ; :treasurer :lena ; :commodore :priya ; :viceCommodore :tom .
:other a :Club ; rdfs:label "Norse Club" ; :treasurer :tom ; :commodore :lena ; :viceCommodore :priya .
:lena a :Person ; rdfs:label "Lena Fischer" . :tom a :Person ; rdfs:label "Tom Okafor" .
:priya a :Person ; rdfs:label "Priya Raman" .
"""


@pytest.fixture(scope="module")
def clubs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    folder = tmp_path_factory.mktemp("clubs")
    (folder / "clubs.ttl").write_text(CLUBS, "utf-8")
    with Hydra(store=folder / "store", agent="offline") as hydra:
        hydra.load(folder / "clubs.ttl")
        yield hydra


@pytest.mark.parametrize(
    "question, answers",
    [
        ("Is Tom Okafor a treasurer?", {"yes"}),
        ("Is Tom Okafor the treasurer of Harrow Club?", {"no"}),
        ("Is Priya Raman a treasurer?", set()),
        ("Is Priya Raman the treasurer?", set()),
    ],
)
def test_who_holds_another_office_does_not_hold_this_one(clubs: Hydra, question: str, answers: set[str]) -> None:
    assert {a.name for a in clubs.ask(question, keep=False).answers} == answers
