"""Passages as words stemmed by SQLite's FTS5, and their bm25 score, so that both stores rank alike."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing

from hydra_kg.stores.common.passages import TITLE_WEIGHT

_TABLES = """
CREATE VIRTUAL TABLE passage USING fts5(title, text, content='', tokenize='porter unicode61 remove_diacritics 2');
CREATE VIRTUAL TABLE token USING fts5vocab(passage, instance);
"""
_K1, _B = 1.2, 0.75  # FTS5's own


def stem_passages(passages: Sequence[tuple[str, str]]) -> list[list[str]]:
    """Return the stemmed words of each (title, text), in order, repeats included."""
    out: list[list[str]] = [[] for _ in passages]
    with closing(sqlite3.connect(":memory:")) as db:
        db.executescript(_TABLES)
        rows = ((n, title, text) for n, (title, text) in enumerate(passages))
        db.executemany("INSERT INTO passage (rowid, title, text) VALUES (?, ?, ?)", rows)
        for n, term in db.execute("SELECT doc, term FROM token ORDER BY doc, col DESC, offset"):
            out[n].append(term)
    return out


def bm25(
    words: Sequence[str],
    asked: Sequence[Sequence[str]],
    *,
    title: int = 0,
    found: Mapping[str, int],
    passages: int,
    tokens: int,
) -> float:
    """Return the score of a passage; higher is better.

    The formula is BM25 as FTS5 computes it (section "The bm25() function" of the FTS5 documentation).

    Args:
        words: the words of the passage, those of its title first.
        title: the number of words of the title, each of which counts ``TITLE_WEIGHT`` times.
        asked: the stems of each word of the query (nearly always one).
        found: the number of the load's ``passages`` in which a stem occurs.
        passages: the number of passages of the load.
        tokens: the number of words in all its passages.
    """
    average, score = tokens / max(passages, 1) or 1.0, 0.0
    for stems in asked:
        width = len(stems)
        at = (i for i in range(len(words) - width + 1) if list(words[i : i + width]) == list(stems))
        often = sum(TITLE_WEIGHT if i < title else 1.0 for i in at)
        if often:
            hits = min(found.get(s, 0) for s in stems)
            idf = math.log((passages - hits + 0.5) / (hits + 0.5))
            score += max(idf, 1e-6) * often * (_K1 + 1) / (often + _K1 * (1 - _B + _B * len(words) / average))
    return score
