"""Words that ask for one of the two ends of a relation called after a role."""

from __future__ import annotations

import pytest

from hydra_kg.steps.own_graphs.relation_roles import contradicts_direction, contradicts_type


@pytest.mark.parametrize("phrase", ["manage _", "_ s manager", "manager of _", "_ managed by"])
def test_a_phrase_for_the_manager_contradicts_the_other_end(phrase: str) -> None:
    assert not contradicts_direction(phrase, "manager")
    assert contradicts_direction(phrase, "is the manager of")


@pytest.mark.parametrize("phrase", ["_ manage", "managed by _", "_ manages"])
def test_a_phrase_for_those_managed_contradicts_the_manager(phrase: str) -> None:
    assert contradicts_direction(phrase, "manager")
    assert not contradicts_direction(phrase, "is the manager of")


@pytest.mark.parametrize(
    "phrase, relation",
    [("_ live in", "manager"), ("directed by _", "film"), ("was _ managed", "manager"), ("managers", "manager")],
)
def test_other_phrases_and_relations_contradict_nothing(phrase: str, relation: str) -> None:
    assert not contradicts_direction(phrase, relation)


def test_forms_of_short_verbs_are_recognised() -> None:
    assert contradicts_direction("_ mentored", "mentor")
    assert contradicts_direction("_ sponsor", "sponsor")


@pytest.mark.parametrize(
    "phrase, text, other",
    [
        ("_ influence", "influence node influenced by", True),
        ("_ influence", "influence node influenced by of", False),
        ("influenced _", "influenced by", False),
        ("influenced _", "influenced by of", True),
        ("influenced by _", "influenced by", True),
        ("_ was influenced by", "influenced by", False),
        ("wrote _", "written by", False),
        ("_ wrote", "written by", True),
        ("_ directed", "directed by", True),
        ("_ directed", "directed by of", False),
        ("_ director", "director", False),
        ("_ sponsor", "sponsor", True),
        ("by whom was _ written", "written by", False),
        ("_ was written", "written by", False),
        ("children of _", "person children", False),
        ("directors of _", "film directed by", False),
    ],
)
def test_a_verb_says_who_did_it(phrase: str, text: str, other: bool) -> None:
    assert contradicts_direction(phrase, text) is other


@pytest.mark.parametrize(
    "phrase, key, other",
    [
        ("directed _", "film.director.film", True),
        ("_ directed", "film.director.film", False),
        ("directed _", "^film.director.film", False),
        ("wrote _", "book.author.works_written", True),
        ("stars _", "film.actor.film./film.performance.film", False),
        ("directed _", "P57", False),
    ],
)
def test_the_type_of_a_subject_says_who_did_it(phrase: str, key: str, other: bool) -> None:
    assert contradicts_type(phrase, key) is other
