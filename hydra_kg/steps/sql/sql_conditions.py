"""Conditions of a query in SQL as conditions on rows."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import numpy as np

from hydra_kg.execution.own_graph import number
from hydra_kg.language.tokens import split_identifier
from hydra_kg.steps.sql.schema_names import SqlNames
from hydra_kg.steps.sql.sql_parsing import (
    BOUNDS,
    SqlError,
    Tree,
    arguments,
    called,
    conjuncts,
    constant,
    from_tables,
    is_column,
    joined_by,
    joins,
)
from hydra_kg.steps.tables.graph_tables import Column
from hydra_kg.steps.tables.table_query import RowCondition
from hydra_kg.text.folding import fold

_TURNED: Final = {">": "<", ">=": "<=", "<": ">", "<=": ">=", "=": "="}
_LIKE: Final = {"~~": False, "~~*": False, "!~~": True, "!~~*": True}
_SHOWN: Final = 6
"""Values that are told where another one was named."""

_BARE: Final = frozenset({"lower", "upper", "trim"})


class SqlConditions:
    """Reader of conditions.

    ``said`` has the named values, ``extremes`` the columns of extreme values, ``links`` the references. ``denies`` is
    True if something is denied.
    """

    def __init__(self, names: SqlNames) -> None:
        self.names = names
        self.said: list[str] = []
        self.extremes: list[tuple[Column, bool]] = []
        self.denies = False
        self.links: set[Column] = set()

    def of(self, tree: Tree | None, scope: dict[str, int]) -> Iterator[RowCondition]:
        """Yield the conditions that rows of a query must meet. Raises SqlError for any that is no condition on rows."""
        for one in conjuncts(tree):
            yield from self._one(one, scope)

    def _one(self, tree: Tree, scope: dict[str, int]) -> Iterator[RowCondition]:
        kind = str(tree.get("type"))
        if (pair := joins(tree)) is not None and all(self.names.is_column(c["column_names"], scope) for c in pair):
            self._joined(pair, scope)
        elif kind == "OPERATOR_NOT":
            self.denies = True
            yield from self._denied(tree["children"][0], scope)
        elif kind == "CONJUNCTION_OR":
            yield self._either([c for child in tree["children"] for c in self._one(child, scope)])
        elif kind in ("COMPARE_NOTEQUAL", "COMPARE_DISTINCT_FROM"):
            self.denies = True
            yield replace(self._compared({**tree, "type": "COMPARE_EQUAL"}, scope), negated=True)
        elif kind in BOUNDS:
            if (found := self._beyond_all(tree, scope)) is not None:
                yield from found
            else:
                yield self._compared(tree, scope)
        elif kind in ("COMPARE_IN", "COMPARE_NOT_IN"):
            self.denies |= kind == "COMPARE_NOT_IN"
            column = self._column(tree["children"][0], scope)
            one = self._either([self._equal(column, self._constant(c, scope)) for c in tree["children"][1:]])
            yield replace(one, negated=kind == "COMPARE_NOT_IN")
        elif kind == "COMPARE_BETWEEN":
            column = self._measured(tree["input"], scope)
            low, high = (self._number(tree[end], scope) for end in ("lower", "upper"))
            yield RowCondition(column.table, column, low=low, high=high, text=f">< {low:g}")
        elif kind == "SUBQUERY" and tree.get("subquery_type") == "ANY":
            yield from self.of(*self._inner(tree))
        elif called(tree) in _LIKE:
            self.denies |= _LIKE[called(tree)]
            yield self._like(tree, scope)
        elif kind != "OPERATOR_IS_NOT_NULL":
            raise SqlError("it has a condition that is none on rows")

    def _denied(self, tree: Tree, scope: dict[str, int]) -> Iterator[RowCondition]:
        if tree.get("type") == "SUBQUERY" and tree.get("subquery_type") in ("ANY", "EXISTS"):
            where, inner = self._inner(tree)
            found = [replace(c, negated=True) for c in self.of(where, inner)]
            table = next(iter(inner.values()))
            if {c.table for c in found} - {table}:
                raise SqlError("what it leaves out is said of several tables")
            yield from found or [RowCondition(table, negated=True, text=self.names.view.tables[table].text)]
            return
        found = list(self._one(tree, scope))
        if len(found) != 1:
            raise SqlError("it denies several conditions at once")
        yield replace(found[0], negated=not found[0].negated)

    def _inner(self, tree: Tree) -> tuple[Tree | None, dict[str, int]]:
        node = tree["subquery"]["node"]
        plain = node.get("type") == "SELECT_NODE" and not (node.get("group_expressions") or node.get("having"))
        if not plain or any(m.get("type") == "LIMIT_MODIFIER" for m in node.get("modifiers", ())):
            raise SqlError("a query within it counts or groups")
        return node.get("where_clause"), self.scope(node)

    def scope(self, node: Tree) -> dict[str, int]:
        """Return the tables that a query is from, by alias. Raises SqlError."""
        scope = {t.alias: self.names.table(t.name) for t in from_tables(node.get("from_table"))}
        for pair in joined_by(node.get("from_table")):
            self._joined(pair, scope)
        return scope

    def _joined(self, pair: tuple[Tree, Tree], scope: dict[str, int]) -> None:
        for side in pair:
            column = self.names.column(side["column_names"], scope, link=True)
            if column.kind == "link":
                self.links.add(column)
        ends = [(c.table, c.to) for c in self.links]
        if len(set(ends)) < len(ends):
            raise SqlError("it joins two tables in two ways")

    def _either(self, found: list[RowCondition]) -> RowCondition:
        if not found or any(c.negated or c.table != found[0].table for c in found):
            raise SqlError("it has “or” between conditions of several tables")
        return replace(found[0], either=tuple(found[1:]))

    def _column(self, tree: Tree, scope: dict[str, int]) -> Column:
        while called(tree) in _BARE or tree.get("class") == "CAST":
            tree = tree["child"] if tree.get("class") == "CAST" else arguments(tree)[0]
        if not is_column(tree):
            raise SqlError("it computes with columns")
        return self.names.column(tree["column_names"], scope)

    def _measured(self, tree: Tree, scope: dict[str, int]) -> Column:
        column = self._column(tree, scope)
        if column.kind not in ("number", "date"):
            raise SqlError(f"{column.text} is no number")
        return column

    def _constant(self, tree: Tree, scope: dict[str, int]) -> str:
        found = constant(tree)
        if found is None and is_column(tree) and len(tree["column_names"]) == 1:
            found = str(tree["column_names"][0])  # a text in double quotes, as SQLite takes it
            if self.names.is_column((found,), scope):
                found = None
        if found is None:
            raise SqlError("it compares columns with each other")
        self.said.append(found)
        return found

    def _number(self, tree: Tree, scope: dict[str, int]) -> float:
        if math.isnan(found := number(self._constant(tree, scope))):
            raise SqlError(f"{self.said[-1]!r} is no number")
        return found

    def _compared(self, tree: Tree, scope: dict[str, int]) -> RowCondition:
        left, right, how = tree["left"], tree["right"], BOUNDS[str(tree["type"])]
        if constant(left) is not None:
            left, right, how = right, left, _TURNED[how]
        if how == "=":
            return self._equal(self._column(left, scope), self._constant(right, scope))
        column, bound = self._measured(left, scope), self._number(right, scope)
        text = f"{how} {self.said[-1]}"
        if how in (">", ">="):
            return RowCondition(
                column.table, column, low=math.nextafter(bound, math.inf) if how == ">" else bound, text=text
            )
        return RowCondition(
            column.table, column, high=math.nextafter(bound, -math.inf) if how == "<" else bound, text=text
        )

    def _equal(self, column: Column, text: str) -> RowCondition:
        if column.kind in ("number", "date") and not math.isnan(bound := number(text)):
            return RowCondition(column.table, column, low=bound, high=bound, text=f"= {text}")
        values = self.names.values(column).tolist()
        named = {v: fold(self.names.view.graph.name(v)) for v in values}
        for fits in (_same, _short, _part):
            places = [v for v, name in named.items() if fits(fold(text), name)]
            if places and (fits is not _part or len({named[p] for p in places}) == 1):
                return RowCondition(column.table, column, places=np.array(places, np.int64))
        some = ", ".join(repr(self.names.view.graph.name(v)) for v in values[:_SHOWN])
        raise SqlError(f"{column.text} is never {text!r}; it is such as {some}")

    def _like(self, tree: Tree, scope: dict[str, int]) -> RowCondition:
        left, right = arguments(tree)
        column, text = self._column(left, scope), self._constant(right, scope)
        part = text.strip("%")
        if "%" in part or "_" in part or not part or column.kind == "link":
            raise SqlError("it has a pattern that is not understood")
        how = "contains" if text[0] == text[-1] == "%" else "ends" if text[0] == "%" else "starts"
        self.said[-1] = part
        if "%" not in text:
            return replace(self._equal(column, text), negated=_LIKE[called(tree)])
        return RowCondition(column.table, column, like=(how, part), negated=_LIKE[called(tree)])

    def _beyond_all(self, tree: Tree, scope: dict[str, int]) -> list[RowCondition] | None:
        """Return the condition of being beyond a column's mean, greatest or least value; None without such a query."""
        right = tree["right"]
        if right.get("type") != "SUBQUERY" or right.get("subquery_type") != "SCALAR":
            return None
        node = right["subquery"]["node"]
        (shown, *more), where = node.get("select_list", [{}]), node.get("where_clause")
        column = self._measured(tree["left"], scope)
        inner = self._column(arguments(shown)[0], self.scope(node)) if arguments(shown) else None
        how, what = BOUNDS[str(tree["type"])], called(shown)
        if more or inner != column or where is not None or node.get("group_expressions"):
            raise SqlError("it compares with what another query gives")
        if what in ("max", "min") and how == "=":
            self.extremes.append((column, what == "max"))
            return []
        if what == "avg" and how in (">", "<"):
            above = how == ">"  # which side of the mean, not a bound
            return [
                RowCondition(column.table, column, low=0.0, than=what)
                if above
                else RowCondition(column.table, column, high=0.0, than=what)
            ]
        raise SqlError("it compares with what another query gives")


def _same(text: str, value: str) -> bool:
    return text == value


def _short(text: str, value: str) -> bool:
    """Return True if a value abbreviates a text or the other way round: "usa" and "United States"."""
    one, other = sorted((text, value), key=len)
    initials = "".join(w[0] for w in split_identifier(other))
    return len(initials) > 1 and " " not in one and one.startswith(initials) and len(one) <= len(initials) + 1


def _part(text: str, value: str) -> bool:
    """Return True if a value has all words of a text."""
    said = split_identifier(text)
    return bool(said) and set(said) <= set(split_identifier(value))
