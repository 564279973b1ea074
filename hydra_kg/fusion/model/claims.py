"""Claims as columns: which source states which value of which attribute of which entity, by group."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from hydra_kg.util.fast_dataclass import dataclass, field, replace

Codes = npt.NDArray[np.int32]
_T = TypeVar("_T", bound=Hashable)


class Numbered(defaultdict[_T, int]):
    """Dictionary encoding: numbers distinct things in the order of first mention."""

    def __init__(self) -> None:
        super().__init__(self.__len__)

    def column(self, things: Iterable[_T]) -> Codes:
        """Return the numbers of things, looked up without a Python step for each."""
        return np.fromiter(map(self.__getitem__, things), np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class StatementColumns:
    """Statements as columns.

    ``codes`` (N, 4) has entity, attribute, source and value, as indices into the four parts of ``names``.
    """

    codes: Codes
    names: tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Claims:
    """N claims in G groups; a group is all claims on one attribute of one entity (MultiRAG, Definition 3).

    - ``group`` (N,), ascending, ``source`` (N,) and ``value`` (N,): the columns of the claims. ``value`` is a code
      within the group, from 0 in the order of first mention. Two claims of a group with the same code state the same
      value. A source states each value of a group once.
    - ``starts`` (G + 1,): where the claims of each group begin.
    - ``texts[g][v]``: the value as a source wrote it; where values were read by kind, as most sources wrote it.
    - ``keys[g]``: the entity and attribute of a group.
    - ``sources[s]``: the name of a source.
    - ``broader`` (B, 3): a group, a value, and a less specific form of that value in the same group.
    - ``many`` (G,): whether several values of a group may be true together; empty if no group has several.
    - ``outside_list`` (N,): claims that contradict the list of their own source instead of being part of it; empty for
      none.
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
        """Whether each group has more than one value (G,)."""
        return np.array([len(t) > 1 for t in self.texts], np.bool_)


def claims_of(rows: Iterable[tuple[str, str, str, str]]) -> Claims:
    """Return claims from rows of (entity, attribute, source, value), with values compared as text.

    The order of the rows only decides the codes.
    """
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
    return group_claims(tuple(groups), tuple(sources), tuple(tuple(v) for v in groups.values()), table)


def group_claims(
    keys: Sequence[tuple[str, str]], sources: Sequence[str], texts: Sequence[tuple[str, ...]], table: Codes
) -> Claims:
    """Return claims from a table (N, 3) of group, source and value, sorted by group and without repetitions."""
    starts = np.searchsorted(table[:, 0], np.arange(len(keys) + 1)).astype(np.int64)
    return Claims(tuple(keys), tuple(sources), tuple(texts), table[:, 0], table[:, 1], table[:, 2], starts)


def part_of(claims: Claims, wanted: npt.NDArray[np.bool_]) -> Claims:
    """Return the claims of the ``wanted`` (G,) groups, which are renumbered; sources keep their numbers."""
    if wanted.all():
        return claims
    number = np.cumsum(wanted) - 1
    mask = wanted[claims.group]
    groups = np.flatnonzero(wanted).tolist()
    table = np.column_stack((number[claims.group[mask]], claims.source[mask], claims.value[mask])).astype(np.int32)
    broader = claims.broader[wanted[claims.broader[:, 0]]]
    return replace(
        group_claims([claims.keys[g] for g in groups], claims.sources, [claims.texts[g] for g in groups], table),
        broader=np.column_stack((number[broader[:, 0]], broader[:, 1:])).astype(np.int32),
        many=claims.many[wanted] if len(claims.many) else claims.many,
        outside_list=claims.outside_list[mask] if len(claims.outside_list) else claims.outside_list,
    )


def pack_columns(*columns: npt.NDArray[np.signedinteger[Any]]) -> npt.NDArray[np.int64]:
    """Return one number for each row, in the order of the rows; the columns must not contain negative numbers."""
    key = columns[0].astype(np.int64)
    for column in columns[1:]:
        key = key * (int(column.max(initial=0)) + 1) + column
    return key
