"""Recognise awards by the name of the award that they are kinds of: Best Actress is an Academy Award."""

from __future__ import annotations

from typing import Final

import numpy as np

from hydra_kg.citations import label_of
from hydra_kg.domain import Entity, Ids
from hydra_kg.language.lexicon import list_words
from hydra_kg.steps.context import Context
from hydra_kg.steps.operators.relations.noun_filter import heads_of
from hydra_kg.steps.retrieval.entity_types import head
from hydra_kg.text.folding import fold

_SORTS: Final = list_words("sort_in_name")
"""Nouns that names of what is of that sort have or leave out: "jazz music", "horror film"."""


def awards_named_after(context: Context, awards: Ids, things: Ids) -> Ids:
    """Return those of ``things`` that are kinds of one of the awards by name."""
    known = context.entities([*awards.tolist(), *things.tolist()])
    names = frozenset[str]().union(*(own_names(known[n]) for n in awards.tolist() if n in known))
    return np.array([n for n in things.tolist() if n in known and is_award_called(known[n], names)], np.int64)


def is_award_called(entity: Entity, names: frozenset[str]) -> bool:
    """Return True if a thing is an award with one of the names, for something or in something."""
    own = [fold(name) for name in (entity.node.name, *entity.aliases)]
    begun = any(called.startswith((f"{name} for ", f"{name} in ")) for name in names for called in own)
    return begun and "award" in heads_of(entity)


def own_names(entity: Entity) -> frozenset[str]:
    """Return all names of a thing, each also without the noun for its sort."""
    names = {fold(label_of(name)) for name in (entity.node.name, *entity.aliases)}
    return frozenset().union(*map(name_forms, names))


def name_forms(text: str) -> frozenset[str]:
    """Return a name as it is written, in the singular, and without the noun for its sort."""
    words = fold(text).split()
    if not words:
        return frozenset()
    short = " ".join(words[:-1]) if words[-1] in _SORTS else ""
    return frozenset({" ".join(words), " ".join((*words[:-1], head(words[-1]))), *((short,) if short else ())})
