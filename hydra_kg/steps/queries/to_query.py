"""Translate a query over tables into the algebra of questions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final, Literal

from hydra_kg.language.morphology import plural
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
    Having,
    Project,
    Ratio,
    Scalar,
    TextMatch,
    Things,
    Today,
    Top,
    Value,
    ValueKind,
    Where,
    Without,
)
from hydra_kg.steps.queries.rows import Rows
from hydra_kg.steps.tables.query import FUNCTIONS, RowCondition
from hydra_kg.steps.tables.view import NAME, Column, Join, View

MOST_VALUES: Final = 20
_SHOWN: Final = 3
"""Values of a condition that are named."""
_COMPARED: Final = re.compile(r"(?:.* )?(?P<how>>=|<=|><|>|<|=) (?P<bound>\S.*)$")
_HOW: Final = {">": "more than", ">=": "at least", "<": "less than", "<=": "at most", "=": "exactly"}
_WHEN: Final = {">": "after", ">=": "from", "<": "before", "<=": "until", "=": "in"}
_MATCHES: Final[dict[str, Literal["contains", "starts", "ends"]]] = {"starts": "starts", "ends": "ends"}
_OPS: Final[dict[str, Literal["<", "<=", "=", ">=", ">", "in"]]] = {
    "<": "<",
    "<=": "<=",
    "=": "=",
    ">=": ">=",
    ">": ">",
    "><": "in",
}
_INFINITE: Final = float("inf")


def table_query(found: Rows, *, intersected: bool = False) -> Things | Scalar:
    """Return what a query computes. ``intersected``: its conditions were met by different rows of one value."""
    return _TableTranslation(found, intersected=intersected).root()


def rows_query(found: Rows) -> Things:
    """Return the rows that meet the conditions of a query."""
    return _TableTranslation(found, intersected=False).rows()


class _TableTranslation:
    def __init__(self, found: Rows, *, intersected: bool) -> None:
        self.found, self.view, self.query, self.intersected = found, found.view, found.query, intersected

    def root(self) -> Things | Scalar:
        query, rows = self.query, self.rows()
        if query.listed:
            rows = FileOrder(rows, place=-1 if query.down else 1)
        elif query.adjacent:
            rows = FileOrder(rows, step=query.adjacent)
        if query.do == "share":
            whole = self._meeting(rows, query.against) if query.against else rows
            return Ratio(self._meeting(rows, query.wanted), whole, query.whole)
        if query.group is not None:
            return self._grouped(rows, query.group)
        if query.by_count >= 0 or query.by is not None:
            rows = self._ordered(rows)
        columns = tuple(map(self._attribute, query.columns))
        if query.aged and query.do == "list" and len(columns) == 1:
            return Difference(Today(), Value(rows, columns[0], "date"))
        if query.do in ("list", "count"):
            shown = Project(rows, columns) if columns and not isinstance(rows, (Both, Without)) else rows
            return shown if query.do == "list" else Count(shown)
        if self.found.own is not None:
            rows, columns = rows_query(self.found.own), (_text(query.columns[0]),)
        return Aggregate(rows, columns[0] if columns else "", FUNCTIONS[query.do])

    def rows(self) -> Things:
        """Return the rows that meet the conditions, or the values that several sets of rows have in common."""
        query = self.query
        all_rows: Things = self._class(query.base)
        if query.among:
            all_rows = self._meeting(all_rows, query.among)
        listed = query.do in ("list", "count") and query.columns and not query.limit
        denied = [c for c in query.where if c.negated]
        if listed and self.intersected:
            alone = [c for c in query.where if c.alone and not c.negated]
            rest = [c for c in query.where if c not in alone]
            return Both(tuple(self._values(self._meeting(all_rows, [*rest, c])) for c in alone))
        if listed and query.differ and denied:
            others = [c for c in query.where if not c.negated]
            positive = [replace(c, negated=False) for c in denied]
            less = self._values(self._meeting(all_rows, [*others, *positive]))
            return Without(self._values(self._meeting(all_rows, others)), less)
        return self._meeting(all_rows, query.where)

    def _values(self, rows: Things) -> Project:
        return Project(rows, (self._attribute(self.query.columns[0]),))

    def _class(self, table: int) -> Class:
        text = self.view.tables[table].text
        return Class(plural(text), text)

    def _attribute(self, column: Column) -> str:
        """Return what a column is called; a column of another table is called after what leads there."""
        own = self.view.tables[column.table].text
        if column.table == self.query.base:
            return "name" if column.relation == NAME else _text(column)
        way = self.found.way(column.table) or ()
        owner = _via(self.view, way[0])[0] if len(way) == 1 and way[0].forward else own
        if column.relation == NAME:
            return owner
        return _text(column) if own.lower() in _text(column).lower() else f"{owner}'s {_text(column)}"

    def _meeting(self, rows: Things, conditions: Sequence[RowCondition]) -> Things:
        """Return the rows that meet all conditions. Those on other tables are met by rows that belong together."""
        joined = [c for c in conditions if c.table != self.query.base and not (c.count[0] or c.alone or c.negated)]
        for condition in conditions:
            if condition.count[0]:
                way = self.found.way(condition.table) or ()
                via, back = _via(self.view, way[0]) if len(way) == 1 else ("", False)
                rows = Having(rows, self._counted(condition), _number_of(*condition.count, condition.high), via, back)
            elif condition.table == self.query.base:
                rows = self._where(rows, condition)
            elif condition.negated and condition.alone:
                rows = self._linked(rows, [replace(condition, negated=False)], "lacks")
            elif condition.negated:
                same = [
                    c for c in conditions if c.negated and c.table == condition.table and not (c.count[0] or c.alone)
                ]
                if condition is same[0]:
                    rows = self._linked(rows, [replace(c, negated=False) for c in same], "lacks")
            elif condition.alone:
                rows = self._linked(rows, [condition])
            elif condition is joined[0]:
                rows = self._linked(rows, joined)
        return rows

    def _linked(self, rows: Things, some: Sequence[RowCondition], op: Literal["exists", "lacks"] = "exists") -> Things:
        """Return the rows to which rows of other tables belong that meet some conditions, along the ways there."""
        joins = {j.end: j for c in some for j in self.found.way(c.table) or ()}

        def grown(things: Things, table: int, op: Literal["exists", "lacks"] = "exists") -> Things:
            for condition in some:
                if condition.table == table:
                    things = self._where(things, condition)
            for join in (j for j in joins.values() if j.start == table):
                there = grown(self._class(join.end), join.end)
                things = Having(things, there, Condition(op, "any"), *_via(self.view, join))
            return things

        return grown(rows, self.query.base, op)

    def _counted(self, condition: RowCondition) -> Things:
        things = self._class(condition.table)
        return self._where(things, condition) if condition.column is not None else things

    def _where(self, rows: Things, condition: RowCondition) -> Things:
        """Return the rows of a condition's own table that meet it, or one of its alternatives."""
        if any(c.places is None or c.column != condition.column for c in condition.either):
            text = condition.text
            for other in reversed(condition.either):
                text = text.removesuffix(f" or {other.text}")
            first = replace(condition, either=(), text=text)
            return Either(tuple(self._where(rows, replace(c, either=())) for c in (first, *condition.either)))
        column, span = condition.column, (condition.at,) if condition.at >= 0 else ()
        if condition.inner is not None:
            inner = _TableTranslation(Rows(self.view, condition.inner), intersected=False)
            return inner._ordered(inner.rows())
        if column is None:
            return rows
        name = "name" if column.relation == NAME else _text(column)
        if condition.like[0]:
            match = _MATCHES.get(condition.like[0], "contains")
            return TextMatch(rows, name, match, condition.like[1], condition.negated, span=span)
        if condition.missing:
            return Where(rows, name, Condition("lacks", "any"), span=span)
        kind: ValueKind = "date" if column.kind == "date" else "number" if column.kind == "number" else "any"
        if condition.than:
            op: Literal["<", ">"] = ">" if condition.low != -_INFINITE else "<"
            return Where(rows, name, Condition(op, kind, than=FUNCTIONS[condition.than]), span=span)
        every = (condition, *condition.either)
        text = " or ".join(map(self._bound, every))
        values = tuple(dict.fromkeys(n for c in every for n in self._names(c)))[:MOST_VALUES]
        low, high = (_finite(condition.low, condition.high), _finite(condition.high, condition.low))
        how = "=" if values and condition.beyond is None else _how(condition)
        how = "><" if how == "=" and low != high else how
        op_ = "!=" if condition.negated else _OPS[how]
        return Where(rows, name, Condition(op_, kind, low, high, words=text, values=values), span=span)

    def _names(self, condition: RowCondition) -> Iterator[str]:
        places = condition.places if condition.beyond is None else condition.beyond
        if places is not None:
            yield from (self.view.graph.name(p) for p in places.tolist())

    def _bound(self, condition: RowCondition) -> str:
        if condition.places is not None:
            names = list(dict.fromkeys(self._names(condition)))
            more = f" or {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
            return f"{' or '.join(names[:_SHOWN])}{more}"
        m = _COMPARED.match(condition.text)
        if m is None:
            column = condition.column.text if condition.column is not None else ""
            return condition.text.removeprefix(column).lstrip()
        if m["how"] == "><":
            return f"between {condition.low:g} and {condition.high:g}"
        dated = condition.column is not None and condition.column.kind == "date"
        return f"{(_WHEN if dated else _HOW)[m['how']]} {m['bound']}"

    def _ordered(self, rows: Things) -> Top:
        query, order = self.query, "max" if self.query.down else "min"
        counted = plural(self.view.tables[query.by_count].text) if query.by_count >= 0 and query.by is None else ""
        by = self._attribute(query.by) if query.by is not None else ""
        kind = "number" if query.by is None or query.by_sum else query.by.kind
        kind = kind if kind in ("date", "number") else "text"
        return Top(rows, query.limit, by, kind, order, query.nth - 1, counted, query.by_sum)  # type: ignore[arg-type]

    def _grouped(self, rows: Things, group: Column) -> Things | Scalar:
        query = self.query
        attribute = self._attribute(query.columns[0]) if query.columns and query.do in FUNCTIONS else ""
        function = FUNCTIONS.get(query.do, query.do) if attribute or query.do not in FUNCTIONS else "count"
        having = _number_of(*query.having) if query.having[0] else None
        groups: Things = GroupBy(rows, self._attribute(group), function, attribute, having)  # type: ignore[arg-type]
        if query.limit or query.by is not None or query.by_count >= 0:
            groups = self._ordered(groups)
        if query.do == "count" and query.limit and not query.columns:
            return Aggregate(groups, "", "max" if query.down else "min")
        return groups


def _text(column: Column) -> str:
    return column.text.split(" / ")[0]


def _via(view: View, join: Join) -> tuple[str, bool]:
    """Return the relations that make a step, and whether they lead from its end to its start."""
    return " or ".join(view.graph.relations[r].text for r in join.relations), not join.forward


def _how(condition: RowCondition) -> str:
    m = _COMPARED.match(condition.text)
    if m is not None:
        return m["how"]
    bounds = condition.low != -_INFINITE, condition.high != _INFINITE
    return {(True, True): "><", (True, False): ">=", (False, True): "<="}.get(bounds, "=")


def _finite(bound: float, other: float) -> float:
    """Return a bound without the margin that excludes it; that of the other side if there is none."""
    value = bound if abs(bound) != _INFINITE else other
    return round(value, 6) if abs(value) != _INFINITE else 0.0


def _number_of(how: str, number: float, high: float = 0.0) -> Condition:
    if how == "><":
        return Condition("in", "number", number, high, words=f"{number:g} to {high:g}")
    return Condition(_OPS.get(how, "="), "number", number, number)
