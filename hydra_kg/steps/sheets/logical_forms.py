"""The logical forms that a question may mean over a sheet: operators composed over its anchors, with their answers."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from hydra_kg.language.tokens import fold_words
from hydra_kg.steps.sheets import row_operators
from hydra_kg.steps.sheets.anchors import SheetAnchor, SheetQuestion, comparison_at, meets
from hydra_kg.steps.sheets.sheet import Sheet, rows_of

MOST_ANSWERS: Final = 12
"""Rows whose cells are listed as answers."""
MOST_ACROSS: Final = 8
"""Columns of one row that are computed with each other."""


class Form(NamedTuple):
    """A logical form and its answer.

    Args:
        rows_by: How the rows are chosen: "all", "a", "a&a", "a|a", "-a".
        step: The operator over rows: "next", "max" and so on.
        result: What is computed: "cells", "count", "sum" and so on.
        column: The column that is shown.
        by: The column that orders the rows, -1 for none.
        anchors: The anchors that are used.
        rows: The mask of the rows.
        answers: The answers.
    """

    rows_by: str
    step: str
    result: str
    column: int
    by: int
    anchors: tuple[int, ...]
    rows: int
    answers: tuple[str, ...]


class ChosenRows(NamedTuple):
    """A set of rows, how it was chosen, and the anchors used for it."""

    rows_by: str
    mask: int
    anchors: tuple[int, ...]


def forms(sheet: Sheet, question: SheetQuestion, anchors: Sequence[SheetAnchor]) -> Iterator[Form]:
    """Yield all forms that have an answer."""
    said = _said_columns(sheet, question)
    totals = [
        row_operators.computed(sheet, sheet.everything, n, "sum") if column.kind == "number" else None
        for n, column in enumerate(sheet.columns)
    ]
    for chosen in choose_rows(sheet, anchors):
        yield from _numbers(sheet, chosen)
        yield from _modes(sheet, chosen)
        if chosen.rows_by in ("a", "a&a") and chosen.mask.bit_count() == 1:
            yield from _across(sheet, chosen)
            yield from _headings(sheet, question, chosen)
            yield from _several_cells(sheet, said, chosen)
        if chosen.rows_by == "a" and chosen.mask.bit_count() == 1:
            yield from _shares(sheet, totals, chosen)
        for step, by, mask in _steps(sheet, question, chosen):
            if mask and mask.bit_count() <= MOST_ANSWERS:
                for column in range(len(sheet.columns)):
                    if answers := row_operators.cells(sheet, mask, column):
                        yield Form(chosen.rows_by, step, "cells", column, by, chosen.anchors, mask, answers)
    yield from _pairs(sheet, anchors)
    for n, anchor in enumerate(anchors):
        if anchor.sort == "value" and anchor.mask.bit_count() == 1:
            yield from _compared(sheet, anchor.mask, (n,))


def choose_rows(sheet: Sheet, anchors: Sequence[SheetAnchor]) -> Iterator[ChosenRows]:
    """Yield the sets of rows: all; those of an anchor; of two at once; of either of two; all but those of one."""
    everything = sheet.everything
    yield ChosenRows("all", everything, ())
    for n, one in enumerate(anchors):
        sort = "c" if one.sort != "value" else "a"
        yield ChosenRows(sort, one.mask, (n,))
        if rest := everything & ~one.mask:
            yield ChosenRows(f"-{sort}", rest, (n,))
        for k in range(n + 1, len(anchors)):
            other = anchors[k]
            if one.start < other.end and other.start < one.end:
                continue
            kind = "".join(sorted(sort + ("c" if other.sort != "value" else "a")))
            if (both := one.mask & other.mask) and (one.column != other.column or kind != "aa"):
                yield ChosenRows(f"{kind[0]}&{kind[1]}", both, (n, k))
                if one.column != other.column:
                    for first, second, used in ((one, other, (n, k)), (other, one, (k, n))):
                        if rest := first.mask & ~second.mask:
                            yield ChosenRows("a&-a", rest, used)
            if one.column == other.column and kind == "aa":
                yield ChosenRows("a|a", one.mask | other.mask, (n, k))


def _steps(sheet: Sheet, question: SheetQuestion, chosen: ChosenRows) -> Iterator[tuple[str, int, int]]:
    """Yield operators over rows: the rows themselves, first, last, next, previous, greatest, least, equal ones."""
    mask = chosen.mask
    if chosen.rows_by != "all":
        yield "", -1, mask
    if sheet.is_ordered and mask.bit_count() > 1:
        yield "first", -1, row_operators.first(mask)
        yield "last", -1, row_operators.last(mask)
        if question.ordinal > 1:
            yield "nth", -1, row_operators.nth(mask, question.ordinal)
    if sheet.is_ordered and chosen.rows_by != "all" and not chosen.rows_by.startswith("-"):
        yield "next", -1, row_operators.after(sheet, mask)
        yield "previous", -1, row_operators.before(mask)
    for by, column in enumerate(sheet.columns):
        if column.kind != "text" and mask.bit_count() > 1:
            yield "max", by, row_operators.extreme(sheet, mask, by, greatest=True)
            yield "min", by, row_operators.extreme(sheet, mask, by, greatest=False)
            if question.ordinal > 1:
                yield "nth max", by, row_operators.nth_extreme(sheet, mask, by, question.ordinal, greatest=True)
                yield "nth min", by, row_operators.nth_extreme(sheet, mask, by, question.ordinal, greatest=False)
        if mask.bit_count() == 1 and chosen.rows_by in ("a", "a&a"):
            yield "same", by, row_operators.same_value(sheet, mask, by)


def _numbers(sheet: Sheet, chosen: ChosenRows) -> Iterator[Form]:
    rows_by, mask, used = chosen
    yield Form(rows_by, "", "count", -1, -1, used, mask, (_said(mask.bit_count()),))
    for number, column in enumerate(sheet.columns):
        if column.kind == "text":
            different = row_operators.distinct(sheet, mask, number)
            if 1 < different < mask.bit_count():
                yield Form(rows_by, "", "distinct", number, -1, used, mask, (_said(different),))
        else:
            for what in ("sum", "avg", "max", "min", "range"):
                value = row_operators.computed(sheet, mask, number, what)
                if value is not None and (what != "sum" or column.kind == "number"):
                    yield Form(rows_by, "", what, number, -1, used, mask, (_said(value),))
    if sheet.is_ordered and rows_by == "a" and mask.bit_count() > 1:
        run = row_operators.longest_run(mask)
        if run > 1:
            yield Form(rows_by, "", "run", -1, -1, used, mask, (_said(run),))


def _shares(sheet: Sheet, totals: Sequence[float | None], chosen: ChosenRows) -> Iterator[Form]:
    """Yield the percentage of each cell of a row in the total of its column."""
    row = rows_of(chosen.mask)[0]
    for number, (column, total) in enumerate(zip(sheet.columns, totals, strict=True)):
        if total and not math.isnan(value := column.numbers[row]):
            answers = (_said(round(100 * value / total, 2)),)
            yield Form(chosen.rows_by, "", "share", number, -1, chosen.anchors, chosen.mask, answers)


def _headings(sheet: Sheet, question: SheetQuestion, chosen: ChosenRows) -> Iterator[Form]:
    """Yield columns in which a row has most or least, or more or less than a number: "In which year was X less?"."""
    rows_by, mask, used = chosen
    row = rows_of(mask)[0]
    known = {n: c.numbers[row] for n, c in enumerate(sheet.columns) if c.kind == "number"}
    known = {n: value for n, value in known.items() if not math.isnan(value)}
    if len(set(known.values())) < 2:
        return
    for step, end in (("max", max(known.values())), ("min", min(known.values()))):
        columns = [n for n, value in known.items() if value == end]
        if len(columns) == 1:
            yield from _heading_forms(sheet, Form(rows_by, step, "heading", columns[0], -1, used, mask, ()), columns)
    for place, bound in question.numbers.items():
        how = comparison_at(question.words, place)[0]
        columns = [n for n, value in known.items() if how and meets(value, how, bound, bound)]
        if columns and len(columns) < len(known):
            step = f"compare{how}"
            yield from _heading_forms(sheet, Form(rows_by, step, "heading", columns[0], -1, used, mask, ()), columns)


def _said_columns(sheet: Sheet, question: SheetQuestion) -> list[int]:
    """Return the columns of which the question says a word that no other heading has, in its order."""
    places = {}
    for n, column in enumerate(sheet.columns):
        own = [w for w in column.words if not any(w in c.words for c in sheet.columns if c is not column)]
        if said := [question.stems.index(w) for w in own if w in question.stems]:
            places[n] = min(said)
    return sorted(places, key=lambda n: places[n])


def _several_cells(sheet: Sheet, said: Sequence[int], chosen: ChosenRows) -> Iterator[Form]:
    """Yield the cells of a row in two columns next to each other in the order in which the question says them."""
    rows_by, mask, used = chosen
    row = rows_of(mask)[0]
    filled = [n for n in said if sheet.columns[n].cells[row]]
    for one, other in itertools.pairwise(filled):
        answers = (sheet.columns[one].cells[row], sheet.columns[other].cells[row])
        yield Form(rows_by, "across", "two cells", one, other, used, mask, answers)


def _heading_forms(sheet: Sheet, form: Form, columns: Sequence[int]) -> Iterator[Form]:
    """Yield a form with whole headings as answers, and one with the years in them."""
    headings = tuple(sheet.columns[n].text for n in columns)
    yield form._replace(answers=headings)
    words = (
        (w for w in fold_words(heading) if len(w) == 4 and w[:2] in ("19", "20") and w.isdigit())
        for heading in headings
    )
    years = tuple(filter(None, (next(some, "") for some in words)))
    if len(years) == len(headings) and years != headings:
        yield form._replace(result="year of heading", answers=years)


def _modes(sheet: Sheet, chosen: ChosenRows) -> Iterator[Form]:
    """Yield the value that most or fewest rows have, and how many have it."""
    rows_by, mask, used = chosen
    if mask.bit_count() < 3:
        return
    for number, column in enumerate(sheet.columns):
        if not 1 < len(column.values) < sheet.size:
            continue
        for greatest in (True, False):
            values, count, rows = row_operators.commonest(sheet, mask, number, greatest=greatest)
            if 0 < len(values) <= 3:
                step = "most" if greatest else "fewest"
                yield Form(rows_by, step, "value", number, -1, used, rows, values)
                if greatest:
                    yield Form(rows_by, step, "how often", number, -1, used, rows, (_said(count),))
        for by, other in enumerate(sheet.columns):
            if by != number and other.kind == "number" and column.kind == "text":
                values, rows = row_operators.greatest_sum(sheet, mask, number, by)
                if len(values) == 1:
                    yield Form(rows_by, "most", "summed value", number, by, used, rows, values)


def _pairs(sheet: Sheet, anchors: Sequence[SheetAnchor]) -> Iterator[Form]:
    """Yield what compares two anchors of one column: which has more rows, by how much cells or counts differ."""
    for n, one in enumerate(anchors):
        for k in range(n + 1, len(anchors)):
            other = anchors[k]
            apart = one.end <= other.start or other.end <= one.start
            if not apart or one.sort != "value" or other.sort != "value":
                continue
            used, counts = (n, k), (one.mask.bit_count(), other.mask.bit_count())
            rows = one.mask | other.mask
            if one.column == other.column and counts[0] != counts[1]:
                for step, first in (("more", counts[0] > counts[1]), ("fewer", counts[0] < counts[1])):
                    mask = one.mask if first else other.mask
                    answers = row_operators.cells(sheet, mask, one.column)[:1]
                    yield Form("a|a", step, "value", one.column, -1, used, rows, answers)
                yield Form("a|a", "", "count difference", -1, -1, used, rows, (_said(abs(counts[0] - counts[1])),))
            if counts == (1, 1) and one.mask != other.mask:
                for number in range(len(sheet.columns)):
                    gap = row_operators.difference(sheet, one.mask, other.mask, number)
                    if gap is not None:
                        yield Form("a|a", "", "difference", number, -1, used, rows, (_said(gap),))
                    if gap is not None and sheet.columns[number].kind == "number":
                        yield from _ratios(sheet, anchors, used, number)
                if sheet.is_ordered:
                    between = abs(rows_of(one.mask)[0] - rows_of(other.mask)[0]) - 1
                    if between > 0:
                        yield Form("a|a", "", "between", -1, -1, used, rows, (_said(between),))


def _ratios(sheet: Sheet, anchors: Sequence[SheetAnchor], used: tuple[int, int], number: int) -> Iterator[Form]:
    """Yield the cell of one row as a percentage and as a multiple of that of another, both ways."""
    numbers = sheet.columns[number].numbers
    for n, k in (used, used[::-1]):
        part, whole = (numbers[rows_of(anchors[one].mask)[0]] for one in (n, k))
        if whole:
            rows = anchors[n].mask | anchors[k].mask
            yield Form("a|a", "", "percentage", number, -1, (n, k), rows, (_said(round(100 * part / whole, 2)),))
            yield Form("a|a", "", "ratio", number, -1, (n, k), rows, (_said(round(part / whole, 2)),))


def _compared(sheet: Sheet, row: int, used: tuple[int, ...]) -> Iterator[Form]:
    """Yield the rows with more or less than a named row in a column, and how many are above or below it."""
    sides = [("above", -1, row - 1), ("below", -1, sheet.everything & ~(2 * row - 1))] if sheet.is_ordered else []
    for by, column in enumerate(sheet.columns):
        if column.kind != "text":
            sides.append(("more", by, row_operators.beyond(sheet, row, by, more=True)))
            sides.append(("less", by, row_operators.beyond(sheet, row, by, more=False)))
    named = [n for n, c in enumerate(sheet.columns) if c.kind == "text"][:2]
    for rows_by, by, mask in sides:
        if mask:
            yield Form(rows_by, "", "count", -1, by, used, mask, (_said(mask.bit_count()),))
            if by >= 0 and mask.bit_count() <= MOST_ANSWERS:
                for column_ in named:
                    if answers := row_operators.cells(sheet, mask, column_):
                        yield Form(rows_by, "", "cells", column_, by, used, mask, answers)


def _across(sheet: Sheet, chosen: ChosenRows) -> Iterator[Form]:
    """Yield what is computed from several columns of one row: sum, average, difference, change in per cent."""
    rows_by, mask, used = chosen
    row = rows_of(mask)[0]
    known = [(n, c.numbers[row]) for n, c in enumerate(sheet.columns) if c.kind == "number"]
    known = [(n, value) for n, value in known if not math.isnan(value)][:MOST_ACROSS]
    if len(known) < 2:
        return
    total = math.fsum(value for _, value in known)
    yield Form(rows_by, "across", "sum", -1, -1, used, mask, (_said(total),))
    yield Form(rows_by, "across", "avg", -1, -1, used, mask, (_said(total / len(known)),))
    for one, a in known:
        for other, b in known:
            if one == other:
                continue
            yield Form(rows_by, "across", "difference", one, other, used, mask, (_said(round(a - b, 6)),))
            if b:
                change = round(100 * (a - b) / abs(b), 2)
                yield Form(rows_by, "across", "change", one, other, used, mask, (_said(change),))
            if one < other:
                yield Form(rows_by, "across", "sum", one, other, used, mask, (_said(round(a + b, 6)),))
                yield Form(rows_by, "across", "avg", one, other, used, mask, (_said(round((a + b) / 2, 6)),))


def _said(number: float) -> str:
    if math.isfinite(number) and number == int(number):
        return str(int(number))
    return f"{number:.6g}"
