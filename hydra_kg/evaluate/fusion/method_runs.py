"""Runs of fusion methods on a set, whose beliefs are scored strictly against its queries."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from rapidfuzz import fuzz

from hydra_kg.evaluate.fusion.claim_sets import FusionSet, Query, read_set
from hydra_kg.evaluate.fusion.score import QueryScore, compare_paired, score_query, summary, usable
from hydra_kg.fusion.model.beliefs import Beliefs, Method, believed, slots_of
from hydra_kg.fusion.model.claims import Claims
from hydra_kg.fusion.normalisation.entity_names import EntityIndex
from hydra_kg.text.folding import fold
from hydra_kg.util.fast_dataclass import dataclass

# Attributes are matched by their folded names, singular or plural, else by the closest of at least this likeness.
LIKE = 85.0


@dataclass(frozen=True, slots=True)
class QueryGroups:
    """A query and the groups that answer it; () if the claims do not have the entity or the attribute."""

    query: Query
    groups: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class QueryResult:
    """The values believed for one query, with their probabilities."""

    query: Query
    values: tuple[str, ...]
    confidence: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Run:
    """Run of one method on one set.

    It has the scores of each usable query, the summary, the number of queries without usable gold, and the seconds of
    judging.
    """

    method: str
    rows: tuple[QueryScore, ...]
    summary: Mapping[str, float]
    unusable: int
    seconds: float
    answers: tuple[QueryResult, ...] = ()


class PreparedSet(NamedTuple):
    """A set that was read, its queries with their groups, and the seconds that this took (MultiRAG's PT)."""

    data: FusionSet
    queries: tuple[QueryGroups, ...]
    seconds: float


def prepare_set(
    name: str,
    *,
    claims: Path | None = None,
    queries: Sequence[Path] = (),
    rules: Path | None = None,
    raw_values: bool = False,
) -> PreparedSet:
    """Return a set by name or folder, or from files, ready to be judged; with ``raw_values`` without normalisation."""
    start = time.perf_counter()
    data = read_set(name, claims=claims, queries=queries, rules=rules, raw_values=raw_values)
    groups = find_query_groups(data)
    return PreparedSet(data, groups, time.perf_counter() - start)


def write_run(path: Path, run: Run) -> None:
    """Write the answers of a run as JSON lines: id, values, and the confidence of each."""
    lines = (json.dumps({"id": a.query.id, "values": a.values, "confidence": a.confidence}) for a in run.answers)
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")


def find_query_groups(data: FusionSet) -> tuple[QueryGroups, ...]:
    """Return the groups of every query, found by entity matching (``EntityIndex``) and by the attribute's name."""
    claims = data.reading.claims
    group = {key: g for g, key in enumerate(claims.keys)}
    shown = {data.names[entity]: entity for entity, _ in reversed(claims.keys)}
    names = list(data.names)
    index = EntityIndex(names)
    attributes = {q.attribute: attribute_of(q.attribute, tuple(data.reading.kinds)) for q in data.queries}
    found = []
    for query in data.queries:
        attribute = attributes[query.attribute]
        exact = [query.entity] if query.entity in data.names else []
        keys = {data.names[name] for name in exact} or {data.names[names[n]] for n in index.find(query.entity)}
        own = sorted({g for k in keys if k in shown and (g := group.get((shown[k], attribute), -1)) >= 0})
        found.append(QueryGroups(query, tuple(own)))
    return tuple(found)


def attribute_of(name: str, known: Sequence[str]) -> str:
    """Return the attribute of the claims that a query means, as ``director`` for ``directors``, or "".

    If the claims have only one attribute, it is that one.
    """
    if len(known) == 1:
        return known[0]
    wanted = fold(name)
    for attribute in known:
        if fold(attribute).rstrip("s") == wanted.rstrip("s"):
            return attribute
    best = max(known, key=lambda a: (fuzz.ratio(fold(a), wanted), a), default="")
    return best if fuzz.ratio(fold(best), wanted) >= LIKE else ""


def answers(claims: Claims, queries: Sequence[QueryGroups], beliefs: Beliefs) -> tuple[QueryResult, ...]:
    """Return the believed values of each query's groups, the most probable first."""
    slots, accepted = slots_of(claims), believed(claims, beliefs)
    found = []
    for one in queries:
        values: dict[str, float] = {}
        for group in one.groups:
            first = int(slots.first[group])
            for value, text in enumerate(claims.texts[group]):
                if accepted[first + value]:
                    values[text] = max(values.get(text, 0.0), float(beliefs.probability[first + value]))
        ordered = sorted(values.items(), key=lambda item: -item[1])
        found.append(QueryResult(one.query, tuple(v for v, _ in ordered), tuple(c for _, c in ordered)))
    return tuple(found)


def judge_set(data: FusionSet, method: Method, queries: Sequence[QueryGroups]) -> Run:
    """Run one method on the claims of a set and score its answers. Gold is used only after judging."""
    start = time.perf_counter()
    beliefs = method.judge(data.reading.claims)
    seconds = time.perf_counter() - start
    rows = []
    given = answers(data.reading.claims, queries, beliefs)
    for answer in given:
        query = answer.query
        if gold := usable(query.gold, data.rule, query.attribute):
            rows.append(
                score_query(
                    query.id, answer.values, gold, data.rule, attribute=query.attribute, confidence=answer.confidence
                )
            )
    return Run(method.name, tuple(rows), summary(rows), len(queries) - len(rows), seconds, given)


def attainable(data: FusionSet, queries: Sequence[QueryGroups]) -> float:
    """Return the micro F1 of a method that knows the gold and may only give claimed values: an upper bound."""
    claims = data.reading.claims
    rows = []
    for one in queries:
        query = one.query
        gold = usable(query.gold, data.rule, query.attribute)
        texts = [text for g in one.groups for text in claims.texts[g]]
        right = (
            [t for t in texts if score_query("", [t], gold, data.rule, attribute=query.attribute).right] if gold else []
        )
        single = not (len(claims.many) and any(claims.many[g] for g in one.groups))
        if gold:
            rows.append(
                score_query(query.id, right or texts[: int(single)], gold, data.rule, attribute=query.attribute)
            )
    return summary(rows)["f1"]


def compare_methods(runs: Sequence[Run], baseline: str = "vote", *, seed: int = 0) -> dict[str, Mapping[str, float]]:
    """Return each method's F1 minus the baseline's, by paired bootstrap over the queries."""
    base = next(run for run in runs if run.method == baseline)
    return {run.method: compare_paired(run.rows, base.rows, seed=seed) for run in runs if run is not base}


def table(runs: Sequence[Run], name: str, versus: Mapping[str, Mapping[str, float]]) -> list[dict[str, object]]:
    """Return the rows of a report: percentages with one decimal, the interval of the difference, seconds."""
    rows: list[dict[str, object]] = []
    for run in runs:
        s, d = run.summary, versus.get(run.method)
        rows.append(
            {
                "set": name,
                "method": run.method,
                "queries": int(s["queries"]),
                **{k: f"{100 * s[k]:.1f}" for k in ("answered", "precision", "recall", "f1", "macro_f1", "lenient_f1")},
                "auroc": f"{s['auroc']:.2f}" if "auroc" in s else "",
                "minus vote": _difference(d) if d else "",
                "QT s": f"{run.seconds:.2f}",
            }
        )
    return rows


def _difference(found: Mapping[str, float]) -> str:
    middle, low, high = (100 * found[k] for k in ("difference", "low", "high"))
    return f"{middle:+.1f} ({low:+.1f} … {high:+.1f})"
