"""Turns a load in the graph into a stage again, complete or without one source: read once, by chunks, into tables."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from hydra_kg import ids
from hydra_kg.domain import Ids
from hydra_kg.errors import StoreError
from hydra_kg.quiet_dependencies import connect_duckdb
from hydra_kg.stores.neo4j.connection.load_rows import KINDS, LINKS, NODES, SAME_AS, TEXTS, chunk_number
from hydra_kg.stores.neo4j.connection.queries import SPAN, Database, type_name
from hydra_kg.stores.neo4j.reads.nodes import MEDIATOR
from hydra_kg.stores.neo4j.writes.scratch_tables import configure, faults
from hydra_kg.util.fast_dataclass import dataclass

if TYPE_CHECKING:
    import duckdb

BATCH: Final = 100_000
PAGE: Final = 10_000  # literal facts asked for at once

_TABLES: Final = """
CREATE TABLE link (s BIGINT, p BIGINT, o BIGINT, line UBIGINT, source USMALLINT, detail BOOLEAN);
CREATE TABLE value (s BIGINT, p BIGINT, o BIGINT, line UBIGINT, source USMALLINT, detail BOOLEAN);
CREATE TABLE detail ("row" BIGINT, rank VARCHAR, conf DOUBLE, qualifiers VARCHAR, place VARCHAR);
CREATE TABLE node (id BIGINT);
CREATE TABLE mediator (id BIGINT);
CREATE TABLE raw_term (id BIGINT, text VARCHAR);
CREATE TABLE name (node BIGINT, kind VARCHAR, text VARCHAR);
CREATE TABLE passage (node BIGINT, title VARCHAR, url VARCHAR, text VARCHAR, line BIGINT);
CREATE TABLE same (a BIGINT, b BIGINT, line BIGINT);
"""

_NODES: Final = "SELECT s FROM {0}link UNION SELECT o FROM {0}link UNION SELECT s FROM {0}value"
_WITHOUT: Final = f"""
CREATE TABLE kept_link AS SELECT row_number() OVER (ORDER BY rowid) - 1 AS new, rowid AS old,
    * REPLACE ((source - (source > $1)::INT)::USMALLINT AS source) FROM link WHERE source <> $1 ORDER BY rowid;
CREATE TABLE kept_value AS SELECT -row_number() OVER (ORDER BY rowid) AS new, -1 - rowid AS old,
    * REPLACE ((source - (source > $1)::INT)::USMALLINT AS source) FROM value WHERE source <> $1 ORDER BY rowid;
CREATE TABLE kept_detail AS SELECT new AS "row", rank, conf, qualifiers, place FROM detail
    JOIN (SELECT old, new FROM kept_link UNION ALL SELECT old, new FROM kept_value) ON old = "row"
    ORDER BY new < 0, abs(new);
CREATE TABLE gone AS SELECT id FROM ({_NODES.format("")}) AS had(id) EXCEPT ({_NODES.format("kept_")})
    EXCEPT (SELECT a FROM same UNION SELECT b FROM same UNION SELECT node FROM passage);
CREATE TABLE kept_node AS SELECT * FROM node WHERE id NOT IN (FROM gone) ORDER BY rowid;
CREATE TABLE kept_mediator AS SELECT * FROM mediator WHERE id NOT IN (FROM gone) ORDER BY rowid;
CREATE TABLE kept_name AS SELECT * FROM name WHERE node NOT IN (FROM gone) ORDER BY rowid;
"""
"""Removes a source, and nodes that lose all facts, unless they are in same-as links or passages."""

RowCallback = Callable[[int], None]
Columns = Mapping[str, npt.NDArray[Any]]


@dataclass(slots=True)
class LoadStage:
    """A load exported from the server to disk, as a stage (port Stage)."""

    db: duckdb.DuckDBPyConnection
    predicate_rows: list[tuple[int, str, str, str]]
    several: bool

    def counts(self) -> Mapping[str, int]:
        tables = {
            "links": "link",
            "values": "value",
            "nodes": "node",
            "terms": "term",
            "names": "name",
            "passages": "passage",
            "same_as": "same",
        }
        return {name: self._size(table) for name, table in tables.items()}

    def links(self) -> Iterator[Columns]:
        return self._facts("link")

    def values(self) -> Iterator[Columns]:
        return self._facts("value")

    def nodes(self) -> Iterator[Ids]:
        return (batch["id"] for batch in self._columns("node", "id"))

    def mediators(self) -> Iterator[Ids]:
        return (batch["id"] for batch in self._columns("mediator", "id"))

    def terms(self) -> Iterator[tuple[Ids, Sequence[str]]]:
        return ((batch["id"], batch["text"].tolist()) for batch in self._columns("term", "id, text"))

    def names(self) -> Iterator[Sequence[tuple[int, str, str]]]:
        return self._rows("name", "node, kind, text")

    def predicates(self) -> Sequence[tuple[int, str, str, str]]:
        return self.predicate_rows

    def passages(self) -> Iterator[Sequence[tuple[int, str, str, str, int]]]:
        return self._rows("passage", "node, title, url, text, line")

    def same_as(self) -> Iterator[Columns]:
        return self._columns("same", "a, b, line")

    def details(self) -> Iterator[Sequence[tuple[int, str, float, str, str]]]:
        return self._rows("detail", '"row", rank, conf, qualifiers, place')

    def _facts(self, table: str) -> Iterator[Columns]:
        return self._columns(table, "s, p, o, line, detail" + (", source" if self.several else ""))

    def _columns(self, table: str, columns: str) -> Iterator[dict[str, npt.NDArray[Any]]]:
        for low in range(0, self._size(table), BATCH):
            batch = self._window(table, columns, low).fetchnumpy()
            yield {name: c.filled() if isinstance(c, np.ma.MaskedArray) else np.asarray(c) for name, c in batch.items()}

    def _rows(self, table: str, columns: str) -> Iterator[list[Any]]:
        for low in range(0, self._size(table), BATCH):
            yield self._window(table, columns, low).fetchall()

    def _window(self, table: str, columns: str, low: int) -> duckdb.DuckDBPyConnection:
        where = f"rowid >= {low} AND rowid < {low + BATCH}"
        return self.db.cursor().execute(f"SELECT {columns} FROM {table} WHERE {where} ORDER BY rowid")

    def _size(self, table: str) -> int:
        return int(self.db.cursor().execute(f"SELECT count(*) FROM {table}").fetchall()[0][0])


@contextmanager
def read_back(
    db: Database,
    load: Mapping[str, Any],
    scratch: Path,
    *,
    without: str = "",
    on_rows: RowCallback = lambda facts: None,
) -> Iterator[LoadStage]:
    """Read a load (a row of ``cypher/loads.cypher``) into a file below ``scratch``, and yield it as a stage.

    Args:
        without: leave out the facts of this source, and what only they used.
        on_rows: called with the number of facts as they arrive.

    Raises StoreError if the server does not have all facts of the load any more.
    """
    scratch.mkdir(parents=True, exist_ok=True)
    file = scratch / "read-back.duckdb"
    file.unlink(missing_ok=True)
    try:
        with faults(scratch), closing(connect_duckdb(str(file))) as tables:
            configure(tables, scratch)
            tables.execute(_TABLES)
            names = [s["name"] for s in json.loads(load["sources"])]
            stage = _LoadReader(db, int(load["id"]), names, tables, on_rows).all()
            if (found := sum(stage.counts()[kind] for kind in ("links", "values"))) != load["facts"]:
                raise StoreError(
                    f"{load['name']} could not be read whole: {found:,} of {load['facts']:,} facts.",
                    remedy="If it was replaced meanwhile, run the same command again.",
                )
            yield _drop_sources(stage, names.index(without), len(names)) if without else stage
    finally:
        file.unlink(missing_ok=True)


def export_attached_files(db: Database, load: int, folder: Path) -> list[Path]:
    """Write the files that are attached to a load into a folder. Return their paths."""
    found: dict[str, Path] = {}
    for name, data in db.read("bulk_attached", {"load": load}):
        folder.mkdir(exist_ok=True)
        path = folder / Path(name).name
        with path.open("ab" if name in found else "wb") as out:
            out.write(bytes(data))
        found[name] = path
    return list(found.values())


def _drop_sources(stage: LoadStage, place: int, sources: int) -> LoadStage:
    """Return the stage without the facts of some sources, and without nodes that are then unused."""
    tables = stage.db
    used = "SELECT p FROM {0}link UNION SELECT p FROM {0}value"
    for statement in _WITHOUT.split(";")[:-1]:
        tables.execute(statement.replace("$1", str(place)))
    unused = {p for (p,) in tables.execute(f"{used.format('')} EXCEPT ({used.format('kept_')})").fetchall()}
    for table in ("link", "value", "detail", "node", "mediator", "name"):
        tables.execute(f"DROP TABLE {table}; ALTER TABLE kept_{table} RENAME TO {table}")
    return LoadStage(tables, [row for row in stage.predicate_rows if row[0] not in unused], sources > 2)


@dataclass(slots=True)
class _LoadReader:
    db: Database
    load: int
    sources: Sequence[str]
    tables: duckdb.DuckDBPyConnection
    on_rows: RowCallback

    def all(self) -> LoadStage:
        columns = self.db.read("predicates", {"loads": [self.load]})
        predicates = [row for column in columns for row in zip(*column[1:5], strict=True)]
        self._terms((i, key) for i, key, _, _ in predicates)
        self._nodes()
        self._links({type_name(key): i for i, key, _, _ in predicates})
        self._values()
        self._passages()
        for _, subjects in self._chunks(SAME_AS):
            rows = self.db.read("rest_same_as", {"load": self.load, "ids": sorted(set(subjects))})
            self._put("same", ("a", "b", "line"), rows)
        self.tables.execute("CREATE TABLE same_once AS SELECT DISTINCT a, b, line FROM same ORDER BY a, b, line")
        self.tables.execute("DROP TABLE same; ALTER TABLE same_once RENAME TO same")
        self.tables.execute(
            "CREATE TABLE term AS SELECT id, any_value(text) AS text FROM raw_term GROUP BY id ORDER BY id"
        )
        return LoadStage(self.tables, sorted(predicates), len(self.sources) > 1)

    def _chunks(self, stream: int) -> Iterator[tuple[int, list[int]]]:
        """Yield the number and the subjects of each chunk of a stream, in order."""
        n = 0
        while rows := self.db.read(
            "chunk_subjects", {"load": self.load, "low": chunk_number(stream, n), "high": chunk_number(stream, n + 1)}
        ):
            yield n, rows[0][1]
            n += 1

    def _nodes(self) -> None:
        """Copy the nodes of the load into the stage."""
        kinds = {number: kind for kind, number in KINDS.items()}
        for _, here in self._chunks(NODES):
            nodes = sorted(here)
            self._put("node", ("id",), [[i] for i in nodes])
            ((found, parts),) = self.db.read("nodes", {"ids": nodes})
            ours = {i for i, part in zip(found, parts, strict=True) if part // SPAN == self.load and part & MEDIATOR}
            self._put("mediator", ("id",), [[i] for i in sorted(ours)])
            keys = self.db.read("keys", {"ids": [i for i in nodes if not ids.is_inline(i)]})
            self._terms(pair for row in keys for pair in zip(*row, strict=True))
            names = self.db.read("copy_names", {"load": self.load, "ids": nodes})
            self._put("name", ("node", "kind", "text"), sorted([n, kinds[k], text] for n, k, text in names))

    def _links(self, of_type: Mapping[str, int]) -> None:
        """Copy the links of the load into the stage."""
        handles = {"low": self.load * SPAN, "high": (self.load + 1) * SPAN}
        last = row = -1  # the facts of a subject may go on in the next chunk; they come with the first
        for _, subjects in self._chunks(LINKS):
            here = sorted({i for i in subjects if i > last})
            last = here[-1] if here else last
            facts = sorted(self.db.read("rest_links", {"ids": here, **handles}))
            rows = [[s, of_type[kind], o, line, source, *more] for _, s, o, kind, source, line, *more in facts]
            self._facts("link", rows, row + 1, sign=1)
            row += len(facts)
            self.on_rows(len(facts))

    def _values(self) -> None:
        low = 0
        while found := self.db.read("copy_values", {"load": self.load, "low": low, "high": low + PAGE}):
            self._terms((ids.encode(literal), literal) for _, _, _, literal, *_ in found)
            rows = [[s, p, ids.encode(o), line, source, *more] for _, s, p, o, source, line, *more in found]
            self._facts("value", rows, low, sign=-1)
            low += PAGE
            self.on_rows(len(found))

    def _facts(self, table: str, rows: Sequence[Sequence[Any]], start: int, *, sign: int) -> None:
        place = {name: n for n, name in enumerate(self.sources)}
        self._put(
            table,
            ("s", "p", "o", "line", "source", "detail"),
            [[s, p, o, line, place[source], any(x is not None for x in more)] for s, p, o, line, source, *more in rows],
        )
        details = [
            [n if sign > 0 else ~n, rank or "", 1.0 if conf is None else conf, qualifiers or "[]", at or ""]
            for n, (*_, rank, conf, qualifiers, at) in enumerate(rows, start)
            if any(x is not None for x in (rank, conf, qualifiers, at))
        ]
        self._put("detail", ("row", "rank", "conf", "qualifiers", "place"), details)

    def _passages(self) -> None:
        low = 0
        while rows := self.db.read("copy_passages", {"load": self.load, "low": low, "high": low + TEXTS}):
            self._put("passage", ("node", "title", "url", "text", "line"), rows)
            low += TEXTS

    def _terms(self, pairs: Any) -> None:
        rows = [[i, text] for i, text in pairs if not ids.is_inline(i)]
        self._put("raw_term", ("id", "text"), rows)

    def _put(self, table: str, names: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        if not rows:
            return
        raw = {}  # DuckDB finds it by its name
        for name, column in zip(names, zip(*rows, strict=True), strict=True):
            raw[name] = np.array(column, object if isinstance(column[0], str) else None)
        listed = ", ".join(f'"{name}"' for name in names)
        self.tables.execute(f"INSERT INTO {table} ({listed}) SELECT {listed} FROM raw")
        del raw
