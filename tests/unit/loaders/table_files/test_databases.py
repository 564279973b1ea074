"""SQLite files as tables: full-text and R-tree tables are read, not the tables in which SQLite keeps them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from hydra_kg.errors import FormatError
from hydra_kg_loaders.table_files.canonical_rows import CellRows
from hydra_kg_loaders.table_files.databases import sqlite_tables


def made(path: Path, *statements: str) -> Path:
    with closing(sqlite3.connect(path)) as db:
        for statement in statements:
            db.execute(statement)
        db.commit()
    return path


def read(path: Path) -> dict[str, list[tuple[str, ...]]]:
    """The rows of each table as texts."""
    tables = sqlite_tables(path, max_line=10_000)
    assert all(isinstance(t.rows, CellRows) for t in tables)
    return {t.name: [tuple(map(str, row or ())) for row in t.rows.given()] for t in tables}


@pytest.mark.parametrize("kind", ["fts3", "fts4", "fts5"])
def test_a_full_text_table_is_read_as_what_it_was_given(tmp_path: Path, kind: str) -> None:
    file = made(
        tmp_path / "notes.db",
        f"CREATE VIRTUAL TABLE notes USING {kind}(title, body)",
        "INSERT INTO notes VALUES ('Kelp', 'Grows in the sea')",
        "CREATE TABLE chart_data (island, size)",  # of no virtual table
        "INSERT INTO chart_data VALUES ('Skerry', 3)",
    )
    assert read(file) == {"chart_data": [("Skerry", "3")], "notes": [("Kelp", "Grows in the sea")]}


def test_an_index_over_the_rows_of_another_table_adds_none(tmp_path: Path) -> None:
    file = made(
        tmp_path / "people.db",
        "CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT)",
        "INSERT INTO people VALUES (1, 'Ada Finch')",
        "CREATE VIRTUAL TABLE People_Index USING fts5(name, content='people', content_rowid='id')",
        "CREATE VIRTUAL TABLE words USING fts5(name, content='')",
    )
    assert read(file) == {"people": [("1", "Ada Finch")]}


def test_boxes_of_an_r_tree(tmp_path: Path) -> None:
    file = made(
        tmp_path / "boxes.db",
        "CREATE VIRTUAL TABLE boxes USING rtree(id, low, high)",
        "INSERT INTO boxes VALUES (1, 2, 3)",
    )
    assert read(file) == {"boxes": [("1", "2.0", "3.0")]}


def test_a_full_text_table_that_is_damaged_is_named(tmp_path: Path) -> None:
    file = made(
        tmp_path / "torn.db",
        "CREATE VIRTUAL TABLE notes USING fts5(title)",
        "INSERT INTO notes VALUES ('Kelp')",
        "DROP TABLE notes_content",
    )
    with pytest.raises(FormatError, match="the virtual table notes cannot be read"):
        read(file)
