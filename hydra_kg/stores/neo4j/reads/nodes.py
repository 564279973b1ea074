"""Numbers that a reader has about nodes, fetched once: same-as class, degree, whether they are mediators."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Ids
from hydra_kg.stores.neo4j.connection.queries import SPAN, Database
from hydra_kg.util.number_columns import match

MEDIATOR: Final = 1
NAMED: Final = 2
BATCH: Final = 20_000

Bools = npt.NDArray[np.bool_]


def part(load: int, degree: npt.NDArray[np.int64], mediator: Bools, named: Bools) -> npt.NDArray[np.int64]:
    """Return what a load states about its nodes, as one number per node.

    The number is ``load * SPAN + degree * 4 + named * 2 + mediator``.
    """
    parts: npt.NDArray[np.int64] = load * SPAN + degree * 4 + named * NAMED + mediator * MEDIATOR
    return parts


class Classes:
    """Same-as classes of a generation, named by representatives, and the nodes read so far. Safe for threads."""

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
        """Return the class of each node. A node that is not fused is its own class."""
        if not len(self.member) or not len(ids):
            return ids
        at = match(self.member, ids)
        return np.where(at >= 0, self.representative[at], ids)

    def members(self, classes: Ids) -> Ids:
        """Return all members of classes, those of one class ascending."""
        return self._members(classes)[0]

    def _members(self, classes: Ids) -> tuple[Ids, npt.NDArray[np.int64]]:
        """Return all members of classes, and for each the position of its class."""
        if not len(self._rep):
            return classes, np.arange(len(classes))
        low, high = (np.searchsorted(self._rep, classes, side) for side in ("left", "right"))
        sizes = np.maximum(high - low, 1)
        owner = np.repeat(np.arange(len(classes)), sizes)
        within = np.arange(len(owner)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        at = np.minimum(low[owner] + within, len(self._rep) - 1)
        return np.where((high > low)[owner], self._of_rep[at], classes[owner]), owner

    def fused(self, classes: Ids) -> Bools:
        """Return whether each class has several members."""
        several: Bools = match(self._rep, classes) >= 0
        return several

    def known(self, classes: Ids) -> Bools:
        """Return whether any of the loads has each class."""
        return self._facts(classes)[1] >= 0

    def degree(self, classes: Ids) -> npt.NDArray[np.int64]:
        """Return the number of facts between nodes that each class has."""
        return self._facts(classes)[0]

    def mediator(self, classes: Ids) -> Bools:
        """Return whether each class is a mediator: some load says so, and none has a name for it."""
        flags = self._facts(classes)[1]
        mediators: Bools = (flags >= 0) & (flags & MEDIATOR != 0) & (flags & NAMED == 0)
        return mediators

    def _facts(self, classes: Ids) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return (degree, flags) of each class; flags are -1 if no load has it."""
        members, owner = self._members(classes)
        ids, degree, flags = self._table(members)
        at = match(ids, members)
        known = flags[at] >= 0
        at, owner = at[known], owner[known]
        total, mixed = np.zeros(len(classes), np.int64), np.full(len(classes), -1, np.int64)
        np.add.at(total, owner, degree[at])
        mixed[owner] = 0
        np.bitwise_or.at(mixed, owner, flags[at])
        return total, mixed

    def _table(self, wanted: Ids) -> tuple[Ids, Ids, Ids]:
        """Return (ids, degree, flags) of nodes, ascending by id, including all wanted ones."""
        with self._lock:
            ids = self._ids
        missing = np.unique(wanted[match(ids, wanted) < 0])
        for i in range(0, len(missing), BATCH):
            ((found, parts),) = self._db.read("nodes", {"ids": missing[i : i + BATCH].tolist()})
            self.learn(found, parts, asked=missing[i : i + BATCH])
        with self._lock:
            return self._ids, self._degree, self._flags

    def learn(self, found: Sequence[int], parts: Sequence[int], *, asked: Ids | None = None) -> None:
        """Store the result of a query: (found[i], parts[i]) per part of a node.

        Nodes in ``asked`` that were not found are stored as unknown.
        """
        owner, flat = np.asarray(found, np.int64), np.asarray(parts, np.int64)
        ids = np.unique(owner) if asked is None else asked
        degree, flags = np.zeros(len(ids), np.int64), np.full(len(ids), -1, np.int64)
        ready = np.isin(flat // SPAN, self._loads)
        at, flat = np.searchsorted(ids, owner[ready]), flat[ready] % SPAN
        np.add.at(degree, at, flat >> 2)
        flags[at] = 0
        np.bitwise_or.at(flags, at, flat & 3)
        with self._lock:
            known = np.concatenate((self._ids, ids))
            self._ids, first = np.unique(known, return_index=True)
            self._degree = np.concatenate((self._degree, degree))[first]
            self._flags = np.concatenate((self._flags, flags))[first]
