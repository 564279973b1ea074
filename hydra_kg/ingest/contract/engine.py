"""The interface of an engine that reads ranges of files outside this process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, Protocol, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

SHARED_DISK: Final = "Put it on a disk that all executors share, under one path."
"""The remedy if a file is not the same on all machines."""


class Engine(Protocol):
    """Runs a function on many items, here or elsewhere. Function, items and results can be pickled."""

    def run(self, do: Callable[[Item], Iterable[Result]], items: Sequence[Item]) -> Iterator[Result]:
        """Return the result of ``do`` for each item in their order, no matter how often and where it ran."""
