"""Relation competition: how the best path compares with other relations that may be meant, stated or not."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import RelationCompetition
from hydra_kg.language.lexicon import lexicon_table
from hydra_kg.phrases import phrase
from hydra_kg.steps.graph.relation_space import ExpectedRelations
from hydra_kg.steps.relevance.path_relevance import CEILING, SHARP, Relevance
from hydra_kg.steps.retrieval.entity_types import kinds_named
from hydra_kg.steps.retrieval.graph_retrieval import RetrievalResult

Flags = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float32]

_NAMES: Final = 10  # relations that are not stated, best first, whose names are compared
_SYNONYMOUS: Final = frozenset(kind for kind, nouns in lexicon_table("kinds") if len(nouns.split()) <= 3)
"""Kinds of thing whose few nouns mean the same: "profession occupation job"."""

SAME = 0.95
"""Cosine of relations that say the same; the confidence model was fitted with it."""


def relation_competition(
    relevance: Relevance,
    codes: Sequence[int],
    score: float,
    found: RetrievalResult | None = None,
    values: Iterable[int] = (),
) -> RelationCompetition:
    """Compare a path's hop codes and score with competing relations (see :class:`Relevance`).

    A relation counts exp(20 · relevance). Without ``found``, only the numbers over all relations are computed.

    Args:
        relevance: The relevance of relations to the question.
        codes: The hop codes of the path.
        score: The score of the path.
        found: The result whose topics have the relations that are stated.
        values: The codes of the topics' literals.
    """
    expected, fits = relevance.rivals(codes)
    top = float(fits.max(initial=0.0))
    own = score + relevance.price(len(codes))
    weights, mine = np.exp(SHARP * (fits - top)), math.exp(SHARP * (own - top))
    wide = RelationCompetition(own_of_all=mine / (float(weights.sum()) + mine), expected=top / CEILING)
    if found is None:
        return wide
    around = {c for t in found.hops.topics.tolist() for c in np.unique(found.hops.around(t).code).tolist()}
    stated = np.isin(expected.codes, list(around))
    domains = expected.domains[stated]
    kin = np.isin(expected.domains, domains[domains >= 0])
    stated |= np.isin(expected.codes, [*values, *codes]) | _alike(relevance, expected, codes)
    stated |= called_alike(relevance, expected, np.where(kin & ~stated, fits, -np.inf), codes)
    kin |= stated
    absent = kin & ~stated
    among, there = float(weights[kin].sum()), float(weights[stated].sum())
    best = int(np.where(absent, fits, -np.inf).argmax()) if absent.any() else -1
    return RelationCompetition(
        own_of_all=wide.own_of_all,
        expected=wide.expected,
        own=mine / (among + mine),
        stated=there / among if among else 0.0,
        better=math.log1p(int((fits[absent] > own).sum())),
        lead=_lead(own, fits[absent]),
        unfilled=_lead(own, fits[_unfilled(relevance, expected, found, around)]),
        missing=_relation_text(relevance, int(expected.codes[best])) if best >= 0 and fits[best] > own else "",
    )


def _relation_text(relevance: Relevance, code: int) -> str:
    return phrase(relevance.space.key(code), relevance.space.text(code))


def _lead(own: float, others: npt.NDArray[np.float32]) -> float:
    """Return how much more relevance a path has than the best of some others, −1 to 1."""
    return min(1.0, max(-1.0, own - float(others.max(initial=0.0))))


def _alike(relevance: Relevance, expected: ExpectedRelations, codes: Sequence[int]) -> Flags:
    """Return which expected relations say the same as a hop: by similar words, or by its name with another type."""
    hops = relevance.space.vectors(np.array(codes, np.int64))
    names = {relevance.space.called(c) for c in codes} - {-1}
    alike = (expected.vectors @ hops.T).max(axis=1) >= SAME
    return np.asarray(alike | np.isin(expected.names, list(names)))


def called_alike(relevance: Relevance, expected: ExpectedRelations, fits: Floats, codes: Sequence[int]) -> Flags:
    """Return which of the best relations have another noun for what the last hop leads to: profession, occupation."""
    alike = np.zeros(len(fits), np.bool_)
    own = _kinds(relevance, codes[-1])
    for i in np.argsort(-fits, kind="stable")[:_NAMES].tolist() if own else ():
        alike[i] = fits[i] > -np.inf and _kinds(relevance, int(expected.codes[i])) == own
    return alike


def _kinds(relevance: Relevance, code: int) -> frozenset[str]:
    """Return the kinds of thing, all of whose nouns mean the same, that a relation of one word names."""
    name = _relation_text(relevance, code)
    return kinds_named(name) & _SYNONYMOUS if " " not in name else frozenset()


def _unfilled(
    relevance: Relevance, expected: ExpectedRelations, found: RetrievalResult, around: Iterable[int]
) -> Flags:
    """Return the slots of mediators next to a topic that lead nowhere: a marriage is known, but not to whom."""
    base = relevance.space.base
    into = {leg for t in found.hops.topics.tolist() for leg in found.hops.into_mediators(t).tolist()}
    empty = into - {c // base - 1 for c in around if c >= base}
    return (expected.codes >= base) & np.isin(expected.codes // base - 1, list(empty))
