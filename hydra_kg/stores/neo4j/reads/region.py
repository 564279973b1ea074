"""Fetches what is around some topics with one query before a cut is made: by a pattern or an APOC procedure."""

from __future__ import annotations

from typing import Final

import numpy as np

from hydra_kg.domain import Ids
from hydra_kg.ports import ServerCut
from hydra_kg.stores.neo4j.reads.adjacency_fetch import EdgeColumns, around, columns_of, concatenate_edges
from hydra_kg.stores.neo4j.reads.pinned_loads import GraphReader
from hydra_kg.util.fast_dataclass import dataclass

QUERY: Final = {"pattern": "cut_pattern", "subgraph": "cut_subgraph", "spanning-tree": "cut_spanning_tree"}
NODES: Final = 20_000
"""Most nodes whose facts one query fetches."""

MOST: Final = 10_000
"""Most relationships of a node.

Nodes with more are left to the queries by level, because one of them could exceed a whole cut.
"""


@dataclass(frozen=True, slots=True)
class Region:
    """Facts around some nodes, fetched at once.

    ``classes`` are the classes that are complete in it, ascending, and ``edges`` are their facts.
    """

    classes: Ids
    edges: EdgeColumns

    def around(self, reader: GraphReader, classes: Ids) -> EdgeColumns:
        """Return the same as ``adjacency_fetch.around``; only classes that are not stored here are fetched."""
        here = np.isin(classes, self.classes)
        own = self.edges.take(np.isin(self.edges.near, classes[here]))
        return concatenate_edges([own, around(reader, classes[~here])]) if not here.all() else own


def region(reader: GraphReader, topics: Ids, *, depth: int, way: ServerCut) -> Region:
    """Fetch the facts within ``depth`` - 1 steps of topics with one query.

    Fused members and mediators are fetched by level. Raises StoreError if the server lacks the procedure.
    """
    given = {"ids": reader.classes.members(topics).tolist(), "depth": max(0, depth - 1), "nodes": NODES, "most": MOST}
    edges, nodes = columns_of(reader, reader.db.read(QUERY[way], given, depth=max(0, depth - 1)))
    members = np.unique(nodes)
    classes = np.unique(reader.classes.of(members))
    every = reader.classes.members(classes)
    missing = reader.classes.of(every[~np.isin(every, members)])
    return Region(classes[~np.isin(classes, missing)], edges)
