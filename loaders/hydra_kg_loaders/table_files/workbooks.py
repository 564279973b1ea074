"""Sheets of .xlsx, .xlsm, .xlsb, .xls and .ods files, read by python-calamine in a process of its own.

A hostile workbook can name two cells a billion rows apart, and what parses it allots both: the process has a limit of
memory and of time. Formulas are never computed: what the program that wrote the file last showed is read.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from hydra_kg.errors import FormatError, MissingPackageError
from hydra_kg.util.sandbox import allow_seconds, confine
from hydra_kg_loaders.table_files.cells import CellRows, text_of
from hydra_kg_loaders.table_files.found import FoundTable
from hydra_kg_loaders.tables.text_rows import header

ENDINGS: Final = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
MOST_SHEETS: Final = 200
MEMORY: Final = 2 << 30
"""Bytes that reading a workbook may take."""

UNPACKED: Final = 1 << 30
"""Bytes of a workbook when it is unpacked."""

SECONDS: Final = 600
_ENTRIES: Final = 20_000
_LOOKED: Final = 50  # rows in which the names of the columns are looked for


def check_calamine(path: Path) -> None:
    """Raise MissingPackageError if a file is a workbook and what reads workbooks is not installed."""
    if path.suffix.casefold() in ENDINGS and find_spec("python_calamine") is None:
        raise MissingPackageError(
            f"{path.name} is a workbook, and what reads workbooks is not installed.",
            remedy="pip install 'hydra-kg[tables]', or save each sheet as CSV.",
        )


def workbook_tables(path: Path, *, max_line: int) -> list[FoundTable]:
    """Return the visible sheets that hold a table, in their order. Raises FormatError, MissingPackageError."""
    check_calamine(path)
    _check_size(path)
    names = json.loads(next(_process(path, "-1"), "[]"))
    if len(names) > MOST_SHEETS:
        raise FormatError(
            f"{path.name} has {len(names):,} sheets; a feed may have {MOST_SHEETS:,}.",
            remedy="Save those that matter in a workbook of their own.",
        )
    found = []
    for place, name in names:
        sheet = _Sheet(path, place)
        number, cells = sheet.header()
        if number:
            rows = CellRows(header(cells, path), sheet, max_line, header=number)
            sheet.first = number
            found.append(FoundTable(str(name), rows))
    if not found:
        raise FormatError(f"{path.name} holds no table.", remedy="A table begins with the names of its columns.")
    return found


class _Sheet:
    """All rows of a sheet, read again with every call; those above the names of the columns are None."""

    def __init__(self, path: Path, place: int) -> None:
        self.path, self.place, self.first = path, place, 0

    def __call__(self) -> Iterator[Sequence[object] | None]:
        for number, line in enumerate(_process(self.path, str(self.place)), 1):
            cells = json.loads(line)
            yield None if number < self.first and any(cells) else cells

    def header(self) -> tuple[int, list[str]]:
        """The row with the names of the columns, from 1, and these; 0 where there is none. It is the first with more
        than one cell; a lone cell above it is a title."""
        lone: tuple[int, list[str]] = (0, [])
        rows = _process(self.path, str(self.place))
        for number, line in enumerate(rows, 1):
            cells = [str(cell) for cell in json.loads(line)]
            filled = sum(map(bool, cells))
            if filled > 1:
                return number, cells[: max(n for n, cell in enumerate(cells, 1) if cell)]
            if filled and not lone[0]:
                lone = number, [cell for cell in cells if cell]
            if number >= _LOOKED:
                break
        return lone


def _process(path: Path, place: str) -> Iterator[str]:
    """The lines that a process prints: the sheets, or the rows of one of them. Raises FormatError if it fails."""
    command = [sys.executable, "-P", "-m", "hydra_kg_loaders.table_files.workbooks", str(path.resolve()), place]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env, encoding="utf-8")
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        yield from process.stdout
        error = process.stderr.read()
        if process.wait():
            why = error.strip().splitlines()[-1] if error.strip() else f"it takes over {MEMORY >> 30} GB or {SECONDS} s"
            raise FormatError(
                f"{path.name} cannot be read as a workbook: {why[:300]}",
                remedy="Save it anew, without a password, or save each sheet as CSV.",
            )
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()


def _check_size(path: Path) -> None:
    if not zipfile.is_zipfile(path):
        return  # the old binary format is not packed
    with zipfile.ZipFile(path) as archive:
        entries = archive.infolist()
    size = sum(entry.file_size for entry in entries)
    if len(entries) > _ENTRIES or size > UNPACKED:
        raise FormatError(
            f"{path.name} unpacks to {len(entries):,} files of {size >> 20:,} MB; a workbook may unpack to"
            f" {UNPACKED >> 20:,} MB.",
            remedy="Save its sheets as CSV files.",
        )


def main(arguments: Sequence[str]) -> int:
    """Print the sheets (``-1``) or the rows of a sheet of a workbook as lines of JSON."""
    confine(memory=MEMORY)
    allow_seconds(SECONDS)
    import python_calamine as calamine

    path, place = arguments[0], int(arguments[1])
    try:
        with calamine.CalamineWorkbook.from_path(path) as book:
            for line in _lines(calamine, book, place):
                sys.stdout.write(line + "\n")
    except calamine.CalamineError as e:
        sys.stderr.write(f"{type(e).__name__}: {e}\n")
        return 1
    return 0


def _lines(calamine: Any, book: Any, place: int) -> Iterator[str]:
    if place < 0:
        yield json.dumps(
            [
                (n, sheet.name)
                for n, sheet in enumerate(book.sheets_metadata)
                if sheet.typ == calamine.SheetTypeEnum.WorkSheet and sheet.visible == calamine.SheetVisibleEnum.Visible
            ]
        )
        return
    sheet = book.get_sheet_by_index(place)
    if sheet.start is None:
        return
    for _ in range(sheet.start[0]):
        yield "[]"
    for row in sheet.iter_rows():
        cells = [text_of(value) for value in row]
        yield json.dumps(cells if any(cells) else [])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
