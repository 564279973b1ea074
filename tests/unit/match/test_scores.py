"""Scores of pairs from what the rows share as wholes."""

from __future__ import annotations

import numpy as np

from hydra_kg.match.row_comparison import RowEvidence
from hydra_kg.match.scores import FEATURES, get_learned_weights, lead, pair_scores


def test_the_lead_is_over_the_best_other_candidate_of_the_row():
    row = np.array([1, 2, 1, 1, 3])
    value = np.array([0.9, 0.4, 0.6, 0.5, 0.7])
    assert np.allclose(lead(row, value), [0.3, 0.4, -0.3, -0.4, 0.7])


def score(**changes):
    """The score of one pair that agrees fairly well, with some evidence changed."""
    fields = {"words": 0.6, "letters": 0.6, "code": 0.0, "left_over": 0.2, "near_codes": 0.0, "codes": 0.0} | changes
    evidence = RowEvidence(**{name: np.array([value], np.float32) for name, value in fields.items()})
    return pair_scores(np.array([1]), np.array([2]), np.array([5.0]), evidence)[0]


def test_codes_decide_before_prose():
    assert (
        score(codes=1, words=0.1, letters=0.1) > score(words=1.0, letters=1.0) > score(codes=-1, words=1.0, letters=1.0)
    )


def test_near_codes_and_words_left_over_speak_against_a_pair():
    assert score(near_codes=1) < score() < score(code=1)
    assert score(left_over=1) < score()


def test_the_weights_are_those_of_all_features():
    assert len(get_learned_weights()) == len(FEATURES) + 1
