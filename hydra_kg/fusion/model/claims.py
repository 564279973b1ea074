"""Claims as columns: which source says which value of which attribute of which entity, grouped as they are judged."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

Codes = npt.NDArray[np.int32]
_T = TypeVar("_T", bound=Hashable)


class Numbered(defaultdict[_T, int]):
    """Numbers distinct things in the order of first mention (a dictionary encoding)."""

    def __init__(self) -> None:
        super().__init__(self.__len__)

    def column(self, things: Iterable[_T]) -> Codes:
        """Return the numbers of things; looked up without a step of Python for each."""
        return np.fromiter(map(self.__getitem__, things), np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class StatementColumns:
    """Statements as columns. ``codes`` (N, 4): entity, attribute, source, value, as numbers of ``names``."""

    codes: Codes
    names: tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Claims:
    """N claims of G groups; a group is all claims on one attribute of one entity (MultiRAG, Definition 3).

    Columns of shape (N,): ``group`` (ascending), ``source``, ``value``; ``value`` is a code within its group, counted
    from 0 in the order of first mention. Two claims of one group with the same code say the same thing. ``starts``
    (G + 1,): where each group's claims begin. ``texts[g][v]``: the value as a source wrote it; where values were read
    by kind, as most sources did. ``keys[g]``: entity and attribute of a group. ``sources[s]``: its name. A source
    states each value of a group once.

    ``broader`` (B, 3): group, value, and a value of the same group that is a less specific form of it. ``many`` (G,):
    whether several values of a group may be true together; empty for none. ``outside_list`` (N,): claims that
    contradict their source's own list instead of being part of it; empty for none.
    """

    keys: tuple[tuple[str, str], ...]
    sources: tuple[str, ...]
    texts: tuple[tuple[str, ...], ...]
    group: Codes
    source: Codes
    value: Codes
    starts: npt.NDArray[np.int64]
    broader: Codes = field(default_factory=lambda: np.zeros((0, 3), np.int32))
    many: npt.NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, np.bool_))
    outside_list: npt.NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, np.bool_))

    def __len__(self) -> int:
        return len(self.group)

    @property
    def contested(self) -> npt.NDArray[np.bool_]:
        """(G,): whether a group has more than one value."""
        return np.array([len(t) > 1 for t in self.texts], np.bool_)


def claims_of(rows: Iterable[tuple[str, str, str, str]]) -> Claims:
    """Claims from (entity, attribute, source, value), values compared as text. Order of rows decides codes only."""
    groups: dict[tuple[str, str], dict[str, int]] = {}
    sources: dict[str, int] = {}
    seen: dict[tuple[int, int, int], None] = {}
    numbers: dict[tuple[str, str], int] = {}
    for entity, attribute, source, value in rows:
        key = (entity, attribute)
        values = groups.setdefault(key, {})
        number = numbers.setdefault(key, len(numbers))
        code = values.setdefault(value, len(values))
        seen[number, sources.setdefault(source, len(sources)), code] = None
    table = np.array(sorted(seen), np.int32).reshape(-1, 3)
    return grouped(tuple(groups), tuple(sources), tuple(tuple(v) for v in groups.values()), table)


def grouped(
    keys: Sequence[tuple[str, str]], sources: Sequence[str], texts: Sequence[tuple[str, ...]], table: Codes
) -> Claims:
    """Claims from a table (N, 3) of group, source, value, sorted by group and without repetitions."""
    starts = np.searchsorted(table[:, 0], np.arange(len(keys) + 1)).astype(np.int64)
    return Claims(tuple(keys), tuple(sources), tuple(texts), table[:, 0], table[:, 1], table[:, 2], starts)


def part_of(claims: Claims, wanted: npt.NDArray[np.bool_]) -> Claims:
    """Return the claims of some groups, (G,), numbered anew; sources stay."""
    if wanted.all():
        return claims
    number = np.cumsum(wanted) - 1
    mask = wanted[claims.group]
    groups = np.flatnonzero(wanted).tolist()
    table = np.column_stack((number[claims.group[mask]], claims.source[mask], claims.value[mask])).astype(np.int32)
    broader = claims.broader[wanted[claims.broader[:, 0]]]
    return replace(
        grouped([claims.keys[g] for g in groups], claims.sources, [claims.texts[g] for g in groups], table),
        broader=np.column_stack((number[broader[:, 0]], broader[:, 1:])).astype(np.int32),
        many=claims.many[wanted] if len(claims.many) else claims.many,
        outside_list=claims.outside_list[mask] if len(claims.outside_list) else claims.outside_list,
    )


def packed(*columns: npt.NDArray[np.signedinteger[Any]]) -> npt.NDArray[np.int64]:
    """One number per row, in the order of the rows; columns hold no negative numbers."""
    key = columns[0].astype(np.int64)
    for column in columns[1:]:
        key = key * (int(column.max(initial=0)) + 1) + column
    return key
