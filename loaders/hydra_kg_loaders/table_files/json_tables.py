"""The tables of a JSON object of several arrays of records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from hydra_kg.errors import FormatError
from hydra_kg_loaders.table_files.cells import CellRows
from hydra_kg_loaders.table_files.found import FoundTable
from hydra_kg_loaders.tables.json_arrays import read_arrays
from hydra_kg_loaders.tables.json_rows import flat
from hydra_kg_loaders.tables.text_rows import MANY, MOST_COLUMNS


def json_tables(file: Path, *, max_line: int) -> list[FoundTable]:
    """Return one table per array; none if the file is anything else. Raises FormatError for too deep records."""
    return [_table(name, records, file, max_line) for name, records in read_arrays(file).items()]


def _table(name: str, records: Sequence[Mapping[str, Any]], file: Path, max_line: int) -> FoundTable:
    rows = [row for record in records if (row := flat(record)) is not None]
    columns = list(dict.fromkeys(key for row in rows for key in row))
    if len(rows) < len(records) or len(columns) > MOST_COLUMNS:
        raise FormatError(
            f"The records of {name} in {file.name} are nested too deeply or have over {MOST_COLUMNS} fields.",
            remedy="Save each array as a file of its own, with flat records.",
        )
    many = frozenset(n for n, key in enumerate(columns) if any(len(row.get(key, ())) > 1 for row in rows))

    def given() -> Iterator[list[str]]:
        return ([MANY.join(row.get(key, ())) for key in columns] for row in rows)

    return FoundTable(name, CellRows(columns, given, max_line, many=many))
