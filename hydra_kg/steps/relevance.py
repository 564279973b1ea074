"""Relevance of relation paths to the skyline indicator (HydraRAG §4.3), composed from vectors embedded once."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Analysis, Floats
from hydra_kg.steps.context import Context
from hydra_kg.steps.relations import RelationSpace, compose

Codes = npt.NDArray[np.int64]


class Relevance:
    """Scores relation paths: cos(h(I), h(p)) + w_learned · mean over hops of h(I)ᵀ M h(r) + w_hint · hint
    + w_noun · cos(noun, last hop) − penalty · (hops − 1).

    M, where the space has one, was fitted on labelled questions; hop by hop, so that it serves paths of any length.

    hint = (1 − coverage) · best group + coverage · mean over groups, a group's score being the best cosine of its
    wordings over the hops. The mention of the topic is masked in I and topic names are left out of p: measured, naming
    them hurts. A hint counts half on a hop that is read against its direction, because it says what the answer is *of*
    the topic.
    """

    def __init__(
        self,
        space: RelationSpace,
        indicator: str,
        *,
        hints: Sequence[Sequence[str]] = (),
        coverage: float = 0.5,
        noun: str = "",
        noun_weight: float = 0.0,
        hint_weight: float = 0.4,
        hop_penalty: float = 0.3,
        learned_weight: float = 0.0,
    ) -> None:
        self.space = space
        vectors = space.embedder.embed([indicator, noun or indicator, *(h for group in hints for h in group)])
        self._indicator, self._noun = vectors[0], vectors[1]
        self._learned = None
        if space.learned is not None and learned_weight:
            self._learned = learned_weight * (self._indicator @ space.learned)
        ends = list(accumulate(map(len, hints), initial=2))
        self._hints = [vectors[a:b] for a, b in pairwise(ends)]
        self._coverage = coverage if len(hints) > 1 else 0.0
        self._noun_weight = noun_weight if noun else 0.0
        self._hint_weight, self._hop_penalty = hint_weight, hop_penalty

    def __call__(self, codes: Codes) -> Floats:
        """float32 (k,) for int64 (k, d)."""
        return self._scores(codes)[0]

    def _scores(self, codes: Codes) -> tuple[Floats, Floats]:
        """What ``__call__`` gives, and the same without what was learned."""
        distinct, inverse = np.unique(codes, return_inverse=True)
        inverse = inverse.reshape(codes.shape)
        vectors = self.space.vectors(distinct)
        total = compose([vectors[inverse[:, j]] for j in range(codes.shape[1])])
        plain = total @ self._indicator
        score = plain if self._learned is None else plain + (vectors @ self._learned)[inverse].mean(axis=1)
        terms = []
        if self._hints and len(distinct):
            terms.append(self._hint_weight * self._hinted(distinct, vectors, inverse))
        if self._noun_weight:
            terms.append(self._noun_weight * (vectors @ self._noun)[inverse[:, -1]])
        for term in terms:
            score, plain = score + term, plain + term
        price = self._hop_penalty * (codes.shape[1] - 1)
        return np.asarray(score - price, np.float32), np.asarray(plain - price, np.float32)

    def _hinted(self, distinct: Codes, vectors: Floats, inverse: npt.NDArray[np.intp]) -> Floats:
        """float32 (k,): how well the hops of each path say what the hints say."""
        backward = np.array([self.space.backward(c) for c in distinct.tolist()])
        groups = [(vectors @ group.T).max(axis=1) * np.where(backward, 0.5, 1.0) for group in self._hints]
        best = np.stack([g[inverse].max(axis=1) for g in groups])  # (groups, k)
        mixed = (1 - self._coverage) * best.max(axis=0) + self._coverage * best.mean(axis=0)
        return np.asarray(mixed, np.float32)

    def vectors(self, codes: Codes) -> Floats:
        """float32 (k, d): composed vectors of relation paths."""
        return compose([self.space.vectors(codes[:, j]) for j in range(codes.shape[1])])

    def shortfall(self, codes: Codes, bonus: float = 0.0) -> float:
        """What a path (int64 (d,); ``bonus`` for what else it satisfies) lacks to a path of its length whose relations
        fit the question as well as the best of all common ones does, whomever that is stated of; at least 0.

        Measured with what was learned and without, the less of both: what was learned knows the wording of one graph,
        and another graph's wording of the same relation does not fall short.
        """
        price = self._hop_penalty * (len(codes) - 1)
        both = zip(self._scores(self.space.common[:, None]), self._scores(codes[None, :]), strict=True)
        return max(0.0, min(float(best.max()) - price - float(own[0]) - bonus for best, own in both))

    def rank(self) -> Floats:
        """float32 (P,): the rank of each predicate for truncation, similarity rounded to 1e-3 (design, "One order")."""
        forward = np.arange(1, 2 * len(self.space.predicates.ids), 2, dtype=np.int64)
        wanted = self._indicator if self._learned is None else self._indicator + self._learned
        similarity = self.space.vectors(forward) @ wanted
        return np.asarray(np.round(similarity, 3), np.float32)


def relevance_of(context: Context, analysis: Analysis) -> Relevance:
    """Relevance to the analysis' indicator, with the settings' weights."""
    settings = context.settings
    return Relevance(
        context.space,
        analysis.indicator,
        hints=analysis.hints,
        coverage=settings.hint_coverage,
        noun=analysis.answer_noun,
        noun_weight=settings.noun_weight,
        hint_weight=settings.hint_weight,
        learned_weight=settings.learned_weight,
        hop_penalty=settings.composed_penalty if analysis.composed else settings.hop_penalty,
    )
