"""Relevance of relation paths to the skyline indicator (HydraRAG §4.3), composed from vectors embedded once."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property
from itertools import accumulate, pairwise

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Analysis, Floats
from hydra_kg.ports import Snapshot
from hydra_kg.steps.context import Context
from hydra_kg.steps.relations import Expected, RelationSpace, compose

Codes = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Places = npt.NDArray[np.intp]

SHARP = 20.0
"""Inverse temperature at which what was learned is a distribution over relations (``bench/fit_relevance.py``)."""


def _none() -> npt.NDArray[np.int32]:
    return np.zeros((0, 4), np.int32)


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
        snapshot: Snapshot | None = None,
    ) -> None:
        self.space = space
        self._snapshot = snapshot
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
        return self._mixed(self.space.vectors(distinct), self.space.backwards(distinct), inverse.reshape(codes.shape))

    def _mixed(self, vectors: Floats, backward: Flags, places: Places | None) -> tuple[Floats, Floats]:
        """The same for paths whose hops are rows of ``vectors``, float32 (n, d); None: each row is a path of one."""
        total = vectors if places is None else compose([vectors[places[:, j]] for j in range(places.shape[1])])
        plain = total @ self._indicator
        score = plain
        if self._learned is not None:
            taught = vectors @ self._learned
            score = plain + (taught if places is None else taught[places].mean(axis=1))
        terms = []
        if self._hints and len(vectors):
            terms.append(self._hint_weight * self._hinted(vectors, backward, places))
        if self._noun_weight:
            asked = vectors @ self._noun
            terms.append(self._noun_weight * (asked if places is None else asked[places[:, -1]]))
        for term in terms:
            score, plain = score + term, plain + term
        price = 0.0 if places is None else self.price(places.shape[1])
        return np.asarray(score - price, np.float32), np.asarray(plain - price, np.float32)

    def price(self, hops: int) -> float:
        """What the hops after the first cost."""
        return self._hop_penalty * (hops - 1)

    def _hinted(self, vectors: Floats, backward: Flags, places: Places | None) -> Floats:
        """float32 (k,): how well the hops of each path say what the hints say."""
        groups = [(vectors @ group.T).max(axis=1) * np.where(backward, 0.5, 1.0) for group in self._hints]
        best = np.stack([g if places is None else g[places].max(axis=1) for g in groups])  # (groups, k)
        mixed = (1 - self._coverage) * best.max(axis=0) + self._coverage * best.mean(axis=0)
        return np.asarray(mixed, np.float32)

    def vectors(self, codes: Codes) -> Floats:
        """float32 (k, d): composed vectors of relation paths."""
        return compose([self.space.vectors(codes[:, j]) for j in range(codes.shape[1])])

    def lacks(self, codes: Codes, bonus: float, measure: int, domains: Collection[int] | None = None) -> float:
        """What a path (int64 (d,); ``bonus`` for what else it satisfies) lacks to a path of its length whose relations
        fit the question as well as the best of all that are expected does, whomever that is stated of; at least 0.

        ``measure``: 0 with what was learned, 1 without · ``domains``: only among relations of these types. What was
        learned knows the wording of one graph: what lacks by one measure alone may be another graph's wording.
        """
        best = self._best[measure]
        if domains is not None:
            best = best[np.isin(self._expected.domains, list(domains))]
        own = float(self._scores(codes[None, :])[measure][0]) + self.price(len(codes)) + bonus
        return max(0.0, float(best.max(initial=0.0)) - own)

    def unmet(self, scores: Floats) -> float:
        """log Σ exp(20 s) / 20 over all that is expected, less the same over ``scores`` (float32 (n,), without the
        price of hops): how much of what the question may mean is stated of others only."""
        return _softmax(self._best[0]) - _softmax(scores)

    @cached_property
    def _expected(self) -> Expected:
        return self.space.expected(self._snapshot.relation_pairs if self._snapshot is not None else _none)

    @cached_property
    def _best(self) -> tuple[Floats, Floats]:
        return self._mixed(self._expected.vectors, np.zeros(len(self._expected.codes), np.bool_), None)

    def rank(self) -> Floats:
        """float32 (P,): the rank of each stored predicate for truncation, similarity rounded to 1e-3 (design, "One
        order")."""
        return self._rank

    @cached_property
    def _rank(self) -> Floats:
        wanted = self._indicator if self._learned is None else self._indicator + self._learned
        return np.asarray(np.round(self.space.forward @ wanted, 3), np.float32)


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
        snapshot=context.snapshot,
    )


def _softmax(scores: Floats) -> float:
    """log Σ exp(20 s) / 20, -1 at least."""
    if not len(scores):
        return -1.0
    top = float(scores.max())
    return max(-1.0, top + float(np.log(np.exp(SHARP * (scores - top)).sum())) / SHARP)
