"""Who runs what is read range by range, where this process shall not do it alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, Protocol, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

SHARED_DISK: Final = "Put it on a disk that all executors share, under one path."
"""The remedy where a file is not the same everywhere."""


class Engine(Protocol):
    """Runs a function on many items, here or elsewhere. The function, the items and the results can be pickled."""

    def run(self, do: Callable[[Item], Iterable[Result]], items: Sequence[Item]) -> Iterator[Result]:
        """Return what ``do`` gives for each item, in the order of the items, however often and wherever it ran."""
