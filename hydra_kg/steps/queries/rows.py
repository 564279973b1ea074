"""Rows of a table that meet conditions, and values of columns that they lead to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Ids
from hydra_kg.steps.tables.paths import back, owners, ways
from hydra_kg.steps.tables.query import RowCondition, TableQuery
from hydra_kg.steps.tables.view import NAME, Column, Join, View
from hydra_kg.util.cancelling import check, looked_at


class Rows:
    """The rows of one view, from the table that a query is about."""

    def __init__(self, view: View, query: TableQuery) -> None:
        self.view, self.query = view, query
        self.graph = view.graph
        self.ways = ways(view, query.base, query.prefer)
        self.own: Rows | None = None
        """The rows of another table over which a value is computed, where these meet the conditions themselves."""

    def way(self, table: int) -> tuple[Join, ...] | None:
        """The way from the base to a table; None where there is none."""
        found = self.ways.get(table)
        return found[1] if found else None

    def meeting(self, conditions: Sequence[RowCondition], rows: Ids) -> Ids:
        """Return the rows of the base that meet all conditions.

        Conditions of one table must be met by one row of it, unless they are `alone`. Denied conditions of one table
        exclude rows that lead to a row meeting all of them, or each of them if they are `alone` ("neither A nor B").
        """
        together: dict[int, list[RowCondition]] = {}
        denied: dict[int, list[RowCondition]] = {}
        for condition in conditions:
            if condition.count[0]:
                rows = self._with_count(condition, rows)
            elif condition.alone and not condition.negated:
                rows = np.intersect1d(rows, self._from(condition.table, self._of(condition)))
            elif condition.alone and condition.table != self.query.base:
                rows = np.setdiff1d(rows, self._from(condition.table, self._of(condition)))
            elif condition.negated and condition.table != self.query.base:
                denied.setdefault(condition.table, []).append(condition)
            elif condition.negated:
                rows = np.setdiff1d(self._stated(condition, rows), self._of(condition))
            else:
                together.setdefault(condition.table, []).append(condition)
        for table, some in denied.items():
            found = self.view.rows(table)
            for condition in some:
                found = np.intersect1d(found, self._of(condition))
            rows = np.setdiff1d(rows, self._from(table, found))
        return self._together(together, rows)

    def meeting_one(self, condition: RowCondition) -> Ids:
        """Rows of a condition's own table that meet it."""
        return self._of(condition)

    def _together(self, conditions: dict[int, list[RowCondition]], rows: Ids) -> Ids:
        """Semi-joins from the farthest table to the base, along the one tree of cheapest ways."""
        remaining: dict[int, Ids] = {self.query.base: rows}
        parents: dict[int, Join] = {}
        for table in conditions:
            for join in self.way(table) or ():
                parents[join.end] = join
                remaining.setdefault(join.end, self.view.rows(join.end))
        for table, some in conditions.items():
            if table not in remaining:
                return rows[:0]
            for condition in looked_at(some, every=1):
                remaining[table] = np.intersect1d(remaining[table], self._of(condition))
        order = sorted(parents, key=lambda t: -len(self.ways[t][1]))
        for table in order:
            join = parents[table]
            remaining[join.start] = np.intersect1d(remaining[join.start], back(self.view, (join,), remaining[table]))
        return remaining[self.query.base]

    def _from(self, table: int, rows: Ids) -> Ids:
        way = self.way(table)
        return back(self.view, way, rows) if way is not None else rows[:0]

    def _stated(self, condition: RowCondition, rows: Ids) -> Ids:
        """Rows that say something in a column: of the others it is not known that they do not meet a condition."""
        column = condition.column
        if column is None or column.relation < 0:
            return rows
        there = self.graph.relations[column.relation].there
        return rows[np.isin(rows, there.start)]

    def _of(self, condition: RowCondition) -> Ids:
        """Rows of its own table that meet one condition or one of its others, denial aside."""
        found = self._met(condition)
        for other in condition.either:
            found = np.union1d(found, self._met(other))
        return found

    def _met(self, condition: RowCondition) -> Ids:
        column, rows = condition.column, self.view.rows(condition.table)
        check(len(rows))
        if condition.inner is not None:
            return self._of_inner(condition.inner)
        if column is None:
            return rows
        if condition.missing:
            return np.setdiff1d(rows, self.values(column, rows)[0])
        if condition.places is not None:
            if column.relation == NAME:
                return self.view.only(condition.table, condition.places)
            relation = self.graph.relations[column.relation]
            return self.view.only(condition.table, relation.back.leads(condition.places))
        if condition.like[0]:
            start, ends = self.values(column, rows)
            how, text = condition.like
            names = [self.graph.name(e).casefold() for e in looked_at(ends.tolist())]
            part = text.casefold()
            good = [
                n.startswith(part) if how == "starts" else n.endswith(part) if how == "ends" else part in n
                for n in names
            ]
            return np.unique(start[np.array(good, np.bool_)]) if len(start) else start
        start, ends = self.values(column, rows)
        numbers = self.graph.numbers[ends]
        low, high = condition.low, condition.high
        if condition.beyond is not None:
            theirs = numbers[np.isin(start, condition.beyond)]
            theirs = theirs[~np.isnan(theirs)]
            above = low != float("-inf")
            if not theirs.size:
                return rows[:0]
            return np.unique(start[numbers > theirs.max() if above else numbers < theirs.min()])
        if condition.than and (known := numbers[~np.isnan(numbers)]).size:
            bound = computed(condition.than, known)
            low, high = (bound, high) if low != float("-inf") else (low, bound)
            return np.unique(start[(numbers > low) & (numbers < high)])
        return np.unique(start[(numbers >= low) & (numbers <= high)])

    def _of_inner(self, query: TableQuery) -> Ids:
        """Return the rows that a query within a condition finds."""
        raise NotImplementedError

    def values(self, column: Column, rows: Ids) -> tuple[Ids, Ids]:
        """(row, value) of a column for some rows of its table."""
        if column.relation == NAME:
            return rows, rows
        there = self.graph.relations[column.relation].there
        at = there.rows(rows)
        return there.start[at], there.end[at]

    def _with_count(self, condition: RowCondition, rows: Ids) -> Ids:
        counts = self.counts(condition.table, rows, [condition] if condition.column is not None else [])
        how, number = condition.count
        numbers = np.array([counts.get(r, 0) for r in rows.tolist()], np.float64)
        good = {
            ">": numbers > number,
            ">=": numbers >= number,
            "<": numbers < number,
            "<=": numbers <= number,
            "=": numbers == number,
            "><": (numbers >= number) & (numbers <= condition.high),
        }[how]
        matching: Ids = rows[good]
        return matching

    def counts(self, table: int, rows: Ids, conditions: Sequence[RowCondition] = ()) -> Counter[int]:
        """How many rows of another table belong to each row, of those that meet some conditions."""
        way = self.way(table)
        if way is None:
            return Counter()
        first, last = owners(self.view, way, rows)
        for condition in conditions:
            good = np.isin(last, self._of(condition))
            first, last = first[good], last[good]
        return Counter(first.tolist())

    def reached(self, column: Column, rows: Ids) -> tuple[Ids, Ids]:
        """(row of the base, value) of a column of any table for some rows of the base."""
        if column.table == self.query.base:
            return self.values(column, rows)
        way = self.way(column.table)
        if way is None:
            return rows[:0], rows[:0]
        first, last = owners(self.view, way, rows)
        start, ends = self.values(column, np.unique(last))
        links = zip(first.tolist(), last.tolist(), strict=True)
        found = [(one, end) for one, other in looked_at(links) for end in _of_row(start, ends, other)]
        if not found:
            return rows[:0], rows[:0]
        pairs = np.array(found, np.int64)
        return pairs[:, 0], pairs[:, 1]


def computed(what: str, numbers: npt.NDArray[np.float64]) -> float:
    """Return the mean, median, sum, greatest or least of some numbers."""
    if what == "avg":
        return float(numbers.mean())
    if what == "median":
        return float(np.median(numbers))
    if what == "sum":
        return float(numbers.sum())
    return float(numbers.max() if what == "max" else numbers.min())


def _of_row(start: Ids, ends: Ids, row: int) -> list[int]:
    low, high = np.searchsorted(start, [row, row + 1])
    found: list[int] = ends[low:high].tolist()
    return found
