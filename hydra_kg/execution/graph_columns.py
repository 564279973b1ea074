"""Provide the data of the executor: relations of one graph as columns, members of its classes, order of files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Ids
from hydra_kg.execution.own_graph import Columns, OwnGraph
from hydra_kg.plan.model import GroundedPath, PathStep, Step
from hydra_kg.util.cancelling import check
from hydra_kg.util.fast_dataclass import dataclass, field
from hydra_kg.util.number_columns import contains, sort_distinct, spread

NO_PLACES: Final[Ids] = np.zeros(0, np.int64)

Pairs = tuple[Ids, Ids]
"""Things, and what each of them leads to: two columns of the same length."""

NO_VALUE: Final = -1
"""In place of a value that a row lacks."""


def no_order(_: Ids) -> Ids:
    """Return no rows, because the order of no file is known."""
    return NO_PLACES


def ascending(places: Ids) -> Ids:
    """Return the distinct places in ascending order."""
    return places if (np.diff(places) > 0).all() else sort_distinct(places)


@dataclass(frozen=True, slots=True, eq=False)
class FactSource:
    """Facts of one graph. ``kinds`` has a mask of each class's members for hops, ``order`` the rows in file order."""

    graph: OwnGraph
    kinds: Sequence[npt.NDArray[np.bool_]] = ()
    order: Callable[[Ids], Ids] = no_order

    def values(self, relation: int, things: Ids) -> Pairs:
        """Return each thing with each of its values of a relation. With relation -1, return each with itself."""
        if relation < 0:
            return things, things
        return _pairs(self.graph.relations[relation].there, things, things)

    def follow(self, hops: Sequence[PathStep], things: Ids) -> Pairs:
        """Return each thing with each thing that the hops lead to, every pair once."""
        first = last = things
        for hop in hops:
            every = [_pairs(self.graph.relations[r].columns(hop.forward), first, last) for r in hop.relations]
            first, last = (np.concatenate(side) for side in zip(*every, strict=True))
            good = self._of_kind(hop.kind, last)
            first, last = first[good], last[good]
        if not hops or not len(first):
            return first, last
        pairs = np.unique(np.stack([first, last], axis=1), axis=0)
        return pairs[:, 0], pairs[:, 1]

    def read(self, path: GroundedPath | None, things: Ids) -> Pairs:
        """Return each thing with each value that a path leads to, or nothing if it leads nowhere."""
        if path is None:
            return NO_PLACES, NO_PLACES
        first, last = self.follow(path.hops, ascending(things))
        if path.relation < 0:
            return first, last
        return _pairs(self.graph.relations[path.relation].there, first, last)

    def sources(self, hops: Sequence[PathStep], ends: Ids) -> Ids:
        """Return all things from which the hops lead to one of the ends, ascending."""
        for at in range(len(hops) - 1, -1, -1):
            found = [self.graph.relations[r].columns(not hops[at].forward).leads(ends) for r in hops[at].relations]
            ends = found[0] if len(found) == 1 else sort_distinct(np.concatenate(found))
            ends = ends[self._of_kind(hops[at - 1].kind if at else -1, ends)]
        return ends

    def having(self, relation: int, values: Ids) -> Ids:
        """Return all things with one of the values of a relation, ascending."""
        return values if relation < 0 else self.graph.relations[relation].back.leads(values)

    def numbers(self, places: Ids) -> npt.NDArray[np.float64]:
        """Return the number at each place, or NaN if it is not a number."""
        return self.graph.numbers[places]

    def _of_kind(self, kind: int, places: Ids) -> npt.NDArray[np.bool_]:
        good: npt.NDArray[np.bool_] = np.ones(len(places), np.bool_)
        if kind >= 0:
            good = places < len(self.graph.ids)
            good[good] = self.kinds[kind][places[good]]
        return good


def _pairs(columns: Columns, first: Ids, last: Ids) -> Pairs:
    """Return the pairs so far, extended by one relation."""
    if len(columns.start) < len(last):
        good = contains(columns.start, last)
        first, last = first[good], last[good]
    low, high = np.searchsorted(columns.start, last), np.searchsorted(columns.start, last, "right")
    first = np.repeat(first, high - low)
    check(len(first))
    return first, columns.end[spread(low, high - low)]


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
