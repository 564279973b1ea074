"""Infer what staged tables mean: keys, names, references, and what their rows are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from hydra_kg_loaders.feeds import column_kinds, column_phrases, references
from hydra_kg_loaders.feeds import key_columns as keys_
from hydra_kg_loaders.feeds.model import FeedColumn, FeedModel, FeedTable, Reference
from hydra_kg_loaders.feeds.profile import Profile, profiles
from hydra_kg_loaders.feeds.staging import StagedTable
from hydra_kg_loaders.feeds.wide_years import measure_of, year_columns

if TYPE_CHECKING:
    import duckdb

_WIDEST: Final = 3
"""Number of columns at the beginning of a table that may together be its key."""


def infer(db: duckdb.DuckDBPyConnection, tables: Sequence[StagedTable], *, name: str) -> FeedModel:
    """Return the model of a feed's tables, from their names, their columns and all their rows."""
    found = {t.name: profiles(db, t) for t in tables}
    nouns = {column_phrases.normalise_words(column_phrases.noun(t.name)) for t in tables}
    keys = {t.name: keys_.key(t, found[t.name], others=nouns) for t in tables}
    without = [t for t in tables if not keys[t.name] and not t.keys]
    keys |= {t.name: references.find_referred(db, t, tables, found, keys) for t in without}
    sure, doubtful = references.references(db, tables, found, keys)
    referring = {t.name: {column for r in sure if r.table == t.name for column in r.columns} for t in tables}
    for t in tables:
        if not keys[t.name]:
            keys[t.name] = keys_.composite(t) or _together(db, t, tables, keys, referring[t.name])
    for t in tables:
        sure += references.composites(db, t, tables, keys, referring[t.name])
    out = [_table(db, t, found[t.name], keys[t.name], sure) for t in tables]
    referred = {r.to for r in sure}
    out = _mark_pairs([_set_key(t, found[t.name], t.name in referred) for t in out], sure)
    return FeedModel(name, tuple(out), tuple(sure), tuple(doubtful))


def _mark_pairs(tables: Sequence[FeedTable], sure: Sequence[Reference]) -> list[FeedTable]:
    """Return tables with the kind of those corrected that only join two others, if several join the same two.

    Each is then a relation called by its table: who supervises and who examined a student. A table to which others
    refer stays one of things.
    """
    referred = {r.to for r in sure}
    ends = {t.name: frozenset(r.to for r in sure if r.table == t.name) for t in tables}
    only = [t.name for t in tables if len(ends[t.name]) == len(t.columns) == 2 and t.name not in referred]
    rivals = {name for name in only if any(ends[name] == ends[o] for o in only if o != name)}
    return [replace(t, rows="pair") if t.name in rivals else t for t in tables]


def _together(
    db: duckdb.DuckDBPyConnection,
    table: StagedTable,
    tables: Sequence[StagedTable],
    keys: Mapping[str, tuple[str, ...]],
    referring: Set[str],
) -> tuple[str, ...]:
    """Return columns that together identify rows and recur in another table (``plot`` of farms)."""
    noun = column_phrases.normalise_words(column_phrases.noun(table.name))
    for width in range(2, min(_WIDEST, len(table.columns)) + 1):
        columns = table.columns[:width]
        single = {own[0] for own in keys.values() if len(own) == 1}
        shared = any(set(columns) <= set(t.columns) for t in tables if t is not table)
        other = set(columns) & (single | referring)
        own = any(column_phrases.is_id_like(c) or keys_.is_called_like(c, noun) for c in columns if c not in other)
        if not shared or (other and not own):
            continue
        several = ", ".join(f"c{n}" for n in range(width))
        filled = " AND ".join(f"c{n} IS NOT NULL" for n in range(width))
        rows, distinct = db.execute(
            f"SELECT count(*), count(DISTINCT ({several})) FILTER (WHERE {filled}) FROM {table.table}"
        ).fetchall()[0]
        if rows and rows == distinct:
            return columns
    return ()


def _table(
    db: duckdb.DuckDBPyConnection,
    table: StagedTable,
    found: Sequence[Profile],
    key: tuple[str, ...],
    sure: Sequence[Reference],
) -> FeedTable:
    """Return what a table is about: its key, name column, kind of rows and columns."""
    own = [r for r in sure if r.table == table.name]
    referring = {column for r in own for column in r.columns}
    if len(key) == 1 and not column_phrases.is_id_like(key[0]) and not table.keys:
        own_noun = keys_.is_called_like(key[0], column_phrases.normalise_words(column_phrases.noun(table.name)))
        named = keys_.name(table, found, taken=frozenset(referring)) if not own_noun else ()
        called = named or keys_.name_of_codes(table, found, key[0], referring) or key
    else:
        texts = {column for r in own if r.why == references.NAMED_THERE for column in r.columns}
        any_text = len(own) - len(texts) < 2 or bool(key)
        called = keys_.name(table, found, taken=frozenset(referring | set(key)), any_text=any_text, texts=texts)
    columns, years = [], year_columns(table)
    for place, name in enumerate(table.columns):
        if name in referring:
            columns.append(FeedColumn(name, "reference", next(r.phrase for r in own if name in r.columns)))
        elif name in called:
            columns.append(FeedColumn(name, "name", column_phrases.phrase(name)))
        elif name in key:
            columns.append(FeedColumn(name, "key", column_phrases.phrase(name)))
        elif name in years:
            column = column_kinds.column(db, table, place, found[place])
            columns.append(replace(column, phrase=f"{measure_of(table)} {name.strip()}"))
        else:
            columns.append(column_kinds.column(db, table, place, found[place]))
    noun = column_phrases.noun(table.name)
    size = found[0].rows if found else 0
    rows = _rows(table, columns, own, key, called)
    return FeedTable(table.name, noun, rows, key, called, tuple(columns), table.files, size)


def _rows(
    table: StagedTable,
    columns: Sequence[FeedColumn],
    own: Sequence[Reference],
    key: tuple[str, ...],
    called: tuple[str, ...],
) -> str:
    """Return what the rows are. See :data:`hydra_kg_loaders.feeds.model.ROWS`."""
    others = [c for c in columns if c.role not in {"reference", "skip"} and c.name not in key]
    if len(own) == 2 and all(c.role == "reference" for c in columns) and column_phrases.is_verb_phrase(table.name):
        return "pair"
    if any(r.columns == key for r in own if key) and not called:
        return "part"
    if len(own) == 2 and not others and not called:
        return "pair"
    if called or len(key) == 1:
        return "thing"
    return "join" if own else "thing"


def _set_key(table: FeedTable, found: Sequence[Profile], referred: bool) -> FeedTable:
    """Return a table with its key and kind of rows corrected.

    A table to which others refer is one of things. If the rows have no key but unique names, the name is the key.
    """
    if referred and table.rows in {"join", "pair"} and table.key:
        return replace(table, rows="thing")
    if table.rows == "thing" and not table.key and len(table.called) == 1:
        place = table.place(table.called[0])
        if found[place].unique:
            return replace(table, key=table.called)
    return table
