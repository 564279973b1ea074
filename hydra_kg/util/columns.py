"""Long columns of numbers, taken apart and put in order in half the time that numpy's plain indexing needs."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from hydra_kg.util.cancelling import check

D = TypeVar("D", bound=np.generic)
Places = npt.NDArray[np.integer[Any]]


def take_rows(column: npt.NDArray[D], places: Places) -> npt.NDArray[D]:
    """``column[places]``. Nothing is checked, so all places must be good, from 0 on. A question that was stopped ends
    here: every search and every cut comes by."""
    check()
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
    """Places of the values, from 0 on, in ascending order, equal ones in their own: digit by digit, which sorts many in
    a third of the time."""
    low = np.argsort(values.astype(np.uint16), kind="stable")
    high = (values >> 16).astype(np.uint16)
    return low[np.argsort(high[low], kind="stable")]
