"""Temporal filter: check whether a relation held at a time, by the dates of its mediators."""

from __future__ import annotations

from typing import Final

import numpy as np

from hydra_kg.domain import Ids
from hydra_kg.language.lexicon import list_words
from hydra_kg.plan.model import Condition
from hydra_kg.steps.context import Context
from hydra_kg.steps.operators.results.found_entities import Flags, Hopped
from hydra_kg.steps.operators.results.literal_intervals import Span, date_span
from hydra_kg.text.folding import fold

BEGINS: Final = list_words("beginning")
ENDS: Final = list_words("ending")


def times(context: Context, mediators: Ids) -> dict[int, tuple[Span | None, Span | None]]:
    """Return the start and end dates of mediated statements; a single date counts as both."""
    values = context.snapshot.values(mediators.tolist())
    texts = context.space.predicates.texts
    found: dict[int, tuple[Span | None, Span | None]] = {}
    for node, pred, literal in zip(values.node.tolist(), values.pred.tolist(), values.literal, strict=True):
        span = date_span(literal)
        if span is None:
            continue
        words = set(fold(texts[pred]).split())
        begin, end = found.get(node, (None, None))
        if words & BEGINS:
            begin = span
        elif words & ENDS:
            end = span
        else:
            begin, end = begin or span, end or span
        found[node] = begin, end
    return found


def valid_during(context: Context, trail: Hopped, ids: Ids, when: Condition) -> tuple[Flags, Flags]:
    """Return which things have the relation at the time, and which have any date: two arrays, bool (n,)."""
    low, high = (when.low, when.high) if when.op == "in" else (when.low, when.low + 1.0)
    if when.op in ("<", "<="):
        low, high = -np.inf, when.low
    elif when.op in (">", ">="):
        low, high = when.low, np.inf
    known = times(context, np.unique(trail.via[trail.via >= 0]))
    inside, dated = np.zeros(len(ids), np.bool_), np.zeros(len(ids), np.bool_)
    for i, node in enumerate(ids.tolist()):
        for via in trail.mediators(node):
            begin, end = known.get(via, (None, None))
            if begin is None and end is None:
                continue
            dated[i] = True
            starts = begin.low if begin is not None else -np.inf
            stops = end.high if end is not None else np.inf
            inside[i] |= starts < high and stops > low
    return inside, dated
