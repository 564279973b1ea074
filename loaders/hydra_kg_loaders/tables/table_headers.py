"""Find where a table begins: lines above the header, headers of one or two rows, and the names of the columns."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from hydra_kg.errors import UsageError
from hydra_kg.util.fast_dataclass import dataclass

Cells = Sequence[str]

MOST_ABOVE: Final = 30
"""Number of rows that are searched for the header."""

LOOKED: Final = 60
"""Number of rows below the header that decide whether a second row belongs to it."""

_REGULAR: Final = 0.8
"""Share of the rows from the header on that must have its number of cells if there are rows above it."""

_NUMBER: Final = re.compile(r"[-+(]*[$€£¥]?\s*[0-9][0-9.,:/ %)–-]*[A-Za-z%€$£]{0,3}")
_UNIT: Final = re.compile(r"[(\[]?[^\W\d_%°€$£µ]?[\w%°€$£µ/²³ .]{0,14}[)\]]?")
_LONGEST_HEADING: Final = 60


@dataclass(frozen=True, slots=True)
class LayoutChoice:
    """A person's description of a file's layout.

    It has the row with the names of the columns (0: search it), and the prefix of comments.
    """

    header_row: int = 0
    comment: str = ""


GUESS: Final = LayoutChoice()


def read_choice(extra: Mapping[str, str]) -> LayoutChoice:
    """Return the layout in the options of a load. Raises UsageError for a row that is not a number from 1."""
    row = extra.get("header_row", "")
    if row and not (row.isascii() and row.isdigit() and int(row) > 0):
        raise UsageError(f"--header-row {row} is not a row number.", remedy="Count rows from 1, as a spreadsheet does.")
    return LayoutChoice(int(row or 0), extra.get("comment", ""))


def is_number(cell: str) -> bool:
    """Return True for a number, an amount, a date in digits or a time."""
    return _NUMBER.fullmatch(cell.strip()) is not None


def count_filled(row: Cells) -> int:
    """Return the number of cells that are not blank."""
    return sum(1 for cell in row if cell.strip())


def find_header(rows: Sequence[Cells]) -> int:
    """Return the header's place. Narrower rows above it are titles or comments."""
    looked = [row for row in rows[: MOST_ABOVE + LOOKED] if count_filled(row)]
    if len(looked) < 2:
        return 0
    usual = Counter(count_filled(row) for row in looked[1:]).most_common()
    width = max(size for size, times in usual if times == usual[0][1])
    if width < 2:
        return 0
    for place, row in enumerate(rows[:MOST_ABOVE]):
        if not _is_title(row, width):
            return place
    return 0


def _is_title(row: Cells, width: int) -> bool:
    filled = count_filled(row)
    return filled == 0 or (filled == 1 and bool(row[0].strip()) and width > 1)


def find_preamble(rows: Sequence[Cells]) -> int | None:
    """Return the number of rows above a delimited header if they have other widths, else None."""
    widths = [len(row) for row in rows]
    usual = Counter(width for width in widths if width > 1).most_common()
    if not usual:
        return None
    width = max(size for size, times in usual if times == usual[0][1])
    above = widths.index(width)
    table = widths[above:]
    regular = table.count(width) >= _REGULAR * len(table) and len(table) > 1
    narrower = all(other < width or rows[n][0].lstrip().startswith("#") for n, other in enumerate(widths[:above]))
    if not 0 < above <= MOST_ABOVE or not regular or not narrower:
        return None
    return above if is_heading(rows[above]) else None


def find_depth(rows: Sequence[Cells], *, spans: bool = False) -> int:
    """Return 2 if the header has two rows (groups above names, or units below), else 1.

    `spans` says whether merged cells show that.
    """
    if len(rows) < 3:
        return 1
    top, below, body = rows[0], rows[1], rows[2 : 2 + LOOKED]
    width = max(len(top), len(below))
    top, below = _pad_row(top, width), _pad_row(below, width)
    if any(is_number(cell) for cell in below if cell) or not any(below):
        return 1
    if spans:
        return 2
    numeric = {n for n in range(width) if _is_numeric([row[n] for row in body if n < len(row) and row[n].strip()])}
    named = {n for n in range(width) if below[n]}
    grouped = any(below[n] and not top[n] and any(top[:n]) for n in range(width))
    if grouped and numeric & named and all(top[n] or below[n] for n in range(width)):
        return 2
    units = named <= numeric and len(named) * 2 >= len(numeric) and all(top) and len(named) < width
    return 2 if units and all(_UNIT.fullmatch(below[n]) for n in named) else 1


def join_headings(top: Cells, below: Cells) -> list[str]:
    """Join a header of two rows: ``Cost`` above ``parts``, or units as ``length (m)``."""
    width = max(len(top), len(below))
    top, below = _pad_row(top, width), _pad_row(below, width)
    units = all(top) and not all(below)
    out, group = [], ""
    for name, more in zip(top, below, strict=True):
        group = name or group
        if not more or more == name:
            out.append(name)
        elif units:
            out.append(f"{name} ({more.strip('()[]')})")
        else:
            out.append(f"{group} {more}".strip())
    return out


def is_heading(row: Cells) -> bool:
    """Return True if a row can have names of columns: two or more different short texts, none of them a number."""
    cells = [cell.strip().casefold() for cell in row if cell.strip()]
    texts = all(not is_number(cell) and len(cell) <= _LONGEST_HEADING for cell in cells)
    return len(cells) > 1 and len(set(cells)) == len(cells) and texts


def is_numeric_below(heading: Cells, body: Sequence[Cells]) -> bool:
    """Return True if the name of a column is a text and there are numbers below it."""
    return any(
        _is_numeric([row[n] for row in body if n < len(row) and row[n].strip()])
        for n, cell in enumerate(heading)
        if cell.strip()
    )


def _is_numeric(cells: Cells) -> bool:
    return bool(cells) and sum(map(is_number, cells)) >= _REGULAR * len(cells)


def _pad_row(row: Cells, width: int) -> list[str]:
    return [*(cell.strip() for cell in row), *[""] * (width - len(row))]
