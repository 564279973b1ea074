"""Figures of selective answering: silence does not improve them."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.graded_records import graded_record

from hydra_kg.evaluate.reports.grade_tables import risk_curve, risks, selective
from hydra_kg.evaluate.reports.summary import summarise
from hydra_kg.evaluate.scoring.selective import compute_weighted_figures, figures_of_records, selective_figures


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


def test_auroc_counts_pairs_of_a_right_and_a_wrong_answer():
    # right .9 .6 .3, wrong .6 .2: pairs won 1+1, .5+1, 0+1 of six
    figures = selective_figures([0.9, 0.6, 0.3, 0.6, 0.2], [True] * 3 + [False] * 2, [True] * 5)
    assert figures.auroc == pytest.approx(4.5 / 6)


def test_weights_count_a_question_as_often_as_they_say():
    confidence, right = [0.9, 0.6, 0.3, 0.85, 0.2, 0.0], [True, True, True, False, False, False]
    answered = [True] * 5 + [False]
    times = np.array([[2, 0, 1, 1, 3, 2], [0, 1, 1, 2, 2, 1]])
    weighted = compute_weighted_figures(confidence, right, answered, times.astype(float))
    for i, row in enumerate(times):
        spread = [np.repeat(values, row).tolist() for values in (confidence, right, answered)]
        repeated = selective_figures(*spread).to_json()
        assert {name: round(float(v[i]), 4) for name, v in weighted.items()} == {n: repeated[n] for n in weighted}


def test_silence_is_no_answer_also_where_it_is_right():
    outcomes = [("right", 0.9), ("wrong", 0.3), ("silent", 0.0), ("rightly silent", 0.0)]
    figures = figures_of_records([graded_record(n, *o) for n, o in enumerate(outcomes)])
    assert (figures.right, figures.wrong, figures.silent) == (0.25, 0.25, 0.5)
    assert (figures.auroc, figures.right_at_wrong, figures.right_sure) == (1.0, 0.25, 1.0)


def test_reports_show_the_figures_and_risk_over_all_questions():
    # the surest of eight is right, the next wrong, two more right; four are silent
    outcomes = [("right", 0.9), ("wrong", 0.8), ("right", 0.7), ("right", 0.6), *[("silent", 0.0)] * 4]
    summary = summarise([graded_record(n, *o) for n, o in enumerate(outcomes)])
    table = selective(summary)
    assert dict(zip(table.head, table.rows[0], strict=True)) == {
        "data set": "set",
        "strategy": "s",
        "n": "8",
        "right %": "37.5",
        "wrong %": "12.5",
        "silent %": "50.0",
        "right % at 5 % wrong": "12.5",
        "AUROC": "0.333",
        "ECE": "0.400",  # (.1 + .8 + .3 + .4) / 4
        "sure": "2",
        "sure answers right %": "50.0",
        "right answers sure %": "33.3",
    }
    curve = risk_curve(summary["rows"][0])
    assert [c for c, _ in curve] == pytest.approx([0.125, 0.25, 0.375, 0.5])
    assert [r for _, r in curve] == pytest.approx([0, 1 / 2, 1 / 3, 1 / 4], abs=1e-4)
    assert risks(summary).rows == (("set", "s", "0.0", "50.0", "25.0", "", "", "", "50.0"),)
