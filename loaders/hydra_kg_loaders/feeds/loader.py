"""Load tables that belong together in one load: a folder of files, a workbook, a database file."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from hydra_kg.domain import Source
from hydra_kg.errors import FormatError
from hydra_kg.ids import merged_key
from hydra_kg.ingest.appending import BATCHES, DESCRIBED
from hydra_kg.ingest.contract.choices import Rule
from hydra_kg.ingest.contract.loader import BaseLoader, Streams, loaders
from hydra_kg.ingest.contract.work import Work
from hydra_kg.quiet_dependencies import connect_duckdb
from hydra_kg_loaders.feeds import description, tidying, wide_years
from hydra_kg_loaders.feeds.column_phrases import is_id_like
from hydra_kg_loaders.feeds.graph import Graph
from hydra_kg_loaders.feeds.inference import infer
from hydra_kg_loaders.feeds.model import FeedModel
from hydra_kg_loaders.feeds.references import comparable_cell, measure
from hydra_kg_loaders.feeds.staging import StagedTable, read_staged_tables, remember, stage, tables_in
from hydra_kg_loaders.nested.files import is_nested
from hydra_kg_loaders.table_files import databases, workbooks, yaml_rows
from hydra_kg_loaders.tables import cell_lists, grid
from hydra_kg_loaders.tables.prose import is_text_ending
from hydra_kg_loaders.tables.table_headers import LayoutChoice, read_choice
from hydra_kg_loaders.tables.text_rows import MANY
from hydra_kg_loaders.values.column_rewriting import RULE, rewrite_columns

_SUFFIX: Final = re.compile(r"\.[A-Za-z0-9]{1,8}$")
_CHECKED: Final = 1_000


class FeedLoader(BaseLoader):
    """A loader that makes rows into things, joins or pairs.

    :mod:`.inference` decides that from all rows, and ``extra["feeds"]`` corrects it.
    """

    name = "feed"
    version = 4
    source = Source("feed", "table")
    describes_itself = True
    family = "tables"
    rules: Mapping[str, Rule] = {
        "empty": Rule("drop rows in which every cell is empty"),
        "values": Rule(RULE),
        **{name: Rule(text) for name, text in tidying.RULES.items()},
        cell_lists.LISTS: Rule(cell_lists.RULE),
        wide_years.YEARS: Rule(wide_years.RULE, default=False),
    }

    def sniff(self, head: bytes, path: Path) -> float:
        """Return a high score for databases, workbooks, YAML, nested JSON and XML. Folders come from TablesLoader."""
        if head.startswith(databases.SQLITE) or head[8:12] == databases.DUCKDB:
            return 0.95
        ending = path.suffix.casefold()
        if ending in workbooks.ENDINGS:
            return 0.95 if head.startswith((b"PK", b"\xd0\xcf\x11\xe0")) else 0.0
        if ending in yaml_rows.ENDINGS and yaml_rows.looks_like_records(head):
            return 0.9
        try:
            return 0.55 if not is_text_ending(path) and path.is_file() and is_nested(path, head) else 0.0
        except FormatError:  # said again when it is read
            return 0.0

    def check_installed(self, file: Path) -> None:
        """See :class:`hydra_kg.ingest.contract.loader.BaseLoader`."""
        workbooks.check_calamine(file)

    def named(self, path: Path) -> Source:
        """Return a source named after the file."""
        return Source(_SUFFIX.sub("", path.name) or path.name, "table")

    def together(self, files: Sequence[Path], *, named: bool, extra: Mapping[str, str]) -> BaseLoader | None:
        """Return this loader, which reads all files as one feed.

        A single nested file whose columns a person names is read by the loader of tables, as one flat table.
        """
        flat = len(files) == 1 and extra.keys() & {"entity", "source_column", "map"}
        return loaders()["tables"] if flat and is_nested(files[0], grid.head_of(files[0])) else self

    def mapping(self, files: Sequence[Path], *, extra: Mapping[str, str]) -> list[str]:
        """Return what the tables are taken for, in lines for people. It reads all rows. Raises UsageError."""
        with tempfile.TemporaryDirectory(prefix="hydra-kg-") as folder, connect_duckdb(threads=2) as db:
            db.execute("SET memory_limit = '1GB'")
            stage(db, files, folder=Path(folder), reject=lambda _: None, choice=read_choice(extra))
            _rewrite(db, read_staged_tables(db))
            remember(db, _split_lists(db, read_staged_tables(db)))
            tidying.set_aside(db, read_staged_tables(db), {})
            remember(db, tidying.add_metrics(db, read_staged_tables(db), _given_description(extra, "")))
            return list(description.lines(self._feed(db, "", extra)))

    def quote(
        self, path: Path, *, line: int, around: int, check: Callable[[], None], extra: Mapping[str, str]
    ) -> list[tuple[int, str]]:
        """Return rows by number over all tables of a file, each as ``column: cell · column: cell``."""
        found = []
        for number, text in _quote_lines(path, read_choice(extra)):
            if number > line + around:
                break
            if number >= line - around:
                found.append((number, text))
            if not number % _CHECKED:
                check()
        return found

    def read(self, work: Work) -> Mapping[str, int]:
        """Make the tables ``t0`` … with the rows of the files."""
        total = sum(f.stat().st_size for f in work.files)

        def progress(number: int, rows: int) -> None:
            done = sum(f.stat().st_size for f in work.files[:number])
            work.emit("load.read", {"done": done, "total": total, "unit": "bytes", "lines": rows})

        found = stage(
            work.db,
            work.files,
            folder=work.folder,
            reject=work.reject,
            progress=progress,
            limit=work.options.limit,
            max_line=work.options.max_line,
            choice=read_choice(work.options.extra),
        )
        work.lines.extend(found.lines)
        _rewrite(work.db, found.tables if work.rules["values"] else ())
        tidying.set_aside(work.db, found.tables, work.rules)
        if work.rules[cell_lists.LISTS]:
            remember(work.db, _split_lists(work.db, read_staged_tables(work.db)))
        if work.rules[wide_years.YEARS]:
            remember(work.db, wide_years.melt_all(work.db, found.tables))
        remember(
            work.db,
            tidying.add_metrics(
                work.db, read_staged_tables(work.db), _given_description(work.options.extra, work.name)
            ),
        )
        replaced = self._replace(work)
        work.db.execute(
            f"CREATE TABLE shape AS SELECT {found.headers} AS headers, {replaced} AS replaced,"
            f" {found.continued} AS continued"
        )
        return {"blank": found.blank}

    def clean(self, work: Work) -> Streams:
        """See :class:`hydra_kg.ingest.contract.loader.Loader`."""
        tables = read_staged_tables(work.db)
        feed = self._feed(work.db, work.name, work.options.extra)
        tidying.align_references(work.db, feed, tables)
        nameless = tidying.remove_nameless(work.db, feed, tables)
        said: dict[str, int] = {}
        dropped = 0
        for t in tables:
            cells = " OR ".join(f"c{n} IS NOT NULL" for n in range(len(t.columns)))
            rows = "DISTINCT row" if t.melted else "*"
            (counts,) = work.db.execute(
                f"SELECT count({rows}), count({rows}) FILTER (WHERE {cells}) FROM {t.table}"
            ).fetchall()
            all_, some = counts
            said[t.name] = some if work.rules["empty"] else all_
            dropped += all_ - said[t.name]
        graph = Graph(feed, tables, load=work.name, filled=work.rules["empty"] and dropped > 0)
        links, values, names = graph.links(), graph.values(), graph.names()
        for one, staged in zip(feed.tables, tables, strict=True):
            merged = tidying.count_rows(work.db, tidying.REPEATED, one.name)
            if merged and len(one.key) == 1 and not staged.keys and not is_id_like(one.key[0]):
                graph.predicates[merged_key(work.name, one.noun)] = (str(merged), "")
        rejected = 0
        if nameless:
            work.reject_found("SELECT row, reason, place, text FROM nameless")
        if query := graph.rejected():
            work.db.execute(f"CREATE TABLE unmatched AS {query}")
            work.reject_found("SELECT * FROM unmatched")
            rejected = work.one("SELECT count(*) FROM unmatched")
        skipped = sum(said[t.name] for t in feed.tables if t.rows == "skip")
        return Streams(
            links=links,
            values=values,
            names=names,
            terms=graph.terms(),
            mediators=graph.mediators(),
            predicates=graph.relations(),
            dropped={
                "empty": dropped,
                "skip": skipped,
                "replaced": work.one("SELECT replaced FROM shape"),
                **{rule: tidying.count_rows(work.db, rule) for rule in tidying.RULES},
            },
            kept={
                "rows": sum(said.values()) - rejected - skipped,
                "headers": work.one("SELECT headers FROM shape"),
                "continued": work.one("SELECT continued FROM shape"),
            },
            derived=("links", "values", "names"),
            notes={"tables": len(feed.tables), "references": len(feed.references), "undecided": len(feed.doubtful)},
            described={
                "lines": list(description.lines(feed)),
                "summary": list(description.summarise(feed)),
                "feed": description.document(feed),
            },
        )

    def _replace(self, work: Work) -> int:
        """Remove the rows whose key is in a later load too. Return their number."""
        count = 0
        if BATCHES in work.options.extra:
            known = description.keys(_given_description(work.options.extra, work.name))
            for t in read_staged_tables(work.db):
                if own := [c for c in known.get(t.name, ()) if c in t.columns]:
                    key = ", ".join(comparable_cell(f"c{t.columns.index(c)}") for c in own)
                    count += grid.mark_superseded(work, t.table, key)
                    work.db.execute(f"DELETE FROM {t.table} WHERE row IN (SELECT row FROM superseded)")
                    work.db.execute("DROP TABLE superseded")
        return count

    def _feed(self, db: Any, name: str, extra: Mapping[str, str]) -> FeedModel:
        """Return the inferred feed with the corrections of its description."""
        tables = read_staged_tables(db)
        feed = infer(db, tables, name=name)
        if tidying.restore_repeated(db, tables, [t.name for t in feed.tables if not t.key]):
            feed = infer(db, tables, name=name)
        said = _given_description(extra, name)
        if said:
            feed = description.apply_corrections(feed, said, tables)
            feed = replace(feed, references=tuple(measure(db, r, tables) for r in feed.references))
        return replace(feed, notes=(*tidying.describe(db, feed, tables), *_value_notes(db)))


def _rewrite(db: Any, tables: Sequence[StagedTable]) -> None:
    """Rewrite the values of tables, and write remarks for people into ``value_note``."""
    db.execute("CREATE TABLE value_note (line VARCHAR)")
    for t in tables:
        lines = rewrite_columns(db, t.table, t.columns, skip=t.many, label=t.name, first=t.first)
        db.execute("INSERT INTO value_note SELECT unnest($1::VARCHAR[])", [lines])


def _split_lists(db: Any, tables: Sequence[StagedTable]) -> list[StagedTable]:
    """Split cells that list values, write remarks into ``value_note``, and return the tables with these columns."""
    split = []
    for t in tables:
        keys = {name for own in t.keys for name in own}
        skip = {*t.many, *(place for place, name in enumerate(t.columns) if name in keys or is_id_like(name))}
        many, lines = cell_lists.split_lists(db, t.table, t.columns, skip=skip, label=t.name)
        db.execute("INSERT INTO value_note SELECT unnest($1::VARCHAR[])", [lines])
        split.append(replace(t, many=tuple(sorted({*t.many, *many}))))
    return split


def _value_notes(db: Any) -> list[str]:
    return [line for (line,) in db.execute("SELECT line FROM value_note").fetchall()]


def _given_description(extra: Mapping[str, str], name: str) -> Mapping[str, Any]:
    """Return the description of the feed by a person or by the load that is appended to, empty if there is none."""
    if path := extra.get("feeds", ""):
        return description.read(Path(path), name)
    said: Mapping[str, Any] = json.loads(extra.get(DESCRIBED, "{}"))
    return said


def _quote_lines(path: Path, choice: LayoutChoice) -> Iterator[tuple[int, str]]:
    """Yield (line, ``column: cell · column: cell``) of all tables in a file."""
    before = 0
    for table in tables_in(path, choice=choice):
        for cells in grid.split(table.rows):
            said = [
                f"{name}: {text}"
                for name, cell in zip(table.rows.columns, cells[1:], strict=False)
                if (text := grid.clean(cell).replace(MANY, ", "))
            ]
            yield before + int(cells[0]), " · ".join(said)
        before += table.rows.counts.rows
