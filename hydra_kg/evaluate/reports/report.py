"""Reports out of raw outputs alone: summary.json, Markdown, and one self-contained HTML page."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from hydra_kg.evaluate.questions.answerable import FILE as ANSWERABLE
from hydra_kg.evaluate.questions.datasets import Ability, Question, read_answerable
from hydra_kg.evaluate.reports.analyses import ANALYSES
from hydra_kg.evaluate.reports.comparison import compare
from hydra_kg.evaluate.reports.grade_tables import grade_tables
from hydra_kg.evaluate.reports.lost import lost, sizes
from hydra_kg.evaluate.reports.page import page
from hydra_kg.evaluate.reports.result_tables import calibrations, results
from hydra_kg.evaluate.reports.retrieval import FILE as RETRIEVAL
from hydra_kg.evaluate.reports.selective_tables import risks, selective
from hydra_kg.evaluate.reports.summary import RANKED, summarise
from hydra_kg.evaluate.reports.tables import Table
from hydra_kg.evaluate.runs.records import read_records, with_gold

__all__ = ["RANKED", "compare", "markdown", "page", "results", "summarise", "tables", "write_reports"]

Record = Mapping[str, Any]


def write_reports(
    folder: Path,
    *,
    answerable: Ability | None = None,
    seed: int = 0,
    gold: Sequence[Question] = (),
) -> dict[str, Any]:
    """Write summary.json, report.md and report.html of a run; return the summary. ``gold``: replaces the records' own ·
    ``answerable``: default is the folder's ``answerable.tsv``."""
    records = with_gold(read_records(folder).values(), gold)
    if answerable is None and (folder / ANSWERABLE).is_file():
        answerable = read_answerable(folder / ANSWERABLE)
    measured = list(read_records(folder, must_exist=False, name=RETRIEVAL).values())
    summary = summarise(records, answerable=answerable, seed=seed)
    shown = tables(summary, records, measured)
    summary["manifests"] = manifests(records)
    summary["analyses"] = [t.to_json() for t in shown[1:]]
    (folder / "summary.json").write_text(json.dumps(summary, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    (folder / "report.md").write_text(markdown(summary, shown), encoding="utf-8")
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
    """Every different manifest of the answers, with how many have it; a report of one run has one for each variant."""
    found: dict[str, dict[str, Any]] = {}
    for r in records:
        if r.get("manifest"):
            key = json.dumps(r["manifest"], sort_keys=True)
            found.setdefault(key, {"answers": 0, "manifest": r["manifest"]})["answers"] += 1
    return [found[key] for key in sorted(found)]


def markdown(summary: Mapping[str, Any], shown: Sequence[Table] = ()) -> str:
    """The tables as Markdown."""
    return "# Evaluation\n\n" + "\n".join(t.markdown() for t in shown or [results(summary)])
