"""The cross-score at every level of the search (HydraRAG §4.2.1): relevance mixed with the support of a path."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Floats, Ids, LoadInfo, Subgraph
from hydra_kg.settings import Settings
from hydra_kg.steps.relevance.path_relevance import Relevance, unit
from hydra_kg.steps.retrieval.path_search import Tree

Bits = npt.NDArray[np.uint64]
"""Sets of voices, one bit each."""


class LevelScore:
    """Cross-scores of a tree's relation paths (§4.3) for use during the search.

    The score is α_cross · s_rel + (1 − α_cross) · (f1 + f2 + f3) / 3. f1 is ρ of the weakest hop. f2 counts the voices
    that state every hop, among paths of cosine ≥ γ (of the 4 · W_1 most relevant). f3 is 1.
    """

    def __init__(self, relevance: Relevance, cut: Subgraph, loads: Sequence[LoadInfo], settings: Settings) -> None:
        self._relevance, self._cut, self._settings = relevance, cut, settings
        by_kind = settings.verification.independence == "kind"
        origins = [{s.kind if by_kind else s.group for s in load.sources if s.rho > 0} for load in loads]
        number = {v: n for n, v in enumerate(sorted(set().union(*origins)))}
        self._rho = np.array([max((s.rho for s in load.sources), default=0.0) for load in loads], np.float32)
        self._bits = np.array([sum(1 << (number[v] % 64) for v in own) for own in origins], np.uint64)

    def __call__(self, tree: Tree) -> Floats:
        """Return the cross-score of each relation path of a tree, float32 (s,)."""
        settings, alpha = self._settings, self._settings.verification.alpha_cross
        rho, bits = self._behind(tree, np.arange(len(tree.path)))
        weakest = np.zeros(len(tree), np.float32)
        np.maximum.at(weakest, tree.path, rho)
        own = np.zeros(len(tree), np.uint64)
        np.bitwise_or.at(own, tree.path, bits)
        most = settings.pruning.w_max
        support = np.minimum(np.bitwise_count(self._supported(tree, own)), most) / most
        relevant = np.array([unit(s, settings) for s in tree.score.tolist()], np.float32)
        return np.asarray(alpha * relevant + (1 - alpha) * (weakest + support + 1) / 3, np.float32)

    def _behind(self, tree: Tree, rows: Ids) -> tuple[Floats, Bits]:
        """Return the least ρ of the hops of each instance, and the voices that state all of them."""
        rho, bits = np.ones(len(rows), np.float32), np.full(len(rows), np.uint64(2**64 - 1))
        for hop, at in tree.steps(rows):
            for edge in hop.edges(at).T:
                there = edge >= 0
                load = self._cut.segment[edge[there]]
                rho[there] = np.minimum(rho[there], self._rho[load])
                bits[there] &= self._bits[load]
        return rho, bits

    def _supported(self, tree: Tree, own: Bits) -> Bits:
        """Return the voices of each relation path, together with those of similar paths."""
        best = np.argsort(-tree.score, kind="stable")[: 4 * self._settings.pruning.w1]
        vectors = self._relevance.vectors(tree.codes[best])
        like = vectors @ vectors.T >= self._settings.verification.gamma
        found = own.copy()
        found[best] |= np.bitwise_or.reduce(np.where(like, own[best], np.uint64(0)), axis=1)
        return found
