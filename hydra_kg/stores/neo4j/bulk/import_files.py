"""Writes staged loads as CSV files for ``neo4j-admin database import full``, in the layout of an online load."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import numpy as np

from hydra_kg.events import Listener, ignore
from hydra_kg.quiet_dependencies import connect_duckdb
from hydra_kg.stores.common.same_as import SameAsClasses
from hydra_kg.stores.neo4j.bulk import expressions as sql
from hydra_kg.stores.neo4j.bulk.csv_files import BUFFER, Csv, ImportFiles
from hydra_kg.stores.neo4j.bulk.stored_streams import Staged
from hydra_kg.stores.neo4j.connection.load_rows import (
    KINDS,
    LINKS,
    LONGEST_KEY,
    NAMES,
    NODES,
    PASSAGE_WORDS,
    PASSAGES,
    PREDICATES,
    SAME_AS,
    TEXTS,
    VALUES,
    WORDS,
    chunk_number,
)
from hydra_kg.stores.neo4j.connection.queries import SHARED, SPAN, type_name
from hydra_kg.stores.neo4j.writes.scratch_tables import configure
from hydra_kg.stores.neo4j.writes.writer import CLASS_ROWS, PIECE, ROWS, too_many
from hydra_kg.text.quoting import sql_text
from hydra_kg.util.fast_dataclass import dataclass

_FACTS: Final = 1 << 22  # of a file, or more where there are many nodes to join them with
_LISTED: Final = 1 << 22  # rows whose subjects are listed at a time
_DETAIL: Final = "rank:string,conf:double,qualifiers:string,at:string"
_LOAD: Final = (
    "id:long,name:string,state:string,sources:string,owner:string,beat:long,created:string,rows:long,facts:long,"
    "checksum:string,flipped:string,file:string,details:string,counts:string,texts:string,written:boolean"
)
_SOURCE: Final = (
    "name:string,kind:string,origin:string,licence:string,version:string,checksum:string,url:string,trust:double"
)


def write_files(
    loads: Sequence[Staged],
    folder: Path,
    *,
    generation: int,
    newest: int,
    fusion: SameAsClasses,
    listener: Listener = ignore,
) -> ImportFiles:
    """Write all import files for the loads of a store's ``generation``. Return the list of files.

    ``newest`` is the highest load number, and ``fusion`` are the same-as classes.
    """
    folder.mkdir(parents=True, exist_ok=True)
    scratch = folder.with_name(f"{folder.name}.duckdb")
    scratch.unlink(missing_ok=True)
    try:
        with closing(connect_duckdb(str(scratch))) as db:
            configure(db, folder.parent)
            for load in loads:
                db.execute(f"ATTACH {sql_text(str(load.file))} AS l{load.number} (READ_ONLY)")
            return _Writer(db, ImportFiles(folder), listener, loads=sorted(loads, key=lambda x: x.number)).all(
                generation=generation, newest=newest, fusion=fusion
            )
    finally:
        scratch.unlink(missing_ok=True)


@dataclass(slots=True)
class _Writer(Csv):
    loads: Sequence[Staged] = ()

    def all(self, *, generation: int, newest: int, fusion: SameAsClasses) -> ImportFiles:
        self._entities(fusion)
        for load in self.loads:
            self._values(load)
            self._names(load)
            self._passages(load)
            self._predicates(load)
            self._chunks(load)
            self._attached(load)
        self._store(generation, newest, fusion)
        for load in self.loads:
            self._links(load)
            self._same_as(load)
        self.files.buffer = max(BUFFER, self._longest())
        return self.files

    def _entities(self, fusion: SameAsClasses) -> None:
        """Write the file of nodes for the classes of all loads."""
        class_ = {"member": fusion.member, "representative": fusion.representative}  # noqa: F841 - DuckDB finds it
        self.db.execute("CREATE TABLE class AS SELECT * FROM class_")
        part = "degree * 4 + named::BIGINT * 2 + mediator::BIGINT"
        nodes = " UNION ALL ".join(
            f"SELECT {load.number} AS load, id, key, mediator, {load.number * SPAN} + {part} AS part"
            f" FROM l{load.number}.node"
            for load in self.loads
        )
        if len(self.loads) > 1:
            nodes = (
                "SELECT id, coalesce(arg_min(key, load) FILTER (key <> ''), '') AS key, bool_or(mediator) AS mediator,"
                f" string_agg(part::VARCHAR, ';' ORDER BY load) AS part FROM ({nodes}) GROUP BY id"
            )
        names = " UNION ALL ".join(
            f"SELECT node AS id, {load.number * SPAN} + n AS n, text FROM l{load.number}.name"
            f" WHERE kind IN ({KINDS['name']}, {KINDS['title']}) AND text <> ''"
            for load in self.loads
        )
        self.db.execute(f"""
            CREATE TABLE entity AS SELECT row_number() OVER (ORDER BY id) - 1 AS pos, id, key, part, mediator
            FROM ({nodes}) ORDER BY id
        """)
        text = f"""
            SELECT pos, entity.id, left(key, {LONGEST_KEY}) AS key,
                   CASE WHEN length(key) > {LONGEST_KEY} THEN key END AS long, text AS name, part, representative,
                   CASE WHEN mediator THEN 'HydraEntity;HydraMediator' ELSE 'HydraEntity' END
            FROM entity LEFT JOIN (SELECT id, arg_min(text, n) AS text FROM ({names}) GROUP BY id) USING (id)
            LEFT JOIN class ON member = entity.id ORDER BY pos
        """
        header = ":ID,id:long,key:string,long:string,name:string,parts:long[],cls:long,:LABEL"
        tables = [f"l{load.number}.{table}" for load in self.loads for table in ("term", "name")]
        self.nodes("entities", header, text, label="HydraEntity", breaks=self.breaks("key, name", *tables))
        self.files.labels["HydraMediator"] = self.one("SELECT count(*) FROM entity WHERE mediator")

    def _values(self, load: Staged) -> None:
        """Write the files of literal values of a load."""
        own, key = f"l{load.number}", "coalesce(literal, '')"
        for low, high in self._ranges(load.counts.get("values", 0)):
            text = f"""
                SELECT {self.place - low} + "row", {load.number}, "row", s, p, p.key AS predicate, {key} AS o,
                       {_fid(load, "literal")}, {_source(load)} AS source, line, rank, conf, qualifiers, place,
                       'HydraValue'
                FROM (SELECT value.*, coalesce({sql.key_of("o")}, term.text) AS literal FROM {own}.value
                      LEFT JOIN {own}.term ON term.id = o WHERE "row" >= {low} AND "row" < {high}) AS v
                JOIN entity AS a ON a.id = s JOIN {own}.predicate AS p ON p.id = v.p {self._stated(load)}
                LEFT JOIN (SELECT -1 - "row" AS "row", * EXCLUDE ("row") FROM {own}.detail) USING ("row")
            """
            header = (
                ":ID,load:long,row:long,subject:long,p:long,predicate:string,o:string,fid:long,source:string,"
                f"loc:long,{_DETAIL},:LABEL"
            )
            breaks = self.breaks(
                "predicate, o, rank, qualifiers, place, source",
                f"{own}.term",
                f"{own}.predicate",
                f"{own}.detail",
                names=_sources(load),
            )
            self.nodes(f"values_{load.number}_{low}", header, text, label="HydraValue", breaks=breaks)

    def _names(self, load: Staged) -> None:
        own = f"l{load.number}"
        text = f"""
            SELECT {self.place} + n, {load.number}, node, kind, text, fold, words, -fame, 'HydraName'
            FROM {own}.name JOIN {own}.node ON node.id = name.node
        """
        header = ":ID,load:long,node:long,kind:long,text:string,fold:string,words:string,fame:long,:LABEL"
        self.nodes(
            f"names_{load.number}", header, text, label="HydraName", breaks=self.breaks("text, fold", f"{own}.name")
        )
        self._words(load, "word", "HydraWord")

    def _words(self, load: Staged, table: str, label: str) -> None:
        text = f"""SELECT {self.place} + rowid, {load.number}, text, count, '{label}' FROM l{load.number}.{table}"""
        self.nodes(f"{table}s_{load.number}", ":ID,load:long,text:string,count:long,:LABEL", text, label=label)

    def _passages(self, load: Staged) -> None:
        text = f"""SELECT {self.place} + n, {load.number}, n, node, title, url, text, line, words, 'HydraPassage'
                   FROM l{load.number}.passage ORDER BY n"""
        header = ":ID,load:long,n:long,node:long,title:string,url:string,text:string,line:long,words:string,:LABEL"
        self.nodes(
            f"passages_{load.number}",
            header,
            text,
            label="HydraPassage",
            breaks=self.breaks("title, url, text", f"l{load.number}.passage"),
        )
        self._words(load, "passage_word", "HydraPassageWord")

    def _predicates(self, load: Staged) -> None:
        """Write the file of predicates of a load."""
        own = f"l{load.number}"
        text = f"""
            SELECT {self.place} + row_number() OVER (ORDER BY id) - 1, {load.number}, id, key, text, inverse,
                   coalesce(many, 0), 'HydraPredicate'
            FROM {own}.predicate LEFT JOIN (SELECT p AS id, count(*) AS many FROM (SELECT p FROM {own}.link UNION ALL
                                            SELECT p FROM {own}.value) GROUP BY p) USING (id)
        """
        header = ":ID,load:long,id:long,key:string,text:string,inverse:string,count:long,:LABEL"
        self.nodes(
            f"predicates_{load.number}",
            header,
            text,
            label="HydraPredicate",
            breaks=self.breaks("key, text, inverse", f"{own}.predicate"),
        )

    def _chunks(self, load: Staged) -> None:
        """Write the marks of written chunks.

        Readers use them to find the subject of a fact, and a drop to find what to remove.
        """
        own, header = f"l{load.number}", ":ID,load:long,n:long,check:long,subjects:long[],:LABEL"
        listed = (
            (NODES, "nodes", "node", "rowid", "id"),
            (LINKS, "links", "link", '"row"', "s"),
            (SAME_AS, "same_as", "same", "n", "a"),
        )
        for stream, name, table, row, column in listed:
            step = _LISTED // ROWS * ROWS
            for low in range(0, load.counts.get(name, 0), step):
                text = f"""
                    SELECT {self.place} + chunk - {low // ROWS}, {load.number}, {chunk_number(stream, 0)} + chunk, 0,
                           subjects, 'HydraLoadChunk'
                    FROM (SELECT {row} // {ROWS} AS chunk, string_agg({column}::VARCHAR, ';' ORDER BY {row}) AS subjects
                          FROM {own}.{table} WHERE {row} >= {low} AND {row} < {low + step} GROUP BY chunk)
                    ORDER BY chunk
                """
                self.nodes(f"chunks_{load.number}_{name}_{low}", header, text, label="HydraLoadChunk")
        others = (
            (VALUES, "values", ROWS),
            (NAMES, "names", ROWS),
            (WORDS, "words", ROWS),
            (PASSAGES, "passages", TEXTS),
            (PASSAGE_WORDS, "passage_words", ROWS),
            (PREDICATES, "predicates", ROWS),
        )
        rows = [
            [load.number, chunk_number(stream, n), 0, None, "HydraLoadChunk"]
            for stream, name, size in others
            for n in range(-(-load.counts.get(name, 0) // size))
        ]
        self.rows(f"chunks_{load.number}", header, rows, label="HydraLoadChunk")

    def _attached(self, load: Staged) -> None:
        """Write the file of attached files of a load, in pieces."""
        rows = []
        for file in load.attached:
            data = np.frombuffer(file.read_bytes(), np.int8)
            for n, low in enumerate(range(0, max(1, len(data)), PIECE)):
                piece = ";".join(map(str, data[low : low + PIECE].tolist()))
                rows.append([load.number, file.name, n, piece, "HydraLoadFile"])
                self.files.buffer = max(self.files.buffer, 2 * len(piece))
        header = ":ID,load:long,name:string,n:long,data:byte[],:LABEL"
        self.rows(f"files_{load.number}", header, rows, label="HydraLoadFile")

    def _store(self, generation: int, newest: int, fusion: SameAsClasses) -> None:
        """Write the loads, their sources, the classes and the generation."""
        names = [column.partition(":")[0] for column in _LOAD.split(",")]
        first = self.place
        rows = [[*(load.load.get(name) for name in names), "HydraLoad"] for load in self.loads]
        self.rows("loads", f":ID,{_LOAD},:LABEL", rows, label="HydraLoad")
        sources: dict[str, dict[str, Any]] = {}
        states: dict[str, list[int]] = {}
        for i, load in sorted(enumerate(self.loads), key=lambda x: x[1].load["flipped"]):
            for source in json.loads(load.load["sources"]):
                sources.setdefault(source["name"], {}).update({k: v for k, v in source.items() if v is not None})
                states.setdefault(source["name"], []).append(first + i)
        at = {name: self.place + i for i, name in enumerate(sources)}
        names = [column.partition(":")[0] for column in _SOURCE.split(",")]
        rows = [[*(source.get(name) for name in names), "HydraSource"] for source in sources.values()]
        self.rows("sources", f":ID,{_SOURCE},:LABEL", rows, label="HydraSource")
        rows = [
            [
                generation,
                n // CLASS_ROWS,
                *(";".join(map(str, c[n : n + CLASS_ROWS].tolist())) for c in (fusion.member, fusion.representative)),
                "HydraClassChunk",
            ]
            for n in range(0, len(fusion.member), CLASS_ROWS)
        ]
        header = ":ID,generation:long,n:long,member:long[],representative:long[],:LABEL"
        self.rows("classes", header, rows, label="HydraClassChunk")
        header = ":ID,id:long,generation:long,shown:long,loads:long,locked:long,:LABEL"
        self.rows("store", header, [[0, generation, generation, newest, 0, "HydraStore"]], label="HydraStore")
        stated = [[load, at[name], "STATES"] for name, loads in states.items() for load in loads]
        self.rows("states", ":START_ID,:END_ID,:TYPE", stated)

    def _links(self, load: Staged) -> None:
        """Write the files of links of a load, one for each relationship type."""
        own = f"l{load.number}"
        detailed = self.one(f'SELECT count(*) FROM {own}.detail WHERE "row" >= 0')
        shared = self._kinds(load)
        for low, high in self._ranges(load.counts.get("links", 0)):
            for more in (False, True) if detailed else (False,):
                # Rows lie by block and predicate; joins keep the order of what flows through them.
                rows = f"""(SELECT * FROM {own}.link WHERE "row" >= {low} AND "row" < {high}) AS v"""
                if detailed:
                    rows += f' {"JOIN" if more else "ANTI JOIN"} {own}.detail USING ("row")'
                text = f"""
                    SELECT a.pos, b.pos, kind, {load.number * SPAN} + "row", {_fid(load, "b.key")},
                           {_source(load)} AS source, line{", p.own" if shared else ""}
                           {", rank, conf, qualifiers, place" if more else ""}
                    FROM {rows} JOIN entity AS a ON a.id = s JOIN entity AS b ON b.id = o
                    JOIN kind_{load.number} AS p ON p.id = v.p {self._stated(load)}
                """
                header = ":START_ID,:END_ID,:TYPE,h:long,fid:long,source:string,loc:long"
                header += ",p:string" if shared else ""
                breaks = self.breaks("kind, source", f"{own}.predicate", names=_sources(load))
                if more:
                    header += f",{_DETAIL}"
                    breaks = self.breaks(
                        "kind, source, rank, qualifiers, place",
                        f"{own}.predicate",
                        f"{own}.detail",
                        names=_sources(load),
                    )
                name = f"links_{load.number}_{low}{'_more' if more else ''}"
                self.write("relationships", name, header, text, breaks)
        many = f"SELECT p AS id, count(*) AS many FROM {own}.link GROUP BY p"
        kinds = self.db.execute(
            f"SELECT kind, sum(many) FROM kind_{load.number} JOIN ({many}) USING (id) GROUP BY kind"
        ).fetchall()
        self.files.types.update({kind: int(many) for kind, many in kinds})
        self.files.facts[load.number] = load.counts.get("links", 0)

    def _same_as(self, load: Staged) -> None:
        text = f"""SELECT a.pos, b.pos, 'SAME_AS', {load.number}, line FROM l{load.number}.same
                   JOIN entity AS a ON a.id = same.a JOIN entity AS b ON b.id = same.b"""
        header = ":START_ID,:END_ID,:TYPE,load:long,loc:long"
        wrote = self.write("relationships", f"same_as_{load.number}", header, text)
        if wrote:
            self.files.types["SAME_AS"] += wrote

    def _kinds(self, load: Staged) -> bool:
        """Put the relationship types of a load's predicates into a table. Return True if some must share one."""
        rows = self.db.execute(f"SELECT id, key FROM l{load.number}.predicate").fetchall()
        shared = too_many(self.files.types.keys(), (key for _, key in rows))
        named = [(i, key, type_name(key)) for i, key in rows]
        kinds = {  # noqa: F841 - DuckDB finds it
            "id": np.array([i for i, _, _ in named], np.int64),
            "key": np.array([key for _, key, _ in named], object),
            "kind": np.array([SHARED if kind in shared else kind for _, _, kind in named], object),
            "own": np.array([kind if kind in shared else None for _, _, kind in named], object),
        }
        self.db.execute(f"CREATE TABLE kind_{load.number} AS SELECT id, key, kind, own::VARCHAR AS own FROM kinds")
        return bool(shared)

    def _stated(self, load: Staged) -> str:
        """Return the SQL join that gives a fact its source's name, or "" if a load has only one source."""
        names = _sources(load)
        if len(names) == 1:
            return ""
        many = {"i": np.arange(len(names)), "name": np.array(names, object)}  # noqa: F841 - DuckDB finds it
        self.db.execute(f"CREATE TABLE IF NOT EXISTS source_{load.number} AS SELECT * FROM many")
        return f"JOIN source_{load.number} AS src ON src.i = v.source"

    def _ranges(self, total: int) -> Iterator[tuple[int, int]]:
        """Return the ranges of rows for each file.

        With many nodes, each range has many facts, because joins would otherwise take most of the time.
        """
        step = max(_FACTS, 4 * self.one("SELECT count(*) FROM entity"))
        return ((low, low + step) for low in range(0, total, step))

    def _longest(self) -> int:
        """Return twice the bytes of the longest field."""
        found = [self.files.buffer // 2]
        for load in self.loads:
            own = f"l{load.number}"
            for table, column in (
                ("term", "text"),
                ("name", "text"),
                ("passage", "text"),
                ("passage", "words"),
                ("detail", "qualifiers"),
            ):
                found.append(self.one(f"SELECT coalesce(max(strlen({column})), 0) FROM {own}.{table}"))
            found += [len(str(value)) * 4 for value in load.load.values()]
        return 2 * max(found)


def _fid(load: Staged, obj: str) -> str:
    return sql.fact_id("a.key", "p.key", obj, _source(load), "v.n")


def _sources(load: Staged) -> list[str]:
    return [source["name"] for source in json.loads(load.load["sources"])]


def _source(load: Staged) -> str:
    names = _sources(load)
    return sql_text(names[0]) if len(names) == 1 else "src.name"


def properties(load: Mapping[str, Any]) -> dict[str, Any]:
    """Return the properties of a ``:HydraLoad`` that an import writes."""
    return {column.partition(":")[0]: load.get(column.partition(":")[0]) for column in _LOAD.split(",")}
