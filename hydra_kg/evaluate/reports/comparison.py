"""Comparison of two runs over their common questions: differences, tests, and a page of the questions that flipped."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hydra_kg.errors import UsageError
from hydra_kg.evaluate.reports.grade_tables import selective_comparison
from hydra_kg.evaluate.reports.tables import Table
from hydra_kg.evaluate.runs.outcomes import outcome, path_relations, select_paths, topics, why
from hydra_kg.evaluate.scoring.metrics import METRICS, score
from hydra_kg.evaluate.scoring.selective import selective_differences
from hydra_kg.evaluate.scoring.statistics import bootstrap_paired, mcnemar
from hydra_kg.pages.rendering import render_template

Record = Mapping[str, Any]
Questions = dict[tuple[str, str, int], Record]
PATHS = 10
"""Largest number of paths of an exploration that are shown."""


def compare(a: Iterable[Record], b: Iterable[Record], *, seed: int = 0) -> dict[str, Any]:
    """Compare two runs over their common questions, one row per data set.

    A row has the difference b − a of each metric (paired bootstrap), McNemar's test on Hits@1, the differences in
    selective answering, and the questions that flipped. Each run must have one strategy under one variant. Raises
    UsageError.
    """
    left, right = index_by_question(a), index_by_question(b)
    common = sorted(k for k in left if k in right)
    rows = []
    for dataset in sorted({k[0] for k in common}):
        keys = [k for k in common if k[0] == dataset]
        scores = {k: (_score(left[k]), _score(right[k])) for k in keys}
        won = {k for k in keys if scores[k][0]["hits1"] < scores[k][1]["hits1"]}
        lost = {k for k in keys if scores[k][0]["hits1"] > scores[k][1]["hits1"]}
        rows.append(
            {
                "dataset": dataset,
                "n": len(keys),
                "metrics": {
                    m: _difference([scores[k][0][m] for k in keys], [scores[k][1][m] for k in keys], seed)
                    for m in METRICS
                },
                "won": len(won),
                "lost": len(lost),
                "mcnemar_p": round(mcnemar(len(lost), len(won)), 6),
                "selective": selective_differences([left[k] for k in keys], [right[k] for k in keys], seed=seed),
                "flips": [_flip(left[k], right[k], k in won) for k in keys if k in won | lost],
            }
        )
    return {
        "version": 2,
        "seed": seed,
        "only_a": len(left) - len(common),
        "only_b": len(right) - len(common),
        "made": compare_manifests(left.values(), right.values()),
        "rows": rows,
    }


def compare_manifests(a: Iterable[Record], b: Iterable[Record]) -> dict[str, dict[str, list[Any]]]:
    """Return how the manifests (code, settings, loads, model …) of two runs differ, with all values of each."""
    ours, theirs = (_manifests(records) for records in (a, b))
    names = [name for name in dict.fromkeys((*ours, *theirs)) if ours.get(name, []) != theirs.get(name, [])]
    return {name: {"a": ours.get(name, []), "b": theirs.get(name, [])} for name in names}


def _manifests(records: Iterable[Record]) -> dict[str, list[Any]]:
    """Return every distinct value under each name of the manifests, in a fixed order."""
    found: dict[str, dict[str, Any]] = {}
    for record in records:
        for name, value in (record.get("manifest") or {}).items():
            found.setdefault(name, {})[json.dumps(value, sort_keys=True)] = value
    return {name: [values[key] for key in sorted(values)] for name, values in found.items()}


def index_by_question(records: Iterable[Record]) -> Questions:
    """Return records by (data set, question, sample). Raises UsageError for several strategies or variants."""
    found: Questions = {}
    ways = set()
    for r in records:
        ways.add((r["strategy"], r.get("variant") or ""))
        found[r["dataset"], r["question_id"], int(r.get("sample") or 0)] = r
    if len(ways) > 1:
        raise UsageError(
            "A run with several strategies or variants cannot be compared as one.",
            remedy="Name the side: eval compare DIR:STRATEGY DIR:STRATEGY@VARIANT.",
        )
    return found


def _score(record: Record) -> dict[str, float]:
    if record.get("gold") is None:
        raise UsageError("Some answers have no gold to be scored with.", remedy="Join it with --gold FILE.")
    return score(record, record["gold"])


def _difference(a: Sequence[float], b: Sequence[float], seed: int) -> dict[str, float]:
    """Return the mean difference of paired scores with its bootstrap interval."""
    d = bootstrap_paired(a, b, seed=seed)
    before, after = (sum(x) / len(x) if x else 0.0 for x in (a, b))
    return {
        "a": round(before, 6),
        "b": round(after, 6),
        "difference": round(d.mean, 6),
        "low": round(d.low, 6),
        "high": round(d.high, 6),
        "p": round(d.p, 6),
    }


def _flip(a: Record, b: Record, won: bool) -> dict[str, Any]:
    """Return the report of a question that one run answers right and the other wrong."""
    return {
        "question_id": a["question_id"],
        "question": a["question"],
        "sample": int(a.get("sample") or 0),
        "won": won,
        "gold": [g.get("name") or g.get("id") for g in a["gold"]][:5],
        "a": _first(a),
        "b": _first(b),
        "a_id": a.get("id", ""),
        "b_id": b.get("id", ""),
        "a_outcome": outcome(a),
        "b_outcome": outcome(b),
        "why": _why(a, b),
        "a_why": why(a),
        "b_why": why(b),
    }


def _why(a: Record, b: Record) -> str:
    """Return where the two answers first differ: in their topics, or in what decided between the same candidates."""
    if a.get("error") or b.get("error"):
        return "one of them failed"
    if (one := topics(a)) != (other := topics(b)):
        return f"other topics: {', '.join(one) or 'none'} against {', '.join(other) or 'none'}"
    if bool(a.get("abstained")) != bool(b.get("abstained")):
        return f"judged otherwise: confidence {a.get('confidence', 0)} against {b.get('confidence', 0)}"
    mine, theirs = (path_relations(select_paths(r)[:1]) for r in (a, b))
    if mine != theirs:
        return f"another path first: {', '.join(sorted(mine)) or 'text'} against {', '.join(sorted(theirs)) or 'text'}"
    return "the same path, another answer from it"


def _first(record: Record) -> str:
    if record.get("error"):
        return f"error: {record['error']}"
    answers = record.get("answers") or []
    return "no answer" if record.get("abstained") or not answers else str(answers[0]["name"])


def flips_page(doc: Mapping[str, Any], a: Questions, b: Questions, *, names: tuple[str, str]) -> str:
    """Return the page of a comparison, with the explorations at its end. ``doc`` is the result of ``compare``."""
    sets, explorations = list[Mapping[str, Any]](), list[Mapping[str, Any]]()
    for row in doc["rows"]:
        flips = []
        for n, flip in enumerate(row["flips"]):
            key = (row["dataset"], flip["question_id"], flip["sample"])
            place = f"{len(explorations)}-{n}"
            flips.append({**flip, "place": place})
            explorations += [
                {"record": records[key], "place": f"{side}-{place}", "title": f"{name}: {flip['question']}"}
                for side, records, name in (("a", a, names[0]), ("b", b, names[1]))
            ]
        tables = [_differences(row, names), selective_comparison(row, names)]
        sets.append({"dataset": row["dataset"], "tables": tables, "flips": flips})
    values = {"title": "hydra-kg comparison", "sets": sets, "explorations": explorations, "most_paths": PATHS}
    return render_template("flips.html.j2", values)


def _differences(row: Mapping[str, Any], names: tuple[str, str]) -> Table:
    rows = []
    for name, m in row["metrics"].items():
        between = f"{100 * m['low']:+.1f} … {100 * m['high']:+.1f}"
        values = [f"{100 * m[k]:.1f}" for k in "ab"]
        rows.append((name, *values, f"{100 * m['difference']:+.1f}", between, f"{m['p']:.4f}"))
    title = f"{row['dataset']}: {row['n']} questions, {row['won']} won, {row['lost']} lost"
    title += f", McNemar p = {row['mcnemar_p']:.4f}"
    return Table(title, ("metric", *names, "B − A", "95 %", "p"), tuple(rows), "", left=1)
