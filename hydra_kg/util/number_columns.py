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
"""Inverse of the density up to which a set of numbers is sorted. A denser set is marked in an array of its range."""


def take_rows(column: npt.NDArray[D], places: Places) -> npt.NDArray[D]:
    """Return ``column[places]`` without bounds checks.

    Stop here if the question was stopped, since every search passes.
    """
    check(len(places))
    return column.take(places, mode="clip")


def match(ascending: npt.NDArray[Any], wanted: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Return the position of each wanted number in an ascending array, -1 where it is missing."""
    if len(ascending) == 0:
        return np.full(len(wanted), -1, np.int64)
    at = np.minimum(np.searchsorted(ascending, wanted), len(ascending) - 1)
    return np.where(ascending[at] == wanted, at, -1)


def put_at(column: npt.NDArray[Any], places: Places, values: Any) -> None:
    """Assign ``column[places] = values``, in a third of the time if the places are narrower than numpy's index type."""
    column[places.astype(np.intp, copy=False)] = values


def radix_argsort(values: npt.NDArray[np.int32]) -> npt.NDArray[np.intp]:
    """Return the stable ascending order of values from 0 on, by a radix sort."""
    low = np.argsort(values.astype(np.uint16), kind="stable")
    high = (values >> 16).astype(np.uint16)
    return low[np.argsort(high[low], kind="stable")]


def distinct(numbers: Numbers, size: int) -> Numbers:
    """Return the distinct numbers in ascending order. All numbers must be below ``size``."""
    if len(numbers) * _SPARSE < size:
        return sort_distinct(numbers)
    seen = np.zeros(size, np.bool_)
    seen[numbers] = True
    return np.flatnonzero(seen)


def sort_distinct(numbers: Numbers) -> Numbers:
    """Return the distinct numbers in ascending order by sorting.

    Numpy's hashing is ten times slower for many numbers.
    """
    ordered = np.sort(numbers)
    distinct_ones: Numbers = ordered[np.diff(ordered, prepend=ordered[:1] - 1) != 0]
    return distinct_ones


def intersect(one: Numbers, other: Numbers) -> Numbers:
    """Return the numbers in both arrays, which are ascending without repetitions.

    The time grows with the smaller array.
    """
    small, large = (one, other) if len(one) <= len(other) else (other, one)
    return small[match(large, small) >= 0]


def contains(ascending: Numbers, wanted: Numbers) -> npt.NDArray[np.bool_]:
    """Return for each wanted number whether it is in an ascending array."""
    return match(ascending, wanted) >= 0


def subtract(one: Numbers, other: Numbers) -> Numbers:
    """Return the numbers of ``one`` that are not in ``other``. Both are ascending without repetitions."""
    return one[match(other, one) < 0]


def in_both(one: Numbers, other: Numbers) -> Numbers:
    """Return the numbers in both arrays in ascending order, each once."""
    return intersect(sort_distinct(one), sort_distinct(other))


def in_first(one: Numbers, other: Numbers) -> Numbers:
    """Return the numbers of ``one`` that are not in ``other`` in ascending order, each once."""
    return subtract(sort_distinct(one), sort_distinct(other))


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
    """Return the places of several ranges in a row: ``counts[i]`` places from ``low[i]`` on."""
    ends = np.cumsum(counts)
    return np.repeat(low - ends + counts, counts) + np.arange(ends[-1] if len(ends) else 0)
