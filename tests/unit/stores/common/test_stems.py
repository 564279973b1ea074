"""The bm25 score of the Neo4j store equals that of SQLite's FTS5, with a title that counts more than the text."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from hydra_kg.stores.common.passages import TITLE_WEIGHT, bm25, stem_passages
from hydra_kg.text.quoting import fts5_words

PASSAGES = [
    ("Ada Lund", "Ada Lund painted the river and its boats."),
    ("The river", "A river flows, and river boats sail on it."),
    ("Boats", "Boats and more boats, one of them by Ada."),
    ("Quince", "Nothing of it here."),
    ("Others", "Words again and again."),
]


@pytest.mark.parametrize("words", [["ada"], ["river", "boats"], ["painted"], ["quince", "words"]])
def test_scores_equal_those_of_full_text_search(words: list[str]) -> None:
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute("CREATE VIRTUAL TABLE p USING fts5(title, text, tokenize='porter unicode61 remove_diacritics 2')")
        db.executemany("INSERT INTO p VALUES (?, ?)", PASSAGES)
        query = f"SELECT rowid - 1, -bm25(p, {TITLE_WEIGHT}, 1.0) FROM p WHERE p MATCH ?"
        expected = dict(db.execute(query, (fts5_words(words),)).fetchall())
    stems, asked = stem_passages(PASSAGES), [tuple(s) for s in stem_passages([("", w) for w in words])]
    titles = [len(s) for s in stem_passages([(title, "") for title, _ in PASSAGES])]
    found = {s: sum(s in own for own in stems) for word in asked for s in word}
    stats = {"found": found, "passages": len(PASSAGES), "tokens": sum(map(len, stems))}
    scores = {i: bm25(stems[i], asked, title=titles[i], **stats) for i in expected}  # type: ignore[arg-type]
    assert scores == pytest.approx(expected)
    assert len(expected) > 0
