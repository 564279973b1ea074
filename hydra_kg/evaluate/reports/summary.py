"""The rows of a report: metrics with intervals for every set, strategy and variant, and the papers' numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from hydra_kg.errors import UsageError
from hydra_kg.evaluate.questions.datasets import Ability
from hydra_kg.evaluate.reports.tables import mean, quantile
from hydra_kg.evaluate.scoring.grades import GRADES, grade, grade_counts, is_silent
from hydra_kg.evaluate.scoring.metrics import METRICS, claim_right, is_claim, score, score_refusal
from hydra_kg.evaluate.scoring.selective import calibration, figures_of_records
from hydra_kg.evaluate.scoring.statistics import estimate

Record = Mapping[str, Any]

RANKED: Final = 100
"""Least number of answerable questions of a set for its strategies to be ranked."""

SPENT: Final = ("calls", "tokens_in", "tokens_out", "money")

PARTS: Final = ("all", "reachable", "gold query runs")
MODEL: Final = "GPT-3.5-Turbo"

# Data set of the pack, then the number of each system in percent. HydraRAG: its Table 1. PoG: its Table 1. ToG-2 and
# CoK: ToG-2's Table 1 (of CoK and ToG-2 on FEVER the three-shot setting). ToG, IO, CoT, SC, text and web RAG: as
# HydraRAG's Table 1 repeats them, FEVER and Creak from ToG-2's.
_SYSTEMS: Final = tuple("hydra hydra-e pog pog-e tog-2 tog cok text-rag web-rag io cot sc".split())
_TABLE: Final = {
    "cwq": (81.2, 76.8, 74.7, 71.9, None, 58.9, None, 33.8, 41.2, 37.6, 38.8, 45.4),
    "webqsp_test": (96.1, 94.0, 93.9, 90.9, 81.1, 76.2, 77.6, 67.9, 56.8, 63.3, 62.2, 61.1),
    "hotpotadv": (58.9, 51.3, None, None, 42.9, 26.3, 35.4, 23.7, 28.9, 23.1, 30.8, 34.4),
    "qald10_en": (84.2, 81.1, None, None, 54.1, 50.2, 47.1, 42.4, 36.0, 42.0, 42.9, 45.3),
    "simpleqa": (88.8, 81.7, 80.8, 78.3, None, 53.6, None, 21.4, 26.9, 20.0, 20.3, 18.9),
    "zero_shot_re": (97.7, 96.9, None, None, 91.0, 88.0, 75.5, 29.5, 62.2, 27.7, 28.8, 45.4),
    "webquestions": (88.3, 85.2, 81.8, 76.9, None, 54.5, None, 35.8, 46.8, 48.7, 48.5, 50.3),
    "grailqa": (None, None, 91.6, 87.6, None, 68.7, None, None, None, 29.4, 28.1, 29.6),
    "fever": (None, None, None, None, 63.1, 52.7, 63.5, 53.8, None, 51.8, 57.8, 59.9),
    "creak": (None, None, None, None, 93.5, 93.8, 90.4, 89.7, None, 89.7, 90.1, 90.8),
}
_LIKE: Final = {"tog-r": "tog"}  # the papers give one number for both


def groups_of(records: Iterable[Record]) -> dict[tuple[str, str, str], list[Record]]:
    """Return records grouped by (data set, strategy, variant).

    They are sorted, so that seeded intervals do not depend on workers.
    """
    groups: dict[tuple[str, str, str], list[Record]] = {}
    for r in sorted(records, key=lambda r: (r["question_id"], int(r.get("sample") or 0))):
        groups.setdefault((r["dataset"], r["strategy"], r.get("variant") or ""), []).append(r)
    return dict(sorted(groups.items()))


def summarise(records: Iterable[Record], *, answerable: Ability | None = None, seed: int = 0) -> dict[str, Any]:
    """Return one row for every (data set, strategy, variant, part).

    A row has the number of questions asked and answerable, each metric with its 95 % interval, claims, grades,
    calibration, selective figures and cost. Calibration is that of given answers; right and partly right answers count
    as right.

    The parts are ``all`` and, with ``answerable``, also ``reachable`` (an answer within three hops of the topic) and
    ``gold query runs`` (the honest denominator, which is ranked). Samples of one question count together as their mean.
    All numbers are computed again from answer and gold. Raises UsageError if a record has no gold.
    """
    records = list(records)
    if any(r.get("gold") is None for r in records):
        raise UsageError(
            "Some answers have no gold to be scored with.",
            remedy="Join it from the question files: hydra-kg eval report DIR --gold FILE.",
        )
    rows = []
    for (dataset, strategy, variant), members in groups_of(records).items():
        parts = {"all": members}
        able: int | None = None
        if answerable is not None:
            known = [(r, answerable.get((dataset, r["question_id"]))) for r in members]
            parts["reachable"] = [r for r, a in known if a and a.reachable]
            parts["gold query runs"] = [r for r, a in known if a and a.query_runs]
            if any(a for _, a in known):
                able = _questions(parts["gold query runs"]) or _questions(parts["reachable"])
        theirs = None if variant else find_published(dataset, strategy)
        for part, chosen in parts.items():
            if chosen:
                head = {"dataset": dataset, "strategy": strategy, "variant": variant, "part": part}
                rows.append({**head, "answerable": able, **_row(chosen, seed), "theirs": theirs})
    _rank(rows, known=answerable is not None)
    return {"version": 2, "seed": seed, "rows": rows}


def _row(records: Sequence[Record], seed: int) -> dict[str, Any]:
    """Return the figures of one strategy on one set."""
    scores = [score(r, r["gold"]) for r in records]
    answered = [r for r in records if not is_silent(r)]
    claims = [r for r in records if is_claim(r["gold"])]
    times = [float(r["seconds"]["total"]) for r in records if "total" in (r.get("seconds") or {})]
    usage = [r["usage"] for r in records if r.get("usage")]
    return {
        "n": _questions(records),
        "errors": sum(bool(r.get("error")) for r in records),
        "metrics": {m: estimate(_means(records, [s[m] for s in scores]), seed=seed).to_json() for m in METRICS},
        "refused": mean([score_refusal(r) for r in records]),
        "claims": estimate(_means(claims, [claim_right(r, r["gold"]) for r in claims]), seed=seed).to_json(),
        "calibration": calibration(
            [float(r.get("confidence") or 0.0) for r in answered], [float(grade(r) in GRADES[:2]) for r in answered]
        ).to_json(),
        "grades": grade_counts(records),
        "selective": figures_of_records(records).to_json(),
        "seconds": {"p50": quantile(times, 0.5), "p95": quantile(times, 0.95)},
        "usage": {k: mean([float(u.get(k) or 0) for u in usage]) for k in SPENT},
    }


def _means(records: Sequence[Record], values: Sequence[float]) -> list[float]:
    """Return one value for each question: the mean of its samples."""
    by: dict[tuple[str, str], list[float]] = {}
    for r, v in zip(records, values, strict=True):
        by.setdefault((r["dataset"], r["question_id"]), []).append(v)
    return [sum(v) / len(v) for v in by.values()]


def _questions(records: Iterable[Record]) -> int:
    return len({(r["dataset"], r["question_id"]) for r in records})


def _rank(rows: Sequence[dict[str, Any]], *, known: bool) -> None:
    """Set ``rank`` of the rows by the Hits@1 of strategies, None for rows that are not ranked.

    Sets with at least ``RANKED`` questions are ranked, on the part ``gold query runs``, else on ``reachable``. If
    answerability is not ``known``, they are ranked on ``all``.
    """
    for row in rows:
        row["rank"] = None
    for dataset in {r["dataset"] for r in rows}:
        own = [r for r in rows if r["dataset"] == dataset and not r["variant"]]
        part = next((p for p in reversed(PARTS[1:]) if any(r["part"] == p for r in own)), "") if known else "all"
        ranked = [r for r in own if r["part"] == part and r["n"] >= RANKED]
        for row in ranked:
            row["rank"] = 1 + sum(o["metrics"]["hits1"]["mean"] > row["metrics"]["hits1"]["mean"] for o in ranked)


def find_published(dataset: str, strategy: str) -> float | None:
    """Return the percentage that a paper reports for a system on the set with this name, or None."""
    name = _LIKE.get(strategy, strategy)
    row = _TABLE.get(dataset)
    return row[_SYSTEMS.index(name)] if row and name in _SYSTEMS else None
