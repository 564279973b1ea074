"""A table as it is found in a file: its name, its rows, and the keys that the file itself declares."""

from __future__ import annotations

from dataclasses import dataclass

from hydra_kg_loaders.tables.grid import TableRows


@dataclass(frozen=True, slots=True)
class FoundTable:
    """``keys``: primary keys · ``references``: (columns, table, its columns) · ``above``: rows · ``notes``."""

    name: str
    rows: TableRows
    keys: tuple[tuple[str, ...], ...] = ()
    references: tuple[tuple[tuple[str, ...], str, tuple[str, ...]], ...] = ()
    above: int = 0
    left: int = -1
    """The column of the sheet, from 0, in which the table begins; -1 in files without sheets."""
    notes: tuple[str, ...] = ()
