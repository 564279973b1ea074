"""A table found in a file: its name, its rows, and the keys that the file declares."""

from __future__ import annotations

from hydra_kg.util.fast_dataclass import dataclass
from hydra_kg_loaders.tables.grid import TableRows


@dataclass(frozen=True, slots=True)
class FoundTable:
    """A table of a file.

    Attributes:
        keys: The primary keys.
        references: Foreign keys as (columns, table, its columns).
        above: The number of rows above it.
        notes: Remarks for people.
    """

    name: str
    rows: TableRows
    keys: tuple[tuple[str, ...], ...] = ()
    references: tuple[tuple[tuple[str, ...], str, tuple[str, ...]], ...] = ()
    above: int = 0
    left: int = -1
    """The column of the sheet, from 0, in which the table begins, -1 in files without sheets."""
    notes: tuple[str, ...] = ()
