"""Print the sheets of a workbook, in a process that imports little, as a load starts one for each sheet it reads."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import astuple
from typing import Any, Final

from hydra_kg.util.sandbox import allow_seconds, confine
from hydra_kg_loaders.table_files.cell_texts import text_of
from hydra_kg_loaders.table_files.sheet_areas import Merged, fill_merged_cells, find_areas

MEMORY: Final = 2 << 30
"""Number of bytes of memory that reading a workbook may take."""

SECONDS: Final = 600


def main(arguments: Sequence[str]) -> int:
    """Print the sheets (``-1``), the rows of a sheet (``0``) or its tables (``0:``, with a header row) as JSON."""
    confine(memory=MEMORY)
    allow_seconds(SECONDS)
    import python_calamine as calamine

    path, asked = arguments
    try:
        with calamine.CalamineWorkbook.from_path(path) as book:
            for line in _lines(calamine, book, asked):
                sys.stdout.write(line + "\n")
    except calamine.CalamineError as e:
        sys.stderr.write(f"{type(e).__name__}: {e}\n")
        return 1
    return 0


def _lines(calamine: Any, book: Any, asked: str) -> Iterator[str]:
    """Yield JSON lines: the names of the sheets, the areas of one sheet, or its rows."""
    place, _, header_row = asked.partition(":")
    if place == "-1":
        sheets = [
            (n, sheet.name, sheet.visible == calamine.SheetVisibleEnum.Visible)
            for n, sheet in enumerate(book.sheets_metadata)
            if sheet.typ == calamine.SheetTypeEnum.WorkSheet
        ]
        visible = [(n, name) for n, name, shown in sheets if shown]
        yield json.dumps({"visible": visible, "hidden": [name for _, name, shown in sheets if not shown]})
        return
    sheet = book.get_sheet_by_index(int(place))
    if sheet.start is None:
        if header_row:
            yield "[]"
        return
    merged = [Merged(*start, *end) for start, end in sheet.merged_cell_ranges or ()]
    rows = fill_merged_cells(_texts(sheet), merged, left=sheet.start[1])
    if not header_row:
        yield from map(json.dumps, rows)
        return
    yield json.dumps([astuple(one) for one in find_areas(list(rows), merged, header_row=int(header_row))])


def _texts(sheet: Any) -> Iterator[list[str]]:
    """Yield the rows of a sheet as texts from its very first row. Blank rows are empty."""
    for _ in range(sheet.start[0]):
        yield []
    for row in sheet.iter_rows():
        cells = [text_of(value) for value in row]
        yield cells if any(cells) else []


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
