"""Whatever a text holds, it comes back from the language it was quoted for as it was."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import duckdb
import pytest

from hydra_kg.text.quoting import (
    cypher_name,
    disarm_formula,
    fts5_words,
    quote_with_backslashes,
    sql_name,
    sql_path,
    sql_text,
    sql_texts,
)

HOSTILE = ["plain", "it's", "''; DROP TABLE t; --", 'say "x"', "back\\slash\\", "`tick`", "* [a] ?", "Ünï\n\t"]


@pytest.mark.parametrize("text", HOSTILE)
def test_sql_gives_a_text_back(text: str) -> None:
    assert duckdb.execute(f"SELECT {sql_text(text)} AS {sql_name(text)}").fetchone() == (text,)
    assert duckdb.execute(f"SELECT {sql_text(text)} AS {sql_name(text)}").description[0][0] == text
    assert sqlite3.connect(":memory:").execute(f"SELECT {sql_text(text)}").fetchone() == (text,)


def test_a_list_is_never_empty_and_nul_is_refused() -> None:
    assert duckdb.execute(f"SELECT 'b''' IN ({sql_texts([*HOSTILE, chr(98) + chr(39)])})").fetchone() == (True,)
    assert duckdb.execute(f"SELECT count(*) FROM range(3) WHERE 'a' IN ({sql_texts([])})").fetchone() == (0,)
    with pytest.raises(ValueError, match="NUL"):
        sql_text("a\0b")


def test_a_file_with_the_signs_of_a_pattern_is_one_file(tmp_path: Path) -> None:
    for name in ("a[1]*.csv", "a1x.csv"):
        (tmp_path / name).write_text(f"{name}\n", "utf-8")
    found = duckdb.execute(f"SELECT * FROM read_csv({sql_path(tmp_path / 'a[1]*.csv')}, header = false)").fetchall()
    assert found == [("a[1]*.csv",)]


def test_words_of_a_full_text_query_are_never_syntax() -> None:
    db = sqlite3.connect(":memory:")
    db.execute("CREATE VIRTUAL TABLE t USING fts5(words)")
    db.executemany("INSERT INTO t VALUES (?)", [("not near",), ("other",)])
    for word in ("NOT", "NEAR(", 'x" OR "near', "col:near*"):
        db.execute("SELECT * FROM t WHERE t MATCH ?", (fts5_words([word, "other"]),)).fetchall()
    assert db.execute("SELECT count(*) FROM t WHERE t MATCH ?", (fts5_words(["not", "zzz"]),)).fetchone() == (1,)


def test_cypher_names_and_backslashed_texts() -> None:
    assert cypher_name("a`b\\c") == "`a``b\\u005Cc`"
    assert quote_with_backslashes('a"b\\') == '"a\\"b\\\\"'


@pytest.mark.parametrize("cell", ["=1+1", " +1", "@SUM(A1)", "\t=1", "\r=1", "\n=1"])
def test_no_cell_begins_with_a_formula(cell: str) -> None:
    assert disarm_formula(cell) == f"'{cell}"


@pytest.mark.parametrize("cell", ["Graz", "a = b", 5, None])
def test_other_cells_stay_as_they_are(cell: object) -> None:
    assert disarm_formula(cell) == cell
