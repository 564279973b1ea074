"""MKLGP step by step: the gold values that each filter leaves, and the effect of each part of the confidence."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from hydra_kg.errors import UsageError
from hydra_kg.evaluate.fusion.claim_sets import FusionSet
from hydra_kg.evaluate.fusion.method_runs import QueryGroups, judge_set
from hydra_kg.evaluate.fusion.score import QueryScore, key, score_query, summary, usable
from hydra_kg.fusion.model.beliefs import Flags, Method, Reals, Slots, slots_of
from hydra_kg.fusion.model.claims import Claims
from hydra_kg.fusion.truth_discovery.mcc import GRAPH, Mcc, Record, make_normalised_mcc
from hydra_kg.fusion.truth_discovery.multi_level_confidence import HISTORY, UNKNOWN, Nodes, influence, nodes_of
from hydra_kg.util.fast_dataclass import dataclass, replace

KS: Final = (1, 3, 5)
SWEPT: Final = ("alpha", "beta", "theta", "graph_threshold")
"""Parameters of MCC that may be swept.

They are the share of the model's authority in A(v), the temperature, and the two thresholds.
"""

Score = Callable[[str, Sequence[str]], Mapping[int, float]]
"""Function that returns scores in [0, 1] for the statements about a question, by index from 0.

The result is {} if no model can be asked any more.
"""

MOST: Final = 40
"""Largest number of statements in one call. A query with more is not asked."""

_VALUES: Final = 5


@dataclass(frozen=True, slots=True)
class RemainingValues:
    """Values that remain after a fusion step. ``score`` (V,) is the score of each value slot, −1 if it was removed."""

    name: str
    score: Reals


def stages(claims: Claims, method: Mcc) -> tuple[RemainingValues, ...]:
    """Return MKLGP's candidates: homologous groups, then what the graph-level and the node-level filter leave (§IV.A).

    Values are ranked by number of sources, then by C(v). Isolated points stay.
    """
    found = method.compute(claims)
    stated = _counts(claims, found.nodes)
    trusted = (found.graph > method.graph_threshold) | (method.graph_threshold == 0)
    graph = trusted[found.nodes.group] | found.isolated
    node = found.kept | found.isolated
    slots = slots_of(claims)
    return (
        RemainingValues("groups", stated),
        RemainingValues("graph level", _left(slots, graph[found.nodes.of], stated[slots.of])),
        RemainingValues("node level", _left(slots, node[found.nodes.of], found.confidence[found.nodes.of])),
    )


def _counts(claims: Claims, nodes: Nodes) -> Reals:
    """Return the number of nodes that state each value (V,)."""
    slots = slots_of(claims)
    pair = np.unique(slots.of * np.int64(len(nodes.group) + 1) + nodes.of)
    return np.bincount(pair // (len(nodes.group) + 1), minlength=len(slots)).astype(np.float64)


def _left(slots: Slots, mask: Flags, worth: Reals) -> Reals:
    """Return the greatest worth of the remaining claims of each value (V,), −1 if there are none.

    ``mask`` and ``worth`` are columns of claims.
    """
    score = np.full(len(slots), -1.0)
    np.maximum.at(score, slots.of[mask], worth[mask])
    return score


def rank_values(claims: Claims, score: Reals, groups: Sequence[int]) -> Iterator[tuple[str, bool]]:
    """Yield the values of some groups, best first, and whether several may be true.

    Of equals the value claimed first comes first.
    """
    slots = slots_of(claims)
    found = [
        (-score[first + v], n, v, text, bool(len(claims.many) and claims.many[g]))
        for n, g in enumerate(groups)
        for first in (int(slots.first[g]),)
        for v, text in enumerate(claims.texts[g])
        if score[first + v] >= 0
    ]
    yield from ((text, many) for *_, text, many in sorted(found))


def recall(data: FusionSet, queries: Sequence[QueryGroups], stage: RemainingValues) -> dict[str, float]:
    """Return recall@K for K in ``KS`` and for all candidates, and further figures of a stage.

    ``values`` is the number of candidates for each query. ``f1`` is the F1 of the remaining values as the answer: the
    best value where one is true, all of them where several are.
    """
    hits, gold_values, candidates = dict.fromkeys((*map(str, KS), "all"), 0), 0, 0
    rows: list[QueryScore] = []
    for one in queries:
        query = one.query
        gold = usable(query.gold, data.rule, query.attribute)
        if not gold:
            continue
        found = list(rank_values(data.reading.claims, stage.score, one.groups))
        keys = list(dict.fromkeys(key(text, data.rule, query.attribute) for text, _ in found))
        gold_values += len(gold)
        candidates += len(keys)
        for name in hits:
            hits[name] += len(set(gold) & set(keys[: None if name == "all" else int(name)]))
        answer = [text for text, many in found if many] or [text for text, _ in found[:1]]
        rows.append(score_query(query.id, answer, gold, data.rule, attribute=query.attribute))
    n = max(1, gold_values)
    return {
        **{f"recall@{name}": count / n for name, count in hits.items()},
        "values": candidates / max(1, len(rows)),
        "f1": summary(rows)["f1"],
        "answered": summary(rows)["answered"],
    }


def filters(data: FusionSet, queries: Sequence[QueryGroups]) -> list[dict[str, object]]:
    """Return recall@K before and after each filter, under Eq. 5 as printed and normalised.

    Graphs are filtered at ½ (§IV.A).
    """
    rows: list[dict[str, object]] = []
    readings = (
        ("printed", Mcc(graph_threshold=GRAPH)),
        ("normalised", replace(make_normalised_mcc(), graph_threshold=GRAPH)),
    )
    for reading, method in readings:
        for stage in stages(data.reading.claims, method):
            if stage.name != "groups" or reading == "printed":
                shown = "" if stage.name == "groups" else reading
                rows.append({"stage": stage.name, "Eq. 5": shown, **recall(data, queries, stage)})
    return rows


def ablations(data: FusionSet, queries: Sequence[QueryGroups]) -> list[dict[str, object]]:
    """Run MKLGP without each of its parts.

    ``f1`` is that of the values that pass the filters; ``shown`` is that of the best node if none passes.
    """
    claims = data.reading.claims
    whole = replace(make_normalised_mcc(), graph_threshold=GRAPH)
    parts = {
        "whole": whole,
        "without graph level": replace(whole, graph_threshold=0.0),
        "without consistency": replace(whole, consistent=False),
        "without authority": replace(whole, judged=False),
        "without history": replace(whole, remembered=False),
    }
    rows: list[dict[str, object]] = []
    for name, method in parts.items():
        left = recall(data, queries, stages(claims, method)[-1])
        rows.append({"part": name, **left, "shown": judge_set(data, method, queries).summary["f1"]})
    both, graph, _ = stages(claims, whole)
    # Without the line graph nothing is weighed: what a query finds, in the order in which it was claimed.
    alone = RemainingValues("line graph", np.zeros(len(both.score)))
    for name, stage in (("node level", graph), ("both levels", both), ("line graph", alone)):
        rows.append({"part": f"without {name}", **recall(data, queries, stage)})
    return rows


def measure_history(data: FusionSet, queries: Sequence[QueryGroups]) -> dict[str, object]:
    """Return the effect of history, measured on halves of the queries.

    One half is confirmed and the other half is asked, and the other way round.
    """
    known = [one for one in queries if usable(one.query.gold, data.rule, one.query.attribute)]
    halves = known[::2], known[1::2]
    rows: dict[str, list[QueryScore]] = {"without": [], "with": []}
    for confirmed, asked in (halves, halves[::-1]):
        records = records_of(data, confirmed)
        for name, own in (("without", {}), ("with", records)):
            rows[name] += judge_set(data, make_normalised_mcc(history=own), asked).rows
    found = {name: summary(own)["f1"] for name, own in rows.items()}
    return {"part": "history of the other half of the queries", "shown": found["with"], "without it": found["without"]}


def records_of(data: FusionSet, queries: Sequence[QueryGroups]) -> Mapping[str, Record]:
    """Return the records of sources after confirming the gold of some queries.

    Confirmations count as in ``hydra-kg confirm`` (Eq. 11).
    """
    claims = data.reading.claims
    right: dict[str, list[bool]] = {}
    for one in queries:
        gold = set(usable(one.query.gold, data.rule, one.query.attribute))
        for g in one.groups:
            for row in range(int(claims.starts[g]), int(claims.starts[g + 1])):
                text = claims.texts[g][int(claims.value[row])]
                name = claims.sources[int(claims.source[row])]
                right.setdefault(name, []).append(key(text, data.rule, one.query.attribute) in gold)
    return {
        name: ((HISTORY * UNKNOWN + sum(own)) / (HISTORY + len(own)), HISTORY + len(own)) for name, own in right.items()
    }


def swept(text: str, methods: Sequence[Method] = ()) -> list[Mcc]:
    """Return one method for each value in a text such as ``alpha=0,0.5,1``, for each Mcc (MultiRAG Fig. 7 varies α).

    Raises UsageError.
    """
    name, sign, values = text.partition("=")
    given = [v.strip() for v in values.split(",") if v.strip()]
    try:
        numbers = [float(v) for v in given]
    except ValueError:
        numbers = []
    if name.strip() not in SWEPT or not sign or not numbers:
        raise UsageError(f"--sweep {text} cannot be read.", remedy=f"NAME=V,V,… with NAME of {', '.join(SWEPT)}.")
    bases = [m for m in methods if isinstance(m, Mcc)] or [Mcc()]
    chosen: list[Mcc] = []
    for base in bases:
        for v in numbers:
            changes: dict[str, Any] = {name.strip(): v, "name": f"{base.name} {name.strip()}={v:g}"}
            chosen.append(replace(base, **changes))
    return chosen


class ModelAuthority(NamedTuple):
    """Authority by a model: ``scores`` is C_LLM(v) of every node, float64 (M,).

    ``queries`` is the number of queries whose nodes the model scored.
    """

    scores: Reals
    queries: int


def score_authority_by_model(claims: Claims, queries: Sequence[QueryGroups], score: Score) -> ModelAuthority:
    """Return C_LLM(v) of the nodes that answer the queries, by the model; other nodes get ``influence``."""
    nodes = nodes_of(claims)
    found, count = influence(claims, nodes), 0
    said = np.bincount(nodes.source, minlength=len(claims.sources))
    for one in queries:
        places = [n for g in one.groups for n in range(int(nodes.first[g]), int(nodes.first[g + 1]))]
        if not 1 < len(places) <= MOST:
            continue
        lines = [
            _line(claims, nodes.starts, int(nodes.group[n]), int(nodes.source[n]), n, said, one.query.attribute)
            for n in places
        ]
        scores = score(f"{one.query.attribute} of {one.query.entity}", lines)
        if scores:
            count += 1
            found[places] = [scores.get(i, 0.0) for i in range(len(places))]
    return ModelAuthority(found, count)


def _line(
    claims: Claims,
    starts: npt.NDArray[np.int64],
    group: int,
    source: int,
    node: int,
    said: npt.NDArray[np.int64],
    asked: str,
) -> str:
    """Return a node as the model sees it: source, its number of statements, entity, attribute, values."""
    rows = range(int(starts[node]), int(starts[node + 1]))
    values = ", ".join(claims.texts[group][int(claims.value[r])] for r in rows[:_VALUES])
    entity, own = claims.keys[group]
    attribute = own or asked
    return f"{claims.sources[source]} (statements here: {int(said[source])}): {{{entity}}} → {attribute} → {{{values}}}"
