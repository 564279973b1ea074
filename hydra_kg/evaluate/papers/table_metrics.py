"""The metrics of tables of questions: each returns a figure, as text, for the answers to one set in one way."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from hydra_kg.citations import ClueClass, clue_class
from hydra_kg.evaluate.fusion.curves import draw_number
from hydra_kg.evaluate.reports.analyses import PRUNING
from hydra_kg.evaluate.reports.tables import mean, percent
from hydra_kg.evaluate.scoring.metrics import claim_right, is_claim, score
from hydra_kg.evaluate.scoring.statistics import mcnemar

Record = Mapping[str, Any]

NOT_APPLICABLE: Final = "not applicable"
"""Figure of graph reduction if every question has one topic, because nothing is between topics."""

AGAINST: Final = "p against "
"""Beginning of a metric that compares a row with another way of asking, which it names."""


def figure(metric: str, records: Sequence[Record], of: Callable[[str], Sequence[Record]]) -> str:
    """Return a cell, or "" if it cannot be measured. ``of`` returns the records of another way on the same set."""
    if metric.startswith(AGAINST):
        return _p(records, of(metric.removeprefix(AGAINST)))
    return METRICS[metric](records)


def _accuracy(records: Sequence[Record]) -> str:
    return percent(mean([_right(r) for r in records]))


def is_without_model(record: Record) -> bool:
    """Return True if no call of a model was made for the answer."""
    return not (record.get("usage") or {}).get("calls")


def accuracies(records: Sequence[Record]) -> list[float]:
    """Return 1 for each right answer and 0 for each other, as the papers count."""
    return [_right(r) for r in records]


def _right(record: Record) -> float:
    """Return 1 or 0 as the papers count: the truth value of claims, containment of other answers."""
    gold = record["gold"] or ()
    return float(claim_right(record, gold)) if is_claim(gold) else score(record, gold)["paper_match"]


def _measure_metric(metric: str) -> Callable[[Sequence[Record]], str]:
    return lambda records: percent(mean([score(r, r["gold"] or ())[metric] for r in records]))


def _topics(several: bool) -> Callable[[Sequence[Record]], str]:
    def accuracy(records: Sequence[Record]) -> str:
        counts = [(r, len(r.get("gold_topics") or ())) for r in records]
        return _accuracy([r for r, n in counts if (n > 1 if several else n == 1)])

    return accuracy


def _tokens(records: Sequence[Record]) -> str:
    spent = [r["usage"] for r in records if r.get("usage")]
    pruning = [sum(u["tokens_in"] for s, u in (x.get("steps") or {}).items() if s.startswith(PRUNING)) for x in spent]
    return f"{sum(pruning) / len(pruning):,.0f}" if pruning else ""


def _calls(records: Sequence[Record]) -> str:
    calls = [float(r["usage"].get("calls") or 0) for r in records if r.get("usage")]
    return f"{sum(calls) / len(calls):.1f}" if calls else ""


def _seconds(records: Sequence[Record]) -> str:
    times = [float(r["seconds"]["total"]) for r in records if "total" in (r.get("seconds") or {})]
    return f"{sum(times) / len(times):.1f}" if times else ""


def _mean_retained_score(records: Sequence[Record]) -> str:
    """Return the mean score of the relations that passed the threshold, over all rounds (ToG-2 App. B.5)."""
    rounds = [x["counts"].get("retained_score", 0) for r in records for x in r.get("explorations") or ()]
    scores = [float(score) / 1_000 for score in rounds if score]
    return f"{sum(scores) / len(scores):.2f}" if scores else ""


def _rounds(steps: Iterable[str]) -> Callable[[Sequence[Record]], str]:
    """Return a metric: the seconds that some steps take in one round (ToG-2 Table 8)."""

    def seconds(records: Sequence[Record]) -> str:
        timed = [r for r in records if any(name.startswith("step.") for name in r.get("seconds") or {})]
        rounds = sum(len(r.get("explorations") or ()) for r in timed)
        taken = sum(float(r["seconds"].get(f"step.{name}") or 0) for r in timed for name in steps)
        return f"{taken / rounds:.2f}" if rounds else ""

    return seconds


def _depth(records: Sequence[Record]) -> str:
    rounds = [float(len(r["explorations"])) for r in records if r.get("explorations") is not None]
    return f"{sum(rounds) / len(rounds):.2f}" if rounds else ""


def _entities(name: str) -> Callable[[Sequence[Record]], str]:
    """Return a metric: the mean of a count of G_q in its deepest cut, over the questions that have one."""

    def size(records: Sequence[Record]) -> str:
        found = [n for r in records if (n := _most(r, name))]
        if not found and "reduced" in name and any(_most(r, "nodes") for r in records):
            return NOT_APPLICABLE
        return f"{sum(found) / len(found):,.0f}" if found else ""

    return size


def _most(record: Record, name: str) -> float:
    return max((float(x["counts"].get(name) or 0) for x in record.get("explorations") or ()), default=0.0)


def _removed_share(records: Sequence[Record]) -> str:
    """Return the share of entities that the reduction removes (PoG Table 4), for questions with two or more topics."""
    reduced = [(_most(r, "nodes"), after) for r in records if (after := _most(r, "reduced_nodes"))]
    before = sum(size for size, _ in reduced)
    if not before:
        return NOT_APPLICABLE if any(_most(r, "nodes") for r in records) else ""
    return percent(1 - sum(size for _, size in reduced) / before)


def _clues(kind: ClueClass) -> Callable[[Sequence[Record]], str]:
    """Return a metric: the share of a class among the right ones of fifty answers (ToG-2 Tables 4 and 6).

    The fifty answers are drawn by hash.
    """

    def share(records: Sequence[Record]) -> str:
        fifty = sorted(records, key=lambda r: draw_number("clues", r["question_id"]))[:50]
        right = [clue_class(r.get("label") or "") for r in fifty if _right(r)]
        return percent(right.count(kind) / len(right)) if right else ""

    return share


def _p(records: Sequence[Record], others: Sequence[Record]) -> str:
    """Return the p of McNemar's exact test on the questions that both ways were asked."""
    own = {r["question_id"]: _right(r) for r in records}
    pairs = [(own[r["question_id"]], _right(r)) for r in others if r["question_id"] in own]
    won, lost = sum(a > b for a, b in pairs), sum(a < b for a, b in pairs)
    return f"{mcnemar(lost, won):.3f}" if pairs else ""


METRICS: Final[Mapping[str, Callable[[Sequence[Record]], str]]] = {
    "accuracy": _accuracy,
    "precision": _measure_metric("precision"),
    "recall@5": _measure_metric("recall_at_5"),
    "single": _topics(several=False),
    "multi": _topics(several=True),
    "tokens": _tokens,
    "calls": _calls,
    "seconds": _seconds,
    "retained score": _mean_retained_score,
    "relation pruning, s": _rounds(["prune_relations"]),
    "entity pruning, s": _rounds(["prune_entities", "entity_contexts", "rank_text"]),
    "reasoning, s": _rounds(["judge", "answer"]),
    "depth": _depth,
    "entities of freebase": _entities("entities of freebase"),
    "entities of wikidata": _entities("entities of wikidata"),
    "nodes": _entities("nodes"),
    "reduced": _entities("reduced_nodes"),
    "removed, %": _removed_share,
    "direct, of fifty": _clues("direct"),
    "triple, of fifty": _clues("triple"),
    "doc, of fifty": _clues("doc"),
    "both, of fifty": _clues("both"),
}
"""Metrics of rows of questions. ``tokens`` counts the input tokens of pruning for each question."""
