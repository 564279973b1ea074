"""Tables of where right answers get lost: shares of questions whose gold answer is still there after each step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from hydra_kg.evaluate.reports.analyses import label
from hydra_kg.evaluate.reports.retrieval import STAGES
from hydra_kg.evaluate.reports.summary import groups_of
from hydra_kg.evaluate.reports.tables import Table, mean, percent, quantile


def lost(measured: Iterable[Mapping[str, Any]]) -> Table:
    """Return the percentage of questions that still have their gold answer after each step.

    Only questions whose gold answer is in the store count.
    """
    rows = []
    for (dataset, strategy, variant), members in groups_of(measured).items():
        able = [r for r in members if r.get("holds", {}).get("store")]
        reported = {"answers", "first"}.union(*(r.get("sizes", {}) for r in members))
        shares = (percent(mean([float(r["holds"][s]) for r in able])) if s in reported else "–" for s in STAGES[1:])
        rows.append((dataset, label(strategy, variant), str(len(members)), str(len(able)), *shares))
    head = ("data set", "strategy", "n", "known to the store", "in G_q", "W_1", "W_2", "W_max", "answers", "first")
    note = (
        "% of the questions whose gold answer is known to the store: it is in the cut, an end of one of the W_1 "
        "relation paths, of the W_2 after verification, of the W_max selected, among the answers, the first answer. "
        "All phases together; offline agent. –: the strategy has no such step, or does not report what it leaves. ToG, "
        "ToG-2 and text have no G_q; their W_1 is what they saw of it, their W_2 what they selected of those, their "
        "W_max what was judged. Answers that are numbers or dates are no nodes."
    )
    return Table("Where right answers get lost (%)", head, tuple(rows), note)


def sizes(measured: Iterable[Mapping[str, Any]]) -> Table:
    """Return the number of classes that are left after each step."""
    rows = []
    for (dataset, strategy, variant), members in groups_of(measured).items():
        for stage in ("cut", "pool", "kept", "selected"):
            values = [float(r["sizes"][stage]) for r in members if stage in r.get("sizes", {})]
            if values:
                cells = (f"{v or 0:,.0f}" for v in (mean(values), quantile(values, 0.5), quantile(values, 0.95)))
                rows.append((dataset, label(strategy, variant), stage, str(len(values)), *cells))
    head = ("data set", "strategy", "step", "n", "mean", "p50", "p95")
    note = "Classes that could be an answer: nodes of G_q, ends of the W_1, W_2 and W_max paths."
    return Table("Candidate answers left after each step", head, tuple(rows), note, left=3)
