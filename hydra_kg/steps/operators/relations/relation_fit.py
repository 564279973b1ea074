"""Compute how well relations say a phrase of a plan, and find those that state something else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import numpy as np

from hydra_kg.language.relation_phrases import suggest_relations
from hydra_kg.steps.context import Context
from hydra_kg.steps.graph.cut_hops import reversed_code
from hydra_kg.steps.graph.relation_space import RelationSpace
from hydra_kg.steps.operators.relations.equivalent_relations import RelationProfile
from hydra_kg.steps.operators.relations.noun_filter import FORMER
from hydra_kg.steps.own_graphs.relation_roles import contradicts_direction
from hydra_kg.steps.relevance.path_relevance import HINT_AGAINST, HINT_COVERAGE, Relevance
from hydra_kg.text.folding import fold, tokens

_RELATION_CONTRARY: Final = 0.1  # relevance by which a relation may be behind one that is known to state something else
_RELATION_NAMED: Final = 0.2  # the same for one whose name the phrase does not suggest as it does the other's
_NAMED: Final = 0.9  # how surely that other one must have such a name, 0 to 1

Said = tuple[tuple[int, float], ...]
"""Hop codes with their relevance to a phrase, best first."""

_BEST: Final = 5
"""Relations, of all that are stated of anything, that may be what a phrase says."""


def best_said(relevance: Relevance, phrase: str) -> Said:
    """Return the relations that match a phrase best, of all that are stated of anything."""
    codes, fits = relevance.expected.codes, relevance.fits
    best = [(int(codes[i]), float(fits[i])) for i in np.argsort(-fits, kind="stable")[: 2 * _BEST].tolist()]
    texts = {c: relevance.space.text(c) for c, _ in best}
    turned = {c for c, text in texts.items() if contradicts_direction(phrase, text) or names_own_role(phrase, text)}
    return tuple((c, f) for c, f in best if c not in turned)[:_BEST]


def names_own_role(phrase: str, text: str) -> bool:
    """Return True if a relation names the thing's role, not its objects': "member of" where "members of" are asked."""
    asked = re.match(r"(?:.*\b)?(\w+?)s? of _$|_ s (?:.*\b)?(\w+?)s?$", phrase)
    return asked is not None and re.search(rf"\b{re.escape(asked[1] or asked[2])} of$", text) is not None


def only_formerly(asked: str, relation: str) -> bool:
    """Return True if a relation states what was once so ("currency formerly used") and the question does not ask it."""
    past = FORMER.intersection(relation.casefold().split())
    return bool(past) and FORMER.isdisjoint(tokens(fold(asked)))


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


_HINT_WEIGHT: Final = 0.8  # least weight of the wordings that a phrase suggests; relevance.hint_weight may be more
_HINT_COSINE: Final = 0.3  # 1 - cosine to a suggested wording from which it is another


def relevance_to(context: Context, phrase: str, noun: str) -> Relevance:
    """Return the relevance of relations to a phrase."""
    settings = context.settings
    plain = " ".join(phrase.replace("_", " ").split())
    return Relevance(
        context.space,
        phrase if plain else noun,
        hints=suggest_relations(phrase) or suggest_relations(f"{noun} {phrase}"),
        coverage=HINT_COVERAGE,
        against=HINT_AGAINST,
        noun=noun,
        noun_weight=settings.relevance.noun_weight / 2,
        hint_weight=max(settings.relevance.hint_weight, _HINT_WEIGHT),
        learned_weight=settings.relevance.learned_weight,
        snapshot=context.snapshot,
    )


def as_hinted(context: Context, phrase: str, code: int) -> float:
    """Return how surely a relation has exactly the name that a phrase suggests, in either direction, from 0 to 1."""
    words = [w for group in suggest_relations(phrase) for w in group]
    if not words or code >= context.space.base:
        return 0.0
    relation_vector = context.space.vectors(np.array([code | 1], np.int64))[0]
    unlike = 1.0 - float((context.space.embedder.embed(words) @ relation_vector).max())
    return min(1.0, max(0.0, 1.0 - unlike / _HINT_COSINE))


def suggests_another(context: Context, phrase: str, said: Said, codes: Sequence[int], fits: float) -> bool:
    """Return True if a phrase suggests a better relation by name, not ``codes``: no cast for "directed"."""
    clear = bool(said) and said[0][1] >= fits + _RELATION_NAMED and as_hinted(context, phrase, said[0][0]) >= _NAMED
    return clear and not any(as_hinted(context, phrase, code) for code in codes)
