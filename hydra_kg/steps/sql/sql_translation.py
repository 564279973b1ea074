"""Translate a query in SQL into a query over tables: what is shown, counted, grouped and ordered, of which rows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, cast

from hydra_kg.steps.sql.schema_names import SqlNames
from hydra_kg.steps.sql.sql_conditions import SqlConditions
from hydra_kg.steps.sql.sql_parsing import BOUNDS, SqlError, Tree, arguments, called, constant, from_tables, is_column
from hydra_kg.steps.tables import costs
from hydra_kg.steps.tables.graph_tables import NAME, Column
from hydra_kg.steps.tables.table_paths import ways
from hydra_kg.steps.tables.table_query import COMPUTED, Do, RowCondition, TableQuery

_COUNTS: Final = frozenset({"count", "count_star"})


class SqlTranslation:
    """The translation of one query. Afterwards, ``conditions`` has what the query says of values."""

    def __init__(self, names: SqlNames) -> None:
        self.names = names
        self.conditions = SqlConditions(names)

    def query(self, tree: Tree) -> TableQuery:
        """Return the query that a tree says. Raises SqlError."""
        if tree.get("type") == "SET_OPERATION_NODE":
            return self._of_two(tree)
        if tree.get("type") != "SELECT_NODE" or tree.get("cte_map", {}).get("map"):
            raise SqlError("it is no plain query")
        scope = self.conditions.scope(tree)
        shown = [self._shown(e, scope) for e in tree["select_list"]]
        where = list(self.conditions.of(tree.get("where_clause"), scope))
        computed = [s for s in shown if s[0] != "list"]
        columns = [c for do, c in shown if do == "list" and c is not None]
        if not scope or len(computed) > 1 or any(s == ("list", None) for s in shown):
            raise SqlError("it shows something else than columns, or computes twice")
        do, of = computed[0] if computed else ("list", None)
        groups = [self._grouped(g, tree, scope) for g in tree.get("group_expressions", ())]
        query = self._over(do, of, columns, groups, scope)
        query.where = [*where, *self._inner(tree, query, where)]
        query.prefer = {link.relation: costs.STEP_NAMED for link in self.conditions.links}
        self._having(tree.get("having"), query, groups)
        self._order(tree, query, groups, scope)
        if query.limit and query.group is None and query.do in ("count", "avg", "median", "sum"):
            raise SqlError("it computes over the first rows of an order")
        for column, down in self.conditions.extremes:
            query.by, query.down, query.limit = column, down, query.limit or 1
        return query

    def _inner(self, tree: Tree, query: TableQuery, where: Sequence[RowCondition]) -> Iterator[RowCondition]:
        """Yield the condition that a row exists, for each table that is joined but used for nothing else."""
        used = {query.base, query.by_count, *(c.table for c in where if not c.negated)}
        used |= {c.table for c in (*query.columns, *([query.group] if query.group is not None else []))}
        for name in from_tables(tree.get("from_table")):
            table = self.names.table(name.name)
            if table not in used and not name.whole:
                yield RowCondition(table, text=self.names.view.tables[table].text)

    def _of_two(self, tree: Tree) -> TableQuery:
        """Return the rows or values of one query that are not, or are also, those of another."""
        one, other = (self.query(child) for child in tree["children"])
        plain = one.do == other.do == "list" and one.group is other.group is None and not (one.limit or other.limit)
        if not plain or one.base != other.base or one.columns != other.columns or not other.where:
            raise SqlError("it joins two queries that show different things")
        if tree["setop_type"] == "INTERSECT":
            one.where = [replace(c, alone=True) for c in (*one.where, *other.where)]
        elif tree["setop_type"] == "EXCEPT":
            self.conditions.denies = True
            one.where += [replace(c, negated=True) for c in other.where]
            one.differ = bool(one.columns) and not self.names.is_key(one.columns[0])
        else:
            raise SqlError("it puts two lists together")
        return one

    def _shown(self, tree: Tree, scope: dict[str, int]) -> tuple[Do, Column | None]:
        """Return what one of the shown expressions does with which column."""
        if is_column(tree):
            return "list", self.names.column(tree["column_names"], scope)
        name, given = called(tree), arguments(tree)
        if name in _COUNTS:
            one = self.names.column(given[0]["column_names"], scope) if given and is_column(given[0]) else None
            if one is not None and tree.get("distinct") and not self.names.is_key(one):
                return "count", one
            return "count", self.names.view.name_of(one.table) if one is not None else None
        if name in COMPUTED and len(given) == 1 and is_column(given[0]):
            column = self.names.column(given[0]["column_names"], scope)
            if column.kind not in ("number", "date"):
                raise SqlError(f"{column.text} is no number")
            return cast("Do", name), column
        return "list", None

    def _grouped(self, tree: Tree, node: Tree, scope: dict[str, int]) -> Column:
        place = constant(tree)
        if place is not None and place.isdigit() and 1 <= int(place) <= len(node["select_list"]):
            tree = node["select_list"][int(place) - 1]
        if not is_column(tree):
            raise SqlError("it groups by what is no column")
        return self.names.column(tree["column_names"], scope)

    def _over(
        self, do: Do, of: Column | None, columns: list[Column], groups: Sequence[Column], scope: dict[str, int]
    ) -> TableQuery:
        """Return the query without conditions and order.

        It is over the rows of what is shown. They are grouped by the columns of ``groups`` that are no rows themselves.
        """
        tables = list(dict.fromkeys(scope.values()))
        many = self._many(tables)
        owner = next((g.table for g in groups if self.names.is_key(g)), None)
        if groups and owner is not None:
            query = TableQuery(owner, columns=[c for c in columns if do == "list" or not self.names.is_key(c)])
            query.by_count = next((t for t in (many, *tables) if t != owner), -1) if do in ("count", "list") else -1
            if do not in ("count", "list") and of is not None:
                raise SqlError("it computes for each row of another table")
            return query
        if groups:
            column = groups[0]
            base = of.table if of is not None and do != "count" else many
            query = TableQuery(base, do=do, columns=[of] if of is not None and do != "count" else [], group=column)
            return query
        if do == "count":
            named = of is not None and of.relation == NAME
            base = of.table if of is not None else many
            return TableQuery(base, do=do, columns=[] if of is None or named else [of])
        if of is not None:
            return TableQuery(of.table, do=do, columns=[of])
        return TableQuery(columns[0].table, columns=columns)

    def _many(self, tables: Sequence[int]) -> int:
        """Return the table of which several rows may belong to one row of each other table."""
        for table in tables:
            to = ways(self.names.view, table, {})
            if all(t in to and all(j.forward for j in to[t][1]) for t in tables):
                return table
        return tables[0] if tables else -1

    def _having(self, tree: Tree | None, query: TableQuery, groups: Sequence[Column]) -> None:
        if tree is None:
            return
        how = BOUNDS.get(str(tree.get("type")))
        bound = constant(tree.get("right"))
        if how is None or bound is None or not bound.isdigit() or called(tree["left"]) not in _COUNTS or not groups:
            raise SqlError("it has a condition on groups that is none on how many they are")
        self.conditions.said.append(bound)
        if query.group is not None:
            query.having = (how, float(bound))
        elif query.by_count < 0:
            raise SqlError("it counts the rows of one row")
        else:
            query.where.append(RowCondition(query.by_count, count=(how, float(bound))))
            query.by_count = -1

    def _order(self, tree: Tree, query: TableQuery, groups: Sequence[Column], scope: dict[str, int]) -> None:
        modifiers: Sequence[Mapping[str, Any]] = tree.get("modifiers", ())
        orders = [o for m in modifiers if m["type"] == "ORDER_MODIFIER" for o in m["orders"]]
        limits = [m for m in modifiers if m["type"] == "LIMIT_MODIFIER"]
        counted = query.by_count
        query.by_count = -1
        if limits:
            most = constant(limits[0].get("limit")) or ""
            if not most.isdigit() or limits[0].get("offset") or not orders:
                raise SqlError("it has a limit without an order")
            query.limit = int(most)
        if not orders:
            return
        by, query.down = orders[0]["expression"], orders[0]["type"] == "DESCENDING"
        if is_column(by) and re.fullmatch(r"(?i)count|cnt|num\w*|total\w*", str(by["column_names"][-1])):
            by = next((e for e in tree["select_list"] if e.get("alias") == by["column_names"][-1]), by)
        if is_column(by):
            query.by = self.names.column(by["column_names"], scope)
        elif called(by) in _COUNTS and groups:
            query.by_count = query.base if query.group is not None else counted
        elif called(by) == "sum" and groups and query.group is None:
            query.by, query.by_sum = self._shown(by, scope)[1], True
        elif called(by) in COMPUTED and query.group is not None and query.do in (called(by), "list"):
            query.do, query.columns = cast("Do", called(by)), [c for c in [self._shown(by, scope)[1]] if c is not None]
            query.by_count = query.base
        else:
            raise SqlError("it orders by what is no column and no number of rows")
