"""A cache for results that depend on a set of loads, and the sample from which they are computed."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from functools import lru_cache
from typing import Generic, TypeVar

from hydra_kg.ports import Snapshot

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")


class _Known(Generic[T]):
    found: T | None = None


class Once(Generic[K, T]):
    """Cache of ``find(snapshot, subject)`` by loads, for the ``most`` recent ones.

    It is thread-safe, but may compute a result twice.
    """

    def __init__(self, find: Callable[[Snapshot, K], T], *, most: int) -> None:
        self._find = find
        self._known: Callable[..., _Known[T]] = lru_cache(maxsize=most)(lambda loads, about: _Known[T]())

    def __call__(self, snapshot: Snapshot, about: K) -> T:
        """Return the cached result, which is computed on first use."""
        loads = tuple((m.name, m.checksum, m.created, m.facts) for m in snapshot.manifest())
        known = self._known(loads, about)
        if known.found is None:
            known.found = self._find(snapshot, about)
        return known.found


def classes_from(snapshot: Snapshot, starts: Iterable[int | None], page: int) -> list[int]:
    """Return the ``page`` classes after each of some ids (None: the first ones), ascending, each once."""
    return sorted({c for start in starts for c in _page(snapshot, start, page)})


def _page(snapshot: Snapshot, after: int | None, page: int) -> list[int]:
    """Return the ``page`` classes after one id, in several calls if the store returns fewer at a time."""
    found: list[int] = []
    while len(found) < page and len(more := snapshot.all_classes(after=after, limit=page - len(found))):
        found += more.tolist()
        after = found[-1]
    return found
