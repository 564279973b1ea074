"""Scores of pairs from what the rows share as wholes."""

from __future__ import annotations

import numpy as np

from hydra_kg.match.evidence import RowEvidence
from hydra_kg.match.scores import FEATURES, SHIFT, calibrated_scores, lead, learned_weights, pair_scores


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


def rows_of_candidates(words, *, partners=0):
    """Return 60 rows with 3 candidates each; the first of ``partners`` rows is their partner."""
    random = np.random.default_rng(1)
    left, right = np.repeat(np.arange(60), 3), np.arange(180)
    like = random.normal(words, 0.02, 180)
    like[: 3 * partners : 3] = 0.95
    none = np.zeros(180, np.float32)
    evidence = RowEvidence(like.astype(np.float32), like.astype(np.float32), none, none, none, none)
    return left, right, 20 * like, evidence


def test_scores_follow_what_chance_scores_in_two_feeds():
    for words, lifted in ((0.1, True), (0.8, False)):
        left, right, said, evidence = rows_of_candidates(words)
        plain = pair_scores(left, right, said, evidence)
        found = calibrated_scores(left, right, said, evidence, rows=(60, 180))
        assert (found > plain).all() if lifted else (found < plain).all()


def test_scores_stay_where_every_row_has_a_partner_and_in_small_feeds():
    left, right, said, evidence = rows_of_candidates(0.1, partners=60)
    found = calibrated_scores(left, right, said, evidence, rows=(60, 180))
    assert np.allclose(found, pair_scores(left, right, said, evidence) + SHIFT, atol=0.1)
    few = slice(0, 30)
    less = RowEvidence(**{name: getattr(evidence, name)[few] for name in RowEvidence.__slots__})
    args = left[few], right[few], said[few], less
    assert np.array_equal(calibrated_scores(*args, rows=(10, 30)), pair_scores(*args))


def test_the_weights_are_those_of_all_features():
    assert len(learned_weights()) == len(FEATURES) + 1
