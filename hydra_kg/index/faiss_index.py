"""Exact nearest neighbours of path embeddings by cosine. FAISS finds candidates, and one fixed order decides."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Floats, Ids

_SLACK = 1e-6  # more than float32 sums of 384 products can be off; so γ = 1 still finds an equal vector


class PathIndex:
    """An exact ``VectorIndex`` over unit vectors (``IndexFlatIP``).

    FAISS finds candidates. Their scores are recomputed in float64, and ties are ordered by id, so that results do not
    depend on the batch. The index is filled with the pool of paths of one question and then dropped.
    """

    def __init__(self, dimension: int) -> None:
        import faiss

        faiss.omp_set_num_threads(1)  # a pool of some hundred vectors: waking threads costs more than the sums
        self.dimension = dimension
        self._flat: Any = faiss.IndexFlatIP(dimension)
        self._ids: Ids = np.empty(0, dtype=np.int64)

    def __len__(self) -> int:
        return len(self._ids)

    def add(self, ids: Ids, vectors: Floats) -> None:
        """Add n unit vectors (n, d) under n ids. Raises ValueError for wrong shapes, lengths or known ids."""
        ids = np.asarray(ids, dtype=np.int64)
        vectors = self._checked(vectors)
        if ids.shape != (len(vectors),):
            raise ValueError(f"{len(vectors)} vectors need as many ids, not {ids.shape}")
        if np.unique(ids).size < ids.size or np.isin(ids, self._ids).any():
            raise ValueError("every id may be added once")
        if not np.allclose(np.einsum("nd,nd->n", vectors, vectors), 1.0, atol=1e-3):
            raise ValueError("vectors must be of length 1")
        self._flat.add(vectors)
        self._ids = np.concatenate([self._ids, ids])

    def search(self, vectors: Floats, k: int) -> tuple[Ids, Floats]:
        """Return the k nearest of n queries (n, d): ids (n, k), cosines (n, k), best first, ties by id."""
        queries = self._checked(vectors)
        ids = np.full((len(queries), k), -1, dtype=np.int64)
        cosines = np.full((len(queries), k), -1.0, dtype=np.float32)
        if not len(self) or not len(queries) or k < 1:
            return ids, cosines
        scores, places = self._flat.search(queries, min(k + 1, len(self)))
        for row, query in enumerate(queries):
            candidates = places[row]
            if len(self) > k and scores[row, k] >= scores[row, k - 1] - _SLACK:
                # The k-th is tied: fetch all that might share its score, FAISS kept an arbitrary few of them.
                candidates = self._at_least(query[None, :], float(scores[row, k - 1]))[0]
            found, cosine = self._ordered(query, candidates)
            ids[row, : len(found[:k])] = found[:k]
            cosines[row, : len(found[:k])] = cosine[:k]
        return ids, cosines

    def within(self, vectors: Floats, gamma: float) -> list[tuple[Ids, Floats]]:
        """Return for each query the ids in ascending order whose cosine is at least ``gamma``, and their cosines.

        This is Supp of HydraRAG §4.3.
        """
        queries = self._checked(vectors)
        if not len(self) or not len(queries):
            return [(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32)) for _ in queries]
        results = []
        for query, candidates in zip(queries, self._at_least(queries, gamma), strict=True):
            found, cosine = self._ordered(query, candidates)
            near = cosine >= np.float32(gamma - _SLACK)
            order = np.argsort(found[near], kind="stable")
            results.append((found[near][order], cosine[near][order]))
        return results

    def _checked(self, vectors: Floats) -> Floats:
        rows = np.ascontiguousarray(vectors, dtype=np.float32)
        if rows.ndim != 2 or rows.shape[1] != self.dimension:
            raise ValueError(f"vectors of shape {rows.shape}, expected (n, {self.dimension})")
        return rows

    def _at_least(self, queries: Floats, score: float) -> list[npt.NDArray[np.int64]]:
        """Return, for each query, the places of all vectors whose FAISS score may be at least ``score``."""
        limits, _, places = self._flat.range_search(queries, score - 2 * _SLACK)
        return [places[limits[i] : limits[i + 1]] for i in range(len(queries))]

    def _ordered(self, query: Floats, places: npt.NDArray[np.int64]) -> tuple[Ids, Floats]:
        """Return ids and cosines of candidates, best first. Equal ones are ordered by id."""
        rows = self._flat.reconstruct_batch(places).astype(np.float64)
        # A product and a sum per row, not a matrix product: equal rows must give equal scores wherever they lie.
        exact = (rows * query.astype(np.float64)).sum(axis=1).astype(np.float32)
        order = np.lexsort((self._ids[places], -exact))
        return self._ids[places][order], exact[order]
