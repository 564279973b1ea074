"""Read sheets of .xlsx, .xlsm, .xlsb, .xls and .ods files with python-calamine in a separate process.

A hostile workbook can name two cells a billion rows apart, and the parser allocates memory for both. So the process has
limits of memory and time. Formulas are never computed: the values are those that the program which wrote the file
showed last.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from hydra_kg.errors import FormatError, MissingPackageError
from hydra_kg_loaders.table_files.canonical_rows import CellRows, FoundTable
from hydra_kg_loaders.table_files.sheet_areas import Area
from hydra_kg_loaders.table_files.sheet_process import MEMORY, SECONDS
from hydra_kg_loaders.tables.table_headers import GUESS, LayoutChoice
from hydra_kg_loaders.tables.text_rows import header

ENDINGS: Final = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
MOST_SHEETS: Final = 200
UNPACKED: Final = 1 << 30
"""Largest size of a decompressed workbook in bytes."""

_ENTRIES: Final = 20_000


def check_calamine(path: Path) -> None:
    """Raise MissingPackageError if a file is a workbook and the package that reads workbooks is not installed."""
    if path.suffix.casefold() in ENDINGS and find_spec("python_calamine") is None:
        raise MissingPackageError(
            f"{path.name} is a workbook, and the packages that read workbooks are not installed.",
            remedy="pip install 'hydra-kg[tables]', or save each sheet as CSV.",
        )


def workbook_tables(path: Path, *, max_line: int, choice: LayoutChoice = GUESS) -> list[FoundTable]:
    """Return the tables of the visible sheets, in their order. Raises FormatError, MissingPackageError."""
    check_calamine(path)
    _check_size(path)
    sheets = json.loads(next(_process(path, "-1"), "[]"))
    names, hidden = sheets["visible"], sheets["hidden"]
    if len(names) > MOST_SHEETS:
        raise FormatError(
            f"{path.name} has {len(names):,} sheets; a feed may have {MOST_SHEETS:,}.",
            remedy="Save those that matter in a workbook of their own.",
        )
    found = []
    for place, name in names:
        areas = [Area(*one) for one in json.loads(next(_process(path, f"{place}:{choice.header_row}"), "[]"))]
        for number, area in enumerate(areas, 1):
            called = str(name) if len(areas) == 1 else area.title or f"{name} {number}"
            rows = CellRows(
                header(area.names, path),
                partial(_rows, path, place, area, last=area is areas[-1]),
                max_line,
                header=area.header - area.above,
                depth=area.depth,
            )
            found.append(FoundTable(called, rows, above=area.above, left=area.left))
    if not found:
        raise FormatError(
            f"{path.name} holds no table.",
            remedy="A table begins with the names of its columns; --header-row 5 says in which row they are.",
        )
    if hidden:
        many = "the hidden sheets" if len(hidden) > 1 else "the hidden sheet"
        note = f"{path.name}: {many} {', '.join(hidden)} {'are' if len(hidden) > 1 else 'is'} left out; unhide to load."
        found[0] = replace(found[0], notes=(note,))
    return found


def _rows(path: Path, place: int, area: Area, *, last: bool) -> Iterator[Sequence[object] | None]:
    """Yield the rows of a table on a sheet.

    None is yielded for each row above the names of the columns that is not blank.
    """
    for number, line in enumerate(_process(path, str(place)), 1):
        if number <= area.above:
            continue
        if number > area.end and not last:
            return
        cells = json.loads(line)[area.left : area.right]
        yield None if number < area.header and any(cells) else cells


def _process(path: Path, place: str) -> Iterator[str]:
    """Yield the lines that a process prints: the sheets, or the rows of one. Raises FormatError if it fails."""
    command = [sys.executable, "-P", "-m", "hydra_kg_loaders.table_files.sheet_process", str(path.resolve()), place]
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
                remedy="Save it again, without a password, or save each sheet as CSV.",
            )
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()


def _check_size(path: Path) -> None:
    """Raise FormatError if a workbook unpacks to too much."""
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
