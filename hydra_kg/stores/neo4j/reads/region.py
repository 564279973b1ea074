"""What lies around some topics, fetched by one query before a cut is made: by a pattern, or by a procedure of APOC."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from hydra_kg.domain import Ids
from hydra_kg.ports import ServerCut
from hydra_kg.stores.neo4j.reads.adjacency_fetch import EdgeColumns, around, columns_of, joined
from hydra_kg.stores.neo4j.reads.reading import GraphReader

QUERY: Final = {"pattern": "cut_pattern", "subgraph": "cut_subgraph", "spanning-tree": "cut_spanning_tree"}
NODES: Final = 20_000
"""Nodes whose facts one query fetches at most."""

MOST: Final = 10_000
"""Relationships over which a node is left to the queries by level: one hub would be more than a whole cut."""


@dataclass(frozen=True, slots=True)
class Region:
    """Facts around some nodes, fetched at once. ``classes``: those entirely in it, ascending · ``edges``: theirs."""

    classes: Ids
    edges: EdgeColumns

    def around(self, reader: GraphReader, classes: Ids) -> EdgeColumns:
        """As ``adjacency_fetch.around``; asks only for classes that are not stored here."""
        here = np.isin(classes, self.classes)
        own = self.edges.take(np.isin(self.edges.near, classes[here]))
        return joined([own, around(reader, classes[~here])]) if not here.all() else own


def region(reader: GraphReader, topics: Ids, *, depth: int, way: ServerCut) -> Region:
    """Fetch the facts within ``depth`` - 1 steps of topics by one query; fused members and mediators come by level.

    Raises StoreError if the server lacks the procedure.
    """
    given = {"ids": reader.classes.members(topics).tolist(), "depth": max(0, depth - 1), "nodes": NODES, "most": MOST}
    edges, nodes = columns_of(reader, reader.db.read(QUERY[way], given, depth=max(0, depth - 1)))
    members = np.unique(nodes)
    classes = np.unique(reader.classes.of(members))
    every = reader.classes.members(classes)
    missing = reader.classes.of(every[~np.isin(every, members)])
    return Region(classes[~np.isin(classes, missing)], edges)
