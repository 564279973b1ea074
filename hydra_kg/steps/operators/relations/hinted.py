"""Compute the relevance of relations to a phrase of a plan."""

from __future__ import annotations

from typing import Final

import numpy as np

from hydra_kg.language.relation_phrases import suggest_relations
from hydra_kg.steps.context import Context
from hydra_kg.steps.relevance.path_relevance import HINT_AGAINST, HINT_COVERAGE, Relevance

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
