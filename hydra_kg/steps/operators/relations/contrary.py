"""Detects relations that data show to state something else than what a phrase says best: a burial for a death."""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from hydra_kg.language.lexicon import list_words
from hydra_kg.steps.graph.hops import reversed_code
from hydra_kg.steps.graph.relation_space import RelationSpace
from hydra_kg.steps.operators.relations.alike import RelationProfile
from hydra_kg.steps.relevance.path_relevance import Relevance

_RELATION_CONTRARY: Final = 0.1  # relevance by which a relation may be behind one that is known to state something else


Said = tuple[tuple[int, float], ...]
"""Hop codes with their relevance to a phrase, best first."""

_DONE_BY: Final = re.compile(r"\b(\w{4,})(?:ed|en)( by| by of)$")
_STEM: Final = 7
"""Letters of a verb by which its forms are told from others."""
_BE: Final = list_words("be") | {"been"}
_NO_VERB: Final = ("er", "or", "ers", "ors", "tion")
"""Endings of nouns of a verb."""

_BEST: Final = 5
"""Relations, of all that are stated of anything, that may be what a phrase says."""


def best_said(relevance: Relevance, phrase: str) -> Said:
    """The relations that say a phrase best, of all that are stated of anything."""
    codes, fits = relevance.expected.codes, relevance.fits
    best = [(int(codes[i]), float(fits[i])) for i in np.argsort(-fits, kind="stable")[: 2 * _BEST].tolist()]
    texts = {c: relevance.space.text(c) for c, _ in best}
    turned = {c for c, text in texts.items() if against_voice(phrase, text) or _is_what_is_asked(phrase, text)}
    return tuple((c, f) for c, f in best if c not in turned)[:_BEST]


def _is_what_is_asked(phrase: str, text: str) -> bool:
    """Whether a relation says of a thing that it is what is asked for of it: it is "member of" groups, where its
    "members of" are asked for."""
    asked = re.match(r"(?:.*\b)?(\w+?)s? of _$|_ s (?:.*\b)?(\w+?)s?$", phrase)
    return asked is not None and re.search(rf"\b{re.escape(asked[1] or asked[2])} of$", text) is not None


def states_another(known: RelationProfile, said: Said, code: int, fits: float) -> bool:
    """Whether a relation says the phrase clearly worse (``relation_contrary``) than one that states other things of the
    same subjects: where somebody is buried is not where he died, and nobody is buried of a disease."""
    for best, relevance in said:
        if relevance < fits + _RELATION_CONTRARY or best == code:
            return False
        if known.different(best, code):
            return True
    return False


def is_converse(space: RelationSpace, known: RelationProfile, said: Said, code: int, fits: float) -> bool:
    """Whether a relation is the one that says the phrase best, and better than ``fits``, read the other way: what a
    country contains is not what it lies in. Of relations that hold one way between things of a kind, of which some have
    both: bands have members, but are none of others."""
    best, relevance = said[0] if said else (code, 0.0)
    turned = reversed_code(best, space.base)
    if best == code or relevance < fits or not (known.one_way(best) and known.meet(best, code)):
        return False
    cosine = float(space.vectors(np.array([turned], np.int64))[0] @ space.vectors(np.array([code], np.int64))[0])
    return code == turned or known.shows(space, turned, code, cosine)


def against_voice(phrase: str, text: str) -> bool:
    """Whether a relation, as a text from one thing to another, says of the one what a phrase says of the other: who is
    "influenced by" somebody did not influence him. Only of relations that are called by a verb of the phrase."""
    verb, words = _DONE_BY.search(text), phrase.split()
    if verb is None or "_" not in words:
        return False
    stem = verb[1][:_STEM]
    at = next((i for i, w in enumerate(words) if w.startswith(stem) and not w.endswith(_NO_VERB)), -1)
    before, passive = words.index("_") < at, "by" in words or bool(_BE & set(words))
    return at >= 0 and (before != passive) == (verb[2] == " by")
