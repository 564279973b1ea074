"""Forms of words: families, stems, singular and plural, regular verbs."""

from __future__ import annotations

import pytest

from hydra_kg.language.morphology import (
    family_stem,
    is_plural,
    is_same_family,
    past_participle,
    plural,
    regular_forms,
    singular,
    singular_candidates,
    stem,
)


@pytest.mark.parametrize(
    "one, other",
    [
        ("directed", "director"),
        ("acted", "actors"),
        ("wrote", "written"),
        ("screenwriter", "written"),
        ("weighs", "weight"),
        ("survey", "surveyed"),
        ("play", "player"),
        ("employs", "employee"),
        ("rented", "rentals"),
        ("arrived", "arrival"),
    ],
)
def test_words_of_a_family_are_is_same_family(one: str, other: str) -> None:
    assert is_same_family(one, other)


@pytest.mark.parametrize("one, other", [("city", "country"), ("price", "prize"), ("born", "job")])
def test_words_that_only_look_alike_are_not(one: str, other: str) -> None:
    assert not is_same_family(one, other)


@pytest.mark.parametrize(
    "many, one",
    [
        ("companies", "company"),
        ("movies", "movie"),
        ("boxes", "box"),
        ("bus", "bus"),
        ("buses", "bus"),
        ("statuses", "status"),
        ("houses", "house"),
    ],
)
def test_plurals(many: str, one: str) -> None:
    assert singular(many) == one


@pytest.mark.parametrize(
    "form, participle",
    [("wrote", "written"), ("directed", "directed"), ("plays", "played"), ("movie", ""), ("record", "")],
)
def test_past_participle(form: str, participle: str) -> None:
    assert past_participle(form) == participle


@pytest.mark.parametrize(
    "one, many", [("person", "people"), ("city", "cities"), ("Order item", "order items"), ("box", "boxes")]
)
def test_a_plural_is_written(one: str, many: str) -> None:
    assert plural(one) == many


@pytest.mark.parametrize(
    "forms, common",
    [
        ("founded founding found", "found"),
        ("wrote written writes writing", "writ"),
        ("longest longer long", "long"),
        ("cities city", "city"),
        ("stopped stopping stop", "stop"),
        ("movies movie", "movi"),
    ],
)
def test_forms_of_a_word_have_one_stem(forms: str, common: str) -> None:
    assert {stem(form) for form in forms.split()} == {common}


def test_a_stem_of_a_family_loses_what_makes_a_noun_of_a_verb() -> None:
    assert family_stem("directors") == family_stem("directed") != family_stem("directive-board")
    assert stem("director") != stem("directed")


@pytest.mark.parametrize(
    "verb, forms",
    [
        ("carry", ("carries", "carried", "carrying")),
        ("plan", ("plans", "planned", "planning")),
        ("use", ("uses", "used", "using")),
    ],
)
def test_regular_verbs(verb: str, forms: tuple[str, str, str]) -> None:
    assert regular_forms(verb) == forms


def test_plurals_are_recognised() -> None:
    assert is_plural("tall people")
    assert is_plural("rivers")
    assert not is_plural("glass")
    assert "wife" in singular_candidates("wives")
