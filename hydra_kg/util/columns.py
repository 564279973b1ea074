"""Long columns of numbers: indexing, sorting, sets, and an index from numbers to the columns that contain them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, TypeVar

import numpy as np
import numpy.typing as npt

from hydra_kg.util.cancelling import check

D = TypeVar("D", bound=np.generic)
Places = npt.NDArray[np.integer[Any]]
Numbers = npt.NDArray[np.int64]

_SPARSE: Final = 8
"""A set whose numbers are fewer than this share of their range is sorted; a denser one is ticked off in an array."""


def take_rows(column: npt.NDArray[D], places: Places) -> npt.NDArray[D]:
    """Return ``column[places]`` unchecked; stop here if the question was stopped, since every search passes."""
    check(len(places))
    return column.take(places, mode="clip")


def match(ascending: npt.NDArray[Any], wanted: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Position of each wanted number in an ascending array, -1 where it is not there."""
    if len(ascending) == 0:
        return np.full(len(wanted), -1, np.int64)
    at = np.minimum(np.searchsorted(ascending, wanted), len(ascending) - 1)
    return np.where(ascending[at] == wanted, at, -1)


def put(column: npt.NDArray[Any], places: Places, values: Any) -> None:
    """``column[places] = values``, a third of the time for places narrower than those that numpy counts in."""
    column[places.astype(np.intp, copy=False)] = values


def in_order(values: npt.NDArray[np.int32]) -> npt.NDArray[np.intp]:
    """Return the stable ascending order of values from 0 on, by a radix sort."""
    low = np.argsort(values.astype(np.uint16), kind="stable")
    high = (values >> 16).astype(np.uint16)
    return low[np.argsort(high[low], kind="stable")]


def distinct(numbers: Numbers, size: int) -> Numbers:
    """Return the distinct numbers in ascending order. ``size``: all numbers are below it."""
    if len(numbers) * _SPARSE < size:
        return sorted_distinct(numbers)
    seen = np.zeros(size, np.bool_)
    seen[numbers] = True
    return np.flatnonzero(seen)


def sorted_distinct(numbers: Numbers) -> Numbers:
    """Return the distinct numbers in ascending order, by sorting: numpy hashes them, a tenth as fast for many."""
    ordered = np.sort(numbers)
    distinct_ones: Numbers = ordered[np.diff(ordered, prepend=ordered[:1] - 1) != 0]
    return distinct_ones


def intersect(one: Numbers, other: Numbers) -> Numbers:
    """Return the numbers in both arrays. Both are ascending without repetitions. The time grows with the smaller."""
    small, large = (one, other) if len(one) <= len(other) else (other, one)
    return small[match(large, small) >= 0]


def contains(ascending: Numbers, wanted: Numbers) -> npt.NDArray[np.bool_]:
    """Tell for each wanted number whether it is in an ascending array."""
    return match(ascending, wanted) >= 0


def subtract(one: Numbers, other: Numbers) -> Numbers:
    """Return the numbers of ``one`` that are not in ``other``. Both are ascending without repetitions."""
    return one[match(other, one) < 0]


class Incidence:
    """Index from numbers to the ``columns`` (ascending, numbers below ``size``) that contain them."""

    def __init__(self, columns: Sequence[Numbers], size: int) -> None:
        self._count = len(columns)
        firsts = [c[np.flatnonzero(np.diff(c, prepend=-1))] for c in columns]
        numbers = np.concatenate([*firsts, np.zeros(0, np.int64)])
        which = np.repeat(np.arange(self._count), [len(f) for f in firsts])
        self._which = which[np.argsort(numbers, kind="stable")]
        self._first = np.concatenate([[0], np.cumsum(np.bincount(numbers, minlength=size))])

    def at(self, numbers: Numbers) -> Numbers:
        """Return the places of the columns that contain any of some numbers, ascending."""
        low, counts = self._first[numbers], self._first[numbers + 1] - self._first[numbers]
        return distinct(self._which[spread(low, counts)], self._count)


def spread(low: Numbers, counts: Numbers) -> Numbers:
    """Return the places of several stretches in a row: ``counts[i]`` places from ``low[i]`` on."""
    ends = np.cumsum(counts)
    return np.repeat(low - ends + counts, counts) + np.arange(ends[-1] if len(ends) else 0)
