"""Spans of a question that a sheet contains: values of cells, and comparisons with numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Final

from hydra_kg.extract.word_classes import described
from hydra_kg.language.morphology import family_stem
from hydra_kg.language.number_words import cardinal_number, ordinal_number
from hydra_kg.language.tokens import fold_words
from hydra_kg.steps.sheets.sheet import Sheet, SheetColumn, cell_stem
from hydra_kg.steps.tables.question_spans import FREE
from hydra_kg.util.fast_dataclass import dataclass

_LONGEST: Final = 9
MOST: Final = 10
"""Anchors of one question that are used, the longest first."""
_MORE: Final = re.compile(
    r"(?:more|greater|higher|larger|longer|bigger|later|better)\b.* than$|(?:over|above|after|exceeding|since)$"
)
_LESS: Final = re.compile(r"(?:less|fewer|lower|smaller|shorter|worse|earlier)\b.* than$|(?:under|below|before)$")
_LEAST: Final = re.compile(r"at least$|no (?:less|fewer) than$")
_MOST: Final = re.compile(r"at most$|no more than$|up to$")
_BEHIND: Final = {"or more": ">=", "or higher": ">=", "or less": "<=", "or fewer": "<="}


@dataclass(frozen=True, slots=True)
class SheetAnchor:
    """A span of the question and the rows that meet it in one column. ``sort``: value or comparison."""

    start: int
    end: int
    column: int
    mask: int
    sort: str
    is_exact: bool = True
    is_kin: bool = False
    """Whether cells have another word of the family or its initial: "winners" or "W" for "won", "Norwegian"."""


@dataclass(frozen=True, slots=True)
class SheetQuestion:
    """The words of a question in small letters, their singulars, and the numbers at some of them."""

    words: tuple[str, ...]
    stems: tuple[str, ...]
    numbers: dict[int, float]
    ordinal: int = 0


def read_words(question: str) -> SheetQuestion:
    """Return the words of a question; "1,000" and "2.5" are numbers at their first word."""
    words = fold_words(question)
    numbers: dict[int, float] = {k: float(n) for k, w in enumerate(words) if (n := cardinal_number(w)) is not None}
    for m in re.finditer(r"(?<![\w.])\d[\d,]*(?:\.\d+)?", question):
        numbers[len(fold_words(question[: m.start()]))] = float(m[0].replace(",", ""))
    ordinal = next((n for w in words if (n := ordinal_number(w)) > 1), 0)
    return SheetQuestion(tuple(words), tuple(cell_stem(w) for w in words), numbers, ordinal)


def find_anchors(sheet: Sheet, question: SheetQuestion) -> list[SheetAnchor]:
    """Return the anchors of a question, longest first: the longest spans per column, and its comparisons."""
    found: list[SheetAnchor] = []
    for number, column in enumerate(sheet.columns):
        mine: list[SheetAnchor] = []
        for anchor in _value_anchors(number, column, question):
            if not any(a.start <= anchor.start and anchor.end <= a.end for a in mine):
                mine.append(anchor)
        found += mine
        found += _comparisons(number, column, question)
    found += _kin_anchors(sheet, question)
    found.sort(key=lambda a: (a.start - a.end, not a.is_exact, a.start, a.column))
    return found[:MOST]


def _value_anchors(number: int, column: SheetColumn, question: SheetQuestion) -> Iterator[SheetAnchor]:
    stems = question.stems
    known = [column.token_rows.get(s, 0) for s in stems]
    for size in range(min(_LONGEST, len(stems)), 0, -1):
        for start in range(len(stems) - size + 1):
            mask = -1
            for k in range(start, start + size):
                mask &= known[k]
                if not mask:
                    break
            some = stems[start : start + size]
            if not mask or all(
                w in FREE or (len(w) == 1 and not w.isdigit()) for w in question.words[start : start + size]
            ):
                continue
            exact = contained = 0
            for row in _bits(mask):
                tokens = column.tokens[row]
                if tokens == some:
                    exact |= 1 << row
                elif any(tokens[k : k + size] == some for k in range(len(tokens) - size + 1)):
                    contained |= 1 << row
            if exact or contained:
                yield SheetAnchor(start, start + size, number, exact or contained, "value", bool(exact))


def _kin_anchors(sheet: Sheet, question: SheetQuestion) -> Iterator[SheetAnchor]:
    """Yield words that no cell has, if cells have a word of the family, the initial, or the country of an adjective."""
    said = [(k, k + 1, family_stem(w)) for k, w in enumerate(question.stems) if w not in FREE and len(w) > 3]
    adjectives = described((*question.words, "row"))
    said += [(i, j + 1, family_stem(country)) for country, i, j in adjectives if " " not in country]
    for start, end, wanted in said:
        stems = question.stems[start:end]
        if any(s in column.token_rows for s in stems for column in sheet.columns):
            continue
        for number, column in enumerate(sheet.columns):
            mask = column.stem_rows.get(wanted.casefold(), 0)
            if column.has_initials:
                mask |= column.token_rows.get(stems[0][0], 0)
            if mask:
                yield SheetAnchor(start, end, number, mask, "value", is_exact=False, is_kin=True)


def _bits(mask: int) -> Iterator[int]:
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def _comparisons(number: int, column: SheetColumn, question: SheetQuestion) -> Iterator[SheetAnchor]:
    """Yield "over 30", "at least 1", "before 2005", "10 or more" for a column of numbers or dates."""
    if column.kind == "text":
        return
    for place, value in question.numbers.items():
        how, start, end = comparison_at(question.words, place)
        if not how and question.words[place].isdigit():
            continue  # found as a value
        if not how:
            how, start, end = "=", place, place + 1
        whole_year = column.kind == "date" and value == int(value)
        last = value + 1 - 1e-6 if whole_year and 1000 <= value < 2200 else value
        mask = 0
        for row, cell in enumerate(column.numbers):
            if not math.isnan(cell) and meets(cell, how, value, last):
                mask |= 1 << row
        if mask:
            yield SheetAnchor(start, end, number, mask, f"compare{how}")


def meets(cell: float, how: str, value: float, last: float) -> bool:
    """Return True if a number meets a comparison with a bound; `last` is the end of a bound that is a year."""
    if how == ">":
        return cell > last
    if how == ">=":
        return cell >= value
    if how == "=":
        return cell == value
    return cell < value if how == "<" else cell <= last


def comparison_at(words: tuple[str, ...], place: int) -> tuple[str, int, int]:
    """Return the comparison that the words around a number say, with its first and last place; "" for none."""
    behind = _BEHIND.get(" ".join(words[place + 1 : place + 3]))
    if behind:
        return behind, place, place + 3
    for how, pattern in ((">=", _LEAST), ("<=", _MOST), (">", _MORE), ("<", _LESS)):
        for size in (1, 2, 3, 4):
            start = place - size
            if start >= 0 and pattern.match(" ".join(words[start:place])):
                return how, start, place + 1
    return "", place, place
