"""The HTML page of a report, and that of a comparison: self-contained, no scripts, everything from data escaped."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from markupsafe import Markup

from hydra_kg.evaluate.reports.analyses import label
from hydra_kg.evaluate.reports.result_tables import results
from hydra_kg.evaluate.reports.selective_tables import risk_curve
from hydra_kg.evaluate.reports.svg import Dot, Line, dots, lines
from hydra_kg.evaluate.reports.tables import Table
from hydra_kg.pages.rendering import rendered

_MANIFESTS: Final = 40


def page(summary: Mapping[str, Any], shown: Sequence[Table] = ()) -> str:
    """The report: results with plots, every analysis, and what it was made with."""
    first, *rest = shown or [results(summary)]
    best = [r for _, rows in _by_dataset(summary, best=True) for r in rows]
    shorter = None
    if len(best) < len(summary["rows"]):
        shorter = replace(results({**summary, "rows": best}), title="Results, of what can be answered")
    values = {
        "title": "hydra-kg evaluation",
        "first": first,
        "shorter": shorter,
        "rest": rest,
        "plots": [*_results(summary), *_sweeps(summary), *_risks(summary)],
        "manifests": (summary.get("manifests") or ())[:_MANIFESTS],
        "json_text": lambda manifest: json.dumps(manifest, indent=1),
    }
    return rendered("report.html.j2", values)


def _results(summary: Mapping[str, Any]) -> Iterable[Markup]:
    for dataset, rows in _by_dataset(summary, best=True):
        values: list[Dot] = []
        for r in rows:
            m = r["metrics"]["hits1"]
            values.append((label(r["strategy"], r["variant"]), m["mean"], m["low"], m["high"]))
        if len(values) > 1:
            yield dots(f"Hits@1 on {dataset}: {rows[0]['part']}, n = {rows[0]['n']} (%, 95 % interval)", values)


def _sweeps(summary: Mapping[str, Any]) -> Iterable[Markup]:
    """Hits@1 over each setting that was given several numbers."""
    for dataset, rows in _by_dataset(summary, best=True):
        series: dict[str, dict[str, list[tuple[float, float]]]] = {}
        for r in rows:
            name, sign, value = r["variant"].partition("=")
            if sign and _is_number(value):
                point = (float(value), r["metrics"]["hits1"]["mean"])
                series.setdefault(name, {}).setdefault(r["strategy"], []).append(point)
        if "kg_share" in series:  # the run's own settings are the whole graph
            for r in rows:
                if not r["variant"] and r["strategy"] in series["kg_share"]:
                    series["kg_share"][r["strategy"]].append((1.0, r["metrics"]["hits1"]["mean"]))
        for name, by in series.items():
            drawn: list[Line] = [(s, sorted(points)) for s, points in by.items() if len(points) > 1]
            if drawn:
                yield lines(f"Hits@1 on {dataset} over {name}", drawn, across=name, up="Hits@1, %")


def _risks(summary: Mapping[str, Any]) -> Iterable[Markup]:
    """Plot risk over coverage; coverage is of all questions, so that silence shortens a curve."""
    for dataset, rows in _by_dataset(summary):
        series: list[Line] = [(r["strategy"], points) for r in rows if not r["variant"] and (points := risk_curve(r))]
        series = [line for line in series if len(line[1]) > 1]
        if series:
            title = f"Risk and coverage on {dataset}: wrong answers among the most confident"
            yield lines(title, series, across="answered share of all questions", up="risk, %", whole=True)


def _by_dataset(summary: Mapping[str, Any], *, best: bool = False) -> Iterable[tuple[str, list[Mapping[str, Any]]]]:
    """Rows of one part of each set: all questions, or with ``best`` the most honest part that there is."""
    for dataset in dict.fromkeys(r["dataset"] for r in summary["rows"]):
        own = [r for r in summary["rows"] if r["dataset"] == dataset]
        parts = {r["part"] for r in own}
        part = next((p for p in ("gold query runs", "reachable") if p in parts), "all") if best else "all"
        yield dataset, [r for r in own if r["part"] == part]


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
