"""Words that ask for one of the two ends of a relation called after a role."""

from __future__ import annotations

import pytest

from hydra_kg.steps.own_graphs.roles import contradicts_role


@pytest.mark.parametrize("phrase", ["manage _", "_ s manager", "manager of _", "_ managed by"])
def test_a_phrase_for_the_manager_contradicts_the_other_end(phrase: str) -> None:
    assert not contradicts_role(phrase, "manager")
    assert contradicts_role(phrase, "is the manager of")


@pytest.mark.parametrize("phrase", ["_ manage", "managed by _", "_ manages"])
def test_a_phrase_for_those_managed_contradicts_the_manager(phrase: str) -> None:
    assert contradicts_role(phrase, "manager")
    assert not contradicts_role(phrase, "is the manager of")


@pytest.mark.parametrize(
    "phrase, relation",
    [("_ live in", "manager"), ("directed by _", "film"), ("was _ managed", "manager"), ("managers", "manager")],
)
def test_other_phrases_and_relations_contradict_nothing(phrase: str, relation: str) -> None:
    assert not contradicts_role(phrase, relation)


def test_forms_of_short_verbs_are_recognised() -> None:
    assert contradicts_role("_ mentored", "mentor")
    assert contradicts_role("_ sponsor", "sponsor")
