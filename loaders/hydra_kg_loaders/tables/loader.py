"""Load tables of any format (CSV, TSV, Parquet, JSON, XML) as facts.

Each row has a source, and each cell a place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from hydra_kg.domain import Source
from hydra_kg.errors import FormatError, UsageError
from hydra_kg.ingest.appending import BATCHES
from hydra_kg.ingest.contract.choices import Options, Rule
from hydra_kg.ingest.contract.loader import BaseLoader, Streams, loaders
from hydra_kg.ingest.contract.work import Work
from hydra_kg_loaders.tables import cell_lists, table_facts
from hydra_kg_loaders.tables import grid as rows
from hydra_kg_loaders.tables.mapping import ColumnMapping, KeylessTableError
from hydra_kg_loaders.tables.prose import is_plain_table, is_text_ending, is_unnamed_prose
from hydra_kg_loaders.tables.table_headers import read_choice
from hydra_kg_loaders.tables.table_references import part_of, read_beginning, refer, table_name
from hydra_kg_loaders.tables.text_rows import MANY
from hydra_kg_loaders.tables.totals import find_totals
from hydra_kg_loaders.values.column_rewriting import RULE, rewrite_columns

FEED: Final = "feed"
"""The name of the loader of tables that belong together."""

_SEEN: Final = 20
"""Rows from which examples are taken."""

_EXAMPLES: Final = 3
"""Most examples of a column."""

_LONG: Final = 60
"""Most characters of an example."""

_CHOICES: Final = frozenset({"entity", "source_column", "map", "header_row", "comment"})


class TablesLoader(BaseLoader):
    """Loader of tables with one entity (wide) or one statement (long) per row.

    Ids are ``<load>:<text>``, which keeps the entities of different tables separate.
    """

    name = "tables"
    family = "tables"
    version = 7
    source = Source("table", "table")
    rules: Mapping[str, Rule] = {
        "empty": Rule("drop rows that name an entity and say nothing about it"),
        "repeated": Rule("drop rows that repeat an earlier row word for word"),
        "values": Rule(RULE),
        cell_lists.LISTS: Rule(cell_lists.RULE),
        "totals": Rule("leave out rows that add up other rows (TOTAL, subtotals)"),
    }

    def sniff(self, head: bytes, path: Path) -> float:
        """Return .9 for Parquet, and .5 or .3 for other files with columns.

        A text file (such as ``.txt``) scores only if it is certainly a table.
        """
        kind = rows.kind_of(head, path.name)
        may_be_text = is_text_ending(path) or is_unnamed_prose(path, head)
        if may_be_text and kind in {"text", "json", "xml"} and not is_plain_table(head):
            return 0.0
        if kind == "parquet":
            return 0.9
        named = re.search(r"\.(csv|tsv|tab|jsonl?|ndjson|xml)(\.|$)", path.name, re.IGNORECASE) is not None
        return 0.0 if not kind else 0.5 if named else 0.3

    def named(self, path: Path) -> Source:
        """Return a source named after the file."""
        return Source(table_name(path), "table")

    def together(self, files: Sequence[Path], *, named: bool, extra: Mapping[str, str]) -> BaseLoader | None:
        """Return the loader of feeds for related tables, or None to read each file alone.

        Tables with different columns and parts of one table (``orders-001.csv``) become a feed, unless options name the
        columns. So does a single table without a key.
        """
        if extra.keys() & {"entity", "source_column", "map"}:
            return None
        if len(files) == 1:
            return loaders()[FEED] if _keyless(files, extra) else None
        try:
            choice = read_choice(extra)
            columns = {tuple(sorted(map(str.casefold, rows.header_of(file, choice)))) for file in files}
        except FormatError:  # a workbook or a database is among them
            return loaders()[FEED]
        parts = len({part_of(file) for file in files}) == 1 and not named
        return loaders()[FEED] if len(columns) > 1 or parts else None

    def refer(self, files: Sequence[Path], extra: Mapping[str, str]) -> bool:
        """Return True if a column of one table refers to another table (:mod:`.referring`)."""
        if extra.keys() & {"entity", "source_column", "map"}:
            return False
        try:
            tables = [read_beginning(file, read_choice(extra)) for file in files]
        except FormatError:
            return False
        return refer(tables)

    def quote(
        self, path: Path, *, line: int, around: int, check: Callable[[], None], extra: Mapping[str, str]
    ) -> list[tuple[int, str]]:
        """Return rows by number, each as ``column: cell · column: cell``. Empty cells are left out."""
        return rows.quote_rows(path, line=line, around=around, check=check, choice=read_choice(extra))

    def mapping(self, files: Sequence[Path], *, extra: Mapping[str, str]) -> list[str]:
        """Return what the columns are taken for, in lines for people. Raises UsageError, FormatError."""
        return _columns(files, Options(extra=extra)).lines()

    def sources(self, files: Sequence[Path], *, source: Source, options: Options) -> tuple[Source, ...]:
        """Return the sources that the source column names, in ascending order.

        Rows that name none belong to the load itself.
        """
        columns = _columns(files, options)
        place = columns.one("source")
        if place is None:
            return (source,)
        found, unsaid = rows.distinct(
            files,
            columns.names[place],
            limit=options.limit,
            max_line=options.max_line,
            choice=read_choice(options.extra),
        )
        names = {name for name in found if len(name) <= table_facts.MOST_NAME}
        if unsaid or not names:
            names.add(source.name)
        return tuple(Source(name, source.kind, licence=source.licence, trust=source.trust) for name in sorted(names))

    def read(self, work: Work) -> Mapping[str, int]:
        """Make the view ``base`` of cells, entities, sources and qualifiers.

        Reasons of rejects: ``entity``, ``source``.
        """
        columns = _columns(work.files, work.options)
        counts = rows.read_grid(work, columns, table_facts.entity_id(work, columns))
        lines: list[str] = []
        if work.rules["values"] and not columns.long:
            others = set(range(len(columns.names))) - set(columns.of("value"))
            lines = rewrite_columns(
                work.db, "grid", columns.names, skip=others if not counts["listed"] else range(len(columns.names))
            )
        listed = counts["listed"]
        if work.rules[cell_lists.LISTS] and not listed and not columns.long and columns.one("source") is None:
            others = set(range(len(columns.names))) - set(columns.of("value"))
            many, said = cell_lists.split_lists(work.db, "grid", columns.names, skip=others)
            listed, lines = len(many), [*lines, *said]
        totals = find_totals(work.db, "grid", len(columns.names)) if work.rules["totals"] and not columns.long else []
        if totals:
            work.db.execute(f"DELETE FROM grid WHERE row IN ({', '.join(str(row) for row, _ in totals)})")
        work.db.execute(
            f"CREATE TABLE shape AS SELECT {counts['header']} AS headers, {listed} AS listed,"
            f" {len(totals)} AS totals, {counts['continued']} AS continued"
        )
        work.db.execute("CREATE TABLE value_note AS SELECT unnest($1::VARCHAR[]) AS line", [lines])
        table_facts.read_base(work, columns)
        return {"blank": counts["blank"]}

    def clean(self, work: Work) -> Streams:
        """See :class:`hydra_kg.ingest.contract.loader.Loader`."""
        columns = _columns(work.files, work.options)
        all_rows = work.one("SELECT count(*) FROM base")
        table_facts.first_rows(work, columns)
        predicates = table_facts.read_cells(work, columns)
        table_facts.decide_links(work, columns)
        table_facts.decide_types(work, columns)
        table_facts.keep_rows(work, columns)
        table_facts.identities(work, columns)
        unique, non_empty = work.one("SELECT count(*) FROM first_row"), work.one("SELECT count(*) FROM kept_row")
        replaced = work.one("SELECT count(*) FROM superseded") if BATCHES in work.options.extra else 0
        return Streams(
            links=table_facts.links(work, columns),
            **table_facts.values(work, columns),
            terms=table_facts.terms(work),
            names=table_facts.names(work, columns),
            same_as="SELECT a, b, row AS line FROM identity",
            predicates=predicates,
            dropped={
                "repeated": all_rows - unique,
                "empty": unique - non_empty,
                "replaced": replaced,
                "totals": work.one("SELECT totals FROM shape"),
            },
            kept={
                "rows": non_empty,
                "headers": work.one("SELECT headers FROM shape"),
                "continued": work.one("SELECT continued FROM shape"),
            },
            derived=("links", "values", "names", "same_as"),
            notes={"cells": work.one("SELECT count(*) FROM cell")},
            described={
                "lines": [line for (line,) in work.db.execute("SELECT line FROM value_note").fetchall()],
                **_describe_columns(work, columns),
            },
        )


def _describe_columns(work: Work, columns: ColumnMapping) -> dict[str, Any]:
    """Return the role of each column with examples of its cells, and the number of rows and of different entities.

    Columns that are not loaded have no examples, as they may have been left out for a reason.
    """
    cells = ", ".join(f"c{n}" for n in range(len(columns.names)))
    first = work.db.execute(f"SELECT {cells} FROM grid ORDER BY row LIMIT {_SEEN}").fetchall()
    found = [
        {
            "name": name,
            "role": role.kind,
            "called": role.called,
            "examples": [] if role.kind == "skip" else _examples([row[n] for row in first]),
        }
        for n, (name, role) in enumerate(zip(columns.names, columns.roles, strict=True))
    ]
    return {
        "columns": found,
        "rows": work.one("SELECT count(*) FROM base"),
        "entities": work.one("SELECT count(*) FROM thing"),
    }


def _examples(cells: Sequence[str | None]) -> list[str]:
    """Return the first few different cells, shortened."""
    texts = (cell.replace(MANY, ", ").strip()[:_LONG] for cell in cells if cell)
    return list(dict.fromkeys(filter(None, texts)))[:_EXAMPLES]


def _keyless(files: Sequence[Path], extra: Mapping[str, str]) -> bool:
    try:
        _columns(files, Options(extra=extra))
    except KeylessTableError:
        return True
    except UsageError:  # said again, with its remedy, when the file is read
        return False
    return False


def _columns(files: Sequence[Path], options: Options) -> ColumnMapping:
    state = tuple((f, (stat := f.stat()).st_size, stat.st_mtime_ns) for f in files)
    chosen = tuple(sorted((k, v) for k, v in options.extra.items() if k in _CHOICES))
    return _guess_mapping(state, chosen, options.max_line)


@lru_cache(maxsize=8)
def _guess_mapping(
    files: tuple[tuple[Path, int, int], ...], choices: tuple[tuple[str, str], ...], max_line: int
) -> ColumnMapping:
    return rows.columns_of([file for file, _, _ in files], dict(choices), max_line=max_line)
