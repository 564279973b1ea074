"""Translate a query over tables into the algebra of questions."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final, Literal, TypeAlias

import numpy as np

from hydra_kg.language.lexicon import list_words
from hydra_kg.language.morphology import plural
from hydra_kg.plan import model as m
from hydra_kg.steps.tables.graph_tables import NAME, Column, Join, View
from hydra_kg.steps.tables.table_paths import ways
from hydra_kg.steps.tables.table_query import FUNCTIONS, RowCondition, TableQuery

_ENDED: Final = list_words("ended")
"""Words of columns that state when something ended."""
MOST_VALUES: Final = 20
_SHOWN: Final = 3
"""Values of a condition that are named."""
_COMPARED: Final = re.compile(r"(?:.* )?(?P<how>>=|<=|><|>|<|=) (?P<bound>\S.*)$")
_HOW: Final = {">": "more than", ">=": "at least", "<": "less than", "<=": "at most", "=": "exactly"}
_WHEN: Final = {">": "after", ">=": "from", "<": "before", "<=": "until", "=": "in"}
_MATCHES: Final[dict[str, Literal["contains", "starts", "ends"]]] = {"starts": "starts", "ends": "ends"}
_OPS: Final[dict[str, Literal["<", "<=", "=", ">=", ">", "in"]]] = {
    "<": "<", "<=": "<=", "=": "=", ">=": ">=", ">": ">", "><": "in",
}  # fmt: skip
_INFINITE: Final = float("inf")

Linking: TypeAlias = Literal["exists", "lacks"]
"""Whether rows that belong to a row have to be there, or must not be."""


def can_intersect(query: TableQuery) -> bool:
    """Return True if different rows of one value may meet the conditions of a query, each one of them."""
    listed = query.do in ("list", "count") and query.columns and not query.limit
    return bool(listed) and sum(c.alone and not c.negated for c in query.where) > 1


class TableTranslation:
    """Translator of a query over a view into the algebra.

    ``intersected``: different rows of one value may meet the conditions. ``own``: an aggregate is over the column's own
    rows that meet them.
    """

    def __init__(self, view: View, query: TableQuery) -> None:
        self.view, self.query = view, query
        self.ways = ways(view, query.base, query.prefer)
        self.intersected = self.own = False

    def root(self) -> m.Things | m.Scalar:
        """Return what the query computes."""
        query, rows = self.query, self.rows()
        if query.listed and query.group is None:
            rows = m.FileOrder(rows, place=-1 if query.down else 1, count=query.limit or 1)
        elif query.adjacent:
            rows = m.FileOrder(rows, step=query.adjacent)
        if query.do == "share":
            whole = self._meeting(rows, query.against) if query.against else rows
            return m.Ratio(self._meeting(rows, query.wanted), whole, query.whole)
        if query.group is not None:
            return self._grouped(rows, query.group)
        if query.by_count >= 0 or query.by is not None:
            rows = self._ordered(rows)
        columns, refs = tuple(map(self._attribute, query.columns)), tuple(map(self._ref, query.columns))
        if query.aged and query.do == "list" and len(columns) == 1:
            ended = [c for c in self.view.columns if c.table == query.base and _ENDED & set(c.words)]
            began = m.Value(rows, columns[0], "date", refs=refs)
            return m.Difference(m.Today(), began, refs=tuple(map(self._ref, ended)))
        if query.overrun is not None:
            late, first = (m.Value(rows, self._attribute(c), "date", refs=(self._ref(c),)) for c in query.overrun)
            return m.Difference(late, first, "days")
        if query.do in ("list", "count"):
            plain = not columns or isinstance(rows, (m.Both, m.Without))
            shown = rows if plain else m.Project(rows, columns, refs=refs)
            return shown if query.do == "list" else m.Count(shown)
        function = FUNCTIONS[query.do]
        if self.own and (mine := self.own_rows(rows)) is not None:
            column = query.columns[0]
            here = m.GroundedPath((), column.relation, column.text, self.view.tables[column.table].text)
            return m.Aggregate(mine, _text(column), function, refs=(here,))
        return m.Aggregate(rows, columns[0] if columns else "", function, refs=refs[:1])

    def own_rows(self, rows: m.Things | None = None) -> m.Things | None:
        """Return the computed column's own rows that meet the conditions, else None; ``rows``: those they belong to."""
        query, column = self.query, self.query.columns[0]
        plain = [c for c in query.where if c.places is not None and not (c.negated or c.alone or c.table == query.base)]
        way = self.way(column.table)
        if not way or not plain or len(plain) < len(query.where):
            return None
        mine = TableTranslation(self.view, replace(query, base=column.table, where=plain, among=[])).rows()
        if rows is None or not (query.among or isinstance(rows, (m.Top, m.FileOrder))):
            return mine
        starts = (query.base, *(join.end for join in way))
        hops = tuple(m.PathStep(j.relations, not j.forward, s) for j, s in zip(way, starts, strict=False))[::-1]
        via, back = _via(self.view, way[-1])
        return m.Having(mine, rows, m.Condition("exists", "any"), via, not back, refs=(m.GroundedPath(hops),))

    def among(self) -> m.Things:
        """Return the rows from which the conditions choose."""
        all_rows: m.Things = self._class(self.query.base)
        return self._meeting(all_rows, self.query.among) if self.query.among else all_rows

    def rows(self) -> m.Things:
        """Return the rows that meet the conditions, or the values that several sets of rows have in common."""
        query, all_rows = self.query, self.among()
        listed = query.do in ("list", "count") and query.columns and not query.limit
        denied = [c for c in query.where if c.negated]
        if listed and self.intersected:
            alone = [c for c in query.where if c.alone and not c.negated]
            rest = [c for c in query.where if c not in alone]
            return m.Both(tuple(self._values(self._meeting(all_rows, [*rest, c])) for c in alone))
        if listed and query.differ and denied:
            others = [c for c in query.where if not c.negated]
            positive = [replace(c, negated=False) for c in denied]
            less = self._values(self._meeting(all_rows, [*others, *positive]))
            return m.Without(self._values(self._meeting(all_rows, others)), less)
        if query.either:
            return m.Either(tuple(self._meeting(all_rows, [*query.where, one]) for one in query.either))
        return self._meeting(all_rows, query.where)

    def way(self, table: int) -> tuple[Join, ...] | None:
        """Return the way from the base to a table; None where there is none."""
        found = self.ways.get(table)
        return found[1] if found else None

    def _ref(self, column: Column | None, table: int = -1, among: m.Things | None = None) -> m.GroundedPath | None:
        """Return where a column, or a table, is from the base."""
        table = column.table if column is not None else table
        way, noun = self.way(table), self.view.tables[table].text
        if way is None:
            return None
        hops = tuple(m.PathStep(j.relations, j.forward, j.end) for j in way)
        relation, text = (column.relation, column.text) if column is not None else (NAME, noun)
        return m.GroundedPath(hops, relation, text, noun, among)

    def _values(self, rows: m.Things) -> m.Project:
        column = self.query.columns[0]
        return m.Project(rows, (self._attribute(column),), refs=(self._ref(column),))

    def _class(self, table: int) -> m.Class:
        text = self.view.tables[table].text
        return m.Class(plural(text), text, places=self.view.rows(table))

    def _attribute(self, column: Column) -> str:
        """Return what a column is called; a column of another table is called after what leads there."""
        own = self.view.tables[column.table].text
        if column.table == self.query.base:
            return "name" if column.relation == NAME else _text(column)
        way = self.way(column.table) or ()
        owner = _via(self.view, way[0])[0] if len(way) == 1 and way[0].forward else own
        if column.relation == NAME:
            return owner
        return _text(column) if own.lower() in _text(column).lower() else f"{owner}'s {_text(column)}"

    def _meeting(self, rows: m.Things, conditions: Sequence[RowCondition]) -> m.Things:
        """Return the rows that meet all conditions. Those on other tables are met by rows that belong together."""
        joined = [c for c in conditions if c.table != self.query.base and not (c.count[0] or c.alone or c.negated)]
        for condition in conditions:
            if condition.count[0]:
                way = self.way(condition.table) or ()
                via, back = _via(self.view, way[0]) if len(way) == 1 else ("", False)
                number = _number_of(*condition.count, condition.high)
                refs = (self._ref(condition.column, condition.table),)
                rows = m.Having(rows, self._counted(condition), number, via, back, refs=refs)
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

    def _linked(
        self, rows: m.Things, some: Sequence[RowCondition], op: Literal["exists", "lacks"] = "exists"
    ) -> m.Things:
        """Return the rows to which rows of other tables belong that meet some conditions, along the ways there."""
        joins = {j.end: j for c in some for j in self.way(c.table) or ()}

        def grown(things: m.Things, table: int, op: Linking = "exists") -> m.Things:
            for condition in some:
                if condition.table == table:
                    things = self._where(things, condition)
            for join in (j for j in joins.values() if j.start == table):
                there = grown(self._class(join.end), join.end)
                refs = (m.GroundedPath((m.PathStep(join.relations, join.forward, join.end),)),)
                things = m.Having(things, there, m.Condition(op, "any"), *_via(self.view, join), refs=refs)
            for far in (c for c in some if table == self.query.base and self.way(c.table) is None):
                things = m.Having(things, self._class(far.table), m.Condition(op, "any"), refs=(None,))
            return things

        return grown(rows, self.query.base, op)

    def _counted(self, condition: RowCondition) -> m.Things:
        column = condition.column
        if column is None or column.relation < 0:
            return self._class(condition.table)
        values = np.unique(self.view.graph.relations[column.relation].there.end)
        return m.Class(plural(_text(column)), _text(column), places=values)

    def _where(self, rows: m.Things, condition: RowCondition) -> m.Things:
        """Return the rows of a condition's own table that meet it, or one of its alternatives."""
        every = (condition, *condition.either)
        if condition.either and any(c.places is None or c.column != condition.column for c in every):
            text = condition.text
            for other in reversed(condition.either):
                text = text.removesuffix(f" or {other.text}")
            first = replace(condition, either=(), text=text)
            if condition.negated:
                for one in (first, *condition.either):
                    rows = self._where(rows, replace(one, either=(), negated=True))
                return rows
            return m.Either(tuple(self._where(rows, replace(c, either=())) for c in (first, *condition.either)))
        column, span = condition.column, (condition.at,) if condition.at >= 0 else ()
        if condition.inner is not None:
            inner = TableTranslation(self.view, condition.inner)
            found = inner._ordered(inner.rows())
            both = found if isinstance(rows, m.Class) else m.Both((rows, found))
            return m.Without(rows, found) if condition.negated else both
        if column is None:
            return rows
        name = "name" if column.relation == NAME else _text(column)
        refs = (m.GroundedPath((), column.relation, column.text, self.view.tables[column.table].text),)
        if condition.like[0]:
            match = _MATCHES.get(condition.like[0], "contains")
            return m.TextMatch(rows, name, match, condition.like[1], condition.negated, span=span, refs=refs)
        if condition.missing:
            stated = m.Condition("exists" if condition.negated else "lacks", "any")
            return m.Where(rows, name, stated, span=span, refs=refs)
        kind: m.ValueKind = "date" if column.kind == "date" else "number" if column.kind == "number" else "any"
        if condition.other is not None:
            beyond: Literal["<", ">", "="] = ">" if condition.high == _INFINITE else "<"
            beyond = "=" if condition.low == condition.high else beyond
            said = f"{(_WHEN if kind == 'date' else _HOW)[beyond]} {condition.other.text}"
            said = said if beyond != "=" else f"the same as {condition.other.text}"
            compared = replace(refs[0], relation=condition.other.relation, text=condition.other.text)
            own = m.Condition(beyond, kind, words=said, other=compared.text)
            return m.Where(rows, name, own, span=span, refs=(*refs, compared))
        if condition.than:
            above = (condition.low != -_INFINITE) != condition.negated
            op = (">=" if above else "<=") if condition.negated else ">" if above else "<"
            return m.Where(rows, name, m.Condition(op, kind, than=FUNCTIONS[condition.than]), span=span, refs=refs)  # type: ignore[arg-type]
        text = " or ".join(map(self._bound, every))
        values = tuple(dict.fromkeys(n for c in every for n in self._names(c)))[:MOST_VALUES]
        low, high = (_finite(condition.low, condition.high), _finite(condition.high, condition.low))
        how = "=" if condition.places is not None else _how(condition)
        how = "><" if how == "=" and low != high else how
        op_ = "!=" if condition.negated else _OPS[how]
        some = [c.places if c.beyond is None else c.beyond for c in every]
        places = np.unique(np.concatenate([p for p in some if p is not None])) if some[0] is not None else None
        interval = (condition.low, condition.high)
        bound = m.Condition(op_, kind, low, high, words=text, values=values, places=places, interval=interval)
        return m.Where(rows, name, bound, span=span, refs=refs)

    def _names(self, condition: RowCondition) -> Iterator[str]:
        places = condition.places if condition.beyond is None else condition.beyond
        if places is not None:
            yield from (self.view.graph.name(p) for p in places.tolist())

    def _bound(self, condition: RowCondition) -> str:
        if condition.places is not None:
            names = list(dict.fromkeys(self._names(condition)))
            more = f" or {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
            return f"{' or '.join(names[:_SHOWN])}{more}"
        found = _COMPARED.match(condition.text)
        if found is None:
            column = condition.column.text if condition.column is not None else ""
            return condition.text.removeprefix(column).lstrip()
        dated = condition.column is not None and condition.column.kind == "date"
        if found["how"] == "><":
            yearly = dated and condition.low == int(condition.low)  # to the end of the last year
            high = math.ceil(condition.high) - 1 if yearly else condition.high
            return f"between {condition.low:g} and {high:g}"
        return f"{(_WHEN if dated else _HOW)[found['how']]} {found['bound']}"

    def _ordered(self, rows: m.Things) -> m.Top:
        query, order = self.query, "max" if self.query.down else "min"
        is_counted = query.by_count >= 0 and not (query.by is not None and query.by_sum)
        by, kind = query.by if not is_counted else None, "number"
        if by is None:
            here = [c for c in query.where if c.table == query.by_count != query.base and c.column and not c.negated]
            among = self._meeting_there(here) if here and query.group is None else None
            refs = (self._ref(None, query.by_count, among),)
        else:
            kind = "number" if query.by_sum else by.kind if by.kind in ("date", "number") else "text"
            refs = (self._ref(by),)
        counted = plural(self.view.tables[query.by_count].text) if by is None else ""
        counted = plural(_text(by)) if by is not None and query.by_values else counted
        attribute = self._attribute(by) if by is not None and not counted else ""
        total = by is not None and query.by_sum
        return m.Top(rows, query.limit, attribute, kind, order, query.nth - 1, counted, total, refs=refs)  # type: ignore[arg-type]

    def _meeting_there(self, conditions: Sequence[RowCondition]) -> m.Things:
        """Return the rows of the counted table that meet conditions on it."""
        things: m.Things = self._class(self.query.by_count)
        for condition in conditions:
            things = self._where(things, condition)
        return things

    def _grouped(self, rows: m.Things, group: Column) -> m.Things | m.Scalar:
        query = self.query
        column = query.columns[0] if query.columns and query.do in FUNCTIONS else None
        attribute = self._attribute(column) if column is not None else ""
        function = FUNCTIONS.get(query.do, query.do) if attribute or query.do not in FUNCTIONS else "count"
        function = "list" if query.counts_groups and function == "count" else function
        having, bound = (_number_of(*one) if one[0] else None for one in (query.having, query.bound))
        refs = (self._ref(group), *([self._ref(column)] if column is not None else []))
        noun = self.view.tables[group.table].text if group.relation == NAME else self._attribute(group)
        groups: m.Things = m.GroupBy(rows, noun, function, attribute, having, bound, refs=refs)  # type: ignore[arg-type]
        if query.listed:
            groups = m.FileOrder(groups, place=-1 if query.down else 1, count=query.limit or 1)
        elif query.limit or query.by is not None or query.by_count >= 0:
            groups = self._ordered(groups)
        if query.counts_groups:
            return m.Count(groups)
        if query.do == "count" and query.limit and not query.columns:
            return m.Aggregate(groups, "", "max" if query.down else "min")
        return groups


def _text(column: Column) -> str:
    return column.text.split(" / ")[0]


def _via(view: View, join: Join) -> tuple[str, bool]:
    """Return the relations that make a step, and whether they lead from its end to its start."""
    return " or ".join(view.graph.relations[r].text for r in join.relations), not join.forward


def _how(condition: RowCondition) -> str:
    """Return the sign by which a condition compares: the one in its text, else the one that its bounds imply."""
    found = _COMPARED.match(condition.text)
    if found is not None:
        return found["how"]
    bounds = condition.low != -_INFINITE, condition.high != _INFINITE
    return {(True, True): "><", (True, False): ">=", (False, True): "<="}.get(bounds, "=")


def _finite(bound: float, other: float) -> float:
    """Return a bound without the margin that excludes it; that of the other side if there is none."""
    value = bound if abs(bound) != _INFINITE else other
    return round(value, 6) if abs(value) != _INFINITE else 0.0


def _number_of(how: str, number: float, high: float = 0.0) -> m.Condition:
    if how == "><":
        return m.Condition("in", "number", number, high, words=f"{number:g} to {high:g}")
    return m.Condition(_OPS.get(how, "="), "number", number, number)
