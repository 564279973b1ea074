"""Reports from raw outputs alone: summary.json, Markdown, and one self-contained HTML page."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from markupsafe import Markup

from hydra_kg.evaluate.questions.answerable import FILE as ANSWERABLE
from hydra_kg.evaluate.questions.datasets import Ability, Question, read_answerable
from hydra_kg.evaluate.reports.analyses import ANALYSES, label
from hydra_kg.evaluate.reports.comparison import compare
from hydra_kg.evaluate.reports.grade_tables import grade_tables, risk_curve, risks, selective
from hydra_kg.evaluate.reports.retrieval import FILE as RETRIEVAL
from hydra_kg.evaluate.reports.retrieval import lost, sizes
from hydra_kg.evaluate.reports.summary import MODEL, RANKED, summarise
from hydra_kg.evaluate.reports.svg import Dot, Line, dots, lines
from hydra_kg.evaluate.reports.tables import Table, percent
from hydra_kg.evaluate.runs.run_records import read_records, replace_gold
from hydra_kg.pages.rendering import render_template

_MANIFESTS: Final = 40
SHOWN: Final = {
    "hits1": "Hits@1",
    "f1": "F1",
    "precision": "P",
    "recall": "R",
    "paper_match": "paper_match",
    "answered": "answered",
}


def page(summary: Mapping[str, Any], shown: Sequence[Table] = ()) -> str:
    """Return the page of a report: results with plots, every analysis, and the manifests."""
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
    return render_template("report.html.j2", values)


def _results(summary: Mapping[str, Any]) -> Iterable[Markup]:
    for dataset, rows in _by_dataset(summary, best=True):
        values: list[Dot] = []
        for r in rows:
            m = r["metrics"]["hits1"]
            values.append((label(r["strategy"], r["variant"]), m["mean"], m["low"], m["high"]))
        if len(values) > 1:
            yield dots(f"Hits@1 on {dataset}: {rows[0]['part']}, n = {rows[0]['n']} (%, 95 % interval)", values)


def _sweeps(summary: Mapping[str, Any]) -> Iterable[Markup]:
    """Yield plots of Hits@1 over each setting that has several numeric values."""
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
    """Yield plots of risk over coverage; coverage is of all questions, so that silence shortens a curve."""
    for dataset, rows in _by_dataset(summary):
        series: list[Line] = [(r["strategy"], points) for r in rows if not r["variant"] and (points := risk_curve(r))]
        series = [line for line in series if len(line[1]) > 1]
        if series:
            title = f"Risk and coverage on {dataset}: wrong answers among the most confident"
            yield lines(title, series, across="answered share of all questions", up="risk, %", whole=True)


def _by_dataset(summary: Mapping[str, Any], *, best: bool = False) -> Iterable[tuple[str, list[Mapping[str, Any]]]]:
    """Yield the rows of one part of each set: all questions, or with ``best`` the best available denominator."""
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


__all__ = ["RANKED", "compare", "page", "render_markdown", "results", "summarise", "tables", "write_reports"]

Record = Mapping[str, Any]


def write_reports(
    folder: Path, *, answerable: Ability | None = None, seed: int = 0, gold: Sequence[Question] = ()
) -> dict[str, Any]:
    """Write summary.json, report.md and report.html of a run; return the summary.

    ``gold`` replaces the gold of the records. ``answerable`` defaults to the folder's ``answerable.tsv``.
    """
    records = replace_gold(read_records(folder).values(), gold)
    if answerable is None and (folder / ANSWERABLE).is_file():
        answerable = read_answerable(folder / ANSWERABLE)
    measured = list(read_records(folder, must_exist=False, name=RETRIEVAL).values())
    summary = summarise(records, answerable=answerable, seed=seed)
    shown = tables(summary, records, measured)
    summary["manifests"] = manifests(records)
    summary["analyses"] = [t.to_json() for t in shown[1:]]
    (folder / "summary.json").write_text(json.dumps(summary, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    (folder / "report.md").write_text(render_markdown(summary, shown), encoding="utf-8")
    (folder / "report.html").write_text(page(summary, shown), encoding="utf-8")
    return summary


def tables(summary: Mapping[str, Any], records: Sequence[Record], measured: Iterable[Record] = ()) -> list[Table]:
    """Return all tables of a report: results, selective answering, grades, the papers' analyses, retrieval."""
    measured = list(measured)
    parts = [results(summary), selective(summary), risks(summary), *grade_tables(summary), calibrations(summary)]
    parts += [make(records) for make in ANALYSES.values()]
    if measured:
        parts += [lost(measured), sizes(measured)]
    return [t for i, t in enumerate(parts) if t.rows or i == 0]


def manifests(records: Iterable[Record]) -> list[dict[str, Any]]:
    """Return every distinct manifest of the answers, with the number of answers that have it.

    The report of one run has one manifest for each variant.
    """
    found: dict[str, dict[str, Any]] = {}
    for r in records:
        if r.get("manifest"):
            key = json.dumps(r["manifest"], sort_keys=True)
            found.setdefault(key, {"answers": 0, "manifest": r["manifest"]})["answers"] += 1
    return [found[key] for key in sorted(found)]


def render_markdown(summary: Mapping[str, Any], shown: Sequence[Table] = ()) -> str:
    """Return the tables as Markdown."""
    return "# Evaluation\n\n" + "\n".join(t.markdown() for t in shown or [results(summary)])


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
