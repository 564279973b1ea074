"""Filter entities by the noun that a question calls them, as far as sources state their types."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Set
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Entity, Ids
from hydra_kg.language.lexicon import lexicon_table, list_words
from hydra_kg.steps.context import Context
from hydra_kg.steps.retrieval.entity_types import (
    AFTER,
    NOTHING,
    OCCUPATIONS,
    Gender,
    gender_of,
    genders,
    head,
    kinds_named,
    kinds_of,
    nouns_stated,
)
from hydra_kg.text.folding import fold
from hydra_kg.util.fast_dataclass import dataclass

Flags = npt.NDArray[np.bool_]

MOST: Final = 4_000
"""Things whose kinds are looked at."""

_OCCUPATIONS: Final = 30  # occupations that are read for a person, on average
_FEW: Final = 0.2  # share of people called so whose occupations may be others

FORMER: Final = list_words("former_thing")
"""Words for what is no longer, in the names of types."""


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """Which things are what a noun says, and which are known to be something else: two arrays, bool (n,)."""

    right: Flags
    other: Flags
    typed: bool = True
    """Whether sources say of some of them what they are."""
    unlike: Flags | None = None
    """Things of which sources state only kinds that no table knows: an autonomous community."""

    @property
    def share(self) -> float:
        """Return the share that is right of the things of which something is known; .5 if nothing is known."""
        known = int(self.right.sum() + self.other.sum())
        return float(self.right.sum()) / known if known else 0.5


def fit(context: Context, ids: Ids, noun: str) -> Fit | None:
    """Return how things fit a noun, or None if sources state no such kind of anything ("ones", "members")."""
    word = head(noun)
    if not word or not len(ids):
        return None
    if word in RELATIVES:
        return _of_gender(context, ids, gender_of(word))
    same, coarse = same_nouns(word), kinds_named(noun)
    if not same:
        return _literally(context, ids, word)
    asked = ids[:MOST].tolist()
    known = context.entities(asked)
    person = "person" in coarse and word not in same_nouns("person")
    more: Mapping[int, frozenset[str]] = kinds_of(context, ids[:MOST]) if person else {}
    right, other = np.zeros(len(ids), np.bool_), np.zeros(len(ids), np.bool_)
    buildings = _BUILDINGS if coarse == {"building"} != same else NOTHING  # a bridge is no museum
    for i, n in enumerate(asked):
        heads = heads_of(known[n]) | more.get(n, frozenset())
        if same & heads:
            right[i] = True
        else:
            kinds = _kinds(heads)
            other[i] = bool(kinds) and (not kinds & coarse or _finer(same, heads) or bool(buildings & heads))
    if person and (less := _of_other_occupation(context, ids, right, same)).any():
        right, other = right & ~less, other | less
    if not right.any():  # nobody is called so: what is of the kind is what is meant
        for i, n in enumerate(asked):
            kinds = kinds_of_thing(known[n])
            town = "city" in kinds and coarse == {"region"}  # a city that is a county too is not the "state" it lies in
            right[i] = bool(kinds & coarse) and not other[i] and not town
    if is_other := _is_no_country if word in same_nouns("country") else _is_no_club if word == "club" else None:
        for i, n in enumerate(asked):
            if right[i] and is_other(known[n]):
                right[i], other[i] = False, True
    typed = np.zeros(len(ids), np.bool_)
    typed[: len(asked)] = [bool(heads_of(known[n])) for n in asked]
    return Fit(right, other, bool(typed.any()), typed & ~right & ~other)


def _of_other_occupation(context: Context, ids: Ids, right: Flags, same: Set[str]) -> Flags:
    """Return the people who only have a type of the noun, where nearly all others state it as their occupation.

    A costume designer who once was on television is no actor.
    """
    stated = nouns_stated(context, ids[right], OCCUPATIONS, each=_OCCUPATIONS)
    less = [n for n, nouns in stated.items() if not same & nouns]
    return np.isin(ids, less if len(less) <= _FEW * len(stated) else ())


def _is_no_country(entity: Entity) -> bool:
    return is_former(entity) or is_part(entity)


def _is_no_club(entity: Entity) -> bool:
    """Return True if a type of a team says that it is a nation's ("national football team"), and none a club."""
    teams = [t for t in entity.types if called(t) in same_nouns("club")]
    return any("national" in fold(t).split() for t in teams) and not any(called(t) == "club" for t in teams)


def _of_gender(context: Context, ids: Ids, gender: Gender) -> Fit | None:
    """Return the people who are not stated to be of the other gender, or None if the noun says no gender."""
    if not gender:
        return None
    stated = genders(context.snapshot, ids[:MOST].tolist())
    other = np.array([stated.get(n, gender) != gender for n in ids.tolist()], np.bool_)
    return Fit(~other, other) if other.any() else None


def _literally(context: Context, ids: Ids, word: str) -> Fit | None:
    """Return the things that a source calls by this very noun ("physicist"), or None if there are none."""
    asked = ids[:MOST]
    known, more = context.entities(asked.tolist()), kinds_of(context, asked)
    right = np.zeros(len(ids), np.bool_)
    for i, n in enumerate(asked.tolist()):
        right[i] = word in heads_of(known[n]) | more.get(n, frozenset())
    return Fit(right, ~right) if right.any() else None


def heads_of(entity: Entity) -> frozenset[str]:
    """Return the nouns of a thing: ``film`` of ``film.film``, "club", or else the first of its description."""
    if entity.types or not entity.description:
        return frozenset(called(t) for t in entity.types)
    return frozenset({head(_TELLS.split(entity.description)[0])})  # "1998 video game for the Nintendo 64"


def kinds_of_thing(entity: Entity) -> frozenset[str]:
    """Return the kinds of the nouns for what a thing is."""
    return _kinds(heads_of(entity))


def _kinds(nouns: Iterable[str]) -> frozenset[str]:
    return frozenset[str]().union(*map(kinds_named, nouns))


def known_to_be_something(context: Context, ids: Ids) -> bool:
    """Return True if sources state the kind of most things."""
    known = context.entities(ids[:MOST].tolist())
    return 2 * sum(bool(heads_of(e)) for e in known.values()) > len(known) > 0


def same_kind(context: Context, ids: Ids, others: Ids) -> bool:
    """Return True if all of the others are of a kind of some of the first."""
    known = context.entities([*ids.tolist(), *others.tolist()])
    kinds = {n: kinds_of_thing(e) for n, e in known.items()}
    own = frozenset().union(*(kinds[n] for n in ids.tolist()))
    return bool(len(others)) and all(own & kinds[n] for n in others.tolist())


def is_former(entity: Entity) -> bool:
    """Return True if a thing's types say that it no longer exists.

    A "historical country" does not; a country that was a "historical unrecognized state" once still does.
    """
    former = {called(t) for t in entity.types if FORMER & set(fold(t).split())}
    present = {called(t) for t in entity.types if not FORMER & set(fold(t).split())}
    nouns = same_nouns("country")
    return bool(former & nouns) or ("state" in former and not present & nouns)


def is_part(entity: Entity) -> bool:
    """Return True if a thing's types say that it is a region of something: "overseas department of France".

    A "sovereign state" is none any more.
    """
    if any("sovereign" in fold(t).split() for t in entity.types):
        return False
    return any(" of " in t and "region" in kinds_named(t) and head(t) != "state" for t in entity.types)


@lru_cache(maxsize=1 << 14)
def called(name: str) -> str:
    """Return the noun of the name of a type: ``film`` of ``film.film``, ``city`` of "city in the United States"."""
    last = name.rsplit(".", 1)[-1].replace("_", " ") if "." in name and " " not in name else name
    return head(AFTER.split(last)[0])


_TELLS: Final = re.compile(r"[,.;(]| (?:in|or|for|from|at|by|with|of|on|and|that|which|\w+ed|written|made|set) ")


@lru_cache(maxsize=1 << 14)
def same_nouns(word: str) -> frozenset[str]:
    """Return the nouns with the same meaning as ``word``, including itself.

    The result is only the word itself if a table knows just its kind, and empty if no table knows it.
    """
    own = [frozenset(nouns.split()) for _, nouns in lexicon_table("kinds_of_thing")]
    found = [nouns for nouns in own if word in nouns]
    if found:
        return frozenset().union(*found)
    return frozenset({word}) if kinds_named(word) else frozenset()


_BUILDINGS: Final = frozenset(dict(lexicon_table("kinds"))["building"].split()) - {"building"}
RELATIVES: Final = list_words("relative_or_role")
"""Nouns that say how somebody stands to somebody, and not what he is."""


def _finer(same: frozenset[str], heads: Iterable[str]) -> bool:
    """Return True if some noun has a row of its own in the table: a series is no film, though both are works."""
    return any((own := same_nouns(h)) and not own & same and len(own) > 1 for h in heads)
