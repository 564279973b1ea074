"""The threshold without labels: chance is what the second best candidates of rows score."""

from __future__ import annotations

import numpy as np
import pytest

from hydra_kg.match.match_threshold import calibrate, choose_threshold
from hydra_kg.match.row_comparison import RowEvidence

ROWS = 400


def log_odds_of_rows(*, partners, scored, seed=1):
    """Return log odds of the three best candidates of 400 rows, of which the first ``partners`` have a partner that
    scores ``scored`` on average; ten candidates of each row are chance, of some rows more than of others."""
    random = np.random.default_rng(seed)
    chance = -np.sort(-random.gumbel(-7, 0.6, (ROWS, 10)) - random.normal(0, 1, (ROWS, 1)))[:, :3]
    true = random.normal(scored, 1, partners)
    best, second, third = chance.T.copy()
    second[:partners], third[:partners] = best[:partners], second[:partners]
    best[:partners] = np.maximum(true, best[:partners])
    return best, second, third


@pytest.mark.parametrize(
    "partners, scored", [(40, 1.0), (40, 4.0), (200, -2.0), (200, 1.0), (200, 4.0), (390, -2.0), (390, 4.0)]
)
def test_the_threshold_is_near_the_best_one_however_the_scores_lie(partners, scored):
    """Partners that score -2 are improbable as learned; where many rows have one, chance shows that they are right."""
    best, second, third = log_odds_of_rows(partners=partners, scored=scored)
    found = choose_threshold(best, second, third, widest_gap=0.85)
    threshold = np.sort(best)[-found.linked]

    def f1(value):
        linked = best >= value
        return 2 * linked[:partners].sum() / (linked.sum() + partners)

    assert f1(threshold) > max(map(f1, best)) - 0.1


def test_the_number_of_rows_with_a_partner_is_estimated():
    for partners, error in ((200, 0.35), (390, 0.1)):
        best, second, third = log_odds_of_rows(partners=partners, scored=-2.0)
        assert (1 / (1 + np.exp(-best))).sum() < 0.2 * partners, "learned probabilities are far too low"
        found = choose_threshold(best, second, third, widest_gap=0.85)
        assert found.expected == pytest.approx(partners, rel=error)


def test_rows_with_one_candidate_follow_the_learned_probabilities():
    best, none = np.array([5.0, 4.0, -3.0]), np.full(3, -np.inf)
    found = choose_threshold(best, none, none, widest_gap=0.85)
    assert found.linked == 2
    assert found.expected == pytest.approx((1 / (1 + np.exp(-best))).sum())


def candidates(*, partners, like):
    """Return 200 rows with three candidates each; the first candidate of ``partners`` rows is their partner."""
    random = np.random.default_rng(1)
    left, right = np.repeat(np.arange(200), 3), np.random.default_rng(2).permutation(600)
    words = random.normal(0.1, 0.03, 600)
    words[: 3 * partners : 3] = random.normal(like, 0.03, partners)
    none = np.zeros(600, np.float32)
    evidence = RowEvidence(words.astype(np.float32), words.astype(np.float32), none, none, none, none)
    return left, right, 20 * words, evidence


def test_low_scores_are_linked_where_every_row_has_a_partner():
    """Products that are described in few common words: learned probabilities are low, but chance scores far less."""
    found = calibrate(*candidates(partners=195, like=0.45), rows=(200, 600))
    linked = found.probabilities >= found.threshold
    assert linked[::3].sum() > 190
    assert linked.sum() < 205
    assert found.expected == pytest.approx(195, rel=0.15)


def test_the_same_holds_if_the_second_feed_is_the_smaller_one():
    left, right, said, evidence = candidates(partners=195, like=0.45)
    found = calibrate(right, left, said, evidence, rows=(600, 200))
    other = calibrate(left, right, said, evidence, rows=(200, 600))
    assert found.threshold == pytest.approx(other.threshold, abs=0.1)
    assert found.expected == pytest.approx(other.expected, rel=0.05)
