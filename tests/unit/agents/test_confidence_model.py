"""Confidence of the offline agent: its features by hand, and a probability whatever they are."""

from __future__ import annotations

import math
from dataclasses import fields, replace

import pytest
from helpers.samples.answers import BIRTH, MOZART, evidence
from hypothesis import given
from hypothesis import strategies as st

from hydra_kg.agents import confidence_model
from hydra_kg.domain import UNSEARCHED, Analysis, Path, RelationCompetition, Scores, SearchState

STANDING = RelationCompetition(
    0.1, 0.5, own=0.2, stated=0.3, better=0.7, lead=-0.4, unfilled=0.6, missing="place of death"
)
ANALYSIS = Analysis("where?", "where?", (MOZART.id,), 2)
STATE = SearchState(STANDING)


def path(hop, f2=1.0):
    return replace(evidence(hop), scores=Scores(0.8, f2=f2))


def test_features_by_hand():
    assert confidence_model.features(ANALYSIS, path(BIRTH, 0.5), STATE) == {
        "support": 0.5,
        "further": 0.0,
        "written": 0.0,
        "own_of_all": 0.1,
        "expected": 0.5,
        "own": 0.2,
        "stated": 0.3,
        "better": 0.7,
        "lead": -0.4,
        "unfilled": 0.6,
    }


def test_what_is_not_known_is_no_feature():
    nobody = confidence_model.features(ANALYSIS, path(BIRTH), UNSEARCHED)
    assert nobody.keys() == {"support", "further", "written"}
    alone = confidence_model.features(ANALYSIS, path(BIRTH), SearchState(RelationCompetition(0.1, 0.5)))
    assert alone.keys() == {*nobody, "own_of_all", "expected"}


def test_what_was_written_from_text_has_no_standing_among_facts():
    written = replace(path(BIRTH), path=Path((replace(BIRTH, facts=()),)))
    found = confidence_model.features(ANALYSIS, written, STATE)
    assert found == {"support": 1.0, "further": 0.0, "written": 1.0}


def test_every_feature_has_a_weight_and_confidence_is_their_logistic():
    found = confidence_model.features(ANALYSIS, path(BIRTH, 0.5), STATE)
    weights = confidence_model._weights()
    assert weights.keys() == {"bias", *found}
    z = weights["bias"][0] + sum(weights[n][0] * (v - weights[n][1]) for n, v in found.items())
    assert confidence_model.confidence(found) == pytest.approx(1 / (1 + math.exp(-z)), abs=1e-4)


def test_what_is_not_known_counts_as_its_mean():
    found = confidence_model.features(ANALYSIS, path(BIRTH), STATE)
    means = {f.name: confidence_model._weights()[f.name][1] for f in fields(RelationCompetition) if f.name in found}
    known = {n: v for n, v in found.items() if n not in means}
    assert confidence_model.confidence(known) == confidence_model.confidence({**found, **means})


FEATURES = sorted(confidence_model._weights().keys() - {"bias"})


@given(st.fixed_dictionaries(dict.fromkeys(FEATURES, st.floats(-1e6, 1e6))))
def test_confidence_is_a_probability(found):
    assert 0 < confidence_model.confidence(found) < 1
