"""A query over tables in plain words, as it is shown to who asked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from hydra_kg.extract.words import VERB, kind
from hydra_kg.language.numbers import ordinal
from hydra_kg.steps.own_graphs.stems import plural
from hydra_kg.steps.schema.wording import owners
from hydra_kg.steps.tables.query import RowCondition, TableQuery
from hydra_kg.steps.tables.view import NAME, Column, View

_COMPARED: Final = re.compile(r"(?:.* )?(?P<how>>=|<=|><|>|<|=) (?P<bound>\S.*)$")
_HOW: Final = {">": "more than", ">=": "at least", "<": "less than", "<=": "at most", "=": "exactly", "><": "between"}
_WHEN: Final = {">": "after", ">=": "from", "<": "before", "<=": "until", "=": "in"}
_LIKE: Final = {"contains": "has", "starts": "starts with", "ends": "ends with"}
COMPUTED: Final = {"avg": "average", "sum": "sum", "max": "highest", "min": "lowest"}
"""What is computed of numbers."""
_ENDS: Final = {"date": ("earliest", "latest"), "number": ("lowest", "highest"), "text": ("first", "last")}
_ADJACENT: Final = {1: "after", -1: "before"}
_SHOWN: Final = 3
"""Values of a condition that are named."""


def query_words(view: View, query: TableQuery) -> str:
    """What was looked up: "name of singers whose country is France, only the one with the earliest birth year"."""
    rows = plural(view.tables[query.base].text)
    columns = _and([_column(view, query.base, c) for c in query.columns])
    where, wanted = (_conditions(view, query.base, some) for some in (query.where, query.wanted))
    those = f"{rows} {where}".strip()
    if query.group is not None and query.by_count >= 0 and query.limit:
        most = "most" if query.down else "fewest"
        many = those if query.by_count == query.base else plural(view.tables[query.by_count].text)
        return " ".join(f"{_column(view, query.base, query.group)} with {_rank(query)}{most} {many}".split())
    said = {
        "list": f"{columns} of {those}" if columns else those,
        "count": f"number of different values of {columns} of {those}" if columns else f"number of {those}",
        "share": f"of {those}, the share {wanted}",
    }.get(query.do) or f"{COMPUTED[query.do]} {columns} of {those}"
    parts = [said]
    if query.having[0]:
        parts.append(f"with {_HOW.get(query.having[0], 'exactly')} {query.having[1]:g} of them")
    if query.group is not None:
        parts.append(f"for each {_column(view, query.base, query.group)}")
    if query.listed or query.adjacent:
        end = "last" if query.down else "first"
        parts.append(f"only the {end} one of the file" if query.listed else f"the row {_ADJACENT[query.adjacent]} it")
    if query.by is not None or query.by_count >= 0:
        parts.append(_order(view, query))
    return ", ".join(" ".join(p.split()) for p in parts)


def _order(view: View, query: TableQuery) -> str:
    """Which come first."""
    if query.by is None:
        by, end = plural(view.tables[query.by_count].text), "most" if query.down else "fewest"
    else:
        by = f"total {_column(view, query.base, query.by)}" if query.by_sum else _column(view, query.base, query.by)
        end = end_words(query.by, last=query.down, added=query.by_sum)
    if not query.limit:
        return f"in order of {'the number of ' * (query.by is None)}{by}"
    ones = f"the {query.limit}" if query.limit > 1 else "the one"
    return f"only {ones} with {_rank(query)}{end} {by}"


def counted(number: float, noun: str) -> str:
    """How many of what: "1 order", "3 orders"."""
    return f"{number:g} {noun if number == 1 else plural(noun)}"


def _rank(query: TableQuery) -> str:
    return f"the {ordinal(query.nth)} " if query.nth > 1 else "the "


def end_words(column: Column, *, last: bool, added: bool = False) -> str:
    """What the first or the last by a column is: "lowest", "latest"."""
    return _ENDS.get("number" if added else column.kind, _ENDS["text"])[last]


def rows_words(view: View, query: TableQuery) -> str:
    """The rows that meet the conditions of a query: "orders whose status is open"."""
    return f"{plural(view.tables[query.base].text)} {_conditions(view, query.base, query.where)}"


def _conditions(view: View, base: int, some: Sequence[RowCondition]) -> str:
    return " and ".join(_condition(view, base, c) for c in some)


def _condition(view: View, base: int, condition: RowCondition) -> str:
    """What rows of a table have to be like: "whose country is France", "founded before 1990", "with at least 2
    concerts", "whose coach's nationality is Danish"."""
    own = view.tables[condition.table].text
    if condition.count[0]:
        return f"{'not ' * condition.negated}with {_HOW[condition.count[0]]} {counted(condition.count[1], own)}"
    column = condition.column
    if column is None:
        return f"{'without' if condition.negated else 'with'} any {own}"
    if condition.missing:
        text = _column(view, condition.table, column)
        return f"whose {owners((own, text)) if condition.table != base else text} is not said"
    said = " or ".join(_met(view, c) for c in (condition, *condition.either))
    not_, is_ = "not " * condition.negated, said.startswith("is ")
    value = said.removeprefix("is ")
    away = condition.table != base
    if column.relation == NAME and is_:
        return f"whose {own} is {not_}{value}" if away else f"{not_}called {value}"
    if column.kind == "date" and is_ and is_verb(column) and not away:
        return f"{not_}{_event(column.text)} {value}"
    text = owners((own, _column(view, column.table, column))) if away else _column(view, base, column)
    return f"whose {text} is {not_}{value}" if is_ else f"whose {text} {'never ' * condition.negated}{said}"


def is_verb(column: Column) -> bool:
    """Whether a column is called by what happened: "founded", "ordered on"."""
    return kind(column.text.split()[0].lower()) == VERB


def _event(text: str) -> str:
    """The verb of a column of dates: "ordered" of "ordered on"."""
    *before, last = text.split()
    return " ".join(before) if before and last.lower() in ("on", "at", "in") else text


def _met(view: View, condition: RowCondition) -> str:
    if condition.places is not None:
        names = list(dict.fromkeys(view.graph.name(p) for p in condition.places.tolist()))
        more = f" or {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        return f"is {' or '.join(names[:_SHOWN])}{more}"
    if condition.like[0]:
        return f"{_LIKE.get(condition.like[0], 'has')} “{condition.like[1]}”"
    if condition.than:
        return f"is {'above' if condition.low != float('-inf') else 'below'} the {COMPUTED[condition.than]}"
    m = _COMPARED.match(condition.text)
    if m is None:
        return (
            f"is {condition.text.removeprefix(condition.column.text).lstrip() if condition.column else condition.text}"
        )
    if m["how"] == "><":
        return f"is between {condition.low:g} and {condition.high:g}"
    dated = condition.column is not None and condition.column.kind == "date"
    return f"is {(_WHEN if dated else _HOW)[m['how']]} {m['bound']}"


def _column(view: View, base: int, column: Column) -> str:
    """What a column is called; that of another table's names is called after that table."""
    if column.relation == NAME:
        return "name" if column.table == base else view.tables[column.table].text
    text = column.text.split(" / ")[0]
    return f"“{text}”" if is_verb(column) else text


def _and(names: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))
