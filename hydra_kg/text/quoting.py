"""Functions that quote texts inside statements of other languages, so that nothing in a text is read as syntax."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path


def sql_text(text: str) -> str:
    """Return a text as an SQL string literal; no text becomes part of a statement in any other way.

    Raises ValueError for a text with a NUL character.
    """
    if "\0" in text:
        raise ValueError("SQL text must not hold NUL")
    return "'" + text.replace("'", "''") + "'"


def sql_texts(texts: Iterable[object]) -> str:
    """Return texts as the content of an SQL ``IN (…)``, which is never empty."""
    return ", ".join(map(sql_text, sorted(map(str, texts)))) or "NULL"


def sql_path(path: Path) -> str:
    """Return one file name for ``read_csv`` and ``read_parquet``, with the wildcards ``*``, ``?`` and ``[`` escaped."""
    return sql_text(re.sub(r"[*?\[]", lambda found: f"[{found[0]}]", str(path)))


def sql_name(name: str) -> str:
    """Return a column or table name quoted for SQL; the same form is a string in an FTS5 query."""
    return '"' + name.replace('"', '""') + '"'


def quote_with_backslashes(text: str) -> str:
    """Return the text in double quotes, with a backslash before each quote and backslash in it.

    Lucene phrases, Java argument files and RDF literals are quoted so.
    """
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def fts5_words(words: Iterable[str]) -> str:
    """Return an FTS5 query that matches any of the words."""
    return " OR ".join(map(sql_name, words))


def lucene_phrases(phrases: Iterable[str]) -> str:
    """Return a Lucene query that matches any of the phrases."""
    return " OR ".join(map(quote_with_backslashes, phrases))


def cypher_name(name: str) -> str:
    r"""Return a type or label quoted for Cypher.

    Backticks are doubled. Backslashes become ``\u005C``, because Cypher resolves such escapes first.
    """
    return "`" + name.replace("\\", "\\u005C").replace("`", "``") + "`"


def cypher_text(text: str) -> str:
    r"""Return a Cypher literal of ASCII letters, digits and escapes, which can end no literal, statement or address.

    Cypher resolves ``\uXXXX`` first. Quotes and backslashes, and letters and digits after a backslash, therefore have
    forms of their own.
    """
    out, before = [], ""
    units = text.encode("utf-16-be", "surrogatepass")
    for c in (chr(int.from_bytes(units[i : i + 2], "big")) for i in range(0, len(units), 2)):
        plain = c.isascii() and c.isalnum() and before != "\\"
        out.append("\\" + c if c in '"\\' else c if plain else f"\\u{ord(c):04X}")
        before = c
    return '"' + "".join(out) + '"'


def disarm_formula(value: object) -> object:
    """Return a cell that no spreadsheet runs as a formula: ``'=A1`` for ``=A1``."""
    if not isinstance(value, str):
        return value
    return f"'{value}" if value.lstrip()[:1] in ("=", "+", "-", "@") or value[:1] in ("\t", "\r", "\n") else value
