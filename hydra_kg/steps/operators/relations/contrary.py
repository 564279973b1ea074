"""Detects relations that data show to state something else than what a phrase says best: a burial for a death."""

from __future__ import annotations

from typing import Final

import numpy as np

from hydra_kg.settings.operators import Operators
from hydra_kg.steps.graph.hops import reversed_code
from hydra_kg.steps.graph.relation_space import RelationSpace
from hydra_kg.steps.operators.relations.alike import RelationProfile
from hydra_kg.steps.relevance.path_relevance import Relevance

Said = tuple[tuple[int, float], ...]
"""Hop codes with their relevance to a phrase, best first."""

_BEST: Final = 5
"""Relations, of all that are stated of anything, that may be what a phrase says."""


def best_said(relevance: Relevance) -> Said:
    """The relations that say a phrase best, of all that are stated of anything."""
    fits = relevance.fits
    best = np.argsort(-fits, kind="stable")[:_BEST]
    return tuple((int(relevance.expected.codes[i]), float(fits[i])) for i in best.tolist())


def states_another(
    space: RelationSpace, known: RelationProfile, said: Said, code: int, fits: float, limits: Operators
) -> bool:
    """Whether a relation says the phrase clearly worse (``relation_contrary``) than one that states other things of the
    same subjects: where somebody is buried is not where he died, and nobody is buried of a disease."""
    for best, relevance in said:
        if relevance < fits + limits.relation_contrary or best == code:
            return False
        if known.different(best, code, limits):
            return True
    return False


def is_converse(space: RelationSpace, known: RelationProfile, said: Said, code: int, limits: Operators) -> bool:
    """Whether a relation is the one that says the phrase best, read the other way: what a country contains is not what
    it lies in. One that holds in both directions ("sibling") is not."""
    best = said[0][0] if said else code
    turned = reversed_code(best, space.base)
    if best == code:
        return False
    cosine = float(space.vectors(np.array([turned], np.int64))[0] @ space.vectors(np.array([code], np.int64))[0])
    same = code == turned or known.shows(space, turned, code, cosine, limits)
    return same and not known.shows(space, best, turned, 0.0, limits) and known.different(best, turned, limits)
