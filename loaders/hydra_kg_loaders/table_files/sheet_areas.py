"""Find the tables of a sheet, with titles, headers of two rows, merged cells, and several tables on one sheet."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence

from hydra_kg.util.fast_dataclass import dataclass
from hydra_kg_loaders.tables import table_headers

Row = Sequence[str]


@dataclass(frozen=True, slots=True)
class Merged:
    """A merged range of a sheet. Rows and columns are counted from 0, and both ends are included."""

    top: int
    left: int
    bottom: int
    right: int


@dataclass(frozen=True, slots=True)
class Area:
    """A table of a sheet. Rows are counted from 1.

    Attributes:
        above: The number of rows before it.
        header, depth: The row of the names, and the number of rows of the header.
        end: The last row.
        left, right: The columns, counted from 0.
    """

    above: int
    header: int
    depth: int
    end: int
    left: int
    right: int
    title: str
    names: list[str]


def fill_merged_cells(rows: Iterable[list[str]], merged: Sequence[Merged], *, left: int = 0) -> Iterator[list[str]]:
    """Yield rows with the text of merged cells in the first column of each row. `left` is the table's first column."""
    open_: list[tuple[Merged, str]] = []
    by_row: dict[int, list[Merged]] = {}
    for one in merged:
        by_row.setdefault(one.top, []).append(one)
    for number, row in enumerate(rows):
        open_ = [(one, text) for one, text in open_ if one.bottom >= number]
        for one, text in open_:
            place = one.left - left
            row = [*row, *[""] * (place + 1 - len(row))]
            row[place] = text
        for one in by_row.get(number, ()):
            place = one.left - left
            if one.bottom > one.top and 0 <= place < len(row) and row[place]:
                open_.append((one, row[place]))
        yield row


def find_areas(rows: Sequence[Row], merged: Sequence[Merged], *, header_row: int = 0) -> list[Area]:
    """Return a sheet's tables, top to bottom and left to right.

    Blank rows end a table if a title or names follow. Blank columns separate tables with two or more names each.
    `header_row` is the row of names of the only table.
    """
    if header_row:
        area = _area(rows, 0, len(rows), merged, header=header_row - 1)
        return [area] if area else []
    out = []
    starts = [0, *_starts(rows), len(rows)]
    for first, end in itertools.pairwise(starts):
        area = _area(rows, first, end, merged)
        if area is not None:
            out += _next_to_another(rows, area, merged)
    return out


def _starts(rows: Sequence[Row]) -> Iterator[int]:
    """Yield the rows where further tables begin: after a blank row, with their own title or header."""
    table: Row = ()
    for number, row in enumerate(rows):
        if not any(row):
            continue
        if number and not any(rows[number - 1]) and table and _begins_table(rows, number):
            yield number
        table = row if table_headers.count_filled(row) > 1 else table


def _begins_table(rows: Sequence[Row], start: int) -> bool:
    """Return True if a table begins in that row of a sheet."""
    block = []
    for row in rows[start : start + table_headers.LOOKED]:
        if not any(row):
            break
        block.append(row)
    titled = table_headers.count_filled(block[0]) == 1
    if titled:
        block = block[1:]
    if len(block) < 2 or not table_headers.is_heading(block[0]) or table_headers.count_filled(block[1]) < 2:
        return False
    return titled or table_headers.is_numeric_below(block[0], block[1:])


def _area(
    rows: Sequence[Row], first: int, end: int, merged: Sequence[Merged], *, header: int | None = None
) -> Area | None:
    """Return the table in some rows, None if they are blank."""
    filled = [n for n in range(first, end) if any(rows[n])]
    if not filled:
        return None
    at = header
    if at is None:
        at = first + _header(rows[first : filled[-1] + 1])
    if at >= len(rows) or not any(rows[at]):
        return None
    spans = any(
        (one.top == at and one.bottom == at + 1) or (one.top == one.bottom == at and one.right > one.left)
        for one in merged
    )
    depth = table_headers.find_depth(rows[at : filled[-1] + 1], spans=spans)
    top = _spread(rows[at], at, merged)
    names = table_headers.join_headings(top, rows[at + 1]) if depth == 2 else [cell.strip() for cell in rows[at]]
    while names and not names[-1]:
        names.pop()
    titles = [cell for row in rows[first:at] for cell in row if cell]
    return Area(first, at + 1, depth, end, 0, len(names), titles[0] if titles else "", names)


def _header(rows: Sequence[Row]) -> int:
    """Return the place of the header. A single cell is a header only if no row has more cells."""
    place = table_headers.find_header(rows)
    return place if any(rows[place]) else next(n for n, row in enumerate(rows) if any(row))


def _spread(row: Row, number: int, merged: Sequence[Merged]) -> list[str]:
    """Return a header row with the text of each merged cell in every column that it covers."""
    out = list(row)
    for one in merged:
        if one.top <= number <= one.bottom and one.left < len(out):
            for place in range(one.left + 1, min(one.right + 1, len(out))):
                out[place] = out[place] or out[one.left]
    return out


def _next_to_another(rows: Sequence[Row], area: Area, merged: Sequence[Merged]) -> list[Area]:
    """Split a table at columns that are blank from its header to its end, if each side has two or more names."""
    below = rows[area.header - 1 : area.end]
    width = max(map(len, below), default=0)
    blank = [n for n in range(width) if not any(row[n] for row in below if n < len(row))]
    sides, left = [], 0
    for gap in [*blank, width]:
        if gap > left:
            sides.append((left, gap))
        left = gap + 1
    if len(sides) < 2 or any(sum(map(bool, area.names[a:b])) < 2 for a, b in sides):
        return [area]
    out = []
    for a, b in sides:
        titles = [row[n] for row in rows[area.above : area.header - 1] for n in range(a, min(b, len(row))) if row[n]]
        names = area.names[a:b]
        end = max((n for n in range(area.header, area.end + 1) if any(rows[n - 1][a:b])), default=area.header)
        out.append(Area(area.above, area.header, area.depth, end, a, b, titles[0] if titles else "", names))
    return out
