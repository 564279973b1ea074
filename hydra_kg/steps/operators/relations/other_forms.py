"""Countries that sources list twice, such as a realm and the country that gives it its capital."""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import combinations
from typing import Final

import numpy as np

from hydra_kg.domain import Ids
from hydra_kg.steps.context import Context
from hydra_kg.steps.operators.relations.disputed_places import to_holders
from hydra_kg.steps.retrieval.entity_types import stated_ends

MOST: Final = 64
"""Countries whose facts about each other are looked at."""

_FACTS: Final = 100
"""Facts of each of them that are read."""

_CAPITAL: Final = re.compile(r"\bcapital\b")


def once_each(context: Context, countries: Ids) -> Ids:
    """Return each country in one form.

    Of two that share a capital and one of which lies in the other, the better described stays (not the Danish Realm).
    """
    if not 1 < len(countries) <= MOST:
        return countries
    pairs = list(combinations(countries.tolist(), 2))
    left, right = (np.array([p[k] for p in pairs], np.int64) for k in (0, 1))
    links = context.snapshot.between(left, right)
    joined = sorted({pairs[i] for i in links.pair[np.isin(links.pred, to_holders(context))].tolist()})
    if not joined:
        return countries
    nodes = sorted({n for pair in joined for n in pair})
    capitals, known = _capitals(context, nodes), context.entities(nodes)
    same = [pair for pair in joined if capitals[pair[0]] & capitals[pair[1]]]
    return np.setdiff1d(countries, np.array([min(pair, key=lambda n: known[n].degree) for pair in same], np.int64))


def _capitals(context: Context, nodes: list[int]) -> dict[int, set[int]]:
    """Return for each country what is stated as its capital, or as what it is the capital of."""
    known = context.space.predicates
    texts = zip(known.keys, known.texts, strict=True)
    wanted = context.space.once("capitals", lambda: {key for key, text in texts if _CAPITAL.search(text)})
    found: dict[int, set[int]] = defaultdict(set)
    for a, b in stated_ends(context.snapshot, nodes, wanted, each=_FACTS):
        found[a].add(b)
        found[b].add(a)
    return found
