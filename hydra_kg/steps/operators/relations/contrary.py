"""Detects relations that data show to state something else than what a phrase says best: a burial for a death."""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from hydra_kg.steps.graph.hops import reversed_code
from hydra_kg.steps.graph.relation_space import RelationSpace
from hydra_kg.steps.operators.relations.alike import RelationProfile
from hydra_kg.steps.own_graphs.roles import contradicts_direction
from hydra_kg.steps.relevance.path_relevance import Relevance

_RELATION_CONTRARY: Final = 0.1  # relevance by which a relation may be behind one that is known to state something else


Said = tuple[tuple[int, float], ...]
"""Hop codes with their relevance to a phrase, best first."""

_BEST: Final = 5
"""Relations, of all that are stated of anything, that may be what a phrase says."""


def best_said(relevance: Relevance, phrase: str) -> Said:
    """Return the relations that match a phrase best, of all that are stated of anything."""
    codes, fits = relevance.expected.codes, relevance.fits
    best = [(int(codes[i]), float(fits[i])) for i in np.argsort(-fits, kind="stable")[: 2 * _BEST].tolist()]
    texts = {c: relevance.space.text(c) for c, _ in best}
    turned = {c for c, text in texts.items() if contradicts_direction(phrase, text) or _is_what_is_asked(phrase, text)}
    return tuple((c, f) for c, f in best if c not in turned)[:_BEST]


def _is_what_is_asked(phrase: str, text: str) -> bool:
    """Return True if a relation names the thing's role, not its objects': "member of" where "members of" are asked."""
    asked = re.match(r"(?:.*\b)?(\w+?)s? of _$|_ s (?:.*\b)?(\w+?)s?$", phrase)
    return asked is not None and re.search(rf"\b{re.escape(asked[1] or asked[2])} of$", text) is not None


def states_another(known: RelationProfile, said: Said, code: int, fits: float) -> bool:
    """Return True if a clearly better matching relation (``relation_contrary``) states others: death, not burial."""
    for best, relevance in said:
        if relevance < fits + _RELATION_CONTRARY or best == code:
            return False
        if known.different(best, code):
            return True
    return False


def is_converse(space: RelationSpace, known: RelationProfile, said: Said, code: int, fits: float) -> bool:
    """Return True if ``code`` is the best relation read in the other direction, as "contains" is for "lies in".

    That is possible only for a relation that holds one way between things of like kind. ``fits`` is the lowest
    relevance that the best relation may have.
    """
    best, relevance = said[0] if said else (code, 0.0)
    turned = reversed_code(best, space.base)
    if best == code or relevance < fits or not (known.one_way(best) and known.meet(best, code)):
        return False
    cosine = float(space.vectors(np.array([turned], np.int64))[0] @ space.vectors(np.array([code], np.int64))[0])
    return code == turned or known.shows(space, turned, code, cosine)
