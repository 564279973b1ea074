"""Turn a loader's streams into sorted tables.

Ids are computed once for each distinct value, sorts may exceed the memory, and duplicates are counted.

The tables are left in the staging database, all of them sorted:

* ``link`` and ``value`` (s, p, o, line), sorted by all four, with repeats. For streams with more columns they have s,
  p, o, line, source, rank, confidence, qualifiers, locator and detail, without repeats.
* ``name`` (node, kind, text), ``passage``, ``same``, ``mediator``, ``term`` (id, text), ``node`` (id).
"""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from types import MappingProxyType
from typing import Any, Final

from hydra_kg import ids
from hydra_kg.errors import LoadError
from hydra_kg.ingest.contract.loader import Loader, Streams
from hydra_kg.ingest.contract.work import Work, escape_line
from hydra_kg.ingest.formats.sql import value_id
from hydra_kg.ingest.staging.facts_by_row import count_wide, make_wide
from hydra_kg.util.fast_dataclass import dataclass

Counts = dict[str, Any]

_EMPTY: Final = {
    "links": "SELECT 0::BIGINT AS s, 0::BIGINT AS p, 0::BIGINT AS o, 0::UBIGINT AS line WHERE false",
    "values": "SELECT 0::BIGINT AS s, 0::BIGINT AS p, '' AS key, 0::UBIGINT AS line WHERE false",
    "terms": "SELECT 0::BIGINT AS id, '' AS text WHERE false",
    "names": "SELECT 0::BIGINT AS node, '' AS kind, '' AS text, 0::UBIGINT AS line WHERE false",
    "passages": "SELECT 0::BIGINT AS node, '' AS title, '' AS url, '' AS text, 0::UBIGINT AS line WHERE false",
    "same_as": "SELECT 0::BIGINT AS a, 0::BIGINT AS b, 0::UBIGINT AS line WHERE false",
    "mediators": "SELECT 0::BIGINT AS id WHERE false",
}
DETAILS: Final = {
    "source": "0::USMALLINT",
    "qualifiers": "'[]'",
    "rank": "''",
    "confidence": "1.0::DOUBLE",
    "locator": "''",
}
"""Optional columns of facts, in the order in which they sort, with their defaults."""

_OF_VALUES: Final = ("value", "literal", "coded", "wide", "wide_column")
"""Tables and views that the step of values makes."""

_CLASHES: Final = (
    f"SELECT id FROM coded WHERE id & 7 = {ids.HASHED} GROUP BY id HAVING min(hash(key)) <> max(hash(key))"
)
"""Ids of more than one value: only those that are hashes can be."""

_LITERALS: Final = "SELECT min(table_name) FROM information_schema.tables WHERE table_name IN ('coded', 'literal')"
"""The table of values' keys and ids: in ``coded`` they may be repeated."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A load that was read, cleaned and sorted: counts, streams, and rows per stream with and without duplicates."""

    read: Mapping[str, int]
    streams: Streams
    counts: Mapping[str, Mapping[str, int]]

    def rows(self) -> dict[str, int]:
        """Return the number of rows per stream that the store gets."""
        return {name: count["kept"] for name, count in self.counts.items()}


def prepare(work: Work, loader: Loader) -> Prepared:
    """Read, clean and sort, each step only once even if the process is killed in between. Sets ``work.lines``."""

    def read() -> Counts:
        counts = dict(loader.read(work))
        return {**counts, "lines": work.lines}

    found = work.step("read", read)
    work.lines = list(found.pop("lines"))
    data = work.step("clean", lambda: asdict(loader.clean(work)))
    tuples = {"predicates": tuple(tuple(p) for p in data["predicates"]), "derived": tuple(data["derived"])}
    streams = Streams(**{**data, **tuples})
    return Prepared(found, streams, sort_streams(work, streams))


def sort_streams(work: Work, streams: Streams) -> Counts:
    """Make every sorted table in a separate step. Return the rows per stream before and after removing duplicates."""
    sql = {name: getattr(streams, name) or empty for name, empty in _EMPTY.items()}
    line = "UINTEGER" if sum(work.lines) < 1 << 32 else "UBIGINT"
    links = f"SELECT * EXCLUDE (line), line::{line} AS line FROM ({sql['links']})"
    apart: dict[str, tuple[Sequence[str], Callable[[Work], Counts]]] = {
        "links": (("link",), lambda w: _facts(w, "link", links)),
        "values": (
            ("value", "literal", "coded", "wide", "wide_column"),
            lambda w: _values(w, sql["values"], line, streams=streams),
        ),
        "names": (("name",), lambda w: _distinct(w, "name", sql["names"], "node, kind, text")),
        "passages": (("passage",), lambda w: _passages(w, sql["passages"])),
        "same_as": (("same",), lambda w: _distinct(w, "same", sql["same_as"], "a, b")),
        "mediators": (("mediator",), lambda w: _table(w, "mediator", sql["mediators"], "id")),
    }
    after: list[tuple[str, Callable[[], Counts]]] = [
        ("terms", lambda: _terms(work, sql["terms"], streams)),
        ("nodes", lambda: _nodes(work)),
    ]
    begun, one = time.monotonic(), threading.Lock()
    count, total = itertools.count(), len(apart) + len(after)

    def tell(stream: str) -> None:
        with one:  # two threads, and each is told in its turn
            work.emit(
                "load.sort",
                {
                    "stream": stream,
                    "done": next(count),
                    "total": total,
                    "unit": "streams",
                    "seconds": round(time.monotonic() - begun, 2),
                },
            )

    def reported(name: str, do: Callable[[Work], Counts], work: Work) -> Counts:
        tell(name)
        return do(work)

    found = work.in_parallel(
        {f"sort {name}": (tables, partial(reported, name, do)) for name, (tables, do) in apart.items()}
    )
    counts = {name: found[f"sort {name}"] for name in apart}
    for name, do in after:
        tell(name)
        counts[name] = work.step(f"sort {name}", do)
    work.emit("load.sort", {"stream": "", "done": total, "total": total, "unit": "streams"})
    return counts


def _facts(work: Work, table: str, sql: str) -> Counts:
    """Sort and count facts. Repeats stay in the table, and its readers drop them."""
    columns = _columns(work, sql)
    if own := {name: columns[name] for name in DETAILS if name in columns}:
        return _statements(work, table, sql, own)
    work.db.execute(f"CREATE TABLE {table} AS SELECT s, p, o, line FROM ({sql}) ORDER BY s, p, o, line")
    rows = work.one(f"SELECT count(*) FROM {table}")
    distinct = work.one(
        "SELECT count(*) FILTER (WHERE s IS DISTINCT FROM a OR p IS DISTINCT FROM b OR o IS DISTINCT FROM c)"
        f" FROM (SELECT s, p, o, lag(s) OVER () AS a, lag(p) OVER () AS b, lag(o) OVER () AS c FROM {table})"
    )
    return {"rows": rows, "kept": distinct}


def _statements(work: Work, table: str, sql: str, own: Mapping[str, str]) -> Counts:
    """Sort facts that have some of the columns of :data:`DETAILS`, and drop repeats. The smallest line stays."""
    kinds = {name: default.partition("::")[2] or "VARCHAR" for name, default in DETAILS.items()}
    fixed = [name for name, kind in own.items() if kind.startswith("ENUM")]
    columns = ", ".join(
        name if name in fixed else f"coalesce({name}::{kinds[name]}, {DETAILS[name]}) AS {name}" for name in own
    )
    same = ["s", "p", "o", *(name for name in own if name != "locator")]
    order = [*same, "line DESC", *(f"{name} DESC" for name in own if name == "locator")]
    some = (f"{name} <> {DETAILS[name]}" for name in own if name != "source")
    detail = "true" if fixed else " OR ".join(some) or "false"
    facts = f"SELECT *, {detail} AS detail FROM (SELECT s, p, o, line, {columns} FROM ({sql}))"
    once = _last(f"{facts} ORDER BY {', '.join(order)}", same)
    alike = {name: f"{kinds[name]} GENERATED ALWAYS AS ({default})" for name, default in DETAILS.items()}
    _make(work, table, once, more={name: kind for name, kind in alike.items() if name not in own})
    if "source" in own and (most := work.one(f"SELECT max(source) FROM {table}") or 0) >= len(work.sources):
        raise LoadError(
            f"A fact is of source {most}, and the load has {len(work.sources)}.",
            remedy=f"Please report this as a bug of the loader {work.loader.name}.",
        )
    return _repeats(work, table)


def _columns(work: Work, sql: str) -> dict[str, str]:
    """Return the names and types of the columns of a query."""
    return {row[0]: row[1] for row in work.db.execute(f"DESCRIBE {sql}").fetchall()}


def _make(work: Work, table: str, sql: str, *, more: Mapping[str, str] = MappingProxyType({})) -> None:
    """Make a table of a query plus constant ``more`` columns, which take no space. Locators are stored uncompressed."""
    described = work.db.execute(f"DESCRIBE {sql}").fetchall()
    kinds = [f"{name} {kind}{' USING COMPRESSION uncompressed' * (name == 'locator')}" for name, kind, *_ in described]
    kinds += [f"{name} {kind}" for name, kind in more.items()]
    work.db.execute(f"CREATE TABLE {table} ({', '.join(kinds)})")
    work.db.execute(f"INSERT INTO {table} BY NAME {sql}")


def _values(work: Work, sql: str, line: str, *, streams: Streams) -> Counts:
    """Make the tables of distinct values with their ids and of the facts that state them; return counts.

    If two values have the same hashed id, the facts of the one that sorts later are rejected.
    """
    import duckdb

    with suppress(duckdb.OutOfMemoryException):
        if streams.literals and (counts := _coded_values(work, streams, line)):
            return counts
    for made in ("VIEW IF EXISTS literal", "TABLE IF EXISTS coded", "TABLE IF EXISTS value"):
        work.db.execute(f"DROP {made}")
    _make(work, "raw_value", sql)
    _once(work, "literal", "FROM raw_value", "key", more=f", {value_id('key')} AS id")
    if work.one("SELECT count(*) > count(DISTINCT id) FROM literal"):
        work.db.execute(
            "CREATE TABLE clash AS SELECT key FROM literal QUALIFY row_number() OVER (PARTITION BY id ORDER BY key) > 1"
        )
        work.db.execute("DELETE FROM literal WHERE key IN (SELECT key FROM clash)")
        found = work.db.execute("SELECT line, key FROM raw_value SEMI JOIN clash USING (key) ORDER BY line").fetchall()
        work.reject([(n, "collision", 0, escape_line(key)) for n, key in found])
    sql = (
        f"SELECT id AS o, line::{line} AS line, raw_value.* EXCLUDE (key, line) FROM raw_value JOIN literal USING (key)"
    )
    try:
        counts = _facts(work, "value", sql)
    except duckdb.OutOfMemoryException:  # join first, onto disk, then sort: both at once need more memory
        work.db.execute("DROP TABLE IF EXISTS value")
        _make(work, "known_value", sql)
        counts = _facts(work, "value", "FROM known_value")
        work.db.execute("DROP TABLE known_value")
    work.db.execute("DROP TABLE raw_value")
    return counts


def _coded_values(work: Work, streams: Streams, line: str) -> Counts:
    """Make the tables of values from a loader's distinct values. Return {} if two of these have the same id."""
    work.db.execute(f"CREATE TABLE coded AS SELECT *, {value_id('key')} AS id FROM ({streams.literals})")
    work.db.execute("CREATE VIEW literal AS SELECT DISTINCT key, id FROM coded")
    if work.one(f"SELECT count(*) FROM ({_CLASHES})"):
        return {}
    if not streams.wide_columns:
        return _facts(work, "value", f"SELECT * EXCLUDE (line), line::{line} AS line FROM ({streams.coded_values})")
    make_wide(work.db, streams.wide_values, streams.wide_columns, line=line)
    rows = sum(count for _, count in count_wide(work.db))
    return {"rows": rows, "kept": rows}


def _distinct(work: Work, table: str, sql: str, key: str) -> Counts:
    """Sort rows and drop repeats. The smallest line stays.

    Sorts spill to disk, but grouping texts does not.
    """
    ordered = f"SELECT {key}, line FROM ({sql}) ORDER BY {key}, line DESC"
    work.db.execute(f"CREATE TABLE {table} AS {_last(ordered, key.split(', '))}")
    return _repeats(work, table)


def _repeats(work: Work, table: str) -> Counts:
    """Return the rows of a table that :func:`_last` made, with and without repeats."""
    rows, distinct = work.db.execute(f"SELECT coalesce(sum(times), 0)::BIGINT, count(*) FROM {table}").fetchall()[0]
    return {"rows": rows, "kept": distinct}


def _last(ordered: str, key: Sequence[str]) -> str:
    """Return SQL for the last of equal rows, which are neighbours in ``ordered``, with their number ``times``."""
    last = " OR ".join(f"{name} IS DISTINCT FROM lead({name}) OVER ()" for name in key)
    return (
        f"SELECT * EXCLUDE (n, last), n - coalesce(lag(n) OVER (), 0) AS times"
        f" FROM (SELECT *, row_number() OVER () AS n, {last} AS last FROM ({ordered})) WHERE last"
    )


def _first(ordered: str, key: Sequence[str]) -> str:
    """Return SQL for the first of equal rows, which are next to each other in ``ordered``."""
    new = " OR ".join(f"{name} IS DISTINCT FROM lag({name}) OVER ()" for name in key)
    return f"SELECT * EXCLUDE (new) FROM (SELECT *, {new} AS new FROM ({ordered})) WHERE new"


def _once(work: Work, table: str, sql: str, key: str, *, order: str = "", more: str = "") -> None:
    """Insert a query's rows once each.

    Rows are grouped if the groups fit into memory, and otherwise sorted, which spills to disk.
    """
    import duckdb

    made = f"CREATE TABLE {table} AS SELECT {key}{more} FROM"
    try:
        work.db.execute(f"{made} (SELECT DISTINCT {key} FROM ({sql})){order and f' ORDER BY {order}'}")
    except duckdb.OutOfMemoryException:
        ordered = f"SELECT {key} FROM ({sql}) ORDER BY {key}"
        work.db.execute(f"{made} ({_first(ordered, key.split(', '))})")


def _passages(work: Work, sql: str) -> Counts:
    """Make the table of passages in the order of the file. Of equal ones the first stays; hashes are compared."""
    rows = work.one(f"SELECT count(*) FROM ({sql})")
    ordered = f"SELECT node, title, url, sha256(text) AS hash, line FROM ({sql}) ORDER BY ALL"
    first = f"SELECT line FROM ({_first(ordered, ('node', 'title', 'url', 'hash'))})"
    work.db.execute(
        f"CREATE TABLE passage AS SELECT * FROM ({sql}) SEMI JOIN ({first}) USING (line) ORDER BY line, title, text"
    )
    return {"rows": rows, "kept": work.one("SELECT count(*) FROM passage")}


def _table(work: Work, table: str, sql: str, columns: str) -> Counts:
    _once(work, table, sql, columns, order=columns)
    rows = work.one(f"SELECT count(*) FROM {table}")
    return {"rows": rows, "kept": rows}


def _terms(work: Work, sql: str, streams: Streams) -> Counts:
    """Stage the terms of ids that are hashes. Raises LoadError if two terms have the same id."""
    work.db.execute("CREATE TABLE predicate (id BIGINT, text VARCHAR)")
    work.insert(
        "predicate", [(i, key) for i, key, _, _ in streams.predicates if i & 7 == ids.HASHED], ("BIGINT", "VARCHAR")
    )
    literals = f"SELECT id, key AS text FROM {work.one(_LITERALS)}"
    every = f"SELECT id, text FROM ({sql}) UNION ALL {literals} UNION ALL FROM predicate"
    # Texts of one id are equal, so its texts need no order.
    once = _first(f"SELECT id, text FROM ({every}) WHERE id & 7 = {ids.HASHED} ORDER BY id", ("id", "text"))
    work.db.execute(f"CREATE TABLE term AS {once}")
    if work.one("SELECT count(*) > 0 FROM (SELECT id = lag(id) OVER () AS again FROM term) WHERE again"):
        same = "SELECT id FROM term GROUP BY id HAVING count(*) > 1 ORDER BY id LIMIT 1"
        texts = work.db.execute(f"SELECT DISTINCT text FROM term WHERE id IN ({same}) ORDER BY text").fetchall()
        raise LoadError(
            "Two terms have the same hashed id: " + " and ".join(text for (text,) in texts) + ".",
            remedy="Leave one of them out; this happens once in millions of loads.",
        )
    rows = work.one("SELECT count(*) FROM term")
    return {"rows": rows, "kept": rows}


def _nodes(work: Work) -> Counts:
    """Stage the nodes in ascending order of their ids, with their kinds."""
    union = " UNION ALL ".join(
        f"SELECT {column} AS id FROM {table}"
        for table, column in (
            ("link", "s"),
            ("link", "o"),
            ("wide" if count_wide(work.db) else "value", "s"),
            ("name", "node"),
            ("same", "a"),
            ("same", "b"),
            ("passage", "node"),
        )
    )
    return _table(work, "node", f"FROM ({union}) WHERE id <> 0", "id")
