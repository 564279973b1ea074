"""Confidence of the offline agent: its features by hand, and a probability whatever they are."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from answers import BIRTH, DEATH, MOZART, evidence
from hypothesis import given
from hypothesis import strategies as st

from hydra_kg.agents import sureness
from hydra_kg.domain import Analysis, Path, Scores

ANALYSIS = Analysis("where?", "where?", (MOZART.id,), 2, shortfall=0.1, taught_shortfall=0.2, kin_shortfall=0.3,
                    unmet=0.4)  # fmt: skip


def path(hop, relevance, f2=1.0):
    return replace(evidence(hop), scores=Scores(relevance, f2=f2))


def test_features_by_hand():
    first, rival = path(BIRTH, 0.8, 0.5), path(DEATH, 0.7)
    found = sureness.features(ANALYSIS, [first, rival])
    assert found == pytest.approx({
        "relevance": 0.8, "support": 0.5, "margin": 0.1, "agrees": 0.0, "further": 0.0, "many": 0.0, "literal": 0.0,
        "hinted": 0.0, "typed": 0.0, "shortfall": 0.1, "taught": 0.2, "kin": 0.3, "unmet": 0.4, "written": 0.0,
    })  # fmt: skip


def test_another_path_that_holds_the_answer_agrees_and_one_of_the_same_relation_is_no_rival():
    first = path(BIRTH, 0.8)
    found = sureness.features(ANALYSIS, [first, path(BIRTH, 0.8)])
    assert found["agrees"] == 1
    assert found["margin"] == sureness.MARGIN


def test_the_margin_counts_up_to_a_limit():
    assert sureness.features(ANALYSIS, [path(BIRTH, 0.9), path(DEATH, 0.1)])["margin"] == sureness.MARGIN
    assert sureness.features(ANALYSIS, [path(BIRTH, 0.1), path(DEATH, 0.9)])["margin"] == 0


def test_several_answers_and_wording():
    first = path(BIRTH, 0.8)
    several = replace(first, answers=(*first.answers, MOZART))
    told = replace(ANALYSIS, hints=(("place of birth",),), answer_type="location")
    found = sureness.features(told, [several])
    assert found["many"] == pytest.approx(math.log(2))
    assert found["hinted"] == found["typed"] == 1


def test_what_was_written_from_text_lacks_nothing_that_facts_state():
    written = replace(path(BIRTH, 0.8), path=Path((replace(BIRTH, facts=()),)))
    found = sureness.features(ANALYSIS, [written])
    assert found["written"] == 1
    assert [found[n] for n in ("shortfall", "taught", "kin", "unmet")] == [0] * 4


def test_every_feature_has_a_weight_and_confidence_is_their_logistic():
    found = sureness.features(ANALYSIS, [path(BIRTH, 0.8, 0.5), path(DEATH, 0.7)])
    weights = sureness._weights()
    assert weights.keys() == {"bias", *found}
    z = weights["bias"] + sum(weights[n] * v for n, v in found.items())
    assert sureness.confidence(found) == pytest.approx(1 / (1 + math.exp(-z)), abs=1e-4)


@given(st.fixed_dictionaries(dict.fromkeys(sorted(sureness._weights().keys() - {"bias"}), st.floats(-1e6, 1e6))))
def test_confidence_is_a_probability(found):
    assert 0 < sureness.confidence(found) < 1
