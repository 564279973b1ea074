"""Questions for the country of a person, and for the place of a team."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hydra_kg import Hydra

NS = "http://rdf.freebase.com/ns/"
NAMED = {
    "m.0c1": ("Freedonia", "location.country"),
    "m.0t1": ("Stillwater", "location.citytown"),
    "m.0u1": ("Stillwater Rams", "sports.sports_team"),
}
FACTS = (
    ("m.0t1", "location.location.containedby", "m.0c1"),
    ("m.0u1", "sports.sports_team.location", "m.0t1"),
)


def _lines() -> Iterator[str]:
    for key, (name, kind) in NAMED.items():
        yield f'<{NS}{key}>\t<{NS}type.object.name>\t"{name}"@en\t.\n'
        yield f"<{NS}{key}>\t<{NS}type.object.type>\t<{NS}{kind}>\t.\n"
    for subject, predicate, value in FACTS:
        yield f"<{NS}{subject}>\t<{NS}{predicate}>\t<{NS}{value}>\t.\n"


@pytest.fixture(scope="module")
def hydra(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    folder: Path = tmp_path_factory.mktemp("places")
    (folder / "freebase.nt").write_text("".join(_lines()), encoding="utf-8")
    with Hydra(store=folder / "store", agent="offline") as opened:
        opened.load(folder / "freebase.nt")
        yield opened


def test_a_team_is_located_where_it_is_at_home(hydra: Hydra) -> None:
    found = hydra.ask("Where are the Stillwater Rams located?", keep=False).answers
    assert [answer.name for answer in found] == ["Stillwater"]


@pytest.mark.parametrize(
    "question, answers",
    [
        ("Which country was Barack Obama born in?", ["United States of America"]),
        ("How many countries border Mexico?", ["3"]),
    ],
)
def test_a_country_that_was_not_recognised_once_is_one_today(sample: Hydra, question: str, answers: list[str]) -> None:
    """Wikidata calls the United States a "historical unrecognized state"."""
    assert [answer.name for answer in sample.ask(question, keep=False, agent="offline").answers] == answers


def test_a_district_is_no_country(sample: Hydra) -> None:
    found = sample.ask("Which country was Leonardo DiCaprio born in?", keep=False, agent="offline").answers
    assert "Hollywood" not in [answer.name for answer in found]


@pytest.mark.parametrize(
    "question, some, others",
    [
        ("Which football clubs are in England?", ["Everton F.C.", "Liverpool F.C."], ["Williams F1"]),
        ("Which actors were born in Germany?", ["Dominic Monaghan", "Nastassja Kinski"], ["Albert Einstein"]),
        ("members of the European Union", ["Germany", "Portugal"], ["World Trade Organization"]),
    ],
)
def test_what_is_in_the_towns_of_a_country_is_in_it(
    sample: Hydra, question: str, some: list[str], others: list[str]
) -> None:
    found = [answer.name for answer in sample.ask(question, keep=False, agent="offline").answers]
    assert set(some) <= set(found)
    assert set(found).isdisjoint(others)


@pytest.mark.parametrize(
    "question",
    [
        "Which islands are in Denmark?",  # it lies in Europe
        "Which bridges are in London?",  # an airport is none
    ],
)
def test_another_place_does_not_answer_for_the_asked_one(sample: Hydra, question: str) -> None:
    assert sample.ask(question, keep=False, agent="offline").answers == ()


def test_a_part_of_another_country_is_not_among_the_countries_of_an_area(sample: Hydra) -> None:
    found = {
        a.name for a in sample.ask("Which countries border Spain but not France?", keep=False, agent="offline").answers
    }
    assert {"Morocco", "Portugal"} <= found
    assert "Gibraltar" not in found


def test_a_citizen_need_not_be_born_there(sample: Hydra) -> None:
    question = "Who is the president of the country where Lionel Messi was born?"
    found = sample.ask(question, keep=False, agent="offline").answers
    assert "juan carlos i" not in [answer.name for answer in found]  # the king of Spain


def test_silence_names_what_was_asked_for_and_no_words_of_a_schema(sample: Hydra) -> None:
    missing = sample.ask("Which football clubs are in Munich?", keep=False).missing
    assert "“football clubs”" in missing
    assert "pro athlete" not in missing
