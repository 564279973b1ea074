"""What is offered as "Perhaps" without an answer: only values of the type asked for, and only probable ones."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.operator_world import KEYS, World

from hydra_kg import ids
from hydra_kg.domain import Analysis, AnswerValue, Judgement, Node
from hydra_kg.fakes import FakeStore
from hydra_kg.questions.decision import LEAST_PROBABLE, MOST_OFFERED, explain_silence
from hydra_kg.steps.answering.results import NOTHING, Conclusion
from hydra_kg.steps.context import Context
from hydra_kg.strategies.base import Outcome

PROBABLE = LEAST_PROBABLE + 0.1
FOUR = "Ada Noise North Tallinn"
"""A person, a film, a country and a town."""


@pytest.fixture
def context(tmp_path: Path) -> Iterator[Context]:
    with World(FakeStore(), tmp_path).context() as context:
        yield context


def value(name: str) -> AnswerValue:
    if name not in KEYS:
        return AnswerValue(name, None, f'"{name}"^^xsd:{"date" if "-" in name else "integer"}')
    return AnswerValue(name, Node(ids.encode(KEYS[name]), KEYS[name], name), None)


def outcome(names: str, confidence: float, *unchecked: str, sufficient: bool = False, **asked: object) -> Outcome:
    analysis = Analysis(**{"question": "", "indicator": "", "topics": (1,), "d_predict": 1, **asked})  # type: ignore[arg-type]
    found = Conclusion(tuple(map(value, names.split())), (), {}, {}, frozenset(), ())
    judgement = Judgement(sufficient, confidence, "nothing was found")
    return Outcome((), analysis, found, judgement, unchecked=unchecked)


def offered(context: Context, some: Outcome) -> list[str]:
    return [a.name for a in explain_silence(context, some).perhaps]


@pytest.mark.parametrize(
    "asked, names",
    [
        ({"answer_type": "person"}, ["Ada"]),
        ({"answer_type": "location"}, ["North", "Tallinn"]),
        ({"answer_noun": "country"}, ["North"]),
        ({"answer_noun": "film"}, ["Noise"]),
        ({"answer_type": "date"}, ["1986-07-18"]),
        ({"kind": "count"}, ["90"]),
        ({"question": "How tall is Ada?"}, ["90"]),
        ({}, ["Ada", "Noise", "North"]),
    ],
)
def test_only_values_of_the_asked_type_are_offered(context: Context, asked: dict[str, object], names: list[str]):
    assert offered(context, outcome(f"{FOUR} 1986-07-18 90", PROBABLE, **asked)) == names
    assert len(names) <= MOST_OFFERED


def test_improbable_values_and_those_about_unknown_names_are_not_offered(context: Context):
    assert offered(context, outcome("Ada", PROBABLE)) == ["Ada"]
    assert offered(context, outcome("Ada", LEAST_PROBABLE)) == []
    assert offered(context, outcome("Ada", PROBABLE, topics=())) == []
    assert offered(context, outcome("Ada", PROBABLE, unknown=("Zanzibar",))) == []


@pytest.mark.parametrize("condition, names", [("in 1999", ["Ada"]), ("never", []), ("not in _", [])])
def test_values_that_ignore_a_negation_are_not_offered(context: Context, condition: str, names: list[str]):
    assert offered(context, outcome("Ada", PROBABLE, condition, sufficient=True)) == names


def test_a_checked_answer_and_an_empty_one_are_left_as_they_are(context: Context):
    checked = outcome("Ada", 0.9, sufficient=True)
    assert explain_silence(context, checked) is checked
    empty = Outcome((), checked.analysis, NOTHING, Judgement(False, 0.0, "nothing was found"))
    assert explain_silence(context, empty).judgement.missing == "nothing was found"
