"""Existence of a value or relation: a person who "has died" has a date, place or cause of death."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

import numpy as np

from hydra_kg.execution.evidence_hops import Leg
from hydra_kg.steps.context import Context
from hydra_kg.steps.operators.results import thresholds
from hydra_kg.steps.operators.results.found_entities import Flags, StatedValue, ThingSet, Valued
from hydra_kg.steps.operators.results.literal_intervals import Span
from hydra_kg.steps.operators.values.attributes import wordings

_PROPERTY_HAS: Final = 0.7  # cosine from which having a property is having what is asked


def having(context: Context, base: ThingSet, attribute: str) -> tuple[Flags, Valued, float]:
    """Return which things have such a value or relation, bool (n,), the statements, and the fit (0: none)."""
    space, words = context.space, (*wordings(attribute), *_of_one_event(wordings(attribute)))
    asked = space.embedder.embed(list(words))
    all_near = space.forward @ asked.T - thresholds.PROPERTY_WORDING * np.minimum(
        np.arange(len(words), dtype=np.float32), 3
    )
    fits = np.where(space.inside, all_near.max(axis=1), 0.0)
    says = fits >= _PROPERTY_HAS
    if not says.any():
        return np.zeros(len(base), np.bool_), Valued({}), 0.0
    values = context.snapshot.values(base.ids.tolist())
    allowed = context.segments()
    stated: dict[int, tuple[float, StatedValue]] = {}
    columns = (values.node.tolist(), values.pred.tolist(), values.literal, values.segment.tolist(), values.row.tolist())
    for node, pred, literal, segment, row in zip(*columns, strict=True):
        if says[pred] and (allowed is None or allowed[segment]):
            leg = Leg(node, 2 * pred + 1, literal=literal, handles=((segment, row),))
            _keep(stated, node, float(fits[pred]), StatedValue(Span(0, 0), literal, leg))
    cut = context.snapshot.cut(base.ids.tolist(), depth=1, budget=context.settings.retrieval.edge_budget)
    cut = cut.of_loads(allowed)
    rows = np.flatnonzero(says[cut.pred] & np.isin(cut.ids[cut.src], base.ids))
    for row in rows.tolist():
        node, pred, end = int(cut.ids[cut.src[row]]), int(cut.pred[row]), int(cut.ids[cut.dst[row]])
        leg = Leg(node, 2 * pred + 1, end, handles=((int(cut.segment[row]), int(cut.row[row])),))
        _keep(stated, node, float(fits[pred]), StatedValue(Span(0, 0), "", leg))
    has = np.isin(base.ids, np.array(sorted(stated), np.int64))
    return has, Valued({n: t for n, (_, t) in stated.items()}), min(1.0, float(fits.max()))


def _of_one_event(words: Iterable[str]) -> Iterator[str]:
    """Yield what else is stated of an event that has a date: a person with a place of death has died."""
    for word in words:
        if found := _DATED.fullmatch(word):
            yield from (f"{what} of {found[1]}" for what in ("place", "cause"))


_DATED: Final = re.compile(r"(?:date|day|year|time) of (\w+)")


def _keep(values: dict[int, tuple[float, StatedValue]], node: int, fit: float, new: StatedValue) -> None:
    if node not in values or values[node][0] < fit:
        values[node] = fit, new
