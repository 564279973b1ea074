"""What a reader knows of nodes in numbers: their same-as class, degree, whether they are mediators; fetched once."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from itertools import chain
from typing import Final

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Ids
from hydra_kg.stores.neo4j.queries import SPAN, Database

MEDIATOR: Final = 1
NAMED: Final = 2
BATCH: Final = 20_000

Bools = npt.NDArray[np.bool_]


def part(load: int, degree: npt.NDArray[np.int64], mediator: Bools, named: Bools) -> npt.NDArray[np.int64]:
    """What a load says of its nodes, one number each: ``load * SPAN + degree * 4 + named * 2 + mediator``."""
    parts: npt.NDArray[np.int64] = load * SPAN + degree * 4 + named * NAMED + mediator * MEDIATOR
    return parts


class Classes:
    """Same-as classes of one generation, and the nodes of some loads as far as anybody asked. Safe for threads.

    A class is named by its representative; members of classes of several are ascending in ``member``.
    """

    def __init__(self, db: Database, loads: Sequence[int], member: Ids, representative: Ids) -> None:
        self._db, self._loads = db, np.asarray(loads, np.int64)
        order = np.argsort(member)
        self.member, self.representative = member[order], representative[order]
        by_class = np.lexsort((self.member, self.representative))
        self._rep, self._of_rep = self.representative[by_class], self.member[by_class]
        self._lock = threading.Lock()
        none = np.empty(0, np.int64)
        self._ids, self._degree, self._flags = none, none, none

    def of(self, ids: Ids) -> Ids:
        """The class of each node; a node in none of several is its own."""
        if not len(self.member) or not len(ids):
            return ids
        at = np.minimum(np.searchsorted(self.member, ids), len(self.member) - 1)
        return np.where(self.member[at] == ids, self.representative[at], ids)

    def members(self, classes: Ids) -> Ids:
        """All members of classes, those of one class ascending."""
        if not len(self._rep):
            return classes
        low, high = (np.searchsorted(self._rep, classes, side) for side in ("left", "right"))
        single = low == high
        if single.all():
            return classes
        several = [self._of_rep[a:b] for a, b in zip(low[~single].tolist(), high[~single].tolist(), strict=True)]
        return np.concatenate([classes[single], *several])

    def known(self, classes: Ids) -> Bools:
        """Whether any of the loads knows each class."""
        return self._facts(classes)[1] >= 0

    def degree(self, classes: Ids) -> npt.NDArray[np.int64]:
        """Facts between nodes that each class has."""
        return self._facts(classes)[0]

    def mediator(self, classes: Ids) -> Bools:
        """Whether each class is one of mediators: some load says so, and none has a name for it."""
        flags = self._facts(classes)[1]
        mediators: Bools = (flags >= 0) & (flags & MEDIATOR != 0) & (flags & NAMED == 0)
        return mediators

    def _facts(self, classes: Ids) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """(degree, flags) of each class; flags -1 if no load knows it."""
        ids, degree, flags = self._table(self.members(classes))
        at = _match(ids, classes)
        total, mixed = np.where(at >= 0, degree[at], 0), np.where(at >= 0, flags[at], -1)
        if len(self._rep):
            for i in np.flatnonzero(np.isin(classes, self._rep)).tolist():
                own = _match(ids, self.members(classes[i : i + 1]))
                own = own[own >= 0]
                own = own[flags[own] >= 0]
                total[i] = degree[own].sum()
                mixed[i] = np.bitwise_or.reduce(flags[own]) if len(own) else -1
        return total, mixed

    def _table(self, wanted: Ids) -> tuple[Ids, Ids, Ids]:
        """(ids, degree, flags) of nodes, ascending by id, with all that are wanted in it."""
        with self._lock:
            ids, degree, flags = self._ids, self._degree, self._flags
        missing = np.unique(wanted[_match(ids, wanted) < 0])
        if not len(missing):
            return ids, degree, flags
        rows = [self._fetch(missing[i : i + BATCH]) for i in range(0, len(missing), BATCH)]
        with self._lock:
            rows.insert(0, (self._ids, self._degree, self._flags))
            known = [np.concatenate(columns) for columns in zip(*rows, strict=True)]
            self._ids, first = np.unique(known[0], return_index=True)
            self._degree, self._flags = known[1][first], known[2][first]
            return self._ids, self._degree, self._flags

    def _fetch(self, ids: Ids) -> tuple[Ids, Ids, Ids]:
        degree, flags = np.zeros(len(ids), np.int64), np.full(len(ids), -1, np.int64)
        ((found, parts),) = self._db.read("nodes", {"ids": ids.tolist()})
        sizes = np.fromiter(map(len, parts), np.int64, len(parts))
        flat = np.fromiter(chain.from_iterable(parts), np.int64, int(sizes.sum()))
        owner = np.repeat(_match(ids, np.asarray(found, np.int64)), sizes)
        ready = np.isin(flat // SPAN, self._loads)
        flat, owner = flat[ready] % SPAN, owner[ready]
        np.add.at(degree, owner, flat >> 2)
        flags[owner] = 0
        np.bitwise_or.at(flags, owner, flat & 3)
        return ids, degree, flags


def _match(ascending: Ids, wanted: Ids) -> npt.NDArray[np.int64]:
    """Position of each wanted id, -1 where it is not there."""
    if not len(ascending):
        return np.full(len(wanted), -1, np.int64)
    at = np.minimum(np.searchsorted(ascending, wanted), len(ascending) - 1)
    return np.where(ascending[at] == wanted, at, -1)
