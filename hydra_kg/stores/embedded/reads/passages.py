"""Finds passages about classes, and passages by full text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hydra_kg.domain import Locator, Passage
from hydra_kg.stores.common.passages import TITLE_WEIGHT, passage_id, rarest, words
from hydra_kg.stores.embedded.reads.pinned_generation import SegmentReader
from hydra_kg.stores.embedded.reads.snapshot_graph import LoadView
from hydra_kg.text.quoting import fts5_words

_ABOUT = """
SELECT id, node, title, url, text, line FROM passage WHERE node IN (SELECT value FROM json_each(?)) ORDER BY id
"""
_COUNT = "SELECT count(*) FROM passage_full WHERE passage_full MATCH ?"
_SCORES = f"""
SELECT rowid, -bm25(passage_full, {TITLE_WEIGHT}, 1.0) FROM passage_full
WHERE passage_full MATCH ?2 AND rowid IN (SELECT value FROM json_each(?1))
"""
_FOUND = f"""
SELECT p.id, p.node, p.title, p.url, p.text, p.line, f.score
FROM (SELECT rowid, -rank AS score FROM passage_full
      WHERE passage_full MATCH ? AND rank MATCH 'bm25({TITLE_WEIGHT}, 1.0)' ORDER BY rank, rowid LIMIT ?) AS f
JOIN passage AS p ON p.id = f.rowid
"""
_FIRST = """
SELECT p.id, p.node, p.title, p.url, p.text, p.line, 0.0
FROM (SELECT rowid FROM passage_full WHERE passage_full MATCH ? ORDER BY rowid LIMIT ?) AS f
JOIN passage AS p ON p.id = f.rowid
"""


def passages(reader: SegmentReader, nodes: Sequence[int], *, query: str, limit: int) -> list[Passage]:
    """See :meth:`hydra_kg.ports.Snapshot.passages`.

    Those about the classes come first; within both groups the best score (bm25 among the passages of a load, 0 without
    a query) first, then by load and place in it.
    """
    view = reader.view
    found = view.classes_of(nodes)
    classes = found[found >= 0]
    asked = words(query)
    match = fts5_words(asked)
    about: list[tuple[float, int, int, Passage]] = []
    others: list[tuple[float, int, int, Passage]] = []
    for load in view.loads:
        if not load.segment.manifest["counts"].get("passages", 1):
            continue
        local, _ = load.locals_of(classes)
        rows = list(reader.query_many(load.index, _ABOUT, sorted(set(local.tolist()))))
        near = {row[0] for row in rows}
        if match:
            listed = f"[{','.join(map(str, sorted(near)))}]"
            scores = {row[0]: row[1] for row in reader.query(load.index, _SCORES, (listed, match))} if near else {}
            rows = [(*row, scores.get(row[0], 0.0)) for row in rows]
            rows += [row for row in _search_load(reader, load.index, asked, limit + len(near)) if row[0] not in near]
        for row, passage in zip(rows, _passages(reader, load, rows), strict=True):
            (about if row[0] in near else others).append((-passage.score, load.index, row[0], passage))
    ranked = [entry[3] for group in (about, others) for entry in sorted(group, key=lambda e: e[:3])]
    return ranked[:limit]


def _search_load(reader: SegmentReader, load: int, asked: Sequence[str], limit: int) -> list[tuple[Any, ...]]:
    """Return the passages of one load that contain a word, best first, searched by the rarest of the words."""
    chosen, common = rarest((reader.query(load, _COUNT, (fts5_words([w]),))[0][0], w) for w in asked)
    return reader.query(load, _FIRST if common else _FOUND, (fts5_words(chosen), limit)) if chosen else []


def _passages(reader: SegmentReader, load: LoadView, rows: Sequence[Sequence[Any]]) -> list[Passage]:
    """Return the passages of search rows, with their texts."""
    source, whole = reader.source(load.index), reader.file(load.index)
    local = np.array([row[1] for row in rows], np.int32)
    nodes = np.zeros(len(rows), np.int64)
    nodes[local >= 0] = reader.view.classes[load.classes_of(local[local >= 0])]
    found = []
    for (_, _, title, url, text, line, *score), node in zip(rows, nodes.tolist(), strict=True):
        file, at = reader.place(load.index, line, file=whole)
        locator = Locator(file=file, line=at, page=title, url=url)
        key = passage_id(source.name, url, title, text)
        found.append(Passage(key, title, text, source, locator, node, score[0] if score else 0.0))
    return found
