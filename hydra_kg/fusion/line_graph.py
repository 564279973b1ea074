"""The multi-source line graph (MultiRAG Definition 2), its homologous groups and isolated points (Definitions 3–5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Ids, Index

MOST_BLOCKS = 16
"""Blocks after which they are merged into one."""


@dataclass(frozen=True, slots=True, eq=False)
class Triples:
    """N triples as columns of shape (N,): the nodes of the line graph.

    subject, object: int64, same-as classes or ids of literals · attribute: int32, of aligned predicates · source:
    int32 · when: int32, the circumstances (qualifiers) under which the triple holds, 0 for none.
    """

    subject: Ids
    attribute: Index
    object: Ids
    source: Index
    when: Index

    def __len__(self) -> int:
        return len(self.subject)

    def keys(self) -> Ids:
        """int64 (N, 3): subject, attribute, circumstances: what two homologous triples share."""
        return np.column_stack((self.subject, self.attribute, self.when)).astype(np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Homologous:
    """All groups of the homologous triple line graph (Definition 5). A group is what one search for an attribute of an
    entity returns (Definition 3), cut per query: a complete graph in the line graph (§III.C, Fig. 4).

    keys: int64 (G, 3), ascending · starts: int64 (G + 1,) · members: int64 (N,), numbers of triples, group after group,
    ascending within one · sources: int32 (G,), how many distinct ones speak in a group.
    """

    keys: Ids
    starts: Ids
    members: Ids
    sources: Index

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def isolated(self) -> npt.NDArray[np.bool_]:
        """(G,): groups of one triple, the isolated points LVs: nothing homologous is known (§III.C)."""
        return np.asarray(np.diff(self.starts) == 1, np.bool_)

    @property
    def across(self) -> npt.NDArray[np.bool_]:
        """(G,): groups in which two sources or more speak."""
        return self.sources > 1

    def of(self, group: int) -> Ids:
        """Numbers of the triples of a group."""
        return self.members[self.starts[group] : self.starts[group + 1]]


@dataclass(frozen=True, slots=True, eq=False)
class _Block:
    """Triples sorted by key, numbered from ``first``; ``by_object``: their rows in the order of their objects."""

    triples: Triples
    number: Ids
    by_object: Ids


class LineGraph:
    """The line graph of triples that come block by block, as sources are added; immutable.

    Its edges are never written down (a node of n triples would have n²): two triples are adjacent if they share a
    subject or object, which is looked up. Numbers of triples count in the order in which they were added. Building is
    O(n log n); adding k triples to n sorts these k, and looks only at groups that they belong to.
    """

    def __init__(self, blocks: Sequence[_Block] = ()) -> None:
        self._blocks = tuple(blocks)
        self._count = sum(len(b.triples) for b in self._blocks)

    def __len__(self) -> int:
        return self._count

    def added(self, triples: Triples) -> tuple[LineGraph, Homologous]:
        """The graph with further triples, and the groups that these touch, as they are now."""
        block = _sorted(triples, np.arange(self._count, self._count + len(triples)))
        graph = LineGraph((*self._blocks, block))
        touched = _distinct(block.triples.keys())
        members = graph._members(touched)
        if len(graph._blocks) > MOST_BLOCKS:
            graph = LineGraph((_merged(graph._blocks),))
        return graph, members

    def homologous(self) -> Homologous:
        """All groups, over all sources."""
        if not self._blocks:
            return _grouped(np.empty((0, 3), np.int64), np.empty(0, np.int64), np.empty(0, np.int32))
        keys, number, source = (
            np.concatenate(parts)
            for parts in zip(*((b.triples.keys(), b.number, b.triples.source) for b in self._blocks), strict=True)
        )
        return _grouped(keys, number, source)

    def group(self, subject: int, attribute: int, when: int = 0) -> Ids:
        """Numbers of the triples of one group, ascending; none if it is not known."""
        return self._members(np.array([[subject, attribute, when]], np.int64)).members

    def neighbours(self, subject: int, object_: int) -> Ids:
        """Numbers of all triples that share a node with (subject, ·, object), itself included, ascending (Def. 2)."""
        ends = np.array(sorted({subject, object_}), np.int64)
        found = [np.empty(0, np.int64)]
        for b in self._blocks:
            objects = b.triples.object[b.by_object]
            for column, rows in ((b.triples.subject, np.arange(len(b.number))), (objects, b.by_object)):
                low, high = np.searchsorted(column, ends, "left"), np.searchsorted(column, ends, "right")
                found += [b.number[rows[x:y]] for x, y in zip(low.tolist(), high.tolist(), strict=True)]
        return np.unique(np.concatenate(found))

    def _members(self, keys: Ids) -> Homologous:
        """The groups of these keys (ascending, distinct), from every block."""
        found: list[tuple[Ids, Ids, Index]] = []
        for b in self._blocks:
            own = b.triples.subject
            low = np.searchsorted(own, keys[:, 0], "left")
            count = np.searchsorted(own, keys[:, 0], "right") - low
            rows = np.repeat(low - np.cumsum(count) + count, count) + np.arange(count.sum())
            wanted = np.repeat(np.arange(len(keys)), count)
            same = (b.triples.attribute[rows] == keys[wanted, 1]) & (b.triples.when[rows] == keys[wanted, 2])
            rows, wanted = rows[same], wanted[same]
            found.append((keys[wanted], b.number[rows], b.triples.source[rows]))
        columns = [np.concatenate(parts) for parts in zip(*found, strict=True)]
        return _grouped(columns[0], columns[1], columns[2])


def _sorted(triples: Triples, number: Ids) -> _Block:
    order = np.lexsort((number, triples.when, triples.attribute, triples.subject))
    t = Triples(
        np.asarray(triples.subject, np.int64)[order],
        np.asarray(triples.attribute, np.int32)[order],
        np.asarray(triples.object, np.int64)[order],
        np.asarray(triples.source, np.int32)[order],
        np.asarray(triples.when, np.int32)[order],
    )
    return _Block(t, number[order], np.argsort(t.object, kind="stable"))


def _merged(blocks: Sequence[_Block]) -> _Block:
    columns = zip(*((b.triples.subject, b.triples.attribute, b.triples.object, b.triples.source, b.triples.when)
                    for b in blocks), strict=True)  # fmt: skip
    s, a, o, source, when = (np.concatenate(parts) for parts in columns)
    return _sorted(Triples(s, a, o, source, when), np.concatenate([b.number for b in blocks]))


def _distinct(keys: Ids) -> Ids:
    """Distinct rows of rows in ascending order."""
    new = np.ones(len(keys), np.bool_)
    new[1:] = (keys[1:] != keys[:-1]).any(axis=1)
    return keys[new]


def _grouped(keys: Ids, number: Ids, source: Index) -> Homologous:
    order = np.lexsort((number, keys[:, 2], keys[:, 1], keys[:, 0]))
    keys, number, source = keys[order], number[order], source[order]
    new = np.ones(len(keys), np.bool_)
    new[1:] = (keys[1:] != keys[:-1]).any(axis=1)
    group = np.cumsum(new) - 1
    pairs = np.unique(group * (int(source.max(initial=0)) + 1) + source)
    speakers = np.bincount(pairs // (int(source.max(initial=0)) + 1), minlength=int(new.sum())).astype(np.int32)
    starts = np.append(np.flatnonzero(new), len(keys)).astype(np.int64)
    return Homologous(keys[new], starts, number, speakers)
