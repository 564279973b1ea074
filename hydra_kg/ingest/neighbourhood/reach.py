"""Find out which nodes the lines of a dump link, and which lines are around some ids. Lines are triples."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final, Protocol, runtime_checkable

import numpy as np

from hydra_kg.ingest.contract.choices import Options
from hydra_kg.ingest.contract.feed import Feed, Progress
from hydra_kg.ingest.contract.lines import lines_of
from hydra_kg.ingest.formats.ntriples import LineError, parse_line
from hydra_kg.ingest.neighbourhood.ball import (
    INNER,
    KIND,
    LINK,
    NAME,
    SAME,
    TYPED,
    Ball,
    Noted,
    ball_tables,
    write_pairs,
)
from hydra_kg.text.quoting import sql_text
from hydra_kg.util.fast_dataclass import dataclass, field

if TYPE_CHECKING:
    import duckdb

_ODD: Final = 200_000


@dataclass(frozen=True, slots=True)
class Reach:
    """SQL expressions for the node-to-node links of a loader's triples.

    ``s``, ``p`` and ``o`` are the terms of a line with their brackets.

    Attributes:
        steps, subject, object: SQL of the ids, after columns computed step by step (see
            :class:`hydra_kg.ingest.contract.lines.LineColumns`).
        node: SQL that is true if a term ``{0}`` is a node.
        linking: The meaning of a predicate (IRI) whose object is a node: :data:`LINK` or :data:`SAME`.
        telling: The meaning of a predicate whose object is not a node.
        literal: SQL of the id that a literal denotes, for predicates for which ``telling`` is :data:`SAME`.
        inner: Objects (terms) that are types of mediators.
        kinds: Predicates of links to types.
        always: Predicates whose lines are always loaded, because cleaning needs them.
        schema: SQL that is true if a line is always loaded because of its subject ``{0}``.
    """

    steps: Sequence[Mapping[str, str]]
    subject: str
    object: str
    node: str
    linking: Callable[[str], int]
    telling: Callable[[str], int]
    literal: str = "NULL::BIGINT"
    inner: Sequence[str] = ()
    kinds: frozenset[str] = frozenset()
    always: frozenset[str] = frozenset()
    schema: str = "false"
    separator: str = "\t"


class Part(Noted, Protocol):
    """Files of one format that are read twice: first for their links, then for the lines to load."""

    files: Sequence[Path]
    progress: Progress | None

    @property
    def lost(self) -> Sequence[tuple[int, str, bytes]]:
        """Return line, reason and beginning of the lines that cannot be read."""

    def lines_to_load(self, db: duckdb.DuckDBPyConnection, ball: Ball) -> Iterator[tuple[list[int], list[str]]]:
        """Yield the numbers, from 1 over all files, and the texts of the lines to load, in one pass."""


@runtime_checkable
class Reaching(Protocol):
    """Optional capability of a loader: reporting which nodes a line links, for ``--around``."""

    def reach(self, files: Sequence[Path], options: Options, folder: Path) -> Part:
        """Return the files as a part. ``folder`` is for scratch files."""


@dataclass
class Lines:
    """The lines of some files with the meaning of each, piece by piece.

    The lines of a piece are in the table ``line`` (n, l, s, o, p) of ``db``.
    """

    files: Sequence[Path]
    reach: Reach
    options: Options
    folder: Path
    progress: Progress | None = None
    lines: list[int] = field(default_factory=list)
    lost: list[tuple[int, str, bytes]] = field(default_factory=list)
    """Line, reason and beginning of lines that nobody can read."""

    def note(self, db: duckdb.DuckDBPyConnection, opened: Mapping[int, BinaryIO]) -> None:
        types = ", ".join(map(sql_text, self.reach.inner)) or "NULL"
        typed = f"WHEN telling = {TYPED} AND term IN ({types}) THEN {INNER}"
        role = f"CASE WHEN to_node THEN linking {typed} ELSE telling END"
        for _ in self.pieces(db):
            db.execute(
                f"CREATE OR REPLACE TEMP VIEW judged AS SELECT s, o, kind, {role} AS role FROM line"
                " JOIN verdict USING (p) WHERE s IS NOT NULL AND from_node"
            )
            for which, where in ((LINK, f"role = {LINK}"), (SAME, f"role = {SAME}"), (KIND, "kind")):
                rows = db.execute(f"SELECT s, o FROM judged WHERE {where} AND o IS NOT NULL").fetchnumpy()
                write_pairs(opened[which], rows)
            for which in (NAME, TYPED, INNER):
                rows = db.execute(f"SELECT DISTINCT s FROM judged WHERE role = {which}").fetchnumpy()
                opened[which].write(np.asarray(rows["s"]).astype(np.int64).tobytes())

    def lines_to_load(self, db: duckdb.DuckDBPyConnection, ball: Ball) -> Iterator[tuple[list[int], list[str]]]:
        """Yield the lines within the ball and the others that are needed. See :class:`Part`.

        The others are lines about a node of the ball, names of types, lines that cleaning needs, and odd lines.
        """
        ball_tables(db, ball)
        for _ in self.pieces(db):
            found = db.execute(
                "SELECT n, l FROM numbered LEFT JOIN verdict USING (p) WHERE (s IS NULL OR always"
                " OR about_schema"
                " OR (from_node AND s IN (SELECT id FROM ball) AND (NOT to_node OR kind OR o IN (SELECT id FROM ball)))"
                f" OR (from_node AND s IN (SELECT id FROM type) AND ((NOT to_node AND telling IN ({NAME}, {SAME}))"
                f" OR (to_node AND linking = {SAME})))"
                " OR (NOT from_node AND to_node AND o IN (SELECT id FROM ball))) ORDER BY n"
            ).fetchall()
            yield [n for n, _ in found], [text for _, text in found]

    def pieces(self, db: duckdb.DuckDBPyConnection) -> Iterator[None]:
        """Refill the tables ``line`` (n: number from 1 over all files) and ``verdict`` for each piece."""
        db.execute(
            "CREATE OR REPLACE TEMP TABLE verdict (p VARCHAR, linking UTINYINT, telling UTINYINT,"
            " always BOOLEAN, kind BOOLEAN)"
        )
        feed = Feed(
            self.files,
            self.folder / "around.aside",
            limit=self.options.limit,
            max_line=self.options.max_line,
            progress=self.progress,
        )
        before = 0
        for piece in feed.pieces(self.folder):
            source = self._select(lines_of(piece, self.options.max_line))
            db.execute(f"CREATE OR REPLACE TEMP TABLE line AS {source}")
            count = db.execute("SELECT count(*) FROM line").fetchall()[0][0]
            all_lines = f"SELECT (rowid + 1)::UBIGINT + {before} AS n, * FROM line"
            db.execute(f"CREATE OR REPLACE TEMP VIEW numbered AS SELECT * FROM ({all_lines}) WHERE s IS NOT NULL")
            self._judge(db)
            odd = db.execute(f"SELECT n, l FROM ({all_lines}) WHERE s IS NULL AND l <> '\x02' ORDER BY n").fetchall()
            yield
            before += count
            for start in range(0, len(odd), _ODD):
                yield from self._odd(db, [(n, text.encode()) for n, text in odd[start : start + _ODD]])
        self.lines = feed.lines
        waiting: list[tuple[int, bytes]] = []
        for aside in feed.set_aside():
            if aside.reason:
                self.lost.append((aside.line, aside.reason, aside.data[:200]))
            else:
                waiting.append((aside.line, aside.data))
        yield from self._odd(db, waiting)

    def _odd(self, db: duckdb.DuckDBPyConnection, odd: Sequence[tuple[int, bytes]]) -> Iterator[None]:
        """Yield rows of ``line`` for lines that the strict parser must judge.

        Those that are not triples have no ids.
        """
        if not odd:
            return
        rows = []
        for n, data in odd:
            try:
                triple = parse_line(data.decode())
            except LineError:
                rows.append((n, data.decode(), data.decode()))
                continue
            if triple is not None:
                rows.append((n, triple.line(self.reach.separator), data.decode()))
        db.execute("CREATE OR REPLACE TEMP TABLE odd (n UBIGINT, l VARCHAR, whole VARCHAR)")
        columns = [list(column) for column in zip(*rows, strict=True)] or [[], [], []]
        db.execute("INSERT INTO odd SELECT unnest(?::UBIGINT[]), unnest(?::VARCHAR[]), unnest(?::VARCHAR[])", columns)
        db.execute(f"CREATE OR REPLACE TEMP TABLE line AS SELECT * REPLACE (whole AS l) FROM ({self._select('odd')})")
        db.execute("CREATE OR REPLACE TEMP VIEW numbered AS SELECT * FROM line")
        self._judge(db)
        yield

    def _select(self, source: str) -> str:
        """Return SQL for lines with the ids of their terms. ``s`` is NULL for a line that does not look clean."""
        reach = self.reach
        if reach.separator == "\t":
            inner = (
                f"SELECT *, f[1] AS s, f[2] AS p, f[3] AS o, len(f) = 4 AND f[4] = '.' AS whole FROM (SELECT *,"
                f" string_split(l, '\t') AS f FROM {source})"
            )
        else:
            inner = (
                f"SELECT *, substr(l, length(s) + length(p) + 3, length(l) - length(s) - length(p) - 4) AS o,"
                f" ends_with(l, ' .') AND length(l) > length(s) + length(p) + 4 AS whole FROM (SELECT *,"
                f" split_part(l, ' ', 1) AS s, split_part(l, ' ', 2) AS p FROM {source})"
            )
        for step in reach.steps:
            inner = f"SELECT *, {', '.join(f'{sql} AS {name}' for name, sql in step.items())} FROM ({inner})"
        clean = (
            "whole AND starts_with(s, '<') AND ends_with(s, '>') AND starts_with(p, '<') AND ends_with(p, '>')"
            " AND NOT contains(s, '\\') AND NOT contains(p, '\\') AND CASE WHEN starts_with(o, '<')"
            " THEN ends_with(o, '>') AND NOT contains(o, '\\') ELSE starts_with(o, '\"') OR starts_with(o, '_:')"
            " END"
        )
        ours, theirs = reach.node.format("s"), reach.node.format("o")
        keep = "n, whole_line AS whole, " if source == "odd" else ""
        inner = inner.replace("FROM odd", "FROM (SELECT n, l, whole AS whole_line FROM odd)")
        return (
            f"SELECT {keep}l, CASE WHEN coalesce({clean}, false) THEN {reach.subject} END AS s,"
            f" CASE WHEN starts_with(o, '\"') THEN {reach.literal} WHEN {theirs} THEN {reach.object} END AS o,"
            f" coalesce({ours}, false) AS from_node, coalesce({theirs}, false) AS to_node, p,"
            f" coalesce({reach.schema.format('s')}, false) AS about_schema,"
            # No IN here: DuckDB makes a join of it, which promises no order of rows.
            f" CASE WHEN starts_with(o, '<') AND NOT coalesce({theirs}, false) THEN o END AS term FROM ({inner})"
        )

    def _judge(self, db: duckdb.DuckDBPyConnection) -> None:
        """Find the meaning of each new predicate of the piece, and add it to the table ``verdict``."""
        found = db.execute("SELECT DISTINCT p FROM line WHERE s IS NOT NULL AND p NOT IN (SELECT p FROM verdict)")
        rows = [
            (
                p,
                self.reach.linking(p[1:-1]),
                self.reach.telling(p[1:-1]),
                p[1:-1] in self.reach.always,
                p[1:-1] in self.reach.kinds,
            )
            for (p,) in found.fetchall()
        ]
        if rows:
            kinds = ("VARCHAR", "UTINYINT", "UTINYINT", "BOOLEAN", "BOOLEAN")
            lists = ", ".join(f"unnest(?::{kind}[])" for kind in kinds)
            db.execute(f"INSERT INTO verdict SELECT {lists}", [list(column) for column in zip(*rows, strict=True)])
