"""Finds names in a Neo4j store, to propose candidates for entity linking."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np

from hydra_kg import ids
from hydra_kg.domain import NameHit
from hydra_kg.ports import Reach
from hydra_kg.stores.common.passages import POPULAR, How, find_names, rank_hits
from hydra_kg.stores.neo4j.reads.pinned_loads import BATCH, GraphReader
from hydra_kg.text.quoting import lucene_phrases
from hydra_kg.text.typos import Vocabulary

Row = tuple[int, int, str]
"""Node, kind, text."""

LONGEST: Final = 500  # characters of a folded name that an index takes as they are


def fold_key(folded: str) -> str:
    """Return a folded name as it is indexed. Long names, which an index refuses, are shortened with a checksum."""
    if len(folded) <= LONGEST:
        return folded
    return f"{folded[:LONGEST]} {hashlib.sha256(folded.encode()).hexdigest()}"


def find(reader: GraphReader, names: Sequence[str], *, limit: int, reach: Reach) -> list[list[NameHit]]:
    """See :meth:`hydra_kg.ports.Snapshot.find`."""
    return find_names(_NodeNames(reader), names, limit=limit, reach=reach)


def lookup(reader: GraphReader, keys: Sequence[str]) -> list[int | None]:
    """See :meth:`hydra_kg.ports.Snapshot.lookup`."""
    found, known = reader.classes_of(ids.encode_many(keys))
    return [c if is_known else None for c, is_known in zip(found.tolist(), known.tolist(), strict=True)]


class _NodeNames:
    """The names of all loads."""

    def __init__(self, reader: GraphReader) -> None:
        self._reader = reader

    def exact(self, folds: Sequence[str]) -> dict[str, list[Row]]:
        found: dict[str, list[Row]] = {}
        wanted = [fold_key(text) for text in folds]
        for i in range(0, len(wanted), BATCH):
            asked = {"folds": wanted[i : i + BATCH], "loads": self._reader.numbers}
            for text, _, node, kind, name in self._reader.db.read("names_exact", asked):
                found.setdefault(text, []).append((node, kind, name))
        return {text: found.get(key, []) for text, key in zip(folds, wanted, strict=True)}

    def containing(self, words: Sequence[Sequence[str]], limit: int) -> list[Row]:
        query = " AND ".join(f"({lucene_phrases(alternatives)})" for alternatives in words)
        asked = {"query": query, "limit": POPULAR * limit}
        return [
            (node, kind, text)
            for load in self._reader.numbers
            for node, kind, text in self._reader.db.read("names_containing", {**asked, "load": load})
        ]

    def hits(self, rows: Sequence[Row], limit: int, how: How | None) -> list[NameHit]:
        if not rows:
            return []
        known = self._reader.classes
        best: dict[int, tuple[int, str]] = {}
        for c, (_, kind, text) in zip(
            known.of(np.array([row[0] for row in rows], np.int64)).tolist(), rows, strict=True
        ):
            if c not in best or (kind, text) < best[c]:
                best[c] = (kind, text)
        degree = dict(zip(best, known.degree(np.array(list(best), np.int64)).tolist(), strict=True))
        return rank_hits(best, degree, limit, how)

    def vocabularies(self) -> Iterable[Vocabulary]:
        return self._reader.vocabularies
