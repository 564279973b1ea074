"""Answer type filter: paths that end in another kind of entity than the question asks for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from typing import Final

import numpy as np

from hydra_kg.domain import Analysis, Floats
from hydra_kg.language.lexicon import lexicon_table
from hydra_kg.steps.context import Context
from hydra_kg.steps.graph.cut_hops import HopGraph, legs_of
from hydra_kg.steps.retrieval.entity_types import head, kinds_of
from hydra_kg.steps.retrieval.topic_constraint import RelationPath

ANSWER_KIND: Final = 0.3  # cost of a path whose ends are of another kind than the question asks for
_NO_TIME: Final = 1.0  # cost of a path that leads to things where a date is asked for; no such path can be given
ANSWER_KIND_PATHS: Final = 10  # paths that are looked at until the best one is of no other kind than is asked for
_ANSWER_KIND_ENDS: Final = 12  # ends of a path whose kinds are compared with what is asked


Kinds = frozenset[str]

NOTHING: Final[Kinds] = frozenset()
DATED: Final[Kinds] = frozenset({"event", "zone"})
"""Kinds of thing that tell when something happened."""
WHO: Final[Kinds] = frozenset("person character group profession".split())
"""Kinds of what is asked for by "who"; of somebody it asks for what he does."""


def of_asked_kind(
    context: Context, graph: HopGraph, paths: Sequence[RelationPath], analysis: Analysis
) -> list[RelationPath]:
    """Lower the score of paths whose ends are known to be of another kind than is asked for, by ``ANSWER_KIND``.

    "Who was" and "which river" ask for a kind, and "when" for a date or an event. Paths are looked at from the best on,
    until the best one cannot change.
    """
    dated = analysis.answer_type == "date"
    asked = DATED if dated else analysis.answer_kinds or kinds_named(analysis.answer_noun)
    cost = _NO_TIME if dated else ANSWER_KIND
    left = list(paths)
    if not asked or not left:
        return left
    looked: list[RelationPath] = []
    for _ in range(ANSWER_KIND_PATHS):
        if not left or any(p.score >= left[0].score for p in looked):
            break
        path = left.pop(0)
        if not _is_other(context, graph, path, asked):
            left.insert(0, path)
            break
        looked.append(replace(path, score=path.score - cost))
    return sorted([*looked, *left], key=lambda p: (-p.score, p.hops, int(graph.ids[p.tree.topic]), p.codes))


def kinds_named(phrase: str) -> Kinds:
    """Return the kinds of thing that a noun phrase names: ``football clubs`` → a group."""
    return _table().get(head(phrase), NOTHING)


def drop_other_roles(word: str, names: Sequence[str], near: Floats) -> Floats:
    """Return how near a word is to some names, 0 for roles of people if it is one: a landlord is no tenant."""
    if "person" not in kinds_named(word):
        return near
    return np.where(["person" in kinds_named(name) for name in names], np.float32(0.0), near)


def _is_other(context: Context, graph: HopGraph, path: RelationPath, asked: Kinds) -> bool:
    """Return True if most ends have known kinds and none is of the asked kind; else the relation's type decides."""
    leg = legs_of(path.codes[-1], context.space.base)[-1]
    key, forward = context.space.leg_key(leg ^ 1)
    led = _type_of(key) if forward else NOTHING
    if led & asked:
        return False
    ends = graph.ids[path.ends[:_ANSWER_KIND_ENDS]]
    heads = kinds_of(context, ends)
    known = [k for n in ends.tolist() if (k := _kinds(heads.get(n, NOTHING)))]
    if not known:
        return bool(led)
    return 2 * len(known) > len(ends) and not any(k & asked for k in known)


def _kinds(heads: Kinds) -> Kinds:
    """Return the kinds that some nouns name; "state" next to "country" is another word for it."""
    found = NOTHING.union(*(_table().get(h, NOTHING) for h in heads))
    return found - {"region"} if "country" in found else found


@lru_cache(maxsize=1 << 14)
def _type_of(key: str) -> Kinds:
    """Return the kinds that the type in a key names: ``geography.river.cities`` → a river."""
    parts = key.split(".")
    return kinds_named(parts[1].replace("_", " ")) if len(parts) == 3 and "://" not in key else NOTHING


@cache
def _table() -> Mapping[str, Kinds]:
    """Return the kinds of each noun."""
    found: dict[str, Kinds] = {}
    for kind, nouns in lexicon_table("kinds"):
        found |= {noun: found.get(noun, NOTHING) | {kind} for noun in nouns.split()}
    return found
