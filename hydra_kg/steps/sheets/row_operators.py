"""The operators over rows of a sheet. Sets of rows are bit masks, row 0 of the file the lowest bit."""

from __future__ import annotations

import math
from collections.abc import Iterator

from hydra_kg.steps.sheets.sheet import Sheet, rows_of


def cells(sheet: Sheet, mask: int, column: int) -> tuple[str, ...]:
    """Return the filled cells of a column in the order of the file, each value once."""
    some = sheet.columns[column].cells
    return tuple(dict.fromkeys(some[row] for row in rows_of(mask) if some[row]))


def first(mask: int) -> int:
    """Return the first of some rows in the file."""
    return mask & -mask


def last(mask: int) -> int:
    """Return the last of some rows in the file."""
    return 1 << (mask.bit_length() - 1) if mask else 0


def nth(mask: int, place: int) -> int:
    """Return the second, third … of some rows in the file; none if there are fewer."""
    rows = rows_of(mask)
    return 1 << rows[place - 1] if place <= len(rows) else 0


def after(sheet: Sheet, mask: int) -> int:
    """Return the row right below the last of some rows."""
    return (last(mask) << 1) & sheet.everything


def before(mask: int) -> int:
    """Return the row right above the first of some rows."""
    return first(mask) >> 1


def _known(sheet: Sheet, mask: int, column: int) -> Iterator[tuple[int, float]]:
    numbers = sheet.columns[column].numbers
    return ((row, numbers[row]) for row in rows_of(mask) if not math.isnan(numbers[row]))


def extreme(sheet: Sheet, mask: int, column: int, *, greatest: bool) -> int:
    """Return the rows with the greatest or the least number in a column."""
    return nth_extreme(sheet, mask, column, 1, greatest=greatest)


def nth_extreme(sheet: Sheet, mask: int, column: int, place: int, *, greatest: bool) -> int:
    """Return the rows with the second, third … greatest or least number; none if there are fewer different ones."""
    known = list(_known(sheet, mask, column))
    values = sorted({value for _, value in known}, reverse=greatest)
    if place > len(values):
        return 0
    return sum(1 << row for row, value in known if value == values[place - 1])


def beyond(sheet: Sheet, row: int, column: int, *, more: bool) -> int:
    """Return the rows with a greater or smaller number in a column than one row; none if that row has none."""
    value = sheet.columns[column].numbers[rows_of(row)[0]]
    if math.isnan(value):
        return 0
    known = _known(sheet, sheet.everything, column)
    return sum(1 << other for other, number in known if (number > value if more else number < value))


def same_value(sheet: Sheet, mask: int, column: int) -> int:
    """Return the other rows with the same value in a column as the only row given."""
    cell = sheet.columns[column].cells[rows_of(mask)[0]]
    return sheet.columns[column].values.get(cell, 0) & ~mask if cell else 0


def distinct(sheet: Sheet, mask: int, column: int) -> int:
    """Return the number of different values in a column."""
    return sum(bool(rows & mask) for rows in sheet.columns[column].values.values())


def computed(sheet: Sheet, mask: int, column: int, what: str) -> float | None:
    """Return the sum, mean, greatest, least number of a column, or the range between these; None without numbers."""
    numbers = [value for _, value in _known(sheet, mask, column)]
    if len(numbers) < 2:
        return None
    if what == "sum":
        return round(math.fsum(numbers), 9)
    if what == "avg":
        return round(math.fsum(numbers) / len(numbers), 9)
    if what == "range":
        return round(max(numbers) - min(numbers), 9)
    return max(numbers) if what == "max" else min(numbers)


def commonest(sheet: Sheet, mask: int, column: int, *, greatest: bool) -> tuple[tuple[str, ...], int, int]:
    """Return the values that most or fewest rows have, how many rows have each, and these rows."""
    counts = {value: n for value, rows in sheet.columns[column].values.items() if (n := (rows & mask).bit_count())}
    if len(set(counts.values())) < 2:
        return (), 0, 0
    end = max(counts.values()) if greatest else min(counts.values())
    values = tuple(value for value, n in counts.items() if n == end)
    rows = 0
    for value in values:
        rows |= sheet.columns[column].values[value] & mask
    return values, end, rows


def greatest_sum(sheet: Sheet, mask: int, column: int, by: int) -> tuple[tuple[str, ...], int]:
    """Return the value of a column whose rows have the greatest sum in another, and these rows."""
    numbers = sheet.columns[by].numbers
    sums: dict[str, float] = {}
    for value, rows in sheet.columns[column].values.items():
        some = [numbers[row] for row in rows_of(rows & mask) if not math.isnan(numbers[row])]
        if some:
            sums[value] = math.fsum(some)
    if len(sums) < 2:
        return (), 0
    end = max(sums.values())
    values = tuple(value for value, total in sums.items() if total == end)
    return values, sheet.columns[column].values[values[0]] & mask


def longest_run(mask: int) -> int:
    """Return the length of the longest run of rows that follow each other."""
    length = 0
    while mask:
        mask &= mask >> 1
        length += 1
    return length


def difference(sheet: Sheet, one: int, other: int, column: int) -> float | None:
    """Return how far the numbers of two rows are apart; None where one has none, or the column is text."""
    numbers = sheet.columns[column].numbers
    a, b = numbers[rows_of(one)[0]], numbers[rows_of(other)[0]]
    return None if math.isnan(a) or math.isnan(b) else round(abs(a - b), 9)
