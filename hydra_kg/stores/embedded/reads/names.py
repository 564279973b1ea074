"""Finds names in an embedded store, to propose candidates for entity linking."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from hydra_kg import ids
from hydra_kg.domain import NameHit
from hydra_kg.ports import Reach
from hydra_kg.stores.common.name_candidates import POPULAR, How, find_names, rank_hits
from hydra_kg.stores.embedded.reads.pinned_generation import SegmentReader
from hydra_kg.stores.embedded.reads.snapshot_graph import LoadView
from hydra_kg.stores.embedded.segments.name_rows import names_of
from hydra_kg.text.folding import fold
from hydra_kg.text.plain_text import storable
from hydra_kg.text.quoting import fts5_words
from hydra_kg.text.typos import Vocabulary

Row = tuple[int, int, int, str]
"""Load, local node, kind, text."""


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
    found = []
    for load in reader.named:
        names = names_of(load.segment)
        rows = names.starting(begin, limit)
        found += [(row, load.index, text) for row, (*_, text) in zip(rows.tolist(), names.read(rows), strict=True)]
    return list(dict.fromkeys(name for _, _, name in sorted(found)))[:limit]


class _SegmentNames:
    """The names of all loads."""

    def __init__(self, reader: SegmentReader) -> None:
        self._reader = reader

    def exact(self, folds: Sequence[str]) -> dict[str, list[Row]]:
        found: dict[str, list[Row]] = {}
        for load in self._reader.named:
            for text, rows in names_of(load.segment).find(folds).items():
                found.setdefault(text, []).extend(_read(load, rows))
        return found

    def containing(self, words: Sequence[Sequence[str]], limit: int) -> list[Row]:
        match = " AND ".join(f"({fts5_words(alternatives)})" for alternatives in words)
        sql = "SELECT rowid - 1 FROM name_full WHERE name_full MATCH ? ORDER BY rowid LIMIT ?"
        found: list[Row] = []
        for load in self._reader.named:
            rows = self._reader.query(load.index, sql, (match, POPULAR * limit))
            found += _read(load, np.array(rows, np.int64).reshape(-1))
        return found

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


def _read(load: LoadView, rows: npt.NDArray[np.int64]) -> list[Row]:
    return [(load.index, *name) for name in names_of(load.segment).read(rows)]
