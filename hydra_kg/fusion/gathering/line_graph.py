"""The multi-source line graph (MultiRAG Definition 2), its homologous groups and isolated points (Definitions 3–5)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Ids, Index
from hydra_kg.util.fast_dataclass import dataclass

MOST_BLOCKS = 16
"""Number of blocks from which they are merged into one."""


@dataclass(frozen=True, slots=True, eq=False)
class Triples:
    """Triples as columns (N,): the nodes of the line graph.

    - ``subject``, ``object``: int64.
    - ``attribute``, ``source``: int32.
    - ``when``: the circumstances, int32, 0 for none.
    """

    subject: Ids
    attribute: Index
    object: Ids
    source: Index
    when: Index

    def __len__(self) -> int:
        return len(self.subject)

    def keys(self) -> Ids:
        """Return what two homologous triples share: subject, attribute and circumstances, int64 (N, 3)."""
        return np.column_stack((self.subject, self.attribute, self.when)).astype(np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Homologous:
    """All groups of the homologous triple line graph (Definition 5).

    A group is what one search for an attribute of an entity returns (Definition 3), cut for each query: a complete
    graph in the line graph (§III.C, Fig. 4).

    - ``keys``: int64 (G, 3), ascending.
    - ``starts``: int64 (G + 1,).
    - ``members``: int64 (N,), the numbers of the triples, group after group, ascending within one.
    - ``sources``: int32 (G,), the number of distinct sources of each group.
    """

    keys: Ids
    starts: Ids
    members: Ids
    sources: Index

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def isolated(self) -> npt.NDArray[np.bool_]:
        """The groups of one triple (G,): the isolated points LVs, for which nothing homologous is known (§III.C)."""
        return np.asarray(np.diff(self.starts) == 1, np.bool_)

    @property
    def across(self) -> npt.NDArray[np.bool_]:
        """The groups with two or more sources (G,)."""
        return self.sources > 1

    def of(self, group: int) -> Ids:
        """Return the numbers of the triples of a group."""
        return self.members[self.starts[group] : self.starts[group + 1]]


@dataclass(frozen=True, slots=True, eq=False)
class _TripleBlock:
    """Triples sorted by key, then by number.

    ``by_object`` has the rows in the order of their objects. ``keys`` (G, 3) and ``starts`` (G + 1,) describe the
    groups.
    """

    triples: Triples
    number: Ids
    by_object: Ids
    keys: Ids
    starts: Ids


class LineGraph:
    """The line graph of triples that are added in blocks. Immutable.

    Adjacency (a shared subject or object) is looked up instead of stored, because a node of n triples would have n²
    edges. Building takes O(n log n); adding k triples sorts only these.
    """

    def __init__(self, blocks: Sequence[_TripleBlock] = ()) -> None:
        self._blocks = tuple(blocks)
        self._count = sum(len(b.triples) for b in self._blocks)

    def __len__(self) -> int:
        return self._count

    def added(self, triples: Triples) -> tuple[LineGraph, Homologous]:
        """Return the graph with further triples, and the groups to which these belong, in their new state."""
        block = _sort_block(triples, np.arange(self._count, self._count + len(triples)))
        graph = LineGraph((*self._blocks, block))
        members = graph._members(block.keys)
        if len(graph._blocks) > MOST_BLOCKS:
            graph = LineGraph((_merge_blocks(graph._blocks),))
        return graph, members

    def homologous(self) -> Homologous:
        """Return all groups, over all sources."""
        keys = np.concatenate([np.empty((0, 3), np.int64), *(b.keys for b in self._blocks)])
        return self._members(_distinct(keys[_order(keys)]))

    def group(self, subject: int, attribute: int, when: int = 0) -> Ids:
        """Return the numbers of the triples of one group, ascending, or none if the group is unknown."""
        return self._members(np.array([[subject, attribute, when]], np.int64)).members

    def neighbours(self, subject: int, object_: int) -> Ids:
        """Return the numbers of all triples that share a node with (subject, ·, object), ascending (Def. 2).

        The triple itself is included.
        """
        ends = np.array(sorted({subject, object_}), np.int64)
        found = [np.empty(0, np.int64)]
        for b in self._blocks:
            objects = b.triples.object[b.by_object]
            for column, rows in ((b.triples.subject, np.arange(len(b.number))), (objects, b.by_object)):
                low, high = np.searchsorted(column, ends, "left"), np.searchsorted(column, ends, "right")
                found += [b.number[rows[x:y]] for x, y in zip(low.tolist(), high.tolist(), strict=True)]
        return np.unique(np.concatenate(found))

    def _members(self, keys: Ids) -> Homologous:
        """Return the groups with these keys (ascending, distinct), from every block, without unknown ones."""
        subjects = np.unique(keys[:, 0])
        places, numbers, sources = [np.empty(0, np.int64)], [np.empty(0, np.int64)], [np.empty(0, np.int32)]
        for b in self._blocks:
            own = b.keys[:, 0]
            near = _ranges(np.searchsorted(own, subjects, "left"), np.searchsorted(own, subjects, "right"))
            place = _places(b.keys[near], keys)
            near, place = near[place >= 0], place[place >= 0]
            rows = _ranges(b.starts[near], b.starts[near + 1])
            places.append(np.repeat(place, b.starts[near + 1] - b.starts[near]))
            numbers.append(b.number[rows])
            sources.append(b.triples.source[rows])
        place, number, source = np.concatenate(places), np.concatenate(numbers), np.concatenate(sources)
        order = np.argsort(place, kind="stable")  # blocks come in the order of their numbers, and so do their rows
        size = np.bincount(place, minlength=len(keys))
        width = int(source.max(initial=0)) + 1
        speakers = np.bincount(np.unique(place * width + source) // width, minlength=len(keys)).astype(np.int32)
        known = size > 0
        starts = np.append(0, np.cumsum(size[known])).astype(np.int64)
        return Homologous(keys[known], starts, number[order], speakers[known])


def _sort_block(triples: Triples, number: Ids) -> _TripleBlock:
    """Return a block; triples with the same key stay in the order of their numbers."""
    keys = triples.keys()
    order = _order(keys)
    keys = keys[order]
    t = Triples(
        keys[:, 0].copy(),
        np.asarray(triples.attribute, np.int32)[order],
        np.asarray(triples.object, np.int64)[order],
        np.asarray(triples.source, np.int32)[order],
        np.asarray(triples.when, np.int32)[order],
    )
    first = np.flatnonzero(_new(keys))
    starts = np.append(first, len(keys)).astype(np.int64)
    return _TripleBlock(t, number[order], np.argsort(t.object, kind="stable"), keys[first], starts)


def _merge_blocks(blocks: Sequence[_TripleBlock]) -> _TripleBlock:
    columns = zip(
        *((b.triples.subject, b.triples.attribute, b.triples.object, b.triples.source, b.triples.when) for b in blocks),
        strict=True,
    )
    s, a, o, source, when = (np.concatenate(parts) for parts in columns)
    return _sort_block(Triples(s, a, o, source, when), np.concatenate([b.number for b in blocks]))


def _order(keys: Ids) -> Ids:
    """Return the ascending order of keys (n, 3), stable for equal keys.

    Attribute and circumstances are compared as one number.
    """
    return np.lexsort(((keys[:, 1] << 32) + keys[:, 2], keys[:, 0]))


def _new(keys: Ids) -> npt.NDArray[np.bool_]:
    """Return where a row of sorted keys differs from the one before (n,)."""
    new = np.ones(len(keys), np.bool_)
    new[1:] = (keys[1:] != keys[:-1]).any(axis=1)
    return new


def _distinct(keys: Ids) -> Ids:
    """Return the distinct rows of rows in ascending order."""
    return keys[_new(keys)]


def _places(found: Ids, keys: Ids) -> Ids:
    """Return the index of each row of ``found`` in ``keys``, or -1 (n,).

    The rows of both are distinct and ascending.
    """
    both = np.concatenate((keys, found))
    order = _order(both)
    same = np.flatnonzero(~_new(both[order]))
    place = np.full(len(found), -1, np.int64)
    place[order[same] - len(keys)] = order[same - 1]
    return place


def _ranges(low: Ids, high: Ids) -> Ids:
    """Return all numbers of the ranges low … high - 1, one range after the other."""
    size = high - low
    return np.asarray(np.repeat(low - np.cumsum(size) + size, size) + np.arange(int(size.sum())), np.int64)
