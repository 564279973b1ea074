"""Texts inside statements of other languages, so that nothing in them is syntax: a function for each way to quote."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path


def sql_text(text: str) -> str:
    """Return a text as an SQL string: the only way in which a text becomes part of a statement.

    Raises ValueError for NUL.
    """
    if "\0" in text:
        raise ValueError("SQL text must not hold NUL")
    return "'" + text.replace("'", "''") + "'"


def sql_texts(texts: Iterable[object]) -> str:
    """Texts as the inside of an SQL ``IN (…)``; never empty."""
    return ", ".join(map(sql_text, sorted(map(str, texts)))) or "NULL"


def sql_path(path: Path) -> str:
    """Return the name of one file for ``read_csv`` and ``read_parquet``, to which ``*``, ``?`` and ``[`` are patterns."""
    return sql_text(re.sub(r"[*?\[]", lambda found: f"[{found[0]}]", str(path)))


def sql_name(name: str) -> str:
    """Return the name of a column or table in SQL; an FTS5 string, too."""
    return '"' + name.replace('"', '""') + '"'


def backslashed(text: str) -> str:
    """Put a backslash before quotes and backslashes: for Lucene phrases, Java argument files, RDF literals."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def fts5_words(words: Iterable[str]) -> str:
    """Words as an FTS5 query for any of them."""
    return " OR ".join(map(sql_name, words))


def lucene_phrases(phrases: Iterable[str]) -> str:
    """Phrases as a Lucene query for any of them."""
    return " OR ".join(map(backslashed, phrases))


def cypher_name(name: str) -> str:
    """Quote a type or label in Cypher: backticks doubled, backslashes as the escape that is resolved first."""
    return "`" + name.replace("\\", "\\u005C").replace("`", "``") + "`"


def cypher_text(text: str) -> str:
    r"""Return a Cypher literal of ASCII letters, digits and escapes, which can end no literal, statement or address.

    ``\\uXXXX`` is resolved first, so quotes, backslashes and letters after them have own forms.
    """
    out, before = [], ""
    units = text.encode("utf-16-be", "surrogatepass")
    for c in (chr(int.from_bytes(units[i : i + 2], "big")) for i in range(0, len(units), 2)):
        plain = c.isascii() and c.isalnum() and before != "\\"
        out.append("\\" + c if c in '"\\' else c if plain else f"\\u{ord(c):04X}")
        before = c
    return '"' + "".join(out) + '"'
