"""Computed answers: the largest, the earliest, those above a number, from values that the candidates' facts state."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from hydra_kg.domain import Evidence, Hop, Node, Path, Selection
from hydra_kg.ids import encode
from hydra_kg.literals import literal_kind, literal_text
from hydra_kg.steps.answer import Choice, choose
from hydra_kg.steps.conclude import Conclusion, conclude
from hydra_kg.steps.context import Context
from hydra_kg.steps.prune import vectors_of
from hydra_kg.steps.relevance import Relevance
from hydra_kg.steps.structured import Found

NEAR = 0.35
"""Cosine of attribute and property from which the property is what the question computes with."""

TRIES = 5
"""Relation paths, best first, whose ends are tried; the first whose ends have the property counts."""

SHOWN = 5

_NUMBER = re.compile(r"[+-]?\d[\d,]*(?:\.\d+)?")
_DATE = re.compile(r"(-?\d{4})(?:-(\d\d)(?:-(\d\d))?)?(?:T.*)?")


@dataclass(frozen=True, slots=True)
class Value:
    """One value of one candidate: its number, literal, property (index), and the handles of the facts that state it."""

    number: float
    literal: str
    pred: int
    handles: tuple[tuple[int, int], ...]


def compute(
    context: Context, selection: Selection, found: Found, relevance: Relevance, *, phase: str
) -> Conclusion | None:
    """The answers that the selection leaves, each with the value it was chosen by as its path's last hop.

    None if no candidates have such a property: the question is then answered without. No answers if they have, and
    none is above (or below) the bound.
    """
    judged, vectors = found.judged, vectors_of(found.judged, relevance)
    none_left = False
    for k in range(min(TRIES, len(judged))):
        choice = choose(judged[k:], vectors[k:], most=len(found.hops))  # all: the largest may be any of them
        ends = [int(found.hops.ids[e]) for e, _ in choice.ends]
        values = _values(context, selection, ends)
        left = _selected(selection, values)[: context.settings.max_answers]
        if not left or len(values) < 2:  # one candidate needs no choice: the question is about others
            none_left |= len(values) > 1
            continue
        votes = {int(found.hops.ids[e]): (e, v) for e, v in choice.ends}
        members = tuple(m + k for m in choice.members)
        end = conclude(context, Choice(members, tuple(votes[n] for n in left)), found, phase=phase)
        if end.answers:
            evidence = tuple(_with_value(context, e, values) for e in end.evidence)
            return replace(end, evidence=evidence, computation=_words(context, selection, values, left))
    return Conclusion((), (), {}, {}, frozenset(), ()) if none_left else None


def _values(context: Context, selection: Selection, nodes: Sequence[int]) -> dict[int, Value]:
    """The value of the best fitting property for each node that has one, of several the extreme that may win."""
    found, allowed = context.snapshot.values(sorted(set(nodes))), context.segments()
    texts = context.space.predicates.texts
    groups: dict[int, dict[int, dict[float, Value]]] = {}
    columns = (found.node, found.pred, found.segment, found.row)
    for node, pred, segment, row, literal in zip(*(c.tolist() for c in columns), found.literal, strict=True):
        number = _number(literal, selection.kind)
        if number is None or (allowed is not None and not allowed[segment]):
            continue
        mine = groups.setdefault(pred, {}).setdefault(node, {})
        old = mine.get(number)
        mine[number] = Value(number, literal, pred, (*(old.handles if old else ()), (segment, row)))
    if not groups:
        return {}
    order = sorted(groups)
    vectors = context.space.embedder.embed([selection.attribute, *(texts[p] for p in order)])
    near = vectors[1:] @ vectors[0]
    fits = [(-round(float(c), 6), p) for c, p in zip(near, order, strict=True) if c >= NEAR]
    if not fits:
        return {}
    extreme = min if selection.order in {"min", "below"} else max
    return {n: mine[extreme(mine)] for n, mine in groups[min(fits)[1]].items()}


def _selected(selection: Selection, values: dict[int, Value]) -> list[int]:
    """Nodes that the selection leaves, best first."""
    numbers = {n: v.number for n, v in values.items()}
    if not numbers:
        return []
    if selection.order in {"max", "min"}:
        best = (max if selection.order == "max" else min)(numbers.values())
        return sorted(n for n, x in numbers.items() if x == best)
    above = selection.order == "above"
    left = [n for n, x in numbers.items() if (x > selection.bound if above else x < selection.bound)]
    return sorted(left, key=lambda n: (abs(numbers[n] - selection.bound), n))


def _with_value(context: Context, evidence: Evidence, values: dict[int, Value]) -> Evidence:
    node = evidence.answers[0]
    value = values[node.id]
    segments, rows = (np.array([h[k] for h in value.handles], np.int64) for k in (0, 1))
    facts = tuple(context.snapshot.facts(segments.astype(np.int16), rows))
    known = context.space.predicates
    literal = Node(encode(value.literal), value.literal, literal_text(value.literal))
    hop = Hop(node, known.keys[value.pred], known.texts[value.pred], literal, True, None, facts)
    return replace(evidence, path=Path((*evidence.path.hops, hop), evidence.path.passage))


def _words(context: Context, selection: Selection, values: dict[int, Value], left: Sequence[int]) -> str:
    names = context.entities(sorted(values))
    shown = sorted(values, key=lambda n: (n not in left, -values[n].number * (selection.order != "min"), n))[:SHOWN]
    listed = ", ".join(f"{names[n].node.name} {literal_text(values[n].literal)}" for n in shown)
    more = f" and {len(values) - SHOWN} more" if len(values) > SHOWN else ""
    what = {
        "max": "largest",
        "min": "smallest",
        "above": f"above {selection.bound:g}",
        "below": f"below {selection.bound:g}",
    }
    if selection.kind == "date":
        what = {"max": "latest", "min": "earliest"}
    text = context.space.predicates.texts[values[left[0]].pred]
    return f"{what[selection.order]} by “{text}” of {len(values)}: {listed}{more}"


def _number(literal: str, kind: str) -> float | None:
    """The literal as a number: Freebase writes numbers untyped, so what reads as one is one; a date in years."""
    text = literal_text(literal)
    if kind == "date":
        m = _DATE.fullmatch(text) if literal_kind(literal) == "date" or text[:4].isdigit() else None
        return int(m[1]) + int(m[2] or 1) / 12 + int(m[3] or 1) / 372 if m else None
    return float(text.replace(",", "")) if _NUMBER.fullmatch(text) else None
