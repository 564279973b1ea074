"""Answers that are literals: dates, numbers and texts one relation away from the topics or from likely answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hydra_kg.domain import Hop, Node, Path
from hydra_kg.ids import encode
from hydra_kg.literals import literal_kind, literal_text
from hydra_kg.steps.context import Context
from hydra_kg.steps.hops import HopGraph
from hydra_kg.steps.relevance import Relevance
from hydra_kg.steps.structured import Found
from hydra_kg.steps.survivors import Instance, materialise

FITTING = 0.15
UNASKED = -0.1


@dataclass(frozen=True, slots=True)
class ValuePath:
    """A literal-ended relation path: an optional instance up to ``node`` and the literals stated there.

    ``code``: leg of the literal's property (through a mediator: composite) · ``rows``: (literal key, segment, row).
    """

    prefix: Instance | None
    node: int
    code: int
    score: float
    rows: tuple[tuple[str, int, int], ...]


def value_paths(context: Context, found: Found, relevance: Relevance, *, answer_type: str) -> list[ValuePath]:
    """The ten best literal-ended paths, best first; none where a person or place is asked for.

    Looked at are the topics, the mediators beside them, and the ends (at most five each) of the three best paths.
    """
    if answer_type in {"person", "location"}:
        return []
    graph = found.hops
    owners: dict[int, list[tuple[Instance | None, int, int]]] = {}
    for t in graph.topics.tolist():
        owners.setdefault(int(graph.ids[t]), []).append((None, t, -1))
        legs = graph.around(t)
        for via, code in sorted(set(zip(legs.via.tolist(), (legs.code // graph.base - 1).tolist(), strict=True))):
            if via >= 0:
                owners.setdefault(int(graph.ids[via]), []).append((None, t, code))
    for path in (j.relation for j in found.judged[:3]):
        rows = path.tree.nodes[path.rows, -1]
        for end in path.ends[:5].tolist():
            row = int(path.rows[int(np.flatnonzero(rows == end)[0])])
            owners.setdefault(int(graph.ids[end]), []).append((Instance(path, row), end, -1))
    scored = (_score(f, relevance, answer_type) for f in _group(context, owners, graph.base))
    return sorted((p for p in scored if p), key=lambda p: (-p.score, p.code, p.node))[:10]


def _group(
    context: Context, owners: Mapping[int, Sequence[tuple[Instance | None, int, int]]], base: int
) -> list[ValuePath]:
    values = context.snapshot.values(sorted(owners)[:2_000])
    allowed = context.segments()
    groups: dict[tuple[int, int, int], tuple[Instance | None, list[tuple[str, int, int]]]] = {}
    columns = (values.node, values.pred, values.segment, values.row)
    for owner, pred, segment, row, literal in zip(*(c.tolist() for c in columns), values.literal, strict=True):
        if allowed is not None and not allowed[segment]:
            continue
        for prefix, node, leg in owners.get(owner, ()):
            tail = 2 * pred + 1
            code = tail if leg < 0 else (leg + 1) * base + tail
            key = (node, code, id(prefix) if prefix else 0)
            groups.setdefault(key, (prefix, []))[1].append((literal, segment, row))
    return [
        ValuePath(prefix, node, code, 0.0, tuple(sorted(rows))) for (node, code, _), (prefix, rows) in groups.items()
    ]


def _score(path: ValuePath, relevance: Relevance, answer_type: str) -> ValuePath | None:
    rows = path.rows
    if answer_type in {"date", "number"}:
        rows = tuple(r for r in rows if literal_kind(r[0]) == answer_type)
    rows = tuple(r for r in rows if r[0].startswith('"'))
    if not rows:
        return None
    codes = np.array([[*(path.prefix.path.codes if path.prefix else ()), path.code]], np.int64)
    fit = FITTING if answer_type in {"date", "number"} else UNASKED
    return ValuePath(path.prefix, path.node, path.code, float(relevance(codes)[0]) + fit, rows)


def value_evidence(context: Context, best: ValuePath, graph: HopGraph) -> list[Path]:
    """One Path a distinct literal of a value path, with all facts that state it."""
    before = materialise(context, [best.prefix], graph)[0].hops if best.prefix else ()
    owner = int(graph.ids[best.node])
    subject = context.entities([owner])[owner].node
    handles = np.array([(s, r) for _, s, r in best.rows], np.int64).reshape(-1, 2)
    facts = context.snapshot.facts(handles[:, 0].astype(np.int16), handles[:, 1])
    by_literal: dict[str, list[int]] = {}
    for i, (literal, _, _) in enumerate(best.rows):
        by_literal.setdefault(literal, []).append(i)
    key, text = context.space.key(best.code), context.space.text(best.code)
    return [
        Path((*before, Hop(subject, key, text, _literal(k), True, None, tuple(facts[i] for i in at))))
        for k, at in by_literal.items()
    ]


def _literal(key: str) -> Node:
    return Node(encode(key), key, literal_text(key))
