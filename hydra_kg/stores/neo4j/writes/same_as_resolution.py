"""Builds same-as classes from loads in the graph: reads their links and the types of the linked nodes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hydra_kg import ids
from hydra_kg.domain import Ids
from hydra_kg.stores.common.same_as import GENERAL_TYPES, TYPE_PREDICATES, SameAsClasses, components, fuse_links
from hydra_kg.stores.neo4j.connection.queries import SPAN, Database
from hydra_kg.stores.neo4j.reads.pinned_loads import BATCH, space


def fuse_same_as(db: Database, loads: Sequence[int]) -> SameAsClasses:
    """Return the classes of all same-as links of some loads."""
    rows = db.read("same_as", {"loads": list(loads)}) if loads else []
    a, b = (np.asarray(rows[0][i] if rows else (), np.int64) for i in (0, 1))
    types = _types(db, loads, _suspects(a, b))
    return fuse_links(a, b, lambda nodes: [types.get(i, frozenset()) for i in nodes])


def _suspects(a: Ids, b: Ids) -> list[int]:
    """Return the nodes that share a component with another of their name space."""
    nodes, label = components(a, b)
    groups: dict[tuple[int, int], list[int]] = {}
    for node, component in zip(nodes.tolist(), label.tolist(), strict=True):
        groups.setdefault((component, space(node)), []).append(node)
    return [node for group in groups.values() if len(group) > 1 for node in group]


def _types(db: Database, loads: Sequence[int], nodes: Sequence[int]) -> dict[int, frozenset[int]]:
    """Return the types that the loads state of each node."""
    found: dict[int, set[int]] = {}
    for i in range(0, len(nodes), BATCH):
        here = list(nodes[i : i + BATCH])
        stated = {"ids": here, "loads": list(loads), "predicates": sorted(TYPE_PREDICATES)}
        for node, literal in db.read("values_with", stated):
            found.setdefault(node, set()).add(ids.encode(literal))
        for node, target, handle in db.read("types_of", {"ids": here}):
            if handle // SPAN in loads:
                found.setdefault(node, set()).add(target)
    return {node: frozenset(types - GENERAL_TYPES) for node, types in found.items()}
