"""Figures of selective answering: silence does not improve them."""

from __future__ import annotations

import pytest

from hydra_kg.evaluate.scoring.selective import selective_figures


def test_figures_of_a_small_set():
    # two right (one sure), one wrong and sure, one silent
    figures = selective_figures([0.9, 0.6, 0.95, 0.0], [True, True, False, False], [True, True, True, False])
    assert (figures.right, figures.wrong, figures.silent) == (0.5, 0.25, 0.25)
    assert (figures.sure, figures.sure_right, figures.right_sure) == (2, 0.5, 0.5)
    assert figures.auroc == 0.0  # the wrong answer has the highest confidence
    assert figures.right_at_wrong == 0.0  # no threshold keeps it out


def test_silence_does_not_raise_right_at_wrong():
    confidence, right = [0.9] * 18 + [0.5] * 2, [True] * 18 + [False] * 2
    talking = selective_figures(confidence, right, [True] * 20)
    silent = selective_figures(confidence, right, [True] * 9 + [False] * 11)
    assert talking.right_at_wrong == 0.9  # both wrong ones lie below the threshold
    assert silent.right_at_wrong == 0.45


def test_ties_of_confidence_count_half():
    assert selective_figures([0.5, 0.5], [True, False], [True, True]).auroc == 0.5


def test_nothing_answered_has_no_shares():
    figures = selective_figures([0.0], [False], [False])
    assert (figures.right, figures.silent) == (0.0, 1.0)
    assert (figures.auroc, figures.ece, figures.sure_right, figures.right_sure) == (None, None, None, None)


def test_sequences_of_different_length_are_refused():
    with pytest.raises(ValueError, match="one value per question"):
        selective_figures([0.5], [], [])
