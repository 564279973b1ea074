"""Relations as texts and vectors: each relation text is embedded once, path vectors are composed."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Floats, Predicates
from hydra_kg.ports import Embedder
from hydra_kg.relations import relation_text
from hydra_kg.steps.hops import legs_of

Codes = npt.NDArray[np.int64]

ROOM = 1_000
"""Phrases of text that can become predicates in the course of a question."""

COMMON = 5_000
"""Predicates that count as common."""


class RelationSpace:
    """Texts and unit vectors of hop codes (see HopGraph) of one snapshot. Grows as codes are met; safe for threads.

    ``embed``: how relation texts become vectors, by default as all texts do; a cache may want to keep them for good.
    ``base``: that of another space, whose predicates are the first of these; codes then mean the same in both.
    ``learned``: float32 (d, d), what labelled questions taught about relations (see ``models.learned``), or None.
    """

    def __init__(
        self,
        predicates: Predicates,
        embedder: Embedder,
        *,
        embed: Callable[[Sequence[str]], Floats] | None = None,
        learned: Floats | None = None,
        base: int = 0,
    ) -> None:
        self.learned = learned
        self.predicates = predicates
        self.base = base or 2 * (len(predicates.ids) + ROOM)
        self.embedder = embedder
        self._embed = embed or embedder.embed
        self._lock = threading.Lock()  # a row's number and the row itself must become known together
        self._row: dict[int, int] = {}
        self._backward: dict[int, bool] = {}
        self._matrix: Floats = np.zeros((0, embedder.dimension), np.float32)
        stored = np.arange(len(predicates.ids)) < self.base // 2 - ROOM  # what a page says is common to nobody
        order = np.argsort(-predicates.counts[stored], kind="stable")[:COMMON].astype(np.int64)
        both = np.concatenate([2 * order, 2 * order + 1])
        # What is read against its direction says no more than the relation itself.
        self.common: Codes = both[[not self.backward(leg) for leg in both.tolist()]]
        """int64 (k,): legs of the commonest predicates, over which an expectation is formed."""
        self.words = frozenset(w for t in predicates.texts for w in t.casefold().split() if len(w) > 2)

    def leg_key(self, leg: int) -> tuple[str, bool]:
        """(key, read forward): walking a property backward reads its declared inverse where there is one."""
        key, inverse = self.predicates.keys[leg >> 1], self.predicates.inverse[leg >> 1]
        if leg & 1:
            return key, True
        return (inverse, True) if inverse else (key, False)

    def leg_text(self, leg: int) -> str:
        """The leg as words, in the direction walked."""
        key, forward = self.leg_key(leg)
        text = self.predicates.texts[leg >> 1] if key == self.predicates.keys[leg >> 1] else relation_text(key)
        return text if forward else f"{text} of"

    def backward(self, code: int) -> bool:
        """Whether some leg of the hop is read against its direction, for want of a declared inverse."""
        if code not in self._backward:
            self._backward[code] = any(not self.leg_key(leg)[1] for leg in legs_of(code, self.base))
        return self._backward[code]

    def key(self, code: int) -> str:
        """The hop's relation as the composite key ``a./b`` (``^a`` where walked backward without an inverse)."""
        return "./".join(k if forward else f"^{k}" for k, forward in map(self.leg_key, legs_of(code, self.base)))

    def text(self, code: int) -> str:
        """The hop's relation as words: last two segments, through a mediator followed by its slot."""
        legs = legs_of(code, self.base)
        return self.leg_text(legs[0]) if len(legs) == 1 else f"{self.leg_text(legs[0])} {self._slot(legs[1])}"

    def _slot(self, leg: int) -> str:
        key, forward = self.leg_key(leg)
        if "." not in key or "://" in key:
            return self.leg_text(leg)
        text = key.rsplit(".", 1)[-1].replace("_", " ")
        return text if forward else f"{text} of"

    def vectors(self, codes: Codes) -> Floats:
        """float32 (k, d): unit vectors of hop codes, int64 (k,)."""
        distinct, inverse = np.unique(codes, return_inverse=True)
        wanted, known = distinct.tolist(), self._row
        with self._lock:
            missing = [c for c in wanted if c not in known]
            if missing:
                found = self._embed([self.text(c) for c in missing])
                known.update(zip(missing, range(len(self._matrix), len(self._matrix) + len(missing)), strict=True))
                self._matrix = np.concatenate([self._matrix, found])
            rows, matrix = np.array([known[c] for c in wanted], np.int64), self._matrix
        return matrix[rows][inverse]

    def all_texts(self, pairs: npt.NDArray[np.int32]) -> list[str]:
        """Every text that a path of this snapshot can need; ``pairs`` as Snapshot.relation_pairs gives them."""
        return sorted({self.text(c) for c in self._all_codes(pairs)})

    def _all_codes(self, pairs: npt.NDArray[np.int32]) -> Iterable[int]:
        yield from range(2 * len(self.predicates.ids))
        wide = pairs.astype(np.int64)
        yield from ((2 * wide[:, 0] + wide[:, 1] + 1) * self.base + 2 * wide[:, 2] + wide[:, 3]).tolist()


def compose(parts: list[Floats]) -> Floats:
    """Unit vectors of paths from those of their hops: normalised sums; each part float32 (n, d)."""
    total = np.sum(np.stack(parts), axis=0)
    norm = np.linalg.norm(total, axis=1, keepdims=True)
    return np.asarray(total / np.maximum(norm, 1e-9), np.float32)
