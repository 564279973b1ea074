"""Algorithm 1 against a table worked by hand: who is kept, who is rejected, who stands alone."""

from __future__ import annotations

from dataclasses import replace
from math import exp, log

import numpy as np
import pytest

from hydra_kg.fusion.model.beliefs import believed
from hydra_kg.fusion.model.claims import claims_of
from hydra_kg.fusion.truth_discovery.mcc import Mcc, make_normalised_mcc

ROWS = [
    ("AA-1", "gate", "a", "F78"),
    ("AA-1", "gate", "b", "F78"),
    ("AA-1", "gate", "c", "F79"),
    ("AA-1", "airline", "a", "American"),
]
# influence: a speaks in 2 groups of at most 2 and of both attributes: 1; b, c in 1: (log 2 / log 3 + 1/2) / 2 = .5655.
FEW = (log(2) / log(3) + 0.5) / 2
PAST_RIGHT, PAST_WRONG = (25 + 2 / 3) / 51, 25 / 51


def test_normalised_by_hand():
    found = make_normalised_mcc().compute(claims_of(ROWS))
    mean = (1 + FEW + FEW + 1) / 4
    authority = [1 / (1 + exp(-0.5 * (score - mean))) for score in (1, FEW, FEW, 1)]
    expected = [
        0.5 + authority[0] / 2 + PAST_RIGHT / 2,
        0.5 + authority[1] / 2 + PAST_RIGHT / 2,
        0.0 + authority[2] / 2 + PAST_WRONG / 2,
        0.0 + authority[3] / 2 + (25 + 1) / 51 / 2,
    ]
    assert found.confidence == pytest.approx(expected)
    assert found.kept.tolist() == [True, True, False, False]
    assert found.rejected.tolist() == [False, False, True, False], "c's gate: C(v) = .48, under θ = .7"
    assert found.isolated.tolist() == [False, False, False, True], "nothing speaks against what only one says"
    assert found.graph == pytest.approx([1 / 3, 0])


def test_as_printed_single_values_have_no_consistency():
    claims = claims_of(ROWS)
    found = Mcc().compute(claims)
    assert found.consistent.tolist() == [0, 0, 0, 0], "0 / 0 in Eq. 5"
    assert not found.kept.any(), "so that nothing reaches θ"
    assert Mcc(theta=0.5).compute(claims).kept.any()
    assert not Mcc(graph_threshold=0.5, theta=0.0).compute(claims).kept.any(), "and no graph reaches ½"


def test_as_a_method():
    claims = claims_of(ROWS)
    beliefs = make_normalised_mcc().judge(claims)
    chosen = [t for t, yes in zip(("F78", "F79", "American"), believed(claims, beliefs).tolist(), strict=True) if yes]
    assert chosen == ["F78", "American"]
    assert beliefs.reliability[0] > beliefs.reliability[2]
    assert ((beliefs.probability >= 0) & (beliefs.probability <= 1)).all()


def test_what_was_confirmed_decides():
    rows = [("AA-1", "gate", "a", "F78"), ("AA-1", "gate", "b", "F79")]
    claims = claims_of(rows)
    alike = make_normalised_mcc().judge(claims).probability
    assert alike[0] == pytest.approx(alike[1])
    told = make_normalised_mcc(history={"b": (0.95, 60.0), "a": (0.1, 60.0)}).judge(claims).probability
    assert told[1] > told[0]


def test_authority_may_come_from_a_model():
    claims = claims_of([("AA-1", "gate", "a", "F78"), ("AA-1", "gate", "b", "F79")])
    told = make_normalised_mcc(authority=np.array([0.1, 0.9])).compute(claims).confidence
    assert told[1] > told[0]


@pytest.mark.parametrize("off", ["consistent", "judged", "remembered"])
def test_each_level_can_be_switched_off(off):
    found = replace(make_normalised_mcc(), **{off: False}).compute(claims_of(ROWS))
    assert ((found.confidence >= 0) & (found.confidence <= 2)).all()
    assert found.confidence.tolist() != make_normalised_mcc().compute(claims_of(ROWS)).confidence.tolist()


def test_no_claims():
    assert len(Mcc().judge(claims_of([])).probability) == 0
