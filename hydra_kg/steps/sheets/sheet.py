"""One flat table as a sheet: rows in the order of their file, with the words and the numbers of each cell."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import Final, Literal

from hydra_kg.language.dates import day_number, month_number, read_date
from hydra_kg.language.morphology import family_stem, singular
from hydra_kg.language.tokens import fold_words
from hydra_kg.util.fast_dataclass import dataclass, field

CellKind = Literal["number", "date", "text"]

_MOSTLY: Final = 0.6
"""Share of the filled cells that must be numbers or dates for a column of that kind."""
_MOST_INITIALS: Final = 6
"""Different letters of a column whose values may be initials of words."""
_NUMBER: Final = re.compile(r"[^\d\w]*?(-?\d[\d,]*(?:\.\d+)?)")
_CLOCK: Final = re.compile(r"\+?(?:(\d+):)?(\d{1,2}):(\d\d(?:\.\d+)?)$")
_ORDINAL: Final = re.compile(r"^(\d+)(?:st|nd|rd|th)$")


@dataclass(frozen=True, slots=True, eq=False)
class SheetColumn:
    """One column: ``tokens`` are the words of each cell in the singular, ``numbers`` its values or NaN."""

    text: str
    words: tuple[str, ...]
    cells: tuple[str, ...]
    kind: CellKind
    numbers: tuple[float, ...]
    tokens: tuple[tuple[str, ...], ...]
    is_name: bool = False
    """Whether the column holds what the rows are called; its heading is then unknown."""
    token_rows: dict[str, int] = field(default_factory=dict)
    """The rows that have a word, as a bit mask."""
    stem_rows: dict[str, int] = field(default_factory=dict)
    """The rows that have a word of a family (win, won, winner), as a bit mask."""
    values: dict[str, int] = field(default_factory=dict)
    """The rows that have each value, as a bit mask, in the order of the file."""

    @property
    def has_initials(self) -> bool:
        """Return True if all values are single letters, such as W, L and D."""
        return 1 < len(self.values) <= _MOST_INITIALS and all(len(v) == 1 and v.isalpha() for v in self.values)


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """A table with `size` rows. Sets of rows are bit masks: row 0, the first of the file, is the lowest bit."""

    columns: tuple[SheetColumn, ...]
    size: int
    is_ordered: bool = True
    """Whether the order of the rows is that of the file."""

    @property
    def everything(self) -> int:
        """Return the mask of all rows."""
        return (1 << self.size) - 1


def make_column(text: str, words: Sequence[str], cells: Sequence[str], *, is_name: bool = False) -> SheetColumn:
    """Return a column with its cells read as numbers or dates if most of them are."""
    tokens = tuple(tuple(cell_stem(w) for w in fold_words(c)) for c in cells)
    dates, numbers = [date_of(c) for c in cells], [number_of(c) for c in cells]
    filled = sum(any(ch.isalnum() for ch in c) for c in cells) or 1
    kind: CellKind = "text"
    read = [math.nan] * len(cells)
    if sum(not math.isnan(d) for d in dates) >= _MOSTLY * filled:
        kind, read = "date", dates
    elif sum(not math.isnan(n) for n in numbers) >= _MOSTLY * filled:
        kind, read = "number", numbers
    token_rows: Counter[str] = Counter()
    stem_rows: Counter[str] = Counter()
    values: Counter[str] = Counter()
    for row, (cell, some) in enumerate(zip(cells, tokens, strict=True)):
        for token in set(some):
            token_rows[token] |= 1 << row
            stem_rows[family_stem(token)] |= 1 << row
        if cell:
            values[cell] |= 1 << row
    return SheetColumn(
        text,
        tuple(words),
        tuple(cells),
        kind,
        tuple(read),
        tokens,
        is_name,
        dict(token_rows),
        dict(stem_rows),
        dict(values),
    )


def cell_stem(word: str) -> str:
    """Return a word of a cell or a question in the singular; "6th" becomes 6."""
    return _ORDINAL.sub(r"\1", singular(word))


def number_of(cell: str) -> float:
    """Return the number with which a cell begins ("25 lost" is 25, "1:55.7" is 115.7 seconds), or NaN."""
    if m := _CLOCK.match(cell.strip()):
        return int(m[1] or 0) * 3600 + int(m[2]) * 60 + float(m[3])
    m = _NUMBER.match(cell)
    return float(m[1].replace(",", "")) if m else math.nan


def date_of(cell: str) -> float:
    """Return the day that a cell names, as a year with a fraction, or NaN. Without a year, its place in the year."""
    words = cell.casefold().replace(",", " , ").replace(".", " . ").split()
    if words and words[0].isalpha() and not month_number(words[0]):
        words = words[1 + (words[1:2] == [","]) :]  # the day of the week
    found = read_date(words, yearless=True) if words else None
    return day_number(found[0]) if found and found[0][1] and found[1] == len(words) else math.nan


def rows_of(mask: int) -> list[int]:
    """Return the rows of a mask in the order of the file."""
    rows = []
    while mask:
        low = mask & -mask
        rows.append(low.bit_length() - 1)
        mask ^= low
    return rows
