"""Finds names in an embedded store, to propose candidates for entity linking."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np

from hydra_kg import ids
from hydra_kg.domain import NameHit
from hydra_kg.ports import Reach
from hydra_kg.stores.common.name_candidates import POPULAR, How, find_names, rank_hits
from hydra_kg.stores.embedded.reads.pinned_generation import SegmentReader
from hydra_kg.text.folding import fold
from hydra_kg.text.plain_text import storable
from hydra_kg.text.quoting import fts5_words
from hydra_kg.text.typos import Vocabulary

Row = tuple[int, int, int, str]
"""Load, local node, kind, text."""

STARTING: Final = 5_000
"""Most names with a given beginning that are read in each load."""

_LAST: Final = "\U0010ffff"

MARKS: Final = 500  # parameters of one statement


def find(reader: SegmentReader, names: Sequence[str], *, limit: int, reach: Reach) -> list[list[NameHit]]:
    """See :meth:`hydra_kg.ports.Snapshot.find`."""
    return find_names(_SegmentNames(reader), names, limit=limit, reach=reach)


def lookup(reader: SegmentReader, keys: Sequence[str]) -> list[int | None]:
    """See :meth:`hydra_kg.ports.Snapshot.lookup`."""
    found = reader.view.classes_of(ids.encode_many(keys))
    return [int(reader.view.classes[c]) if c >= 0 else None for c in found.tolist()]


def starting(reader: SegmentReader, text: str, *, limit: int) -> list[str]:
    """See :class:`hydra_kg.ports.NameCompleting`: of a common beginning only some names are looked at."""
    begin = fold(storable(text))
    if not begin:
        return []
    sql = "SELECT id, text FROM (SELECT id, text FROM name WHERE fold >= ? AND fold < ? LIMIT ?) ORDER BY id LIMIT ?"
    bounds = (begin, begin + _LAST, STARTING, limit)
    rows = [(row, load.index, name) for load in reader.named for row, name in reader.query(load.index, sql, bounds)]
    return list(dict.fromkeys(name for _, _, name in sorted(rows)))[:limit]


class _SegmentNames:
    """The names of all loads."""

    def __init__(self, reader: SegmentReader) -> None:
        self._reader = reader

    def exact(self, folds: Sequence[str]) -> dict[str, list[Row]]:
        found: dict[str, list[Row]] = {}
        for i in range(0, len(folds), MARKS):
            part = folds[i : i + MARKS]
            sql = f"SELECT fold, node, kind, text FROM name WHERE fold IN ({','.join('?' * len(part))})"
            for load in self._reader.named:
                for text, node, kind, name in self._reader.query(load.index, sql, part):
                    found.setdefault(text, []).append((load.index, node, kind, name))
        return found

    def containing(self, words: Sequence[Sequence[str]], limit: int) -> list[Row]:
        match = " AND ".join(f"({fts5_words(alternatives)})" for alternatives in words)
        sql = (
            "SELECT node, kind, text FROM name WHERE id IN"
            " (SELECT rowid FROM name_full WHERE name_full MATCH ? ORDER BY rowid LIMIT ?)"
        )
        return [
            (load.index, node, kind, text)
            for load in self._reader.named
            for node, kind, text in self._reader.query(load.index, sql, (match, POPULAR * limit))
        ]

    def hits(self, rows: Sequence[Row], limit: int, how: How | None) -> list[NameHit]:
        view = self._reader.view
        best: dict[int, tuple[int, str]] = {}
        for index, load in enumerate(view.loads):
            own = [row for row in rows if row[0] == index]
            if not own:
                continue
            classes = load.classes_of(np.array([row[1] for row in own], np.int32))
            for c, (_, _, kind, text) in zip(classes.tolist(), own, strict=True):
                if c not in best or (kind, text) < best[c]:
                    best[c] = (kind, text)
        degree = {int(view.classes[c]): int(view.degree[c]) for c in best}
        return rank_hits({int(view.classes[c]): name for c, name in best.items()}, degree, limit, how)

    def vocabularies(self) -> Iterable[Vocabulary]:
        return self._reader.vocabularies
