"""Translate a logical form over a sheet into the algebra of questions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from hydra_kg.plan.model import (
    Aggregate,
    Both,
    Class,
    Condition,
    Count,
    Difference,
    Either,
    FileOrder,
    GroupBy,
    Headings,
    LongestRun,
    Project,
    Ratio,
    Related,
    Root,
    Scalar,
    Things,
    Top,
    Value,
    Where,
    Without,
)
from hydra_kg.steps.sheets.anchors import SheetAnchor, SheetQuestion, comparison_at
from hydra_kg.steps.sheets.logical_forms import Form
from hydra_kg.steps.sheets.sheet import Sheet, rows_of
from hydra_kg.steps.tables.table_query import FUNCTIONS

_ROWS: Final = Class("rows", "row")
_OPS: Final[dict[str, Literal["<", "<=", "=", ">=", ">"]]] = {"<": "<", "<=": "<=", "=": "=", ">=": ">=", ">": ">"}
_SIDES: Final[dict[str, tuple[Literal["<", ">"], str]]] = {
    "more": (">", "more than that of"),
    "less": ("<", "less than that of"),
    "above": ("<", "listed above"),
    "below": (">", "listed below"),
}
_SHOWN: Final = 3
"""Values of a condition that are named."""


def form_query(sheet: Sheet, question: SheetQuestion, anchors: Sequence[SheetAnchor], form: Form) -> Root:
    """Return what a form computes."""
    return _FormTranslation(sheet, question, [anchors[n] for n in form.anchors], form).root()


class _FormTranslation:
    def __init__(self, sheet: Sheet, question: SheetQuestion, anchors: Sequence[SheetAnchor], form: Form) -> None:
        self.sheet, self.question, self.anchors, self.form = sheet, question, anchors, form

    def root(self) -> Root:
        form, rows = self.form, self._rows()
        column = self._name(form.column)
        if form.result.endswith("heading"):
            return self._headings(rows)
        if form.step == "across":
            return self._across(rows, column)
        if form.result in FUNCTIONS:
            return Aggregate(rows, column, FUNCTIONS[form.result])
        match form.result:
            case "count":
                return Count(rows)
            case "distinct":
                return Count(Project(rows, (column,)))
            case "range":
                return Difference(Aggregate(rows, column, "max"), Aggregate(rows, column, "min"), "")
            case "run":
                return LongestRun(rows)
            case "how often":
                return Aggregate(GroupBy(rows, column, "count"), "", "max")
            case "summed value":
                groups = GroupBy(rows, column, "sum", self._name(form.by))
                return Top(groups, 1, self._name(form.by), "number", "max", total=True)
            case "value":
                order: Literal["max", "min"] = "max" if form.step in ("most", "more") else "min"
                return Top(GroupBy(rows, column, "count"), 1, "", "number", order, counted="rows")
            case "count difference" | "difference" | "between" | "percentage" | "ratio":
                return self._pair(column)
            case "share":
                return Ratio(Value(rows, column, "number"), Aggregate(_ROWS, column, "sum"))
            case _:
                return Project(self._step(rows), (column,))

    def _across(self, rows: Things, column: str) -> Root:
        """Return what is computed from several columns of one row; a change in per cent is shown as the difference."""
        by = self._name(self.form.by)
        if self.form.result == "two cells":
            return Project(rows, (column, by))
        if self.form.result in ("difference", "change"):
            return Difference(Value(rows, column, "number"), Value(rows, by, "number"), unit="")
        names = f"{column} and {by}" if by else "all columns"
        return Aggregate(rows, names, FUNCTIONS[self.form.result])

    def _headings(self, rows: Things) -> Root:
        """Return the columns whose number is the greatest, the least, or on one side of a number of the question."""
        match self.form.step:
            case "max" | "min" as order:
                return Headings(rows, order)
            case step:
                op = _OPS[step.removeprefix("compare")]
                places = (k for k in self.question.numbers if comparison_at(self.question.words, k)[0] == op)
                number = self.question.numbers[next(places)]
                return Headings(rows, "", Condition(op, "number", number, number))

    def _pair(self, column: str) -> Root:
        one, other = (self._where(_ROWS, a) for a in self.anchors)
        if self.form.result == "between":
            return Count(FileOrder(one, to=other))
        parts: tuple[Scalar, Scalar] = (Count(one), Count(other))
        if self.form.result in ("percentage", "ratio"):
            scale = 100.0 if self.form.result == "percentage" else 1.0
            return Ratio(Value(one, column, "number"), Value(other, column, "number"), scale)
        if self.form.result == "difference":
            kind = self.sheet.columns[self.form.column].kind
            known: Literal["date", "number", "any"] = "any" if kind == "text" else kind
            parts = (Value(one, column, known), Value(other, column, known))
        return Difference(*parts, unit="")

    def _rows(self) -> Things:
        how, parts = self.form.rows_by, self.anchors
        if not parts:
            return _ROWS
        if how.startswith("-"):
            return Without(_ROWS, self._where(_ROWS, parts[0]))
        first = self._where(_ROWS, parts[0])
        if how in _SIDES:
            op, said = _SIDES[how]
            named = parts[0]
            value = tuple(self.sheet.columns[named.column].cells[row] for row in rows_of(named.mask))
            by = self._name(self.form.by) or "row"
            return Where(_ROWS, by, Condition(op, "number", words=f"{said} {value[0]}", values=value))
        if len(parts) == 1:
            return first
        if how == "a|a":
            return Either((first, self._where(_ROWS, parts[1])))
        if how == "a&-a":
            return Without(first, self._where(_ROWS, parts[1]))
        return self._where(first, parts[1])

    def _where(self, rows: Things, anchor: SheetAnchor) -> Things:
        column = self.sheet.columns[anchor.column]
        said = " ".join(self.question.words[anchor.start : anchor.end])
        span = tuple(range(anchor.start, anchor.end))
        if anchor.sort != "value":
            number = next(n for k, n in self.question.numbers.items() if anchor.start <= k < anchor.end)
            op = _OPS[anchor.sort.removeprefix("compare")]
            kind: Literal["date", "number"] = "date" if column.kind == "date" else "number"
            return Where(rows, column.text, Condition(op, kind, number, number, words=said), span=span)
        values = tuple(dict.fromkeys(column.cells[row] for row in rows_of(anchor.mask)))
        shown = " or ".join(values[:_SHOWN]) + (f" or {len(values) - _SHOWN} more" if len(values) > _SHOWN else "")
        return Where(rows, column.text, Condition("=", "any", words=shown, values=values[:20]), span=span)

    def _step(self, rows: Things) -> Things:
        step, place = self.form.step, self.question.ordinal
        match step.split(" ")[-1]:
            case "":
                return rows
            case "first" | "last" | "nth":
                return FileOrder(rows, place={"first": 1, "last": -1}.get(step, place))
            case "next" | "previous":
                return FileOrder(rows, step=1 if step == "next" else -1)
            case "same":
                by = self._name(self.form.by)
                same = Related(Related(rows, f"{by} of _", said=f"the {by} of _"), f"whose {by} is _")
                return Without(Both((_ROWS, same)), rows)
            case end:
                kind = self.sheet.columns[self.form.by].kind
                order: Literal["max", "min"] = "max" if end == "max" else "min"
                skip = place - 1 if step.startswith("nth") else 0
                return Top(rows, 1, self._name(self.form.by), kind, order, skip)

    def _name(self, column: int) -> str:
        return self.sheet.columns[column].text if column >= 0 else ""
