"""The kinds of nodes, as sources state them, and paths to the kinds of answers that a question names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from functools import cache, lru_cache
from typing import Final, Literal

import numpy as np

from hydra_kg.domain import Analysis, Floats, Ids, Subgraph
from hydra_kg.language.lexicon import lexicon_table
from hydra_kg.language.morphology import singular
from hydra_kg.ports import Snapshot
from hydra_kg.steps.context import Context
from hydra_kg.steps.graph.cut_hops import HopGraph, legs_of
from hydra_kg.steps.relevance.path_relevance import Relevance
from hydra_kg.steps.retrieval.topic_constraint import RelationPath
from hydra_kg.text.folding import fold

_CLAUSE_KIND: Final = 0.5  # cost of a path none of whose instances passes the kind of thing that a clause yields
_KIND_PATHS: Final = 20  # paths, best first, whose nodes' kinds are compared with clauses
_KIND_NODES: Final = 100  # nodes at one place of a path whose kinds are looked at
_KIND_FACTS: Final = 6  # facts on its kind that are read for a node, on average
AFTER: Final = re.compile(r" (?:in|for|from|at|by|with|of) ")
"""What follows the noun in the name of a type: "city in the United States" is no state."""

OCCUPATIONS: Final = frozenset({"P106", "people.person.profession"})
STATING: Final = OCCUPATIONS | {"P31", "type.object.type"}
"""Predicates that say what a thing or person is."""

ANSWER_KIND: Final = 0.3  # cost of a path whose ends are of another kind than the question asks for
_NO_TIME: Final = 1.0  # cost of a path that leads to things where a date is asked for; no such path can be given
ANSWER_KIND_PATHS: Final = 10  # paths that are looked at until the best one is of no other kind than is asked for
_ANSWER_KIND_ENDS: Final = 12  # ends of a path whose kinds are compared with what is asked
Kinds = frozenset[str]

NOTHING: Final[Kinds] = frozenset()
DATED: Final[Kinds] = frozenset({"event", "zone"})
"""Kinds of thing that tell when something happened."""
AREAS: Final[Kinds] = frozenset({"region", "country", "city", "continent"})
"""Kinds of what places lie in."""
WHO: Final[Kinds] = frozenset("person character group profession".split())
"""Kinds of what is asked for by "who"; of somebody it asks for what he does."""


def fitting(
    context: Context, graph: HopGraph, paths: Sequence[RelationPath], analysis: Analysis, relevance: Relevance
) -> list[RelationPath]:
    """Filter the instances of paths to those whose nodes fit the question's nouns: "the *country* where _ was born".

    Paths without such an instance cost more. The ends are compared only if a single place is asked for: otherwise F1 on
    webqsp_train falls by 1.4.
    """
    wanted = [_wanted(p, analysis, relevance) for p in paths[:_KIND_PATHS]]
    places = [(p, place) for p, nouns in zip(paths, wanted, strict=False) for place in nouns]
    if not places:
        return list(paths)
    most = _KIND_NODES
    nodes = {n for p, place in places for n in np.unique(p.tree.nodes(p.rows)[:, place])[:most].tolist()}
    kinds = kinds_of(context, graph.ids[sorted(nodes)])
    known = {noun for nouns in wanted for noun in nouns.values() if any(noun in heads for heads in kinds.values())}
    out = []
    for path, nouns in zip(paths, wanted, strict=False):
        there = {at: noun for at, noun in nouns.items() if noun in known}
        out.append(_of_kind(path, graph, there, kinds, price=_CLAUSE_KIND))
    out += paths[_KIND_PATHS:]
    return sorted(out, key=lambda p: (-p.score, p.hops, int(graph.ids[p.tree.topic]), p.codes))


def kinds_of(context: Context, nodes: Ids) -> Mapping[int, frozenset[str]]:
    """Return nouns for each class id: ``city`` for "city of the United States"."""
    return nouns_stated(context, nodes, STATING, each=_KIND_FACTS)


def nouns_stated(context: Context, nodes: Ids, keys: Set[str], *, each: int) -> Mapping[int, frozenset[str]]:
    """Return the nouns of what some predicates, given by key, lead to from each class id."""
    pairs = stated_ends(context.snapshot, nodes.tolist(), keys, each=each)
    names = context.entities(sorted({b for _, b in pairs}))
    heads: dict[int, set[str]] = {}
    for node, kind in pairs:
        heads.setdefault(node, set()).add(head(AFTER.split(names[kind].node.name)[0]))
    return {node: frozenset(found) for node, found in heads.items()}


def stated_ends(snapshot: Snapshot, nodes: Sequence[int], keys: Set[str], *, each: int) -> list[tuple[int, int]]:
    """Return pairs of a class and what some predicates, given by key, lead to from it.

    About ``each`` facts are read per class.
    """
    if (cut := stating(snapshot, nodes, keys, each=each)) is None:
        return []
    return list(zip(cut.ids[cut.src].tolist(), cut.ids[cut.dst].tolist(), strict=True))


def stating(snapshot: Snapshot, nodes: Sequence[int], keys: Set[str], *, each: int) -> Subgraph | None:
    """Return the same as edges with their facts, or None if there is no such predicate."""
    rank: Floats = np.array([key in keys for key in snapshot.predicates().keys], np.float32)
    if not nodes or not rank.any():
        return None
    cut = snapshot.cut(nodes, depth=1, hops="paper", rank=rank, budget=each * len(nodes))
    return cut.select(rank[cut.pred] > 0)


def head(name: str) -> str:
    """Return the noun of a phrase in the singular: ``football clubs`` → ``club``, ``city of Austria`` → ``city``."""
    words = fold(name).split(" of ")[0].removesuffix(" gb").split()  # Freebase's "Writer-GB"
    word = words[-1] if words else ""
    return word if word == "people" else singular(word)  # "people" asks for no entity type, "person" does


def several(noun: str) -> bool:
    """Return True if a noun phrase ends in a plural: what asks for ``composers`` asks for several."""
    last = noun.split()[-1:]
    return bool(last) and head(last[0]) != last[0]


def _wanted(path: RelationPath, analysis: Analysis, relevance: Relevance) -> dict[int, str]:
    """Return the expected noun by place on the path."""
    noun = head(analysis.answer_noun)
    one_place = analysis.answer_type == "location" and fold(analysis.answer_noun).endswith(noun)
    nouns = {path.hops: noun} if one_place else {}
    if relevance.chain is not None:
        reached = relevance.chain.reached(np.array(path.codes, np.int64))
        nouns |= {at: head(analysis.clauses[b - 1].noun) for b, at in reached.items() if b < len(analysis.clauses)}
    return {at: noun for at, noun in nouns.items() if noun}


def _of_kind(
    path: RelationPath, graph: HopGraph, nouns: Mapping[int, str], kinds: Mapping[int, frozenset[str]], *, price: float
) -> RelationPath:
    rows, score = path.rows, path.score
    for at, noun in nouns.items():
        ids = graph.ids[path.tree.nodes(rows)[:, at]]
        distinct, inverse = np.unique(ids, return_inverse=True)
        right = np.array([noun in kinds.get(n, ()) for n in distinct.tolist()], np.bool_)[inverse]
        if right.any():
            rows = rows[right]
        elif at < path.hops:
            score -= price
    if len(rows) == len(path.rows):
        return replace(path, score=score)
    ends = np.unique(path.tree.ends[rows])
    return replace(path, score=score, rows=rows, ends=ends[np.argsort(graph.ids[ends], kind="stable")])


Gender = Literal["", "female", "male"]

_STATING: Final = frozenset({"P21", "people.person.gender"})

_NOUNS: Final[dict[str, Gender]] = {
    **dict.fromkeys("mother mom mum wife sister daughter aunt niece grandmother queen".split(), "female"),
    **dict.fromkeys("father dad husband brother son uncle nephew grandfather king".split(), "male"),
}


def gender_of(noun: str) -> Gender:
    """Return the gender that a noun phrase says, or "": ``elder sisters`` → female."""
    return _NOUNS.get(head(noun), "")


def genders(snapshot: Snapshot, nodes: Sequence[int]) -> dict[int, Gender]:
    """Return the genders that sources state, by class id; classes without one are left out."""
    pairs = stated_ends(snapshot, nodes, _STATING, each=4)
    values = sorted({b for _, b in pairs})
    names = dict(zip(values, (e.node.name.casefold() for e in snapshot.entities(values)), strict=True))
    out: dict[int, Gender] = {}
    for node, value in pairs:
        if names[value] == "male":
            out[node] = "male"
        elif names[value] == "female":
            out[node] = "female"
    return out


def mostly_unknown(context: Context, nodes: Sequence[int]) -> bool:
    """Return True if there are several things and no source states the gender of most of them."""
    return len(nodes) > 1 and 2 * len(genders(context.snapshot, nodes)) < len(nodes)


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
