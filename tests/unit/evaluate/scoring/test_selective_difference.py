"""Differences of two runs in the figures of selective answering, with tests over the same questions."""

from __future__ import annotations

import pytest
from helpers.graded_records import graded_record

from hydra_kg.evaluate.reports.comparison import compare, flips_page, index_by_question
from hydra_kg.evaluate.reports.grade_tables import selective_comparison
from hydra_kg.evaluate.scoring.selective import RESAMPLED, SHARES, selective_differences


def run(*outcomes: tuple[str, float]) -> list[dict]:
    return [graded_record(n, *o) for n, o in enumerate(outcomes)]


def test_shares_of_all_questions_are_tested_with_mcnemar():
    a = run(*[("wrong", 0.9)] * 6, *[("right", 0.9)] * 4)
    b = run(*[("right", 0.9)] * 5, ("wrong", 0.3), *[("right", 0.9)] * 4)
    found = selective_differences(a, b)
    assert {name: (found[name]["a"], found[name]["b"]) for name in SHARES} == {
        "right": (0.4, 0.9),
        "wrong": (0.6, 0.1),
        "sure_wrong": (0.6, 0.0),
    }
    # five questions differ, all in one direction: 2 / 2^5; six for wrong and sure: 2 / 2^6
    assert [found[name]["p"] for name in SHARES] == [0.0625, 0.0625, 0.03125]


def test_equal_runs_do_not_differ():
    a = run(("right", 0.9), ("wrong", 0.4), ("right", 0.3), ("silent", 0.0))
    for figure in selective_differences(a, a).values():
        assert (figure["difference"], figure["low"], figure["high"], figure["p"]) == (0, 0, 0, 1)


def test_a_run_whose_confidence_separates_right_from_wrong_has_a_higher_auroc():
    a = run(*[("right", 0.4)] * 30, *[("wrong", 0.6)] * 10)
    b = run(*[("right", 0.9)] * 30, *[("wrong", 0.1)] * 10)
    found = selective_differences(a, b, seed=3)
    auroc = found["auroc"]
    assert [auroc[k] for k in ("a", "b", "difference", "low", "high")] == [0, 1, 1, 1, 1]
    assert auroc["p"] <= 0.001
    assert (found["right_at_wrong"]["a"], found["right_at_wrong"]["b"]) == (0, 0.75)
    assert found["right_at_wrong"]["p"] <= 0.01
    assert found["right"]["p"] == 1
    assert found == selective_differences(a, b, seed=3)


def test_falling_silent_improves_neither_right_nor_right_at_wrong():
    talking = run(*[("right", 0.9)] * 20, *[("wrong", 0.2)] * 10)
    silent = run(*[("right", 0.9)] * 8, *[("silent", 0.0)] * 22)
    found = selective_differences(talking, silent)
    for name in ("right", "right_at_wrong"):
        assert found[name]["difference"] == pytest.approx(-0.4)
        assert found[name]["high"] < 0
    assert found["auroc"] == dict.fromkeys(("b", "difference", "low", "high", "p")) | {"a": 1.0}


def test_both_sides_need_the_same_questions():
    with pytest.raises(ValueError, match="same questions"):
        selective_differences(run(("right", 0.9)), [])


def test_compare_and_its_page_show_the_differences():
    a, b = run(("right", 0.9), ("wrong", 0.9)), run(("right", 0.9), ("silent", 0.0))
    doc = compare(a, b)
    (row,) = doc["rows"]
    assert set(row["selective"]) == {*SHARES, *RESAMPLED}
    cells = {r[0]: r[1:] for r in selective_comparison(row).rows}
    assert cells["wrong %"][:3] == ("50.0", "0.0", "-50.0")
    assert cells["AUROC"] == ("0.500", "", "", "", "")
    page = flips_page(doc, index_by_question(a), index_by_question(b), names=("one", "other"))
    assert "Selective answering on set" in page
    assert "McNemar" in page
