"""Figures of one set of conflicting claims: methods, shares of conflict, filters, ablations, formats and curves."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from hydra_kg.errors import FormatError
from hydra_kg.evaluate.fusion.claim_sets import FusionSet
from hydra_kg.evaluate.fusion.curves import CURVE_METHODS, curve, mixes
from hydra_kg.evaluate.fusion.method_runs import QueryGroups, Run, compare_methods
from hydra_kg.evaluate.fusion.score import micro
from hydra_kg.evaluate.fusion.stages import ablations, filters, measure_history
from hydra_kg.fusion.dependence.copy_detection import CopyDetector
from hydra_kg.fusion.model.beliefs import best_of, slots_of
from hydra_kg.fusion.model.claims import Claims

FILE: Final = "summary.json"
BANDS: Final = (("none", 0.0), ("up to a third", 1 / 3), ("up to a half", 1 / 2), ("more", 1.0))
"""Names and upper ends of the share of a group's statements that differ from its most frequent value."""


def measure_set(
    data: FusionSet,
    queries: Sequence[QueryGroups],
    runs: Sequence[Run],
    *,
    formats: bool = False,
    curves: int = 0,
    part: float = 1.0,
    over: Sequence[str] = CURVE_METHODS,
    reading: float = 0.0,
    seed: int = 0,
) -> dict[str, Any]:
    """Return all figures of one set as JSON.

    - ``formats``: whether to measure mixes of formats.
    - ``curves``: the number of seeds of the curves, 0 for none.
    - ``part``: the share of claims outside of the queries that take part in curves.
    - ``over``: the methods of mixes and curves.
    - ``reading``: the seconds that reading took.
    """
    claims = data.reading.claims
    versus = compare_methods(runs, seed=seed) if any(run.method == "vote" for run in runs) else {}
    rows = [
        {"method": run.method, "seconds": run.seconds, **run.summary, "minus vote": dict(versus.get(run.method, {}))}
        for run in runs
    ]
    return {
        "claims": len(claims),
        "sources": len(claims.sources),
        "groups": len(claims.keys),
        "reading": reading,
        "methods": rows,
        "conflict": score_by_conflict(claims, queries, runs),
        "filters": filters(data, queries),
        "ablations": [*ablations(data, queries), measure_history(data, queries)],
        "copies": [[claims.sources[s] for s in group] for group in CopyDetector().find(claims).groups],
        "formats": mixes(data.files, over) if formats else [],
        "curves": [_point(p) for p in curve(data.files, methods=over, seeds=curves, part=part)] if curves else [],
        "seeds": curves,
        "part": part,
    }


def _point(point: Any) -> dict[str, Any]:
    return {"corruption": point.corruption, "share": point.share, "f1": {m: list(v) for m, v in point.f1.items()}}


def score_by_conflict(claims: Claims, queries: Sequence[QueryGroups], runs: Sequence[Run]) -> list[dict[str, Any]]:
    """Return the micro F1 of each method by the share of claims that contradict a query's most frequent value."""
    slots = slots_of(claims)
    votes = np.bincount(slots.of, minlength=len(slots)).astype(np.float64)
    share = 1 - best_of(slots, votes) / np.maximum(np.bincount(claims.group, minlength=len(slots.size)), 1)
    band = {
        one.query.id: next(n for n, (_, top) in enumerate(BANDS) if max(share[g] for g in one.groups) <= top + 1e-9)
        for one in queries
        if one.groups
    }
    rows: list[dict[str, Any]] = []
    for n, (name, _) in enumerate(BANDS):
        found: dict[str, Any] = {"share": name, "queries": 0}
        for run in runs:
            own = [(r.right, r.wrong, r.missed) for r in run.rows if band.get(r.id) == n]
            found["queries"] = len(own)
            found[run.method] = micro([float(sum(column)) for column in zip(*own, strict=True)])[2]
        rows.append(found)
    return rows


def read_summary(folder: Path) -> dict[str, Any]:
    """Return what earlier runs wrote into a folder, by set, or {} if there is nothing. Raises FormatError."""
    path = folder / FILE
    if not path.is_file():
        return {}
    try:
        found = json.loads(path.read_text("utf-8"))["sets"]
    except (ValueError, KeyError, TypeError) as e:
        raise FormatError(f"{path} is not a summary of eval fusion.", remedy="Give another --out.") from e
    return dict(found)


def write(folder: Path, sets: Mapping[str, Any], manifest: Mapping[str, Any]) -> None:
    """Write summary.json, report.md and report.html of these sets."""
    from hydra_kg.evaluate.fusion.report_page import page, tables

    folder.mkdir(parents=True, exist_ok=True)
    doc = {"version": 1, "manifest": dict(manifest), "sets": dict(sets)}
    (folder / FILE).write_text(json.dumps(doc, indent=1, ensure_ascii=False) + "\n", "utf-8")
    text = "# Fusion of conflicting sources\n\n" + "\n".join(t.markdown() for t in tables(sets))
    (folder / "report.md").write_text(text, "utf-8")
    (folder / "report.html").write_text(page(sets, manifest), "utf-8")
