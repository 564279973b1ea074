"""Decide when a stated relation may deny a claim, and whether something is true of nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from hydra_kg.domain import Ids
from hydra_kg.execution.evidence_hops import Leg
from hydra_kg.fusion.conflicts.conflict import holders
from hydra_kg.language.morphology import stem
from hydra_kg.plan import model as m
from hydra_kg.steps.graph.cut_hops import reversed_code
from hydra_kg.steps.operators.operand_port import Sets
from hydra_kg.steps.operators.relations.equivalent_relations import profile
from hydra_kg.steps.operators.relations.noun_filter import heads_of, is_former, kinds_of_thing
from hydra_kg.steps.operators.relations.place_filter import lines
from hydra_kg.steps.operators.relations.relation_matching import follow, relate
from hydra_kg.steps.operators.results import thresholds
from hydra_kg.steps.operators.results.executed_plan import AssertionResult
from hydra_kg.steps.operators.results.found_entities import Hopped, Surety, ThingSet, listed
from hydra_kg.steps.operators.whole_lists import listed_by
from hydra_kg.steps.retrieval.entity_types import gender_of, genders
from hydra_kg.text.folding import fold, tokens
from hydra_kg.util.fast_dataclass import replace

_LIES: Final = re.compile(r"(?:(?:located|locates|situated|lies|lie|lay|found|stands|stand) )?in _")


def single(sets: Sets, code: int) -> bool:
    """Return True if the data show that a relation leads from a thing to one other."""
    share, many = profile(sets.context.stored, sets.context.space.base).single(code)
    return share >= thresholds.SINGLE and many >= thresholds.SINGLE_SUBJECTS


def spread(sets: Sets, ids: Ids) -> bool:
    """Return True if things are in many places at once.

    That one country is stated of a language does not deny another.
    """
    known = sets.context.entities(ids.tolist())
    return any(kinds_of_thing(e) & _SPREAD for e in known.values())


_SPREAD: Final = frozenset({"language", "religion", "currency"})


def one_parent(sets: Sets, noun: str, found: ThingSet) -> bool:
    """Return True if only the father or only the mother was found.

    Everybody has one of each, though two parents.
    """
    if noun not in _PARENTS or len(found) != 1:
        return False
    node = int(found.ids[0])
    return genders(sets.context.snapshot, [node]).get(node) == gender_of(noun)


_PARENTS: Final = frozenset({"father", "mother"})


def plainly(sets: Sets, op: m.Related, found: ThingSet) -> bool:
    """Return True if the relation says the phrase or a word of it: a composer of music is no singer."""
    if found.surety.relevance >= thresholds.DENIES_PLAINLY:
        return True
    text = {stem(t) for t in tokens(sets.context.space.text(found.codes[0]))}
    return not text.isdisjoint(stem(t) for t in tokens(op.phrase) if len(t) > _SHORT)


_SHORT: Final = 3
"""Letters of a word that says no relation alone: "for"."""


def listed_apart(sets: Sets, op: m.Among, item: ThingSet, found: ThingSet) -> AssertionResult | None:
    """Return no if several graphs list such countries of each of two countries, and no list has the other.

    An example is that Spain borders Italy.
    """
    context, of = sets.context, op.of
    asked = sets.best(of.of) if isinstance(of, m.Related) else None
    if asked is None or not isinstance(of, m.Related) or not len(asked) == len(item) == 1:
        return None
    other = next(iter(relate(context, item, replace(of, of=op.item))), None)
    if other is None or np.isin(asked.ids, other.ids).any() or _countries(sets, [*asked.ids, *item.ids]) < 2:
        return None
    if within_one_another(sets, item.ids, found.ids) or within_one_another(sets, asked.ids, other.ids):
        return None  # a part of France borders Brazil
    shortest = []
    for one in (found, other):
        trail = one.trails[0]
        lists = listed_by(context, trail, one.ids).values() if isinstance(trail, Hopped) else ()
        lengths = sorted((_countries(sets, sorted(own)) for own in lists), reverse=True)
        shortest.append(lengths[_GRAPHS - 1] if len(lengths) >= _GRAPHS else 0)
    if min(shortest) == 0 or max(shortest) < _LISTED:
        return None
    node = int(found.ids[0])
    words = f"stated otherwise: {found.words}: {names_of(sets, found.ids)}"
    step = m.Step("among", words, len(found), 0)
    surety = found.surety.worst(Surety(coverage=_LISTS_COVER))
    return AssertionResult("no", words, ((found.legs(node), node),), (*found.steps, step), surety, found.unmet)


def _countries(sets: Sets, ids: Sequence[int]) -> int:
    """Return how many of some things are countries."""
    return sum("country" in kinds_of_thing(e) for e in sets.context.entities(ids).values())


_GRAPHS: Final = 2
_LISTED: Final = 3
"""Countries that so many graphs must list of one of the two before their silence about the other counts."""

_LISTS_COVER: Final = 0.9
"""How surely such lists have all."""


def called_alike(sets: Sets, asked: Ids, stated: Ids) -> bool:
    """Return True if everything has a noun in common with one of the asked things: a party, and a party."""
    known = sets.context.entities([*asked.tolist(), *stated.tolist()])
    own = frozenset().union(*(heads_of(known[n]) for n in asked.tolist()))
    return all(own & heads_of(known[n]) for n in stated.tolist())


def within_one_another(sets: Sets, asked: Ids, stated: Ids) -> bool:
    """Return True if one thing lies in the other: who was born in a city was born in its country."""
    around = holders(sets.context.snapshot, [*asked.tolist(), *stated.tolist()])
    names = sets.context.entities([*asked.tolist(), *stated.tolist()])
    one = {fold(names[n].node.name) for n in asked.tolist()}
    other = {fold(names[n].node.name) for n in stated.tolist()}
    return any(a in around.get(b, ()) or b in around.get(a, ()) or a == b for a in one for b in other)


def rows_of_codes(sets: Sets, item: ThingSet, found: ThingSet) -> list[int]:
    """Return rows of the asked row's table with the found keys: owner "M2" is member ``club:members/M2``."""
    known = sets.context.entities(item.ids.tolist())
    tables = {table for e in known.values() if (table := e.node.key.rpartition("/")[0]) and "://" not in table}
    keys = [f"{table}/{name_of(sets, node)}" for table in sorted(tables) for node in found.ids.tolist()]
    return [node for node in sets.context.snapshot.lookup(keys) if node is not None]


def name_of(sets: Sets, node: int) -> str:
    """Return the name of a class."""
    return sets.context.entities([node])[node].node.name


def names_of(sets: Sets, ids: Ids) -> str:
    """Return the names of some classes, at most twenty, for people."""
    names = sets.context.entities(ids[:20].tolist())
    return listed([names[n].node.name for n in ids[:20].tolist()])


def only(sets: Sets, op: m.Only) -> AssertionResult:
    """Return no if something else of the kind is stated as well, else unknown: sources need not state all."""
    item, of = next((f for f in sets.readings(op.of.item) if len(f)), None), op.of.of
    asked = sets.best(of.of) if isinstance(of, m.Related) else None
    if item is not None and asked is not None and isinstance(of, m.Related):
        for node, legs in (*_related(sets, of, item), *_places(sets, of, item)):
            one = np.array([node], np.int64)
            same = node in asked.ids or within_one_another(sets, asked.ids, one)
            former = is_former(sets.context.entities([node])[node])  # Istanbul lay in the Ottoman Empire
            if not same and not former and called_alike(sets, asked.ids, one):
                words = f"stated otherwise: {item.words}: also {name_of(sets, node)}"
                return AssertionResult("no", words, ((legs, node),), (m.Step("only", words, 1, 1),))
    return AssertionResult("unknown", "no source says that there is nothing else", understood=False)


def _related(sets: Sets, of: m.Related, item: ThingSet) -> Iterator[tuple[int, tuple[Leg, ...]]]:
    """Yield the things that have the claimed relation to a thing, each with the hop to it."""
    found, base = sets.best(of), sets.context.space.base
    sure = thresholds.DENIES_RELEVANCE
    if found is None or not found.codes or found.surety.relevance < sure or not plainly(sets, of, found):
        return
    every = follow(sets.context, item, tuple(reversed_code(c, base) for c in found.codes))
    if every is not None:
        yield from ((n, every.legs(n)) for n in every.ids.tolist())


def _places(sets: Sets, of: m.Related, item: ThingSet) -> Iterator[tuple[int, tuple[Leg, ...]]]:
    """Yield the places in which a thing lies, if the claim says that it lies somewhere."""
    if _LIES.fullmatch(of.phrase):
        around = lines(sets.context, item.ids.tolist())
        yield from ((leg.object, (leg,)) for n in item.ids.tolist() for leg in around.get(n, ()))
