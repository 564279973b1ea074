"""A query over tables carried out: rows that meet its conditions, and what is asked of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Ids
from hydra_kg.plan.model import Step
from hydra_kg.steps.tables.paths import along, back, owners, ways
from hydra_kg.steps.tables.query import Condition, Query
from hydra_kg.steps.tables.view import NAME, Column, Join, View

MOST_SHOWN: Final = 1000


@dataclass(slots=True, eq=False)
class Result:
    """``values``: places of answers, or a ``number`` · ``rows``: those of the base that led there, one for each value
    or all that were counted · ``missing``: how many rows say nothing of what was computed."""

    values: list[int] = field(default_factory=list)
    number: float | None = None
    rows: list[int] = field(default_factory=list)
    said: list[tuple[int, ...]] = field(default_factory=list)
    measures: list[str] = field(default_factory=list)
    """What was counted or computed for each value, where that is asked for."""
    steps: list[Step] = field(default_factory=list)
    missing: int = 0
    computation: str = ""

    def __bool__(self) -> bool:
        return bool(self.values) or self.number is not None


class Execution:
    """One query over one view."""

    def __init__(self, view: View, query: Query) -> None:
        self.view, self.query = view, query
        self.graph = view.graph
        self.ways = ways(view, query.base, query.prefer)

    def way(self, table: int) -> tuple[Join, ...] | None:
        """The way from the base to a table; None where there is none."""
        found = self.ways.get(table)
        return found[1] if found else None

    def run(self) -> Result:
        """Carry it out."""
        query = self.query
        result = Result()
        rows = self.view.rows(query.base)
        if query.among:
            rows = self.meeting(query.among, rows)
        kept = self.meeting(query.where, rows)
        if query.do in ("list", "count") and query.columns and query.limit == 0:
            kept = self._by_value(kept, rows)
        if query.where:
            said = "; ".join(c.text for c in query.where if c.text)
            result.steps.append(Step("Where", said, len(rows), len(kept)))
        if query.do == "share":
            good = self.meeting(query.wanted, kept)
            result.rows = good.tolist()
            if len(kept):
                result.number = query.whole * len(good) / len(kept)
            result.computation = f"{len(good)} of {len(kept)}"
            return result
        if query.group is not None or query.by_count >= 0 or query.having[0]:
            return self._grouped(kept, result)
        if query.by is not None:
            kept = self._ordered(kept, query.by, result)
        if query.do == "list":
            return self._listed(kept, result)
        if query.do == "count":
            return self._counted(kept, result)
        return self._computed(kept, result)

    def _by_value(self, kept: Ids, rows: Ids) -> Ids:
        """Rows whose value in the first column is that of some row for each of several conditions that no row meets at
        once, or of no row that meets what is denied."""
        query, column = self.query, self.query.columns[0]
        alone = [c for c in query.where if c.alone and c.table == query.base]
        rest = [c for c in query.where if c not in alone]
        if len(alone) > 1 and not len(kept):
            values = [self.reached(column, self.meeting([*rest, c], rows))[1] for c in alone]
            common = values[0]
            for other in values[1:]:
                common = np.intersect1d(common, other)
        elif query.differ and any(c.negated for c in query.where):
            positive = [replace(c, negated=False) for c in query.where if c.negated]
            others = [c for c in query.where if not c.negated]
            every = self.reached(column, self.meeting(others, rows))[1]
            common = np.setdiff1d(every, self.reached(column, self.meeting([*others, *positive], rows))[1])
        else:
            return kept
        start, ends = self.reached(column, rows)
        return np.unique(start[np.isin(ends, common)])

    def meeting(self, conditions: Sequence[Condition], rows: Ids) -> Ids:
        """Rows of the base that meet all conditions. Those of one table are met by one row of it, unless they stand
        alone; what is denied, by none."""
        together: dict[int, list[Condition]] = {}
        denied: dict[int, list[Condition]] = {}
        for condition in conditions:
            if condition.count[0]:
                rows = self._with_count(condition, rows)
            elif condition.alone and not condition.negated:
                rows = np.intersect1d(rows, self._from(condition.table, self._of(condition)))
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

    def meeting_one(self, condition: Condition) -> Ids:
        """Rows of a condition's own table that meet it."""
        return self._of(condition)

    def _together(self, conditions: dict[int, list[Condition]], rows: Ids) -> Ids:
        """Semi-joins from the farthest table to the base, along the one tree of cheapest ways."""
        kept: dict[int, Ids] = {self.query.base: rows}
        parents: dict[int, Join] = {}
        for table in conditions:
            for join in self.way(table) or ():
                parents[join.end] = join
                kept.setdefault(join.end, self.view.rows(join.end))
        for table, some in conditions.items():
            if table not in kept:
                return rows[:0]
            for condition in some:
                kept[table] = np.intersect1d(kept[table], self._of(condition))
        order = sorted(parents, key=lambda t: -len(self.ways[t][1]))
        for table in order:
            join = parents[table]
            kept[join.start] = np.intersect1d(kept[join.start], back(self.view, (join,), kept[table]))
        return kept[self.query.base]

    def _from(self, table: int, rows: Ids) -> Ids:
        way = self.way(table)
        return back(self.view, way, rows) if way is not None else rows[:0]

    def _stated(self, condition: Condition, rows: Ids) -> Ids:
        """Rows that say something in a column: of the others it is not known that they do not meet a condition."""
        column = condition.column
        if column is None or column.relation < 0:
            return rows
        there = self.graph.relations[column.relation].there
        return rows[np.isin(rows, there.start)]

    def _of(self, condition: Condition) -> Ids:
        """Rows of its own table that meet one condition or one of its others, denial aside."""
        found = self._met(condition)
        for other in condition.either:
            found = np.union1d(found, self._met(other))
        return found

    def _met(self, condition: Condition) -> Ids:
        column, rows = condition.column, self.view.rows(condition.table)
        if column is None:
            return rows
        if condition.places is not None:
            if column.relation == NAME:
                return self.view.only(condition.table, condition.places)
            relation = self.graph.relations[column.relation]
            return self.view.only(condition.table, relation.back.leads(condition.places))
        if condition.like[0]:
            start, ends = self.values(column, rows)
            how, text = condition.like
            names = [self.graph.name(e).casefold() for e in ends.tolist()]
            part = text.casefold()
            good = [
                n.startswith(part) if how == "starts" else n.endswith(part) if how == "ends" else part in n
                for n in names
            ]
            return np.unique(start[np.array(good, np.bool_)]) if len(start) else start
        start, ends = self.values(column, rows)
        numbers = self.graph.numbers[ends]
        low, high = condition.low, condition.high
        if condition.than and (known := numbers[~np.isnan(numbers)]).size:
            bound = computed(condition.than, known)
            low, high = (bound, high) if low != float("-inf") else (low, bound)
            return np.unique(start[(numbers > low) & (numbers < high)])
        return np.unique(start[(numbers >= low) & (numbers <= high)])

    def values(self, column: Column, rows: Ids) -> tuple[Ids, Ids]:
        """(row, value) of a column for some rows of its table."""
        if column.relation == NAME:
            return rows, rows
        there = self.graph.relations[column.relation].there
        at = there.rows(rows)
        return there.start[at], there.end[at]

    def _with_count(self, condition: Condition, rows: Ids) -> Ids:
        counts = self.counts(condition.table, rows, condition)
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
        kept: Ids = rows[good]
        return kept

    def counts(self, table: int, rows: Ids, condition: Condition | None = None) -> Counter[int]:
        """How many rows of another table belong to each row."""
        way = self.way(table)
        if way is None:
            return Counter()
        first, last = owners(self.view, way, rows)
        if condition is not None and condition.column is not None:
            good = np.isin(last, self._of(condition))
            first = first[good]
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
        found = [(one, end) for one, other in links for end in _of_row(start, ends, other)]
        if not found:
            return rows[:0], rows[:0]
        pairs = np.array(found, np.int64)
        return pairs[:, 0], pairs[:, 1]

    def _ordered(self, rows: Ids, by: Column, result: Result) -> Ids:
        start, ends = self.reached(by, rows)
        keys = self._keys(ends)
        first: dict[int, tuple[int, float, str]] = {}
        for row, key in zip(start.tolist(), keys, strict=True):
            if row not in first or (key > first[row]) == self.query.down:
                first[row] = key
        order = sorted(first, key=lambda r: (first[r], r), reverse=self.query.down)
        if self.query.limit and order:
            last = first[order[min(self.query.limit, len(order)) - 1]]
            many = [r for r in order if (first[r] >= last if self.query.down else first[r] <= last)]
            lost = len(rows) - len(order)
            result.missing += lost
            shown = f"{'greatest' if self.query.down else 'least'} by “{by.text}” of {len(order)}"
            result.computation = shown + (f"; {lost} say nothing of it" if lost else "")
            result.steps.append(Step("First", shown, len(rows), len(many)))
            order = many
        elif len(order) < len(rows):
            order += [r for r in rows.tolist() if r not in first]
        return np.array(order, np.int64)

    def _keys(self, ends: Ids) -> list[tuple[int, float, str]]:
        numbers = self.graph.numbers[ends]
        texts = [self.graph.name(e).casefold() for e in ends.tolist()]
        some = ~np.isnan(numbers)
        if some.mean() < 0.5 if len(some) else True:
            return [(0, 0.0, t) for t in texts]
        return [(0, float(n), "") if k else (-1, 0.0, t) for n, k, t in zip(numbers, some, texts, strict=True)]

    def _listed(self, rows: Ids, result: Result) -> Result:
        columns = self.query.columns or [self.view.name_of(self.query.base)]
        for column in columns[:1]:
            start, ends = self.reached(column, np.unique(rows))
            by_row: dict[int, list[int]] = {}
            for row, end in zip(start.tolist(), ends.tolist(), strict=True):
                by_row.setdefault(row, []).append(end)
            seen: set[int] = set()
            for row in rows.tolist():
                for end in by_row.get(row, ()):
                    if end not in seen:
                        seen.add(end)
                        result.values.append(end)
                        result.rows.append(row)
            result.missing += sum(r not in by_row for r in rows.tolist())
        self._beside(columns[1:], result)
        return result

    def _beside(self, columns: Sequence[Column], result: Result) -> None:
        """What else is asked of each row that is shown."""
        result.said = [() for _ in result.rows]
        for column in columns:
            start, ends = self.reached(column, np.unique(np.array(result.rows, np.int64)))
            first = dict(zip(reversed(start.tolist()), reversed(ends.tolist()), strict=True))
            result.said = [
                (*said, first[row]) if row in first else said
                for said, row in zip(result.said, result.rows, strict=True)
            ]

    def _counted(self, rows: Ids, result: Result) -> Result:
        if self.query.columns:
            start, ends = self.reached(self.query.columns[0], rows)
            result.number = float(len({self.graph.name(e) for e in ends.tolist()}))
            result.rows = np.unique(start).tolist()
            result.missing = len(rows) - len(result.rows)
            result.computation = f"different values of “{self.query.columns[0].text}” in {len(rows)} rows"
        else:
            result.number, result.rows = float(len(rows)), rows.tolist()
            result.computation = f"rows of “{self.view.tables[self.query.base].text}”"
        return result

    def _computed(self, rows: Ids, result: Result) -> Result:
        column = self.query.columns[0]
        way = self.way(column.table)
        if way is None:
            return result
        own = along(self.view, way, rows) if way else rows
        start, ends = self.values(column, np.unique(own))
        numbers = self.graph.numbers[ends]
        known = ~np.isnan(numbers)
        result.missing = len(np.unique(own)) - len(np.unique(start[known]))
        if not known.any():
            return result
        result.rows = start[known].tolist()
        done = computed(self.query.do, numbers[known])
        if self.query.do in ("max", "min"):
            result.values = [int(ends[known][numbers[known] == done][0])]
            result.rows = [int(start[known][numbers[known] == done][0])]
        else:
            result.number = done
        word = {"avg": "mean", "sum": "sum", "max": "greatest", "min": "least"}[self.query.do]
        lost = f"; {result.missing} without one" if result.missing else ""
        result.computation = f"{word} of “{column.text}” over {int(known.sum())} rows{lost}"
        return result

    def _grouped(self, rows: Ids, result: Result) -> Result:
        query = self.query
        if query.group is None:
            counts: Counter[int] = self.counts(query.by_count, rows)
            order = sorted(rows.tolist(), key=lambda r: (counts.get(r, 0), -r), reverse=query.down)
            if query.limit and order:
                edge = counts.get(order[min(query.limit, len(order)) - 1], 0)
                order = [r for r in order if (counts.get(r, 0) >= edge if query.down else counts.get(r, 0) <= edge)]
                result.computation = f"{edge} rows of “{self.view.tables[query.by_count].text}” each"
            kept = np.array(order, np.int64)
            if query.do == "count":
                return self._counted(kept, result)
            if query.do in ("avg", "sum", "max", "min"):
                return self._computed(kept, result)
            return self._listed(kept, result)
        start, ends = self.reached(query.group, rows)
        groups: dict[int, list[int]] = {}
        for row, end in zip(start.tolist(), ends.tolist(), strict=True):
            groups.setdefault(end, []).append(row)
        measure = {g: self._measure(np.array(sorted(set(some)), np.int64)) for g, some in groups.items()}
        chosen = [g for g in groups if not query.having[0] or _meets(len(set(groups[g])), query.having)]
        if query.limit or query.by_count >= 0:
            chosen.sort(key=lambda g: (measure[g], self.graph.name(g)), reverse=query.down)
        elif query.by is not None:
            keys = self._keys(np.array(chosen, np.int64))
            chosen = [g for _, g in sorted(zip(keys, chosen, strict=True), reverse=query.down)]
        if query.limit and chosen:
            last = measure[chosen[min(query.limit, len(chosen)) - 1]]
            chosen = [g for g in chosen if (measure[g] >= last if query.down else measure[g] <= last)]
        if query.do == "count" and query.limit and not query.columns and chosen:
            result.number, result.rows = measure[chosen[0]], groups[chosen[0]]
            result.computation = f"{self.graph.name(chosen[0])}: {measure[chosen[0]]:g} rows"
            return result
        result.values, result.rows = chosen, [groups[g][0] for g in chosen]
        result.said = [() for _ in chosen]
        if query.do != "list" and not query.limit:
            result.measures = [f"{measure[g]:.6g}" for g in chosen]
        result.missing = len(rows) - len(np.unique(start))
        result.computation = ", ".join(f"{self.graph.name(g)}: {measure[g]:g}" for g in chosen[:20])
        return result

    def _measure(self, rows: Ids) -> float:
        if self.query.do in ("list", "count", "share") or not self.query.columns:
            return float(len(rows))
        _, ends = self.reached(self.query.columns[0], rows)
        numbers = self.graph.numbers[ends]
        known = numbers[~np.isnan(numbers)]
        if not known.size:
            return 0.0
        return computed(self.query.do, known)


def computed(what: str, numbers: npt.NDArray[np.float64]) -> float:
    """The mean, sum, greatest or least of some numbers."""
    if what == "avg":
        return float(numbers.mean())
    if what == "sum":
        return float(numbers.sum())
    return float(numbers.max() if what == "max" else numbers.min())


def _meets(number: float, having: tuple[str, float]) -> bool:
    how, bound = having
    tests = {">": number > bound, ">=": number >= bound, "<": number < bound, "<=": number <= bound}
    return tests.get(how, number == bound)


def _of_row(start: Ids, ends: Ids, row: int) -> list[int]:
    low, high = np.searchsorted(start, [row, row + 1])
    found: list[int] = ends[low:high].tolist()
    return found
