"""Whether a sentence states a relation that a model wrote from it."""

from __future__ import annotations

import pytest

from bench.training.fit_stated_relation import fitted, pairs, roc
from hydra_kg.extract.stated_relation import LIKE, RelationClaim, are_stated
from hydra_kg.models.embedding.embedders import make_embedder

BORDERS = "To the south it shares land borders with Albania, and with Greece and Turkey to the northeast."


@pytest.fixture(name="embed", scope="module")
def shipped_embedder():
    return make_embedder().embed


def stated(embed, sentence, *claims):
    return are_stated([RelationClaim(sentence, *c) for c in claims], embed)


def test_a_relation_that_the_sentence_does_not_have_is_not_stated(embed):
    assert stated(embed, BORDERS, ("Turkey", "trades with", "Greece")) == [False]
    vale = "The headquarters of Quince Industries is in Corto Vale."
    claims = [("Quince Industries", r, "Corto Vale") for r in ("poisoned", "sued", "headquarters")]
    assert stated(embed, vale, *claims) == [False, False, True]


def test_other_words_for_the_same_relation_are_stated(embed):
    sentence = "John Lennon married Yoko Ono in Gibraltar."
    assert stated(embed, sentence, ("John Lennon", "spouse", "Yoko Ono")) == [True]
    assert RelationClaim(sentence, "John Lennon", "spouse", "Yoko Ono").decided_by_words() is None


@pytest.mark.parametrize(
    "sentence, right, reverse",
    [
        ("Germany invaded Poland.", ("Germany", "invaded", "Poland"), ("Poland", "invaded", "Germany")),
        ("Germany invaded Poland.", ("Poland", "invaded by", "Germany"), ("Germany", "invaded by", "Poland")),
        ("M was directed by Fritz Lang.", ("M", "directed by", "Fritz Lang"), ("M", "directed", "Fritz Lang")),
        ("Paris is the capital of France.", ("Paris", "capital of", "France"), ("France", "capital of", "Paris")),
        ("Frida's husband Diego sang.", ("Frida", "husband", "Diego"), ("Diego", "husband", "Frida")),
    ],
)
def test_the_direction_counts(embed, sentence, right, reverse):
    assert stated(embed, sentence, right, reverse) == [True, False]


def test_relations_that_hold_both_ways_may_be_read_from_either_end(embed):
    sentence = "Poe married Virginia Clemm."
    assert stated(embed, sentence, ("Virginia Clemm", "married", "Poe")) == [True]


@pytest.mark.parametrize(
    "sentence, claim",
    [
        ("Nigeria is not a neighbour of Ghana.", ("Nigeria", "neighbour of", "Ghana")),
        ("Unlike Norway, Sweden is a member of the EU.", ("Norway", "is a member of", "EU")),
        ("She refused to visit Moscow.", ("She", "visited", "Moscow")),
        ("Curie was born in Warsaw and later moved to Paris.", ("Curie", "was born in", "Paris")),
        ("The Nile is longer than the Rhine, which flows through Cologne.", ("Nile", "flows through", "Cologne")),
    ],
)
def test_negations_and_other_clauses_do_not_state_it(embed, sentence, claim):
    assert stated(embed, sentence, claim) == [False]


def test_a_negated_relation_is_stated_by_a_negated_sentence(embed):
    assert stated(embed, "He did not work at Oxford.", ("He", "did not work at", "Oxford")) == [True]


@pytest.mark.parametrize(
    "claim", [("…", "sang", "Poe"), ("Poe", "?", "…"), ("", "", ""), ("Poe", "of", "Poe"), ("日本", "sang", "Poe")]
)
def test_odd_claims_are_decided_without_a_fault(embed, claim):
    assert stated(embed, "Poe sang.", claim) in ([True], [False])
    assert stated(embed, "", claim) == [False]


def test_what_the_page_is_about_need_not_be_named(embed):
    claims = [("Clara Schumann", "had", "eight children"), ("Clara Schumann", "died in", "eight children")]
    assert stated(embed, "She had eight children.", *claims) == [True, False]


def test_relations_of_prepositions_alone_stand_word_for_word(embed):
    sentence = "She taught at the Hoch Conservatory in Frankfurt."
    claims = [("Hoch Conservatory", "in", "Frankfurt"), ("Hoch Conservatory", "of", "Frankfurt")]
    assert stated(embed, sentence, *claims) == [True, False]


def test_the_bound_is_the_fitted_one():
    undecided = [p for p in pairs() if not p.test and p.claim.decided_by_words() is None]
    assert fitted(roc(undecided, make_embedder())) == LIKE


def test_of_the_pairs_that_nothing_was_fitted_on_few_that_are_not_stated_pass(embed):
    held = [p for p in pairs() if p.test]
    passed = are_stated([p.claim for p in held], embed)
    wrong = [p.claim for ok, p in zip(passed, held, strict=True) if ok and not p.stated]
    same = [ok for ok, p in zip(passed, held, strict=True) if p.kind == "same"]
    assert len(wrong) <= 2
    assert sum(same) >= 0.85 * len(same)
