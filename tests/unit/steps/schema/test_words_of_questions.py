"""Words of questions and of schemas: what is asked for, comparisons."""

from __future__ import annotations

import pytest

from hydra_kg.execution.own_graph import is_own, number
from hydra_kg.language.morphology import family_stem, is_same_family
from hydra_kg.steps.schema.question_words import asked
from hydra_kg.steps.schema.schema_matching import _by_endings


@pytest.mark.parametrize(
    "question, noun",
    [
        ("Which suppliers deliver valves?", "suppliers"),
        ("Large customers of Bergdal", "customers"),
        ("What is the phone number of Bergdal?", "number"),
        ("Who are the managers of Bergdal?", "managers"),
        ("Bergdal's net profit", "profit"),
    ],
)
def test_the_noun_that_is_asked_for(question: str, noun: str) -> None:
    read = asked(question)
    assert [w.low for w in read.words if read.head >> w.bit & 1] == [noun]


@pytest.mark.parametrize(
    "question, low, high",
    [
        ("Who was born before 1950?", float("-inf"), 1950),
        ("Parts of at least 300 g", 300, float("inf")),
        ("Films between 1990 and 1995", 1990, 1995),
    ],
)
def test_comparisons_are_read(question: str, low: float, high: float) -> None:
    (compared,) = asked(question).compared
    assert compared.low == pytest.approx(low)
    assert compared.high == pytest.approx(high)


def test_dates_and_numbers_are_comparable() -> None:
    assert number("1950-07-01") == pytest.approx(1950.5)
    assert number("12.5") == 12.5
    assert number("12 pieces") != number("12 pieces")  # not a number


@pytest.mark.parametrize("key", ["people.person.place_of_birth", "P19", "http://www.w3.org/2002/07/owl#inverseOf"])
def test_relations_of_freebase_wikidata_and_rdf_are_nobodys_own(key: str) -> None:
    assert not is_own(key)


@pytest.mark.parametrize("key", ["directed_by", "http://plant.example/vocab#partOf", "address.city"])
def test_others_are(key: str) -> None:
    assert is_own(key)


def test_a_polite_question_is_not_one_of_yes_or_no() -> None:
    assert asked("Can you describe the Aurora in a few words?").want == "things"
    assert asked("Is the Aurora a ferry?").want == "truth"


def test_what_excludes_something_is_no_question_for_this_reading() -> None:
    assert asked("Which films by Ada Lindqvist were not composed by Tom Reed?").denies
    assert not asked("Which films were composed by Tom Reed?").denies


def test_words_of_a_family_share_an_ending_of_their_stems():
    relations = "writer screenwriter written author employer employees works cooperation operator operated".split()
    by_ending = _by_endings(relations)
    for word in ("writers", "screenwriters", "operates", "employed", "author", "operation"):
        stem = family_stem(word)
        endings = {stem, *(stem[i:] for i in range(len(stem) - 3))}
        candidates = {other for ending in endings for other in by_ending.get(ending, ())}
        expected = {other for other in relations if is_same_family(word, other)}
        assert expected
        assert expected == {other for other in candidates if is_same_family(word, other)}
        assert len(candidates) < len(relations)
