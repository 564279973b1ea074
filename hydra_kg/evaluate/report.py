"""Tables out of raw outputs: summary.json, Markdown, one self-contained HTML page, and what flipped between runs."""

from __future__ import annotations

import html
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from hydra_kg.evaluate.datasets import Answerable
from hydra_kg.evaluate.metrics import METRICS, score
from hydra_kg.evaluate.runner import read_records
from hydra_kg.evaluate.statistics import estimate, mcnemar, paired

Record = Mapping[str, Any]
Ability = Mapping[tuple[str, str], Answerable]

RANKED = 100
"""Sets with fewer questions in a row are reported, not ranked."""

_TITLES = {
    "hits1": "Hits@1",
    "f1": "F1",
    "precision": "P",
    "recall": "R",
    "paper_match": "paper_match",
    "answered": "answered",
}
_SHOWN = ("hits1", "f1", "precision", "recall", "paper_match", "answered")


def summarise(records: Iterable[Record], *, answerable: Ability | None = None, seed: int = 0) -> dict[str, Any]:
    """One row for every (data set, strategy, part): n, each metric with its 95 % interval, errors, seconds.

    Parts: ``all``; with ``answerable`` also ``reachable`` (an answer within three hops of the topic) and ``gold query
    runs`` (the honest denominator). All numbers are computed again from answer and gold.
    """
    groups: dict[tuple[str, str], list[Record]] = {}
    for r in records:
        groups.setdefault((r["dataset"], r["strategy"]), []).append(r)
    rows = []
    for (dataset, strategy), members in sorted(groups.items()):
        parts = {"all": members}
        if answerable is not None:
            known = [(r, answerable.get((dataset, r["question_id"]))) for r in members]
            parts["reachable"] = [r for r, a in known if a and a.reachable]
            parts["gold query runs"] = [r for r, a in known if a and a.query_runs]
        rows += [_row(dataset, strategy, part, chosen, seed) for part, chosen in parts.items() if chosen]
    return {"version": 1, "seed": seed, "rows": rows}


def _row(dataset: str, strategy: str, part: str, records: Sequence[Record], seed: int) -> dict[str, Any]:
    scores = [score(r, r["gold"]) for r in records]
    times = sorted(float(r["seconds"]["total"]) for r in records if "total" in (r.get("seconds") or {}))
    return {
        "dataset": dataset,
        "strategy": strategy,
        "part": part,
        "n": len(records),
        "errors": sum(bool(r.get("error")) for r in records),
        "metrics": {m: estimate([s[m] for s in scores], seed=seed).to_json() for m in METRICS},
        "seconds": {"p50": _quantile(times, 0.5), "p95": _quantile(times, 0.95)},
    }


def compare(a: Iterable[Record], b: Iterable[Record], *, seed: int = 0) -> dict[str, Any]:
    """Two runs over their common questions, per data set: difference b − a of each metric (paired bootstrap), McNemar
    on Hits@1, and the questions that flipped. Each run must hold one strategy."""
    left, right = _by_question(a), _by_question(b)
    common = [k for k in left if k in right]
    rows = []
    for dataset in sorted({k[0] for k in common}):
        keys = [k for k in common if k[0] == dataset]
        scores = {k: (score(left[k], left[k]["gold"]), score(right[k], right[k]["gold"])) for k in keys}
        won = [k for k in keys if scores[k][0]["hits1"] < scores[k][1]["hits1"]]
        lost = [k for k in keys if scores[k][0]["hits1"] > scores[k][1]["hits1"]]
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
                "flips": [_flip(left[k], right[k], k in set(won)) for k in keys if k in {*won, *lost}],
            }
        )
    return {
        "version": 1,
        "seed": seed,
        "only_a": len(left) - len(common),
        "only_b": len(right) - len(common),
        "rows": rows,
    }


def _difference(a: Sequence[float], b: Sequence[float], seed: int) -> dict[str, float]:
    d = paired(a, b, seed=seed)
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
    return {
        "question_id": a["question_id"],
        "question": a["question"],
        "won": won,
        "gold": [g.get("name") or g.get("id") for g in a["gold"]][:5],
        "a": _first(a),
        "b": _first(b),
        "a_id": a.get("id", ""),
        "b_id": b.get("id", ""),
    }


def _first(record: Record) -> str:
    if record.get("error"):
        return f"error: {record['error']}"
    answers = record.get("answers") or []
    return "no answer" if record.get("abstained") or not answers else str(answers[0]["name"])


def _by_question(records: Iterable[Record]) -> dict[tuple[str, str], Record]:
    from hydra_kg.errors import UsageError

    found: dict[tuple[str, str], Record] = {}
    for r in records:
        if found.setdefault((r["dataset"], r["question_id"]), r)["strategy"] != r["strategy"]:
            raise UsageError(
                "A run with several strategies cannot be compared as one.",
                remedy="Name the strategy of each side: eval compare DIR:STRATEGY DIR:STRATEGY.",
            )
    return found


def write_reports(folder: Path, *, answerable: Ability | None = None, seed: int = 0) -> dict[str, Any]:
    """summary.json, report.md and report.html of one run, from its answers alone. Returns the summary."""
    summary = summarise(read_records(folder).values(), answerable=answerable, seed=seed)
    (folder / "summary.json").write_text(json.dumps(summary, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    (folder / "report.md").write_text(markdown(summary), encoding="utf-8")
    (folder / "report.html").write_text(page(summary), encoding="utf-8")
    return summary


def table(summary: Mapping[str, Any]) -> list[list[str]]:
    """Header and rows as text: percent with half the width of the interval."""
    rows = [["data set", "strategy", "part", "n", *(_TITLES[m] for m in _SHOWN), "errors", "s p50", "s p95"]]
    for r in summary["rows"]:
        n = f"{r['n']}" + ("" if r["n"] >= RANKED else "*")
        times = [f"{t:.2f}" if t is not None else "" for t in (r["seconds"]["p50"], r["seconds"]["p95"])]
        rows.append(
            [
                r["dataset"],
                r["strategy"],
                r["part"],
                n,
                *(_percent(r["metrics"][m]) for m in _SHOWN),
                str(r["errors"]),
                *times,
            ]
        )
    return rows


def markdown(summary: Mapping[str, Any]) -> str:
    """The summary as a Markdown table."""
    head, *rows = [[_cell(c) for c in row] for row in table(summary)]
    lines = [
        f"| {' | '.join(head)} |",
        f"|{'---|' * len(head)}",
        *(f"| {' | '.join(r)} |" for r in rows),
        "",
        *_notes(summary),
    ]
    return "\n".join(lines) + "\n"


def page(summary: Mapping[str, Any]) -> str:
    """The summary as one HTML page without scripts or remote parts; everything from data is escaped."""
    head, *rows = table(summary)
    cells = "".join(f"<th>{html.escape(c)}</th>" for c in head)
    body = "".join("<tr>" + "".join(f"<td>{html.escape(c)}</td>" for c in row) + "</tr>" for row in rows)
    notes = "".join(f"<p>{html.escape(n)}</p>" for n in _notes(summary))
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>hydra-kg evaluation</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<style>body{{font:15px/1.5 system-ui,sans-serif;margin:2rem}}table{{border-collapse:collapse}}
th,td{{border-bottom:1px solid #ccc;padding:.3rem .7rem;text-align:right}}
th:nth-child(-n+3),td:nth-child(-n+3){{text-align:left}}</style></head>
<body><h1>hydra-kg evaluation</h1>
<table><thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table>
{notes}</body></html>
"""


def _notes(summary: Mapping[str, Any]) -> list[str]:
    notes = [f"Percent ± half of the 95 % interval (percentile bootstrap over questions, seed {summary['seed']})."]
    if any(r["n"] < RANKED for r in summary["rows"]):
        notes.append(f"* fewer than {RANKED} questions: reported, not to be ranked.")
    return notes


def _percent(metric: Mapping[str, float]) -> str:
    return f"{100 * metric['mean']:.1f} ± {50 * (metric['high'] - metric['low']):.1f}"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _quantile(ordered: Sequence[float], q: float) -> float | None:
    return round(ordered[min(len(ordered) - 1, int(q * len(ordered)))], 4) if ordered else None
