"""Check whether a thing is what a claim calls it, by stated kinds and by kinds that exclude each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations
from typing import Final

import numpy as np

from hydra_kg.citations import label_of
from hydra_kg.domain import Entity
from hydra_kg.execution.evidence_hops import Leg
from hydra_kg.ids import TYPE_KEYS
from hydra_kg.language.lexicon import lexicon_table, list_words
from hydra_kg.plan import model as m
from hydra_kg.steps.context import Context
from hydra_kg.steps.operators.claims.claim_wording import stated_by_name
from hydra_kg.steps.operators.operand_port import Sets
from hydra_kg.steps.operators.relations.noun_filter import FORMER, RELATIVES, called, same_nouns
from hydra_kg.steps.operators.results.executed_plan import AssertionResult, Truth
from hydra_kg.steps.operators.results.found_entities import Surety
from hydra_kg.steps.retrieval.entity_types import OCCUPATIONS, STATING, gender_of, head, kinds_named, stating
from hydra_kg.text.articles import add_article
from hydra_kg.text.folding import fold, tokens
from hydra_kg.text.literals import literal_text
from hydra_kg.util.fast_dataclass import dataclass

_MEMBERS: Final = "government.form_of_government.countries"
"""Predicate that states of a kind what is of it: Sweden is a constitutional monarchy."""

_KINDS: Final = STATING | frozenset(TYPE_KEYS) | {"P122", _MEMBERS}
"""Predicates that say what a thing is, in the sources known here and in graphs of one's own."""

_NOT_MEANT: Final = FORMER | {"fictional", "fictitious"}
_SPELT: Final = {"tv": "television"}
_UNMISTAKABLE: Final = list_words("unmistakable_kind")
"""Names of kinds that mean nothing else, unlike "work"."""

_NAMESAKES: Final = 25
_FACTS: Final = 60


@dataclass(frozen=True, slots=True)
class StatedKind:
    """A kind that a source states of a thing: its name, and the hop that states it."""

    name: str
    leg: Leg
    key: str = ""


def of_kind(sets: Sets, op: m.Among) -> AssertionResult | None:
    """Return yes if a meaning of the name is of the kind, no if all are of excluding kinds, else None."""
    of, item = op.of.parts[0] if isinstance(op.of, m.Both) else op.of, op.item
    noun = of.noun if isinstance(of, m.OfKind | m.Related) else ""
    if not isinstance(item, m.Named) or not noun:
        return None
    context = sets.context
    nodes = list(dict.fromkeys((item.node, *item.others)))
    stated = _stated(context, nodes)
    word = head(noun)
    more = frozenset(_SPELT.get(w, w) for w in tokens(fold(noun))[:-1]) - {"motion"}  # of "motion picture"
    if op.of == m.OfKind(item, noun) and word not in RELATIVES and not gender_of(noun):
        likeliest = _realms_of(context.entities([item.node])[item.node])
        for node in nodes:
            mine = list(stated.get(node, ()))
            if (kind := next(_saying(mine, word, more), None)) is None:
                continue
            if node != item.node and likeliest and _apart(likeliest, _realms(kinds_named(noun))):
                return None  # a film has the name of the river
            return _decided(context, "yes", node, kind, mine, noun, sure=node == item.node)
        if more and (sort := _of_sort(sets, item, stated, word, noun)) is not None:
            return sort
    return _excluded(context, item, nodes, stated, noun)


def _of_sort(
    sets: Sets, item: m.Named, stated: Mapping[int, Sequence[StatedKind]], word: str, noun: str
) -> AssertionResult | None:
    """Return yes if a thing is of the kind and the words before the noun are its genre or sport: "a horror film"."""
    before = " ".join(fold(noun).split()[:-1])
    for phrase in _SORTS:
        found = stated_by_name(sets, m.Related(item, phrase, before))
        own = stated.get(found.ways[0][0][0].subject, ()) if found is not None else ()
        if found is not None and any(True for _ in _saying(own, word, frozenset())):
            return found
    return None


_SORTS: Final = ("genre of _", "sport of _")


def namesakes(context: Context, item: m.Named) -> list[int]:
    """Return what a name may mean, likeliest first, with everything else of exactly that name."""
    alike = [h.node for h in context.snapshot.find([item.text], limit=_NAMESAKES, reach="exact")[0]]
    return list(dict.fromkeys((item.node, *item.others, *alike)))


def _saying(mine: Sequence[StatedKind], word: str, more: frozenset[str]) -> Iterator[StatedKind]:
    """Yield the kinds that match a noun with all words before it.

    If the noun means a person and some kinds say what somebody does, only those are yielded.
    """
    own = {noun for noun in same_nouns(word) if kinds_named(noun)} | {word}  # a geographical feature is no film
    doing = any(k.key in OCCUPATIONS for k in mine) and "person" in kinds_named(word) and "human" not in own
    for kind in mine:
        said = frozenset(tokens(fold(kind.name.rsplit(".", 1)[-1].replace("_", " "))))
        meant = called(kind.name) in own and more <= said and not said & (_NOT_MEANT - more)
        if meant and (not doing or kind.key in OCCUPATIONS):
            yield kind


def _stated(context: Context, nodes: Sequence[int]) -> Mapping[int, Sequence[StatedKind]]:
    """Return the kinds that sources state of each class."""
    keys = context.snapshot.predicates().keys
    if (cut := stating(context.snapshot, nodes, _KINDS, each=_FACTS)) is None:
        return {}
    cut = cut.of_loads(context.segments())
    back = np.array([key == _MEMBERS for key in keys], np.bool_)[cut.pred]
    things, kinds_of_them = np.where(back, cut.dst, cut.src), np.where(back, cut.src, cut.dst)
    own = np.flatnonzero(np.isin(cut.ids[things], np.array(nodes, np.int64)))
    columns = (cut.ids[things[own]], cut.pred[own], cut.ids[kinds_of_them[own]], cut.segment[own], cut.row[own])
    rows = list(zip(*(c.tolist() for c in columns), strict=True))
    names = context.entities(sorted({kind for _, _, kind, _, _ in rows}))
    found: dict[int, dict[int, StatedKind]] = {}
    for node, pred, kind, segment, row in rows:
        mine = found.setdefault(node, {})
        handles = (*(mine[kind].leg.handles if kind in mine else ()), (segment, row))
        leg = Leg(node, 2 * pred | (keys[pred] != _MEMBERS), kind, handles=handles)
        mine[kind] = StatedKind(label_of(names[kind].node.name), leg, keys[pred])
    kinds = {n: [mine[k] for k in sorted(mine)] for n, mine in found.items()}
    for node, kind in _types(context, nodes):
        kinds.setdefault(node, []).append(kind)
    return kinds


def _types(context: Context, nodes: Sequence[int]) -> Iterator[tuple[int, StatedKind]]:
    """Yield the types that a source states as words ("film.film"), each with the thing that has it."""
    keys, allowed = context.snapshot.predicates().keys, context.segments()
    values = context.snapshot.values(nodes)
    columns = (values.node.tolist(), values.pred.tolist(), values.literal, values.segment.tolist(), values.row.tolist())
    for node, pred, literal, segment, row in zip(*columns, strict=True):
        if keys[pred] in _KINDS and (allowed is None or allowed[segment]):
            leg = Leg(node, 2 * pred | 1, literal=literal, handles=((segment, row),))
            yield node, StatedKind(literal_text(literal), leg, keys[pred])


def _excluded(
    context: Context, item: m.Named, nodes: Sequence[int], stated: Mapping[int, Sequence[StatedKind]], noun: str
) -> AssertionResult | None:
    """Return no if every meaning of a name with known kinds is of other realms than the noun."""
    plain = kinds_named(noun) & _UNMISTAKABLE or len(same_nouns(head(noun))) > 1
    asked = _realms(kinds_named(noun)) if plain else frozenset[str]()
    if not asked or not nodes or not stated.get(nodes[0]):
        return None
    every = namesakes(context, item)
    known = context.entities(every)
    realms = {n: _realms_of(known[n]) for n in every}
    if not realms[nodes[0]] or any(not _apart(r, asked) for r in realms.values() if r):
        return None
    kind = next((k for k in stated[nodes[0]] if _realms(kinds_named(called(k.name)))), None)
    return None if kind is None else _decided(context, "no", nodes[0], kind, stated[nodes[0]], noun, sure=True)


def _decided(
    context: Context, truth: Truth, node: int, kind: StatedKind, mine: Sequence[StatedKind], noun: str, *, sure: bool
) -> AssertionResult:
    name = context.entities([node])[node].node.name
    stated = add_article(kind.name.rsplit(".", 1)[-1].replace("_", " "))
    words = f"stated{'' if truth == 'yes' else ' otherwise'}: {name} is {stated}"
    step = m.Step("of kind", f"{name} is {add_article(noun)}: {truth}", len(mine), 1)
    surety = Surety(lead=1.0 if sure else 0.5)
    return AssertionResult(truth, words, (((kind.leg,), node),), (step,), surety)


def _realms_of(entity: Entity) -> frozenset[str]:
    """Return the realms of all kinds of a thing. What is called an artist but not a human may be a band."""
    nouns = frozenset(map(called, entity.types))
    found = frozenset[str]().union(*(_realms(kinds_named(noun)) for noun in nouns))
    return found | {"group"} if "being" in found and nouns.isdisjoint(same_nouns("person")) else found


@cache
def _realms(kinds: frozenset[str]) -> frozenset[str]:
    return frozenset(realm for realm, names in _rows() if realm != "both" and kinds & set(names.split()))


@cache
def _rows() -> tuple[tuple[str, str], ...]:
    return tuple((realm, names) for realm, names in lexicon_table("apart"))


@cache
def _together() -> frozenset[frozenset[str]]:
    """Return the pairs of realms to which one thing may belong."""
    pairs = [pair for realm, names in _rows() if realm == "both" for pair in combinations(names.split(), 2)]
    return frozenset(map(frozenset, pairs))


def _apart(one: frozenset[str], other: frozenset[str]) -> bool:
    """Return True if nothing belongs to a realm of each."""
    return all(a != b and frozenset({a, b}) not in _together() for a in one for b in other)
