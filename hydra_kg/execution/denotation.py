"""Represent results of queries: things with their values, and what was examined on the way."""

from __future__ import annotations

from typing import Final

import numpy as np

from hydra_kg.domain import Ids
from hydra_kg.plan.model import Step
from hydra_kg.util.fast_dataclass import dataclass, field
from hydra_kg.util.number_columns import contains

NO_VALUE: Final = -1
"""In place of a value that a row lacks."""


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Things in order. If ``ends`` is given, each has its projected value, and a thing may repeat."""

    things: Ids
    ends: Ids | None = None

    @property
    def values(self) -> Ids:
        """Return the values of the things, or the things themselves if nothing was projected."""
        return self.things if self.ends is None else self.ends

    def only(self, good: Ids) -> Rows:
        """Return the rows of the given things (ascending)."""
        chosen = contains(good, self.things)
        return Rows(self.things[chosen], None if self.ends is None else self.ends[chosen])

    def in_order(self, order: Ids) -> Rows:
        """Return the rows of the given things in their order."""
        if self.ends is None:
            return Rows(order)
        rank = {thing: n for n, thing in enumerate(order.tolist())}
        places = [n for n, thing in enumerate(self.things.tolist()) if thing in rank]
        places.sort(key=lambda n: rank[int(self.things[n])])
        return Rows(self.things[places], self.ends[places])


@dataclass(slots=True, eq=False)
class Denotation:
    """The result of a query: ``values`` (places in the graph) or a ``number``.

    Attributes:
        rows: the thing that led to each value, or all things that were counted.
        said: values of further columns by row, `NO_VALUE` where a row has none.
        table: all columns of a query with several, one tuple of values for each row.
        measures: what was computed for each value.
        missing: number of things without a value that decides.
        compared: things that were compared and not chosen, if these are few.
    """

    values: list[int] = field(default_factory=list)
    number: float | None = None
    rows: list[int] = field(default_factory=list)
    said: list[tuple[int, ...]] = field(default_factory=list)
    table: list[tuple[int, ...]] = field(default_factory=list)
    measures: list[str] = field(default_factory=list)
    missing: int = 0
    compared: list[int] = field(default_factory=list)
    computation: str = ""
    steps: list[Step] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.values) or self.number is not None


def distinct_in_order(places: Ids) -> Ids:
    """Return the distinct places in order of first occurrence."""
    return places[np.sort(np.unique(places, return_index=True)[1])]
