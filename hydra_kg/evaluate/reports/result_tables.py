"""The two tables at the beginning of every report: results with their intervals, and calibration and cost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from hydra_kg.evaluate.reports.analyses import label
from hydra_kg.evaluate.reports.published import MODEL
from hydra_kg.evaluate.reports.summary import RANKED
from hydra_kg.evaluate.reports.tables import Table, percent

SHOWN: Final = {
    "hits1": "Hits@1",
    "f1": "F1",
    "precision": "P",
    "recall": "R",
    "paper_match": "paper_match",
    "answered": "answered",
}


def results(summary: Mapping[str, Any]) -> Table:
    """Return the main table: percentages with their 95 % intervals."""
    rows = []
    claims = any(r["claims"]["n"] for r in summary["rows"])
    for r in summary["rows"]:
        times = [f"{t:.2f}" if t is not None else "" for t in (r["seconds"]["p50"], r["seconds"]["p95"])]
        known = r["answerable"] is None
        rows.append(
            (
                r["dataset"],
                label(r["strategy"], r["variant"]),
                r["part"],
                f"{r['n']}" + ("" if r["n"] >= RANKED else "*"),
                "" if known else str(r["answerable"]),
                "" if r["rank"] is None else str(r["rank"]),
                *(
                    percent(r["metrics"][m]["mean"]) if m in {"precision", "recall"} else _interval(r["metrics"][m])
                    for m in SHOWN
                ),
                *((_interval(r["claims"]) if r["claims"]["n"] else "",) if claims else ()),
                str(r["errors"]),
                *times,
                "" if r["theirs"] is None else f"({r['theirs']:.1f})",
            )
        )
    head = (
        "data set",
        "strategy",
        "part",
        "n",
        "answerable",
        "rank",
        *SHOWN.values(),
        *(("claims",) if claims else ()),
        "errors",
        "s p50",
        "s p95",
        "(theirs)",
    )
    return Table("Results", head, tuple(rows), " ".join(_notes(summary)), left=3)


def calibrations(summary: Mapping[str, Any]) -> Table:
    """Return calibration of the confidence of answered questions, share of refusals, and cost."""
    rows = []
    for r in summary["rows"]:
        c = r["calibration"]
        if r["part"] == "all" and c["n"]:
            spent = (f"{r['usage']['calls'] or 0:.1f}", f"{r['usage']['money'] or 0:.4f}")
            way = label(r["strategy"], r["variant"])
            errors = (f"{c['ece']:.3f}", f"{c['aurc']:.3f}")
            rows.append((r["dataset"], way, str(c["n"]), *errors, percent(r["refused"]), *spent))
    head = ("data set", "strategy", "answered", "ECE", "AURC", "refused %", "calls", "money")
    note = (
        "ECE: expected calibration error over ten bins, 0 is best. AURC: mean risk (share of wrong answers) over "
        "all coverages, the most confident answers first; 0 is best."
    )
    return Table("Calibration and refusal", head, tuple(rows), note)


def _notes(summary: Mapping[str, Any]) -> list[str]:
    """Return the notes below the tables."""
    notes = [
        "Percent with the 95 % interval over questions: Wilson's for shares, else the percentile bootstrap (seed "
        f"{summary['seed']}).",
        "paper_match is what the papers call exact match: containment in either direction; empty answers are wrong.",
    ]
    rows = summary["rows"]
    if any(r["n"] < RANKED for r in rows):
        notes.append(f"* fewer than {RANKED} questions: reported, not ranked.")
    if any(r["answerable"] is not None for r in rows):
        notes.append(
            "answerable: questions whose gold query finds a gold answer in the graph that was asked; of sets "
            "without gold queries, those with an answer within three hops."
        )
    if any(r["theirs"] is not None for r in rows):
        notes.append(
            f"(theirs): the paper's own number with {MODEL}, by containment, on its own test sample and the "
            "whole graph: another measurement, not a rival of the row."
        )
    return notes


def _interval(metric: Mapping[str, float]) -> str:
    return f"{100 * metric['mean']:.1f} [{100 * metric['low']:.1f}, {100 * metric['high']:.1f}]"
