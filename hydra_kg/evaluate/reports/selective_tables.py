"""Tables of selective answering: figures that a strategy cannot improve by falling silent, and their differences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from hydra_kg.citations import SURE
from hydra_kg.evaluate.reports.analyses import label
from hydra_kg.evaluate.reports.tables import Table, percent
from hydra_kg.evaluate.scoring.selective import WRONG_ALLOWED

TITLES: Final = {
    "right": "right %",
    "wrong": "wrong %",
    "silent": "silent %",
    "right_at_wrong": f"right % at {100 * WRONG_ALLOWED:.0f} % wrong",
    "auroc": "AUROC",
    "ece": "ECE",
    "sure": "sure",
    "sure_right": "sure answers right %",
    "right_sure": "right answers sure %",
    "sure_wrong": "wrong and sure %",
}
PLAIN: Final = ("auroc", "ece")
"""Figures that are not percentages."""

COVERAGES: Final = (0.1, 0.25, 0.5, 0.75, 0.9, 1.0)


def selective(summary: Mapping[str, Any]) -> Table:
    """Return the figures of selective answering over all questions, one row for each data set and strategy."""
    names = [name for name in TITLES if name != "sure_wrong"]
    rows = []
    for r in summary["rows"]:
        if r["part"] == "all":
            figures = r["selective"]
            cells = (str(figures[name]) if name == "sure" else _cell(name, figures[name]) for name in names)
            rows.append((r["dataset"], label(r["strategy"], r["variant"]), str(figures["n"]), *cells))
    note = (
        "right (partly right too), wrong, silent: of all questions. Silence is no answer here, also where it is the "
        f"right reaction. right at {100 * WRONG_ALLOWED:.0f} % wrong: share right if only answers above the best "
        "confidence threshold were given that keeps wrong answers within that share of all questions. AUROC: "
        "probability that a right answer has more confidence than a wrong one; 0.5 is chance. sure: confidence of at "
        f"least {SURE}, as ask prints it."
    )
    return Table("Selective answering", ("data set", "strategy", "n", *(TITLES[n] for n in names)), tuple(rows), note)


def risks(summary: Mapping[str, Any]) -> Table:
    """Return the risk (share wrong) among the most confident answers, for several shares of answered questions."""
    rows = []
    for r in summary["rows"]:
        if r["part"] == "all" and (curve := risk_curve(r)):
            cells = (percent(next((risk for c, risk in curve if c >= at - 1e-4), None)) for at in COVERAGES)
            rows.append((r["dataset"], label(r["strategy"], r["variant"]), *cells, percent(curve[-1][0])))
    head = ("data set", "strategy", *(f"{100 * at:.0f} % answered" for at in COVERAGES), "answered %")
    note = (
        "Percent wrong if only the most confident answers were given, to that share of all questions; empty where "
        "fewer were answered. Answers of equal confidence are taken together."
    )
    return Table("Risk and coverage", head, tuple(rows), note)


def risk_curve(row: Mapping[str, Any]) -> list[tuple[float, float]]:
    """Return (coverage of all questions, risk) of a summary's row, the most confident answers first."""
    fit, n = row["calibration"], row["grades"]["all"]["n"]
    return [(coverage * fit["n"] / n, risk) for coverage, risk in fit["curve"]]


def selective_comparison(row: Mapping[str, Any], names: tuple[str, str] = ("A", "B")) -> Table:
    """Return the differences of two runs in the figures of selective answering, from a row of ``compare``."""
    rows = []
    for name, d in row["selective"].items():
        change = _cell(name, d["difference"], sign="+")
        between = "" if d["low"] is None else " … ".join(_cell(name, d[end], sign="+") for end in ("low", "high"))
        p = "" if d["p"] is None else f"{d['p']:.4f}"
        rows.append((TITLES[name], _cell(name, d["a"]), _cell(name, d["b"]), change, between, p))
    note = (
        "p: McNemar's exact test for right, wrong, and wrong and sure; a paired bootstrap over questions for the "
        "others. Silence is no answer here. Empty where a figure is not defined."
    )
    title = f"Selective answering on {row['dataset']}"
    return Table(title, ("figure", *names, "B − A", "95 %", "p"), tuple(rows), note, left=1)


def _cell(name: str, value: float | None, *, sign: str = "") -> str:
    if value is None:
        return ""
    return f"{value:{sign}.3f}" if name in PLAIN else f"{100 * value:{sign}.1f}"
