"""Relevance of relation paths to the skyline indicator (HydraRAG §4.3), composed from vectors embedded once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Analysis, Floats, Path
from hydra_kg.language.relation_phrases import states_date
from hydra_kg.ports import Snapshot
from hydra_kg.settings import Settings
from hydra_kg.steps.context import Context
from hydra_kg.steps.graph.relation_space import ExpectedRelations, RelationSpace, compose
from hydra_kg.util.cancelling import alive, check

HINT_AGAINST: Final = 0.5  # weight of a hint on a hop that is read against its direction, 0 to 1 (offline)
HINT_COVERAGE: Final = 0.5  # share of the hint score that is the mean over groups of hints, the rest the best one


Codes = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Places = npt.NDArray[np.intp]

HINTED: Final = 0.85  # cosine from which a relation says the same as a hint

SHARP = 20.0
"""Inverse temperature of the learned relevance (``bench/training/fit_relevance.py``); fitted with ``CEILING``."""

CEILING = 2.5
"""Relevance that maps to 1: cosine 1, a full hint, and what was learned agrees."""

BLOCK = 1_024
"""Paths that are composed at a time: their vectors stay in the processor's cache."""


class ClauseChain(Protocol):
    """A question as several clauses, in order, each to be explained by hops of its own (see ``steps.nested``)."""

    def scores(self, codes: Codes) -> Floats:
        """Return the scores of paths of more than one hop, hop by hop (int64 (k, d)), as Relevance does."""

    def lead(self, codes: Codes) -> Floats:
        """Return the scores of beginnings of longer paths, which leave the last clauses open, float32 (k,)."""

    def reached(self, codes: Codes) -> dict[int, int]:
        """Return, by the number of clauses explained, the number of hops of a path (int64 (d,)) that explain them."""

    def unexplained(self, codes: Codes) -> float:
        """Return how far a path (int64 (d,)) is from the relation that fits its least explained clause best."""


def _none() -> npt.NDArray[np.int32]:
    return np.zeros((0, 4), np.int32)


class Relevance:
    """The relevance of relation paths to a question.

    The score of a path is cos(h(I), h(p)) + w_learned · mean over hops of h(I)ᵀ M h(r) + w_hint · hint + w_noun ·
    cos(noun, last hop) − penalty · (hops − 1).

    M, where the space has one, was fitted on labelled questions; it is applied hop by hop, so that it serves paths of
    any length.

    hint = (1 − coverage) · best group + coverage · mean over groups, a group's score being the best cosine of its
    wordings over the hops. The mention of the topic is masked in I and topic names are left out of p, because
    measurements show that naming them hurts. A hint counts less (``against``) on a hop that is read against its
    direction, because it says what the answer is *of* the topic.
    """

    def __init__(
        self,
        space: RelationSpace,
        indicator: str,
        *,
        hints: Sequence[Sequence[str]] = (),
        coverage: float = 0.5,
        against: float = 0.5,
        noun: str = "",
        noun_weight: float = 0.0,
        hint_weight: float = 0.0,
        hop_penalty: float = 0.0,
        learned_weight: float = 0.0,
        snapshot: Snapshot | None = None,
        chain: ClauseChain | None = None,
        dated: bool = False,
    ) -> None:
        self.space = space
        self.chain = chain
        self._snapshot, self._dated = snapshot, dated
        vectors = space.embedder.embed([indicator, noun or indicator, *(h for group in hints for h in group)])
        self._indicator, self._noun = vectors[0], vectors[1]
        self._learned = None
        if space.learned is not None and learned_weight:
            self._learned = learned_weight * (self._indicator @ space.learned)
        taught = self._indicator if self._learned is None else self._learned
        self._asked = np.vstack([vectors[:2], taught, vectors[2:]])  # all that hops are compared with
        self._hints = list(pairwise(accumulate(map(len, hints), initial=3)))
        self._coverage = coverage if len(hints) > 1 else 0.0
        self._noun_weight = noun_weight if noun else 0.0
        self._hint_weight, self._hop_penalty, self._against = hint_weight, hop_penalty, against

    def __call__(self, codes: Codes) -> Floats:
        """Return the score of each path, float32 (k,), for hop codes int64 (k, d). Raises StoppedError."""
        check()
        distinct, inverse = np.unique(codes, return_inverse=True)
        places = inverse.reshape(codes.shape)
        score = self._mixed(self.space.vectors(distinct), self.space.backwards(distinct), places)
        return score if self.chain is None or codes.shape[1] == 1 else np.maximum(score, self.chain.scores(codes))

    def _mixed(self, vectors: Floats, backward: Flags, places: Places | None) -> Floats:
        """Return the score of paths whose hops are rows of ``vectors``, float32 (n, d).

        ``places`` has the rows of each path's hops; None: each row is a path of one hop.
        """
        if places is None:  # tens of thousands: one product reads them once
            like = vectors @ self._asked.T
            score = like[:, 0]
        else:  # one by one: the last bit of what a hop scores must not depend on how many others are scored with it
            like = np.stack([vectors @ asked for asked in self._asked], axis=1)
            score = self._like_indicator(vectors, places)
        if self._learned is not None:
            score = score + (like[:, 2] if places is None else like[:, 2][places].mean(axis=1))
        if self._hints and len(vectors):
            score = score + self._hint_weight * self._hinted(like, backward, places)
        if self._noun_weight:
            score = score + self._noun_weight * like[:, 1][slice(None) if places is None else places[:, -1]]
        price = 0.0 if places is None else self.price(places.shape[1])
        return np.asarray(score - price, np.float32)

    def _like_indicator(self, vectors: Floats, places: Places) -> Floats:
        """Return the cosine of the indicator and each composed path, float32 (k,)."""
        some = (alive(places[at : at + BLOCK]) for at in range(0, max(len(places), 1), BLOCK))
        return np.concatenate([compose([vectors[p] for p in rows.T]) @ self._indicator for rows in some])

    def price(self, hops: int) -> float:
        """Return the length penalty, which counts the hops after the first."""
        return self._hop_penalty * (hops - 1)

    def _hinted(self, like: Floats, backward: Flags, places: Places | None) -> Floats:
        """Return how well the hops of each path match the hints, float32 (k,)."""
        groups = [like[:, a:b].max(axis=1) * np.where(backward, self._against, 1.0) for a, b in self._hints]
        best = np.stack([g if places is None else g[places].max(axis=1) for g in groups])  # (groups, k)
        mixed = (1 - self._coverage) * best.max(axis=0) + self._coverage * best.mean(axis=0)
        return np.asarray(mixed, np.float32)

    def vectors(self, codes: Codes) -> Floats:
        """Return the composed vectors of relation paths, float32 (k, d)."""
        return compose([self.space.vectors(codes[:, j]) for j in range(codes.shape[1])])

    @cached_property
    def expected(self) -> ExpectedRelations:
        """Return the relations that some entity or other is known to have."""
        return self.space.expected(self._snapshot.relation_pairs if self._snapshot is not None else _none)

    @cached_property
    def fits(self) -> Floats:
        """Return the relevance of each expected relation, float32 (n,)."""
        return self._mixed(self.expected.vectors, np.zeros(len(self.expected.codes), np.bool_), None)

    def rivals(self, codes: Sequence[int]) -> tuple[ExpectedRelations, Floats]:
        """Return the relations with which a path competes, and their relevance, float32 (n,).

        If the path ends in the very date that the question asks for ("inception"), only dates may be meant instead.
        """
        hints = self._asked[3:]
        if not self._dated or float((self.space.vectors(np.array(codes[-1:], np.int64)) @ hints.T).max()) < HINTED:
            return self.expected, self.fits
        dates = np.array([states_date(self.space.text(code)) for code in self.expected.codes.tolist()], np.bool_)
        return self.expected.only(dates), self.fits[dates]

    def rank(self) -> Floats:
        """Return float32 (P,): each predicate's rank for truncation, by similarity to 1e-3 ("One order")."""
        return self._rank

    @cached_property
    def _rank(self) -> Floats:
        wanted = self._indicator if self._learned is None else self._indicator + self._learned
        return np.asarray(np.round(self.space.forward @ wanted, 3), np.float32)


def unit(score: float, settings: Settings) -> float:
    """Return a raw relevance as a number in [0, 1]; a plain cosine stays what it is."""
    plain = not (settings.relevance.learned_weight or settings.relevance.hint_weight or settings.relevance.noun_weight)
    return float(np.clip(score / (1.0 if plain else CEILING), 0.0, 1.0))


def relevance_of(context: Context, analysis: Analysis, *, chain: ClauseChain | None = None) -> Relevance:
    """Return the relevance to the analysis' indicator, with the settings' weights."""
    settings = context.settings
    return Relevance(
        context.space,
        analysis.indicator,
        hints=analysis.hints,
        coverage=HINT_COVERAGE,
        against=HINT_AGAINST,
        noun=analysis.answer_noun,
        noun_weight=settings.relevance.noun_weight,
        hint_weight=settings.relevance.hint_weight,
        learned_weight=settings.relevance.learned_weight,
        hop_penalty=settings.relevance.composed_penalty if analysis.composed else settings.relevance.hop_penalty,
        snapshot=context.snapshot,
        chain=chain,
        dated=analysis.answer_type == "date" and any(states_date(said) for group in analysis.hints for said in group),
    )


def path_text(path: Path) -> str:
    """Return a path in the notation of a skyline indicator: ``Inception - director - Christopher Nolan``."""
    if not path.hops:
        return path.text
    parts = [path.hops[0].subject.name]
    for before, hop in zip((None, *path.hops), path.hops, strict=False):
        if before is not None and before.object.id != hop.subject.id:  # the path goes on from an earlier entity
            parts.append(hop.subject.name)
        parts += [hop.text, hop.object.name]
    return " - ".join(parts)


def embeds_text(context: Context) -> bool:
    """Return True if paths are compared by the embeddings of their texts."""
    return context.settings.relevance.path_vectors == "text"


def text_relevance(context: Context, indicator: str, paths: Sequence[Path]) -> list[float]:
    """Return cos(h(I), h(p)) of each path, at least 0."""
    if not paths:
        return []
    vectors = context.space.embedder.embed([indicator, *map(path_text, paths)])
    return [min(1.0, max(0.0, cosine)) for cosine in (vectors[1:] @ vectors[0]).tolist()]
