"""Read the kind of thing of a name or page from its own words: "Montgomery County", "X is an American actor"."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from hydra_kg.language.lexicon import list_words
from hydra_kg.steps.retrieval.entity_types import NOTHING, Kinds, kinds_named

_PAREN: Final = re.compile(r"\(([^()]*)\)$")
_DEFINED: Final = re.compile(
    r"\b(?:is|was|are|were)(?: \w+ly)? (?:an?|the|one of the)\s+((?:[\w'’-]+[ ,]*){1,8}?)"
    r"(?=\s*(?:[.;:()]|$|\b(?:that|which|who|whose|where|in|of|on|at|from|by|for|with|known|located|situated|and|born|to)\b))"
)
_READ: Final = 400  # characters of a page in which it is said what its subject is


@lru_cache(maxsize=4096)
def kinds_of_page(title: str, text: str) -> Kinds:
    """Return the kinds of a page's subject by its title's brackets, else its defining sentence."""
    aside = _PAREN.search(title)
    if aside and (found := kinds_named(aside[1].lower())):
        return found
    defined = _DEFINED.search(text[:_READ])
    parts = defined[1].lower().split(",") if defined else ()
    return NOTHING.union(*(kinds_named(part.strip()) for part in parts))


def may_be_alike(one: Kinds, other: Kinds) -> bool:
    """Return True if two things may be of one kind; unknown kinds fit, and places of all sizes are alike."""
    if not one or not other:
        return True
    return bool(one & other) or bool(one & PLACES and other & PLACES)


PLACES: Final = list_words("land_kind fixed_kind")
