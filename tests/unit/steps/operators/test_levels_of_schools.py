"""Schools for pupils are no universities, where a question says which of the two it asks for."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from hydra_kg.domain import Entity, Node
from hydra_kg.steps.operators.levels_of_schools import of_other_level

ENTITIES = {
    1: Entity(Node(1, "Q1", "Harlow University"), types=("private university",)),
    2: Entity(Node(2, "Q2", "Harlow School"), types=("university-preparatory school",), aliases=("Harlow College",)),
    3: Entity(Node(3, "Q3", "Harlow Law School"), types=("law school", "education.university")),
    4: Entity(Node(4, "Q4", "Harlow Academy")),
}


@pytest.mark.parametrize(
    "question, other",
    [
        ("Where did Ann Reed go to university?", {2}),
        ("Which colleges did Ann Reed attend?", {2}),
        ("What primary school did Ann Reed go to?", {1, 3}),
        ("Where did Ann Reed go to school?", set()),
    ],
)
def test_only_schools_of_another_level_are_left_out(question: str, other: set[int]) -> None:
    context = SimpleNamespace(entities=lambda nodes: {n: ENTITIES[n] for n in nodes})
    assert of_other_level(cast(Any, context), question, sorted(ENTITIES)) == other
