"""Relations as texts and vectors: each relation text is embedded once, path vectors are composed."""

from __future__ import annotations

import copy
import threading
import zlib
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Floats, Predicates
from hydra_kg.phrases import relation_text
from hydra_kg.ports import Embedder
from hydra_kg.steps.graph.cut_hops import legs_of
from hydra_kg.util.cancelling import pause_counting
from hydra_kg.util.fast_dataclass import dataclass

T = TypeVar("T")
Codes = npt.NDArray[np.int64]

ROOM = 1_000
"""Phrases of text that can become predicates in the course of a question."""

COMMON = 5_000
"""Predicates that count as common."""


@dataclass(frozen=True, slots=True, eq=False)
class ExpectedRelations:
    """The relations of the snapshot, with which a path competes (relation competition).

    Args:
        codes: Hop codes, int64 (n,).
        vectors: Unit vectors of the relations, (n, d).
        domains: The type that each relation belongs to, int32 (n,), or -1.
        names: Names in addition to the types, int32 (n,) (:meth:`RelationSpace.called`).
    """

    codes: Codes
    vectors: Floats
    domains: npt.NDArray[np.int32]
    names: npt.NDArray[np.int32]

    def only(self, rows: npt.NDArray[np.bool_]) -> ExpectedRelations:
        """Return some of the relations; ``rows`` is bool (n,)."""
        return ExpectedRelations(self.codes[rows], self.vectors[rows], self.domains[rows], self.names[rows])


@dataclass(frozen=True, slots=True, eq=False)
class RelationScope:
    """The predicates of a part of a store: ``inside`` is bool (P,), ``name`` is unique in the snapshot."""

    name: str
    inside: npt.NDArray[np.bool_]


class RelationSpace:
    """Texts and unit vectors of the hop codes of one snapshot. The space grows and is thread-safe.

    ``embed`` makes the vectors of relation texts and may be cached. ``learned`` is the matrix (d, d) of
    ``models.learned``, or None.
    """

    def __init__(
        self,
        predicates: Predicates,
        embedder: Embedder,
        *,
        embed: Callable[[Sequence[str]], Floats] | None = None,
        learned: Floats | None = None,
    ) -> None:
        self.learned = learned
        self.predicates = predicates
        self.base = 2 * (len(predicates.ids) + ROOM)
        self.embedder = embedder
        self.keep = embed or embedder.embed
        """Makes vectors of texts that come back with every question."""
        self._stored = self._table = _Vectors(self.keep, embedder.dimension)
        self._legs = 2 * len(predicates.ids)
        # What is read against its direction says no more than the relation itself.
        self._against: npt.NDArray[np.bool_] = np.zeros(self._legs, np.bool_)
        self._against[::2] = [not key for key in predicates.inverse]
        self.common: Codes = self._common(np.ones(len(predicates.ids), np.bool_))
        """int64 (k,): legs of the commonest predicates, over which an expectation is formed."""
        self._scope: RelationScope | None = None
        self._shared: RelationSpace | None = None
        self.words = _words(predicates.texts)
        self._once: dict[Hashable, Any] = {}
        self._once_lock = threading.Lock()

    def question(self) -> RelationSpace:
        """Return a space for one question that shares vectors and can be extended (:meth:`extend`)."""
        mine = copy.copy(self)
        mine._shared = self
        mine._table = _Vectors(self.embedder.embed, self.embedder.dimension)
        return mine

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return what ``make()`` made at the first request of this key in the snapshot; later callers wait for it."""
        with self._once_lock:
            if key not in self._once:
                with pause_counting():
                    self._once[key] = make()
            made: T = self._once[key]
        return made

    @property
    def own(self) -> bool:
        """Return True if this is the space of one question, not the shared one."""
        return self._shared is not None

    def extend(self, predicates: Predicates) -> bool:
        """Add the phrases of a text as predicates after the known ones, and return False if there is no room.

        Raises ValueError for a shared space.
        """
        if not self.own:
            raise ValueError("phrases of one question have no place in what all questions share")
        if 2 * len(predicates.ids) > self.base:
            return False
        known, self.predicates = len(self.predicates.ids), predicates
        self._against = np.zeros(2 * len(predicates.ids), np.bool_)
        self._against[::2] = [not key for key in predicates.inverse]
        self.words = self.words | _words(predicates.texts[known:])
        return True

    def leg_key(self, leg: int) -> tuple[str, bool]:
        """Return (key, read forward); a property walked backward gives its declared inverse, read forward, if any."""
        key, inverse = self.predicates.keys[leg >> 1], self.predicates.inverse[leg >> 1]
        if leg & 1:
            return key, True
        return (inverse, True) if inverse else (key, False)

    def leg_text(self, leg: int) -> str:
        """Return the leg as words, in the direction walked."""
        key, forward = self.leg_key(leg)
        text = self.predicates.texts[leg >> 1] if key == self.predicates.keys[leg >> 1] else relation_text(key)
        return text if forward else f"{text} of"

    def backward(self, code: int) -> bool:
        """Return True if some leg of the hop is read against its direction because it has no declared inverse."""
        return any(bool(self._against[leg]) for leg in legs_of(code, self.base))

    def backwards(self, codes: Codes) -> npt.NDArray[np.bool_]:
        """Return for each of many hops whether :meth:`backward` is true of it, bool (k,)."""
        first, last = np.divmod(codes, self.base)
        return np.asarray(self._against[last] | np.where(first > 0, self._against[first - 1], False), np.bool_)

    def key(self, code: int) -> str:
        """Return the hop's relation as the composite key ``a./b`` (``^a`` where walked backward without an inverse)."""
        return "./".join(k if forward else f"^{k}" for k, forward in map(self.leg_key, legs_of(code, self.base)))

    def text(self, code: int) -> str:
        """Return the hop's relation as words: last two segments, through a mediator followed by its slot."""
        legs = legs_of(code, self.base)
        return self.leg_text(legs[0]) if len(legs) == 1 else f"{self.leg_text(legs[0])} {self._slot(legs[1])}"

    def _slot(self, leg: int) -> str:
        key, forward = self.leg_key(leg)
        if "." not in key or "://" in key:
            return self.leg_text(leg)
        text = key.rsplit(".", 1)[-1].replace("_", " ")
        return text if forward else f"{text} of"

    def confine(self, scope: RelationScope | None) -> None:
        """Admit only the relations of one part of the store, or those of all parts for None.

        So an own table's "composed" is not beaten by a dump's "composer of". Raises ValueError for a shared space.
        """
        if not self.own:
            raise ValueError("only the relations of one question can be confined to a part of the store")
        self._scope = scope

    @property
    def inside(self) -> npt.NDArray[np.bool_]:
        """Return which stored predicates compete in this question, bool (P,)."""
        return self._scope.inside if self._scope is not None else np.ones(self._legs // 2, np.bool_)

    def expected(self, pairs: Callable[[], npt.NDArray[np.int32]]) -> ExpectedRelations:
        """Return this question's competing legs and mediator slots, made once per part of the store."""
        shared, scope = self._shared or self, self._scope
        name = scope.name if scope is not None else None
        return shared.once(("expected", name), lambda: shared._expected(scope, pairs()))

    def _expected(self, scope: RelationScope | None, pairs: npt.NDArray[np.int32]) -> ExpectedRelations:
        legs = self.common if scope is None else self._common(scope.inside)
        wide, common = pairs.astype(np.int64), np.zeros(self.base, np.bool_)
        common[legs] = True
        first, last = 2 * wide[:, 0] + wide[:, 1], 2 * wide[:, 2] + wide[:, 3]
        there = common[first] & common[last]
        codes = np.concatenate([legs, ((first + 1) * self.base + last)[there]])
        domains = np.array([self.domain(c) for c in codes.tolist()], np.int32)
        names = np.array([self.called(c) for c in codes.tolist()], np.int32)
        return ExpectedRelations(codes, self.vectors(codes), domains, names)

    def _common(self, inside: npt.NDArray[np.bool_]) -> Codes:
        """Return the legs of the commonest of some stored predicates, int64 (k,)."""
        order = np.argsort(-self.predicates.counts, kind="stable").astype(np.int64)
        some = order[inside[order]][:COMMON]
        both = np.concatenate([2 * some, 2 * some + 1])
        return np.asarray(both[~self._against[both]], np.int64)

    def domain(self, code: int) -> int:
        """Return a number for the type in a hop's first key (``people.person``), -1 if inverse or untyped."""
        key, forward = self.leg_key(legs_of(code, self.base)[0])
        if not forward or key.count(".") < 2 or "://" in key:
            return -1
        return zlib.crc32(key.rsplit(".", 1)[0].encode()) >> 1

    def called(self, code: int) -> int:
        """Return a number for a relation's name without its type, -1 via mediators."""
        legs = legs_of(code, self.base)
        return zlib.crc32(self._slot(legs[0]).casefold().encode()) >> 1 if len(legs) == 1 else -1

    def vectors(self, codes: Codes) -> Floats:
        """Return the unit vectors of hop codes, float32 (k, d) for int64 (k,)."""
        distinct, inverse = np.unique(codes, return_inverse=True)
        first, last = np.divmod(distinct, self.base)
        from_text = (last >= self._legs) | (first > self._legs)  # with a phrase of this question
        if not from_text.any():
            return self._stored.of(distinct, self.text, inverse)
        out = np.empty((len(distinct), self.embedder.dimension), np.float32)
        for mine, table in ((from_text, self._table), (~from_text, self._stored)):
            some = distinct[mine]
            out[mine] = table.of(some, self.text, np.arange(len(some)))
        return out[inverse]

    @property
    def forward(self) -> Floats:
        """Return the vectors of all stored predicates, float32 (P, d)."""
        return self._stored.all_of(np.arange(1, self._legs, 2, dtype=np.int64), self.text)

    def all_texts(self, pairs: npt.NDArray[np.int32]) -> list[str]:
        """Return every text that a path of this snapshot can need; ``pairs`` are those of Snapshot.relation_pairs."""
        return sorted({self.text(c) for c in self._all_codes(pairs)})

    def _all_codes(self, pairs: npt.NDArray[np.int32]) -> Iterable[int]:
        yield from range(2 * len(self.predicates.ids))
        wide = pairs.astype(np.int64)
        yield from ((2 * wide[:, 0] + wide[:, 1] + 1) * self.base + 2 * wide[:, 2] + wide[:, 3]).tolist()


class _Vectors:
    """Vectors by code. Safe for threads."""

    def __init__(self, embed: Callable[[Sequence[str]], Floats], dimension: int) -> None:
        self._embed = embed
        self._lock = threading.Lock()  # codes, their rows and the rows themselves must become known together
        self._codes: Codes = np.empty(0, np.int64)
        self._rows = np.empty(0, np.intp)
        self._matrix: Floats = np.zeros((0, dimension), np.float32)
        self._all: Floats | None = None

    def of(self, codes: Codes, text: Callable[[int], str], places: npt.NDArray[np.intp]) -> Floats:
        """Return the vectors of ``codes[places]``; the codes are ascending and distinct."""
        with self._lock:
            if len(new := codes[~self._known(codes)]):
                found = self._embed([text(c) for c in new.tolist()])
                at = np.searchsorted(self._codes, new)
                self._rows = np.insert(self._rows, at, len(self._codes) + np.arange(len(new)))
                self._codes = np.insert(self._codes, at, new)
                if len(self._codes) > len(self._matrix):  # who still reads the smaller one finds all that he asked for
                    room = np.empty((2 * len(self._codes), found.shape[1]), np.float32)
                    room[: len(self._codes) - len(new)] = self._matrix[: len(self._codes) - len(new)]
                    self._matrix = room
                self._matrix[len(self._codes) - len(new) : len(self._codes)] = found
            rows, matrix = self._rows[np.searchsorted(self._codes, codes)], self._matrix
        return matrix[rows[places]]

    def all_of(self, codes: Codes, text: Callable[[int], str]) -> Floats:
        """Return the vectors of the codes, which must be the same in every call because they are stored together."""
        if self._all is None:
            self._all = self.of(codes, text, np.arange(len(codes)))
        return self._all

    def _known(self, codes: Codes) -> npt.NDArray[np.bool_]:
        at = np.searchsorted(self._codes, codes)
        known = at < len(self._codes)
        known[known] = self._codes[at[known]] == codes[known]
        return known


def _words(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(w for t in texts for w in t.casefold().split() if len(w) > 2)


def compose(parts: list[Floats]) -> Floats:
    """Return the unit vectors of paths from those of their hops: the normalised sums.

    Each part is float32 (n, d): the hops at one place of the paths.
    """
    total = sum(parts[1:], start=parts[0])
    norm = np.linalg.norm(total, axis=1, keepdims=True)
    return np.asarray(total / np.maximum(norm, 1e-9), np.float32)
