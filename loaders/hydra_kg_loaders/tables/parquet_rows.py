"""Read rows of Parquet files with DuckDB: structures by path, lists as several values, everything as text."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from hydra_kg.errors import FormatError
from hydra_kg.quiet_dependencies import connect_duckdb
from hydra_kg.text.quoting import sql_name, sql_path, sql_text
from hydra_kg.util.fast_dataclass import dataclass, field
from hydra_kg_loaders.tables.text_rows import CELL, FEED, MANY, RETURN, Counts, Reject, header

_BATCH: Final = 20_000
_CONTROL: Final = "[\\x00\\x1c\\x1d\\x1f]"


@dataclass(slots=True)
class ParquetRows:
    """One Parquet file, read once. ``cells`` has the SQL of its columns."""

    file: Path
    columns: list[str]
    cells: list[str]
    lists: frozenset[int] = frozenset()
    max_line: int = 1 << 20
    counts: Counts = field(default_factory=Counts)

    @property
    def many(self) -> frozenset[int]:
        """Return the columns of lists."""
        return self.lists

    def blocks(self, reject: Reject, *, limit: int = 0, start: int = 0) -> Iterator[str]:
        """Yield canonical rows, counted from 1.

        Reasons of rejects: ``control``, ``too-long``. Raises FormatError for damage.
        """
        import duckdb

        text = f" || '{CELL}' || ".join(f"coalesce({cell}, '')" for cell in self.cells)
        bad = " OR ".join(f"coalesce(regexp_matches({cell}, '{_CONTROL}'), false)" for cell in self.cells)
        bounds = f" LIMIT {int(limit)}" if limit else ""
        rows = f"SELECT file_row_number AS row, {bad} AS bad, {text} AS text FROM {_source(self.file)}{bounds}"
        query = f"SELECT row, bad, replace(replace(text, chr(10), '{FEED}'), chr(13), '{RETURN}') FROM ({rows})"
        with connect_duckdb(memory_limit="1GB", threads=1) as db:
            try:
                found = db.execute(query)
                while batch := found.fetchmany(_BATCH):
                    self.counts.rows += len(batch)
                    out = []
                    for row, wrong, line in batch:
                        number = start + row + 1
                        if wrong or len(line) > self.max_line:
                            reject(number, "control" if wrong else "too-long", 0, line[:1000])
                        else:
                            out.append(f"{number}{CELL}{line}\n")
                    yield "".join(out)
            except duckdb.Error as e:
                raise _damaged_error(self.file, e) from e


def open_parquet(file: Path, *, max_line: int = 1 << 20) -> ParquetRows:
    """Return a Parquet file with its columns. Raises FormatError."""
    import duckdb

    with connect_duckdb() as db:
        try:
            found = db.execute(f"SELECT * EXCLUDE (file_row_number) FROM {_source(file)} LIMIT 0").description
        except duckdb.Error as e:
            raise _damaged_error(file, e) from e
    names: list[str] = []
    cells: list[str] = []
    lists: set[int] = set()
    for name, kind, *_ in found:
        for path, cell, several in _flat(name, sql_name(name), kind, 0):
            if several:
                lists.add(len(names))
            names.append(path)
            cells.append(cell)
    return ParquetRows(file, header(names, file), cells, frozenset(lists), max_line)


def _flat(path: str, cell: str, kind: Any, depth: int) -> Iterator[tuple[str, str, bool]]:
    """Yield (path, SQL of its text, whether it may have several values) for each part of a column."""
    name = str(getattr(kind, "id", kind))
    if name == "struct" and depth < 8:
        for inner, type_ in kind.children:
            yield from _flat(f"{path}.{inner}", f"({cell})[{sql_text(str(inner))}]", type_, depth + 1)
    elif name == "list" and str(kind.children[0][1].id) not in {"struct", "list", "map"}:
        yield path, f"array_to_string(list_transform({cell}, lambda x: x::VARCHAR), '{MANY}')", True
    elif name in {"struct", "list", "map"}:
        yield path, f"to_json({cell})::VARCHAR", False
    else:
        yield path, f"({cell})::VARCHAR", False


def _source(file: Path) -> str:
    return f"read_parquet({sql_path(file)}, file_row_number = true)"


def _damaged_error(file: Path, error: Exception) -> FormatError:
    return FormatError(
        f"{file.name} cannot be read as Parquet: {str(error).splitlines()[0]}",
        remedy="Check the file; nothing was loaded.",
    )
