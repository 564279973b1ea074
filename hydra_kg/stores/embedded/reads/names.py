"""Proposing link candidates: names equal once folded, names that hold all words, names within typing errors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from hydra_kg import ids
from hydra_kg.domain import NameHit
from hydra_kg.ports import Reach
from hydra_kg.stores.embedded.reads.reading import Reader
from hydra_kg.stores.embedded.segments.texts import clean
from hydra_kg.text.folding import fold, tokens
from hydra_kg.text.quoting import fts5_words
from hydra_kg.text.typos import meant

How = Literal["name", "alias", "tokens", "near"]
Row = tuple[int, int, str]  # local node, kind, text

KIND_HOW: dict[int, How] = {0: "name", 1: "alias", 2: "alias"}
MARKS = 500  # parameters of one statement
POPULAR = 8  # rows read per hit asked for: of very common words only the most popular names of each load are seen


def find(reader: Reader, names: Sequence[str], *, limit: int, reach: Reach) -> list[list[NameHit]]:
    """See :meth:`hydra_kg.ports.Snapshot.find`. Titles count as aliases."""
    folds = [fold(clean(name)) for name in names]
    exact = _exact(reader, sorted(set(folds) - {""}))
    done: dict[str, list[NameHit]] = {}
    known: dict[str, list[str]] = {}
    for text in folds:
        if text not in done:
            hits = _hits(reader, exact.get(text, []), limit, None)
            if not hits and reach != "exact":
                words = sorted(set(tokens(text)))
                hits = _containing(reader, [[w] for w in words], limit, "tokens")
                if not hits and reach == "near":
                    hits = _containing(reader, meant(words, lambda: reader.vocabularies, known), limit, "near")
            done[text] = hits
    return [list(done[text]) for text in folds]


def lookup(reader: Reader, keys: Sequence[str]) -> list[int | None]:
    """See :meth:`hydra_kg.ports.Snapshot.lookup`."""
    found = reader.view.classes_of(ids.encode_many(keys))
    return [int(reader.view.classes[c]) if c >= 0 else None for c in found.tolist()]


def _exact(reader: Reader, folds: Sequence[str]) -> dict[str, list[tuple[int, Row]]]:
    found: dict[str, list[tuple[int, Row]]] = {}
    for i in range(0, len(folds), MARKS):
        part = folds[i : i + MARKS]
        sql = f"SELECT fold, node, kind, text FROM name WHERE fold IN ({','.join('?' * len(part))})"
        for load in reader.named:
            for text, *row in reader.query(load.index, sql, part):
                found.setdefault(text, []).append((load.index, (row[0], row[1], row[2])))
    return found


def _containing(reader: Reader, words: Sequence[Sequence[str]], limit: int, how: How) -> list[NameHit]:
    """Names that hold, for every entry, one of its alternatives."""
    if not words or not all(words):
        return []
    match = " AND ".join(f"({fts5_words(alternatives)})" for alternatives in words)
    sql = (
        "SELECT node, kind, text FROM name WHERE id IN"
        " (SELECT rowid FROM name_full WHERE name_full MATCH ? ORDER BY rowid LIMIT ?)"
    )
    found = [
        (load.index, (row[0], row[1], row[2]))
        for load in reader.named
        for row in reader.query(load.index, sql, (match, POPULAR * limit))
    ]
    return _hits(reader, found, limit, how)


def _hits(reader: Reader, found: Sequence[tuple[int, Row]], limit: int, how: How | None) -> list[NameHit]:
    """One hit a class, from its least (kind, text); highest degree first, then by class id."""
    if not found:
        return []
    best: dict[int, tuple[int, str]] = {}
    for index, load in enumerate(reader.view.loads):
        rows = [row for i, row in found if i == index]
        if not rows:
            continue
        classes = load.classes_of(np.array([row[0] for row in rows], np.int32))
        for c, (_, kind, text) in zip(classes.tolist(), rows, strict=True):
            if c not in best or (kind, text) < best[c]:
                best[c] = (kind, text)
    degree = reader.view.degree
    order = sorted(best, key=lambda c: (-int(degree[c]), c))[:limit]
    return [
        NameHit(int(reader.view.classes[c]), best[c][1], how or KIND_HOW[best[c][0]], int(degree[c])) for c in order
    ]
