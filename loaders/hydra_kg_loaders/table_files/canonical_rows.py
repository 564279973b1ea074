"""Tables found in files, and their rows of Python values (of a sheet, a database, YAML) as canonical rows.

Tables are staged from these rows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from hydra_kg.util.fast_dataclass import dataclass, field
from hydra_kg_loaders.table_files.cell_texts import text_of
from hydra_kg_loaders.tables.grid import TableRows
from hydra_kg_loaders.tables.text_rows import CELL, FEED, MANY, RETURN, Counts, Reject

_CONTROL: Final = re.compile("[\x00\x1c-\x1f]")
_BATCH: Final = 2_000


@dataclass(slots=True)
class CellRows:
    """Rows that can be read again. None is rejected as ``before-header``, and an empty row is blank.

    Args:
        header: The number of the row of names, 0 for none.
        depth: The number of rows of the header.
    """

    columns: list[str]
    given: Callable[[], Iterable[Sequence[object] | None]]
    max_line: int = 1 << 20
    header: int = 0
    depth: int = 1
    counts: Counts = field(default_factory=Counts)
    many: frozenset[int] = frozenset()

    def blocks(self, reject: Reject, *, limit: int = 0, start: int = 0) -> Iterator[str]:
        """Yield blocks of rows as ``TextRows`` does.

        Reasons of rejects: ``before-header``, ``columns``, ``control``, ``too-long``.
        """
        width, counts = len(self.columns), self.counts
        out: list[str] = []
        for values in self.given():
            if limit and counts.rows >= limit:
                break
            counts.rows += 1
            row = start + counts.rows
            if self.header and self.header <= counts.rows < self.header + self.depth:
                counts.header = self.header
                counts.headers += 1
                continue
            if values is None:
                reject(row, "before-header", 0, "")
                continue
            cells = [text_of(value) for value in values]
            while len(cells) > width and not cells[-1]:
                cells.pop()
            if not any(cells):
                counts.blank += 1
                continue
            line = CELL.join(cells)
            if len(cells) > width:
                reject(row, "columns", len(cells), line[:1000])
            elif len(line) > self.max_line:
                reject(row, "too-long", 0, line[:1000])
            elif any(
                _CONTROL.search(cell.replace(MANY, "") if n in self.many else cell) for n, cell in enumerate(cells)
            ):
                reject(row, "control", 0, line[:1000])
            else:
                missing = CELL * (width - len(cells))
                out.append(f"{row}{CELL}{line}{missing}".replace("\n", FEED).replace("\r", RETURN) + "\n")
            if len(out) >= _BATCH:
                yield "".join(out)
                out = []
        if out:
            yield "".join(out)


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
