"""Containment and other names of places, by which one value is merely less specific than another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

import numpy as np

from hydra_kg.domain import Entity, Predicates
from hydra_kg.fusion.gathering.store_claims import ClaimStatement, align_attributes
from hydra_kg.ports import Snapshot
from hydra_kg.text.folding import fold
from hydra_kg.text.literals import is_literal

WITHIN: Final = frozenset(
    "containedby|contained by|country|located in the administrative territorial entity|part of|state|"
    "state province region|located in".split("|")
)
"""Folded wordings of predicates that lead from a place to one that contains it."""

LEVELS: Final = 3
"""Number of steps upwards: a district of a town, its county, its country."""

MOST: Final = 200
"""Largest number of places whose containers are looked up at a level."""

HUB: Final = 10_000
"""Number of facts from which a place counts as a country or larger; its containers are not read."""

Holders = Mapping[str, frozenset[str]]
"""Folded names of the places that contain a value, by the value's folded name.

A value with several names counts as contained in its other names.
"""


def find_contested_values(stated: Sequence[ClaimStatement]) -> list[int]:
    """Return the entities stated as values in groups with several values, ascending."""
    groups: dict[tuple[str, str], set[int]] = {}
    for s in stated:
        groups.setdefault((s.key, s.attribute), set()).add(s.value.id)
    literals = {s.value.id for s in stated if is_literal(s.value.key)}
    return sorted({v for own in groups.values() if len(own) > 1 for v in own} - literals)


def leading_to_holders(predicates: Predicates) -> list[int]:
    """Return the indices, in ``predicates``, of those that lead from a place to one that contains it."""
    return list(_leading_to_holders(align_attributes(predicates)))


@lru_cache(maxsize=4)
def _leading_to_holders(names: tuple[str, ...]) -> tuple[int, ...]:
    return tuple(p for p, name in enumerate(names) if fold(name) in WITHIN)


def holders(snapshot: Snapshot, values: Sequence[int]) -> Holders:
    """Return the names of the places that contain some values, and the other names of the values.

    The store is read once for each of ``LEVELS``.
    """
    if not values:
        return {}
    above: dict[int, set[int]] = {v: {v} for v in values[:MOST]}
    known: dict[int, Entity] = {}
    wanted = leading_to_holders(snapshot.predicates())
    fresh = sorted(above)
    parents: dict[int, set[int]] = {}
    for _ in range(LEVELS):
        known |= {e.node.id: e for e in snapshot.entities(fresh)}
        fresh = [n for n in fresh if known[n].degree <= HUB]
        graph = snapshot.cut(fresh, depth=1)
        own = np.isin(graph.ids[graph.src], np.array(fresh, np.int64)) & np.isin(graph.pred, wanted)
        for a, b in zip(graph.ids[graph.src[own]].tolist(), graph.ids[graph.dst[own]].tolist(), strict=True):
            parents.setdefault(a, set()).add(b)
        fresh = sorted({b for a in fresh for b in parents.get(a, ())} - set(known))[:MOST]
        if not fresh:
            break
    for lines in above.values():
        for _ in range(LEVELS):
            lines |= {b for a in lines for b in parents.get(a, ())}
    known |= {e.node.id: e for e in snapshot.entities(sorted({n for own in above.values() for n in own} - set(known)))}
    names = {n: frozenset(map(fold, (e.node.name, *e.aliases))) for n, e in known.items()}
    found: dict[str, frozenset[str]] = {}
    for value, lines in above.items():
        around = frozenset().union(*(names[n] for n in lines))
        for name in names[value]:
            found[name] = found.get(name, frozenset()) | around - {name}
    return found
