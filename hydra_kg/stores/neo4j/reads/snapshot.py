"""The contents of the Neo4j store at one moment, for reading: the interface to the other modules of this folder."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Unpack

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Entity, Fact, Ids, Links, LoadInfo, NameHit, Passage, Predicates, Subgraph, Values
from hydra_kg.events import Listener, ignore
from hydra_kg.ports import CutOptions, CypherQuery, CypherResult, QueryLimits, Reach, ServerCut
from hydra_kg.stores.neo4j.reads import cuts, links, provenance
from hydra_kg.stores.neo4j.reads.cypher_queries import cypher_query
from hydra_kg.stores.neo4j.reads.entities import entities, page
from hydra_kg.stores.neo4j.reads.like_names import NamesSpeltAlike
from hydra_kg.stores.neo4j.reads.names import find, lookup
from hydra_kg.stores.neo4j.reads.passages import passages
from hydra_kg.stores.neo4j.reads.pinned_loads import GraphReader, PinnedLoads


class Neo4jSnapshot:
    """Implements :class:`hydra_kg.ports.Snapshot` for pinned loads. Thread-safe. ``way``: how cuts fetch facts."""

    def __init__(self, reader: GraphReader, like: NamesSpeltAlike, way: ServerCut = "levels") -> None:
        self.reader, self._like, self.way = reader, like, way

    def cutting(self, way: ServerCut) -> Neo4jSnapshot:
        return self if way == self.way else Neo4jSnapshot(self.reader, self._like, way)

    @property
    def pinned(self) -> PinnedLoads:
        """Return the generation and its loads."""
        return self.reader.pinned

    def manifest(self) -> tuple[LoadInfo, ...]:
        """Return the ready loads, sorted by name. The ``segment`` of a fact handle is a place in this list."""
        return tuple(load.info for load in self.pinned.loads)

    def predicates(self) -> Predicates:
        return self.reader.predicates

    def find(self, names: Sequence[str], *, limit: int = 50, reach: Reach = "exact") -> list[list[NameHit]]:
        return find(self.reader, names, limit=limit, reach=reach)

    def like(self, names: Sequence[str], *, limit: int, listener: Listener = ignore) -> list[list[NameHit]]:
        """Return names with similar spelling: see :class:`hydra_kg.ports.LikeNaming`."""
        return self._like.find(names, limit=limit, listener=listener)

    def lookup(self, keys: Sequence[str]) -> list[int | None]:
        return lookup(self.reader, keys)

    def entities(self, nodes: Sequence[int]) -> list[Entity]:
        """Return classes as users see them. A class that no load has, has no members."""
        return entities(self.reader, nodes)

    def cut(self, topics: Sequence[int], *, depth: int, **options: Unpack[CutOptions]) -> Subgraph:
        return cuts.cut(self.reader, np.asarray(topics, np.int64), depth=depth, way=self.way, **options)

    def values(self, nodes: Sequence[int]) -> Values:
        return provenance.values(self.reader, np.asarray(nodes, np.int64))

    def between(self, left: Ids, right: Ids) -> Links:
        return links.between(self.reader, np.asarray(left, np.int64), np.asarray(right, np.int64))

    def facts(self, segment: npt.NDArray[np.int16], row: Ids) -> list[Fact]:
        return provenance.facts(self.reader, np.asarray(segment, np.int16), np.asarray(row, np.int64))

    def passages(self, nodes: Sequence[int], *, query: str = "", limit: int = 20) -> list[Passage]:
        return passages(self.reader, nodes, query=query, limit=limit)

    def all_classes(self, *, after: int | None = None, limit: int = 10_000) -> Ids:
        return page(self.reader, after=after, limit=limit)

    def cypher_query(self, query: CypherQuery, limits: QueryLimits) -> CypherResult:
        return cypher_query(self.reader, query, limits)

    def relation_pairs(self) -> npt.NDArray[np.int32]:
        return self._pairs

    @cached_property
    def _pairs(self) -> npt.NDArray[np.int32]:
        return links.relation_pairs(self.reader)
