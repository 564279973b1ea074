"""One partner a row: rivals share a row's probability, and what people said decides."""

from __future__ import annotations

import json

import numpy as np
import pytest

from hydra_kg.errors import FormatError
from hydra_kg.match.pair_labels import read_labels, relearn_probabilities, write_labels
from hydra_kg.match.partner_choice import (
    estimate_share,
    find_rivals,
    one_to_one,
    probabilities_within,
    select_within_feed,
    share_odds,
)


def ids(*numbers):
    return np.array(numbers, np.int64)


def test_rivals_share_the_probability_of_a_row():
    """Row 1 has one candidate, row 2 two that look alike: neither of these can be sure."""
    p = share_odds(ids(1, 2, 2), ids(11, 12, 13), np.exp([12.0, 12.0, 12.0]))
    assert p[0] > 0.9
    assert p[1] == p[2]
    assert 0.4 < p[1] < 0.5


def test_within_one_feed_a_thing_may_have_many_rows():
    p, _ = probabilities_within(np.array([12.0, 12.0, 12.0]), rows=10)
    assert (p > 0.9).all()


def test_the_share_of_rows_with_a_partner_is_estimated_from_the_scores():
    """Of a hundred rows, ninety or ten have a sure partner."""
    for sure in (90, 10):
        score = np.array([9.0] * sure + [-9.0] * (100 - sure))
        share = estimate_share(np.arange(100), np.arange(100) + 200, score, rows=(100, 100))
        assert share == pytest.approx((sure / 100 + 0.2) / 1.5, abs=0.01), "with half a share of .4 believed before"


def test_a_pair_with_an_equal_rival_is_ambiguous():
    """Rows 1 and 2 fit 11 and 12 alike; 3 fits 13 better than 14 does; 5 fits 15, and 16, which is clearly 6."""
    left = ids(1, 1, 3, 4, 5, 5, 6)
    right = ids(11, 12, 13, 13, 15, 16, 16)
    p = np.array([0.48, 0.48, 0.7, 0.2, 0.45, 0.45, 0.9])
    chosen = one_to_one(left, right, p)
    assert find_rivals(left, right, p, chosen, threshold=0.1) == {0: [1]}
    assert find_rivals(left, right, p, chosen, threshold=0.97) == {}


def test_rivals_of_a_row_are_ambiguous_together_though_none_reaches_the_threshold():
    left, right, p = ids(1, 1, 1), ids(11, 12, 13), np.array([0.3, 0.29, 0.28])
    chosen = one_to_one(left, right, p)
    assert find_rivals(left, right, p, chosen, threshold=0.5) == {0: [1, 2]}


def test_each_row_is_given_once():
    left, right = ids(1, 1, 2), ids(11, 12, 11)
    assert one_to_one(left, right, np.array([0.9, 0.8, 0.7])).tolist() == [0]
    assert one_to_one(left, right, np.array([0.7, 0.9, 0.8])).tolist() == [1, 2]


def test_a_chain_of_pairs_joins_nothing():
    """1, 2 and 3 are alike, so are 4, 5 and 6; 3 and 4 are a little alike, and that joins no others."""
    left, right = ids(1, 1, 2, 4, 4, 5, 3), ids(2, 3, 3, 5, 6, 6, 4)
    p = np.array([0.95, 0.95, 0.95, 0.9, 0.9, 0.9, 0.7])
    assert select_within_feed(left, right, p, threshold=0.5).tolist() == [0, 1, 2, 3, 4, 5]
    assert select_within_feed(left, right, p, threshold=0.8).tolist() == [0, 1, 2, 3, 4, 5, 6], (
        "below it stays to be shown"
    )


def test_labels_change_what_a_column_is_worth():
    """People say that pairs agree in the first column alone are different, in the second the same."""
    weight = np.array([[3.0, -3.0], [-3.0, 3.0]] * 20)
    p = np.full(40, 0.5)
    same = np.array([False, True] * 8)
    after = relearn_probabilities(p, weight, at=np.arange(16), same=same)
    assert (after[20::2] < 0.3).all()
    assert (after[21::2] > 0.7).all()
    assert (relearn_probabilities(p, weight, at=np.arange(4), same=same[:4]) == p).all(), "too few to learn from"


def test_labels_are_kept_one_a_line_and_a_wrong_line_is_named(tmp_path):
    file = tmp_path / "sub" / "labels.jsonl"
    assert read_labels(file) == {}
    list(write_labels(file, [("a:1", "b:1", True), ("a:2", "b:2", True)]))
    list(write_labels(file, [("a:2", "b:2", False)]))
    assert read_labels(file) == {("a:1", "b:1"): True, ("a:2", "b:2"): False}
    assert len(list(map(json.loads, file.read_text("utf-8").splitlines()))) == 3
    file.write_text('{"left": "a:1"}\n', "utf-8")
    with pytest.raises(FormatError, match=r"labels\.jsonl:1 is not a label"):
        read_labels(file)
