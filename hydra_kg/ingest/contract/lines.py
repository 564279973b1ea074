"""Read files of triples into typed columns.

DuckDB reads all lines in one pass. A strict parser reads those that are not clean.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from hydra_kg.ingest.contract.feed import MARK, Feed
from hydra_kg.ingest.contract.splits import EngineFeed
from hydra_kg.ingest.contract.work import Rejected, Work, escape_line
from hydra_kg.ingest.formats.ntriples import LineError, parse_line
from hydra_kg.text.quoting import sql_path
from hydra_kg.util.fast_dataclass import dataclass

ASIDE: Final = 0
ODD: Final = 1
FIRST_KIND: Final = 2
"""The first number for a loader's own kinds of lines."""

_LINES: Final = "/*LINES*/"
"""The placeholder in a query for the lines that it reads."""

_WINDOW: Final = 200_000  # lines looked through at once


@dataclass(frozen=True, slots=True)
class LineColumns:
    """SQL expressions by which a loader reads a line of terms ``s``, ``p`` and ``o``.

    The terms are those of the file, with their brackets and quotes.

    Attributes:
        steps: Columns (name → SQL) computed from s, p, o and the columns of earlier steps, step by step.
        clean: SQL that is true only for lines that are certainly well-formed, except for characters inside the
            predicate.
        kind: SQL of a number from :data:`FIRST_KIND` on.
        columns: The columns to store (name → SQL). One of them is ``p``, the key of the predicate.
        legal: Whether such a key has only characters that IRIs may have. It is called once for each distinct key.
        rebuild: Returns a line from its columns, as far as they know it, to show a line whose predicate is not legal.
    """

    steps: Sequence[Mapping[str, str]]
    clean: str
    kind: str
    columns: Mapping[str, str]
    legal: Callable[[str], bool]
    rebuild: Callable[[Mapping[str, Any]], str]
    separator: str = "\t"


def read_triples(work: Work, look: LineColumns) -> dict[str, int]:
    """Read ``work.files`` into the view ``row``, and record rejects.

    Returns the counts of ``blank`` and ``repaired`` lines.
    """
    options, marked = work.options, look.separator == " "
    work.db.execute("CREATE TABLE fixed (line UBIGINT, l VARCHAR)")
    work.db.execute("BEGIN")  # one commit, not one for each piece
    into = "CREATE TABLE raw AS"  # from the first piece: to plan these columns takes longer than to read a small file
    feed: Feed | EngineFeed
    if work.engine is None:
        feed = Feed(
            work.files,
            work.folder / "aside.bin",
            limit=options.limit,
            max_line=options.max_line,
            marked=marked,
            progress=work.progress(),
        )
        selects = (_select(look, lines_of(piece, options.max_line)) for piece in feed.pieces(work.folder))
    else:
        make = partial(_convert_piece, select=_select(look, _LINES), max_line=options.max_line)
        feed = EngineFeed(work, work.engine, make, max_line=options.max_line, marked=marked)
        selects = (f"SELECT * FROM {select_made_rows(work, made)}" for made, _, _ in feed)
    for select in selects:
        work.db.execute(f"{into} {select}")
        into = "INSERT INTO raw"
    if into != "INSERT INTO raw":
        work.db.execute(f"{into} {_select(look, 'fixed')}")
    work.db.execute("COMMIT")
    work.lines = feed.lines
    if (stored := work.one("SELECT count(*) FROM raw")) != sum(feed.lines):
        raise AssertionError(f"{sum(feed.lines)} lines were handed over and {stored} arrived")
    work.db.execute("CREATE TABLE extra AS SELECT 0::UBIGINT AS line, * FROM raw LIMIT 0")
    _illegal_predicates(work, look)
    counts = {"blank": 0, "repaired": 0}
    if work.insert("fixed", _recover_odd_lines(work, feed, look, counts), ("UBIGINT", "VARCHAR")):
        work.db.execute(f"INSERT INTO extra SELECT line, * EXCLUDE (line) FROM ({_select(look, 'fixed', line=True)})")
        odd = work.db.execute(f"SELECT e.line, f.l FROM extra e JOIN fixed f USING (line) WHERE kind < {FIRST_KIND}")
        work.reject([(line, "unsupported", 0, escape_line(text.replace(MARK, " "))) for line, text in odd.fetchall()])
    work.db.execute(
        "CREATE VIEW row AS SELECT (rowid + 1)::UBIGINT AS line, * FROM raw"
        f" WHERE kind >= {FIRST_KIND} UNION ALL SELECT * FROM extra WHERE kind >= {FIRST_KIND}"
    )
    work.db.execute("DROP TABLE fixed")
    return counts


def _convert_piece(piece: Path, made: Path, first: int, *, select: str, max_line: int) -> tuple[bytes, dict[str, int]]:
    """Return the typed columns of a piece as a Parquet file."""
    from hydra_kg.quiet_dependencies import connect_duckdb

    db = connect_duckdb(":memory:")
    try:
        db.execute("SET threads = 1")
        db.execute(f"COPY ({select.replace(_LINES, lines_of(piece, max_line))}) TO {sql_path(made)} (FORMAT parquet)")
    finally:
        db.close()
    return made.read_bytes(), {}


def select_made_rows(work: Work, made: bytes) -> str:
    """Return SQL for the rows of a Parquet file that was made elsewhere.

    The file exists until the next one is written.
    """
    file = work.folder / "made.parquet"
    file.write_bytes(made)
    return f"read_parquet({sql_path(file)})"


def lines_of(piece: Path, max_line: int) -> str:
    """Return SQL for the lines ``l`` of a piece that a feed made."""
    width = max_line + 64
    return (
        f"read_csv({sql_path(piece)}, delim = '\x01', quote = '', escape = '', header = false, new_line = '\\n',"
        f" columns = {{'l': 'VARCHAR'}}, auto_detect = false, max_line_size = {width}, buffer_size = {16 * width})"
    )


def _select(look: LineColumns, source: str, *, line: bool = False) -> str:
    """Return the SQL for the typed columns of lines ``l``."""
    keep = "line, " if line else ""
    inner = (
        f"SELECT {keep}l, f[1] AS s, f[2] AS p, f[3] AS o, len(f) = 4 AND f[4] = '.' AS whole"
        f" FROM (SELECT {keep}l, string_split(l, '{_detect_separator(look)}') AS f FROM {source})"
    )
    for step in look.steps:
        inner = f"SELECT *, {', '.join(f'{sql} AS {name}' for name, sql in step.items())} FROM ({inner})"
    inner = f"SELECT *, CASE WHEN whole THEN coalesce({look.clean}, false) ELSE false END AS clean FROM ({inner})"
    columns = ", ".join(f"CASE WHEN clean THEN {sql} END AS {name}" for name, sql in look.columns.items())
    kind = f"CASE WHEN clean THEN {look.kind} WHEN l = '\x02' THEN {ASIDE} ELSE {ODD} END"
    line_ = f"replace(l, '{MARK}', ' ')" if look.separator == " " else "l"
    odd = f"CASE WHEN NOT clean AND l <> '\x02' THEN {line_} END"
    return f"SELECT {keep}({kind})::UTINYINT AS kind, {columns}, {odd} AS odd FROM ({inner})"


def _detect_separator(look: LineColumns) -> str:
    """Return the separator between the terms of a line while it is examined."""
    return MARK if look.separator == " " else look.separator


def _recover_odd_lines(
    work: Work, feed: Feed | EngineFeed, look: LineColumns, counts: dict[str, int]
) -> Iterator[tuple[int, str]]:
    """Yield (line, clean line) for every odd line that is a triple. The others are rejected, or blank."""
    rejected: list[Rejected] = []
    for number, reason, data in _odd_lines(work, feed):
        try:
            if reason:
                raise LineError(reason, 0)
            triple = parse_line(data if isinstance(data, str) else data.decode("utf-8"))
        except LineError as e:
            rejected.append((number, e.reason, e.position, escape_line(data)))
            if len(rejected) >= _WINDOW:
                work.reject(rejected)
                rejected = []
            continue
        if triple is None:
            counts["blank"] += 1
            continue
        counts["repaired"] += triple.repaired
        yield number, triple.line(_detect_separator(look))
    work.reject(rejected)


def _illegal_predicates(work: Work, look: LineColumns) -> None:
    """Reject the lines whose predicate is not legal."""
    found = work.db.execute("SELECT DISTINCT p FROM raw WHERE p IS NOT NULL ORDER BY p").fetchall()
    bad = [(p,) for (p,) in found if not look.legal(p)]
    if not bad:
        return
    work.db.execute("CREATE TABLE bad (p VARCHAR)")
    work.insert("bad", bad, ("VARCHAR",))
    for start in range(0, work.one("SELECT count(*) FROM raw"), _WINDOW):
        result = work.db.execute(
            f"SELECT rowid + 1 AS line, * FROM raw SEMI JOIN bad USING (p) WHERE raw.rowid >= {start}"
            f" AND raw.rowid < {start + _WINDOW}"
        )
        names = [column[0] for column in result.description]
        rows = [dict(zip(names, row, strict=True)) for row in result.fetchall()]
        work.reject([(row["line"], "iri", 0, escape_line(look.rebuild(row))) for row in rows])
    work.db.execute(f"UPDATE raw SET kind = {ASIDE} WHERE p IN (SELECT p FROM bad)")
    work.db.execute("DROP TABLE bad")


def _odd_lines(work: Work, feed: Feed | EngineFeed) -> Iterator[tuple[int, str, bytes | str]]:
    """Yield (line number, reason if it is lost, line) for all lines that were set aside or do not look clean."""
    for aside in feed.set_aside():
        yield aside.line, aside.reason, aside.data
    total = sum(feed.lines) if work.one(f"SELECT count(*) FROM raw WHERE kind = {ODD}") else 0
    for start in range(0, total, _WINDOW):
        sql = f"SELECT rowid + 1, odd FROM raw WHERE kind = {ODD} AND rowid >= {start} AND rowid < {start + _WINDOW}"
        for line, text in work.db.execute(sql).fetchall():
            yield line, "", text
