"""A query over tables in plain words, as it is shown to who asked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from hydra_kg.steps.schema.stems import singular
from hydra_kg.steps.tables.query import RowCondition, TableQuery
from hydra_kg.steps.tables.view import NAME, Column, View

_COMPARED: Final = re.compile(r"(?:.* )?(?P<how>>=|<=|><|>|<|=) (?P<bound>\S.*)$")
_HOW: Final = {">": "more than", ">=": "at least", "<": "less than", "<=": "at most", "=": "exactly", "><": "between"}
_LIKE: Final = {"contains": "has", "starts": "starts with", "ends": "ends with"}
_MEASURE: Final = {"avg": "mean", "sum": "sum", "max": "greatest", "min": "least"}
_ADJACENT: Final = {1: "after", -1: "before"}
_SHOWN: Final = 3
"""Values of a condition that are named."""


def query_words(view: View, query: TableQuery) -> str:
    """What was looked up: "name of singer, whose country is France, first by age"."""
    rows = view.tables[query.base].text
    row = _one(rows)
    columns = _and([_column(c) for c in query.columns])
    said = {
        "list": f"{columns or 'name'} of each {row}",
        "count": f"how many different values of {columns} of any {row}" if columns else f"how many: {rows}",
        "share": f"which part of all: {rows}",
    }.get(query.do) or f"{_MEASURE[query.do]} {columns} of any {row}"
    like = " and ".join(condition_words(view, c) for c in (*query.where, *query.wanted))
    parts = [f"{said} {like}"]
    if query.having[0]:
        parts.append(f"with {_HOW.get(query.having[0], 'exactly')} {query.having[1]:g} of them")
    if query.group is not None:
        parts.append(f"for each {_column(query.group)}")
    if query.listed or query.adjacent:
        end = "last" if query.down else "first"
        parts.append(f"only the {end} one of the file" if query.listed else f"the row {_ADJACENT[query.adjacent]} it")
    if query.by is not None or query.by_count >= 0:
        by = _column(query.by) if query.by is not None else f"number of: {view.tables[query.by_count].text}"
        end = "greatest" if query.down else "least"
        one = f"number {query.nth}" if query.nth > 1 else "the one"
        added = "sum of " if query.by_sum else ""
        first = f"only {f'the {query.limit}' if query.limit > 1 else one} with the {end} {added}{by}"
        parts.append(first if query.limit else f"in order of {by}")
    return ", ".join(" ".join(p.split()) for p in parts)


def condition_words(view: View, condition: RowCondition) -> str:
    """What rows have to be like: "whose country is France", "with at least 2 concert rows"."""
    own = view.tables[condition.table].text
    if condition.count[0]:
        return f"{'not ' * condition.negated}with {_HOW[condition.count[0]]} {condition.count[1]:g} of: {own}"
    column = condition.column
    if column is None:
        return f"{'without' if condition.negated else 'with'} any {own}"
    said = " or ".join(_met(view, c) for c in (condition, *condition.either))
    if condition.negated:
        said = said.replace("is ", "is not ", 1) if said.startswith("is ") else f"never {said}"
    return f"whose {_column(column) if column.relation != NAME else _one(own)} {said}"


def _met(view: View, condition: RowCondition) -> str:
    if condition.places is not None:
        names = list(dict.fromkeys(view.graph.name(p) for p in condition.places.tolist()))
        more = f" or {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        return f"is {' or '.join(names[:_SHOWN])}{more}"
    if condition.like[0]:
        return f"{_LIKE.get(condition.like[0], 'has')} “{condition.like[1]}”"
    if condition.than:
        return f"is {'above' if condition.low != float('-inf') else 'below'} the {_MEASURE[condition.than]}"
    m = _COMPARED.match(condition.text)
    if m is None:
        return (
            f"is {condition.text.removeprefix(condition.column.text).lstrip() if condition.column else condition.text}"
        )
    if m["how"] == "><":
        return f"is between {condition.low:g} and {condition.high:g}"
    return f"is {_HOW[m['how']]} {m['bound']}"


def _column(column: Column) -> str:
    return "name" if column.relation == NAME else column.text.split(" / ")[0]


def _one(rows: str) -> str:
    """What one row of a table is called: ``order items`` → order item."""
    *before, last = rows.split(" ")
    return " ".join([*before, singular(last)])


def _and(names: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))
