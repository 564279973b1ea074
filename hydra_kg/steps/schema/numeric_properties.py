"""Numeric comparisons and superlatives over the properties of a schema."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np

from hydra_kg.domain import Ids
from hydra_kg.execution.own_graph import NUMERIC, OwnGraph, OwnRelation, is_date
from hydra_kg.language.morphology import family_stem
from hydra_kg.plan.query_wording import ENDS
from hydra_kg.steps.executions import Executions
from hydra_kg.steps.own_graphs import costs
from hydra_kg.steps.schema.question_words import Compared, Superlative
from hydra_kg.steps.schema.schema_matching import KEYS, Matches
from hydra_kg.util.cancelling import check_between
from hydra_kg.util.number_columns import sort_distinct

_KEY_HEADS: Final = KEYS | {"number", "no"}
"""Last words of names of what only tells things apart."""
_FEW: Final = 12
"""Bounds up to which a comparison asks for the number of values of a relation that has several for a thing."""


def is_measured(graph: OwnGraph, relation: OwnRelation) -> bool:
    """Return True if nearly all values of a relation are numbers or dates (`NUMERIC`)."""
    ends = relation.there.end[:200]
    return bool(len(ends)) and float((~np.isnan(graph.numbers[ends])).mean()) >= NUMERIC


def within(graph: OwnGraph, matched: Matches, compared: Compared) -> Iterator[tuple[Ids, int, float, int]]:
    """Yield (places, bits, cost, relation) of things with a number that meets a comparison."""
    values = graph.numbers
    wanted = {family_stem(m) for m in compared.measure}
    year = any(1000 <= bound <= 2100 for bound in (compared.low, compared.high))
    few = min(abs(compared.low), abs(compared.high)) <= _FEW
    for i, relation in check_between(enumerate(graph.relations), every=1):
        if not is_measured(graph, relation):
            continue
        there = relation.there
        if few and len(sort_distinct(there.start)) < NUMERIC * len(there.start):
            continue  # more than one phone: how many there are, not which number it is
        said = [b for b in matched.said[i].scores if not compared.mask >> b & 1]
        meant = bool(wanted & {family_stem(w) for w in relation.words})
        if not meant and relation.words and relation.words[-1] in _KEY_HEADS:
            continue  # orders over 500: not those with such a number
        stated = values[there.end]
        years = float(((stated >= 1000) & (stated <= 2100)).mean()) >= NUMERIC
        if not said and not meant and not (year and years):
            continue
        if year != years and not meant and not (said and not year):
            continue
        good = (values[there.end] >= compared.low) & (values[there.end] <= compared.high)
        near: list[int] = []
        for bit in sorted(said, key=lambda b: abs(b - compared.mask.bit_length())):
            if not near or min(abs(bit - n) for n in near) <= 2:  # price per kg
                near.append(bit)
        if good.any():
            unsaid = costs.COMPARISON_WHEN if compared.when else costs.COMPARISON_UNSAID
            cost = costs.COMPARISON if said or meant else unsaid
            yield sort_distinct(there.start[good]), compared.mask | sum(1 << b for b in near), cost, i


def _by_class(matched: Matches, ends: Ids, mask: int) -> list[int]:
    """Return the bits of a class that is all that a relation leads to: the project with the largest *grant*."""
    classes = [c for c in matched.classes if not c.mask & mask and np.isin(ends, c.nodes).all()]
    return [b for c in classes[:1] for b in range(c.mask.bit_length()) if c.mask >> b & 1]


def _properties(graph: OwnGraph, nodes: Ids) -> list[int]:
    """Return the numbers of the relations that start at some places."""
    ways = graph.around(nodes)
    return [int(way) // 2 for way in ways if way % 2 == 0]


class FirstBy(NamedTuple):
    """The things that are first by a property, with the bits of the words that name it, and the cost."""

    nodes: Ids
    mask: int
    cost: float
    words: str
    by: str
    is_dated: bool


def extreme(
    graph: OwnGraph, top: Superlative, matched: Matches, nodes: Ids, *, mask: int, work: Executions
) -> FirstBy | None:
    """Return the things that are first by what a superlative states; None if no property fits it."""
    values = graph.numbers
    if len(nodes) < 2:
        return None
    best: FirstBy | None = None
    for i in _properties(graph, nodes):
        relation = graph.relations[i]
        if KEYS & set(relation.words) or not work.spend(len(nodes)):
            continue
        rows = relation.there.rows(nodes)
        said = [b for b in matched.said[i].scores if not mask >> b & 1]
        said = said or _by_class(matched, sort_distinct(relation.there.end[rows]), mask)
        meant = [m for m in top.measures if family_stem(m) in {family_stem(w) for w in relation.words}]
        if not meant and (top.measures or not said):
            continue
        start, end = relation.there.start[rows], relation.there.end[rows]
        text = relation.text
        if not is_measured(graph, relation):
            ends = sort_distinct(end)
            ways = [graph.relations[number] for number in _properties(graph, ends)]
            ways = [r for r in ways if r.literal and is_measured(graph, r)]
            hops = [(r, r.there.rows(ends)) for r in ways]
            if len(hops) != 1:
                continue
            way, through = hops[0]
            owners: dict[int, list[int]] = defaultdict(list)  # two people may live in the largest town
            for place, one in zip(end.tolist(), start.tolist(), strict=True):
                owners[place].append(one)
            stated = zip(way.there.start[through].tolist(), way.there.end[through].tolist(), strict=True)
            pairs = np.array([(one, value) for place, value in stated for one in owners[place]], np.int64)
            start, end, text = pairs[:, 0], pairs[:, 1], f"{text} {way.text}"
        numbers = values[end]
        known = ~np.isnan(numbers)
        if known.sum() < 2 or len(sort_distinct(start[known])) < 0.5 * len(nodes):
            continue
        bound = numbers[known].max() if top.order == "max" else numbers[known].min()
        chosen = sort_distinct(start[known][numbers[known] == bound])
        cost = costs.SUPERLATIVE + (costs.SUPERLATIVE_NEXT * top.measures.index(meant[0]) if meant else 0.0)
        first = graph.name(int(end[known][numbers[known] == bound][0]))
        if not top.measures and is_date(first):
            continue  # the most is no day
        dated = is_date(first)
        words = f"{ENDS['date' if dated else 'number'][top.order == 'max']} “{text}” of {len(nodes)}: {first}"
        if best is None or cost < best.cost:
            best = FirstBy(chosen, top.mask | sum(1 << b for b in said), cost, words, text, dated)
    return best
