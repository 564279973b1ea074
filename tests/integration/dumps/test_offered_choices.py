"""Questions that offer a choice, "A or B?", are answered with one of the two, or not at all."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.own_data import loaded

from hydra_kg import Hydra

STAFF = {
    "people.csv": "name,born,department\nAda Berg,1980-03-01,Sales\nBo Lind,1975-07-12,Sales\nCy Hall,1991-01-30,IT\n"
}
TEXTS = [
    ("Salzach", "Otto Brand, Ina Reuter and Karl Moser all moved to Salzach to paint."),
    ("Otto Brand", "Otto Brand was born on 27 January 1856 in Linden."),
    ("Nora Fell", "Nora Fell was born on 3 May 1871 in Salzach."),
]


@pytest.fixture(scope="module")
def staff(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    yield from loaded(tmp_path_factory.mktemp("staff"), STAFF)


@pytest.fixture(scope="module")
def painters(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    folder = tmp_path_factory.mktemp("painters")
    file: Path = folder / "texts.jsonl"
    file.write_text("".join(json.dumps({"title": t, "text": x}) + "\n" for t, x in TEXTS), "utf-8")
    with Hydra(store=folder / "store") as hydra:
        hydra.load(file, format="passages", source="texts")
        yield hydra


def _names(hydra: Hydra, question: str) -> list[str]:
    return [a.name for a in hydra.ask(question, keep=False, agent="offline").answers]


@pytest.mark.parametrize(
    "question, answers",
    [
        ("Who directed Titanic, James Cameron or Steven Spielberg?", ["James Cameron"]),
        ("Where was Mozart born, Salzburg or Vienna?", ["Salzburg"]),
        ("Where was Mozart born, Berlin or Paris?", []),
        ("Kate Winslet or Leonardo DiCaprio: who is older?", ["Leonardo DiCaprio"]),
    ],
)
def test_the_one_that_is_offered_is_the_answer_over_dumps(sample: Hydra, question: str, answers: list[str]) -> None:
    assert _names(sample, question) == answers


@pytest.mark.parametrize("question", ["Who is older, Ada Berg or Bo Lind?", "Ada Berg or Bo Lind: who is older?"])
def test_the_older_of_two_is_not_the_one_whose_row_comes_first(staff: Hydra, question: str) -> None:
    assert _names(staff, question) == ["Bo Lind"]


def test_values_of_cells_are_offered_as_names_are(staff: Hydra) -> None:
    assert _names(staff, "Which department does Cy Hall work in, Sales or IT?") == ["IT"]


@pytest.mark.parametrize(
    "question, answers",
    [
        ("Who was born first, Nora Fell or Otto Brand?", ["Otto Brand"]),
        ("Who was born first, Otto Brand or Ina Reuter?", []),
        ("Of Otto Brand and Ina Reuter, who was born first?", []),
    ],
)
def test_a_text_that_names_both_does_not_choose_between_them(
    painters: Hydra, question: str, answers: list[str]
) -> None:
    assert _names(painters, question) == answers
