"""A query over tables carried out: rows that meet its conditions, and what is asked of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Final

import numpy as np

from hydra_kg.domain import Ids
from hydra_kg.language.lexicon import list_words
from hydra_kg.language.morphology import plural
from hydra_kg.plan.model import Step
from hydra_kg.plan.words import ENDS, aggregate_words, words
from hydra_kg.steps.operators.results.spans import OLDEST
from hydra_kg.steps.queries.file_order import Order, no_order
from hydra_kg.steps.queries.measures import age, last_day
from hydra_kg.steps.queries.rows import Rows, computed
from hydra_kg.steps.queries.to_query import rows_query
from hydra_kg.steps.tables.paths import along, owners
from hydra_kg.steps.tables.query import COMPUTED, FUNCTIONS, TableQuery
from hydra_kg.steps.tables.view import Column, Join, View
from hydra_kg.util.cancelling import check, looked_at

_ENDED: Final = list_words("ended")
"""Words of columns that say when something ended."""
FEW: Final = 5
"""Rows that were compared are shown up to this many."""


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
    compared: list[int] = field(default_factory=list)
    """Rows that were compared and are no answers, where these are few."""
    steps: list[Step] = field(default_factory=list)
    missing: int = 0
    intersected: bool = False
    """Whether the conditions were met by different rows of one value."""
    computation: str = ""

    def __bool__(self) -> bool:
        return bool(self.values) or self.number is not None


class Execution(Rows):
    """One query over one view. ``order``: the rows of a table as their file has them."""

    def __init__(self, view: View, query: TableQuery, order: Order = no_order) -> None:
        super().__init__(view, query)
        self.order = order
        self.common: Ids | None = None

    def run(self) -> Result:
        """Carry it out."""
        query = self.query
        result = Result()
        rows = self.view.rows(query.base)
        if query.among:
            rows = self.meeting(query.among, rows)
        matching = self.meeting(query.where, rows)
        if query.do in ("list", "count") and query.columns and query.limit == 0:
            matching = self._by_value(matching, rows, result)
        if query.where and not result.intersected:
            said = words(rows_query(self))
            said = f"{said}: {len(matching)} of {len(rows)}"
            result.steps.append(Step("Today" if query.holds_today else "Where", said, len(rows), len(matching)))
        if query.adjacent or query.listed:
            matching = self._listed_rows(matching)
        if query.do == "share":
            good = self.meeting(query.wanted, matching)
            whole = self.meeting(query.against, matching) if query.against else matching
            result.rows = good.tolist()
            if len(whole):
                result.number = query.whole * len(good) / len(whole)
            result.computation = f"{len(good)} {'to' if query.against else 'of'} {len(whole)}"
            return result
        if query.group is not None or query.by_count >= 0 or query.having[0]:
            return self._grouped(matching, result)
        if query.by is not None:
            matching = self._ordered(matching, query.by, result)
        if query.aged and query.do == "list" and not query.columns[1:]:
            return self._aged(matching, result)
        if query.do == "list":
            return self._listed(matching, result)
        if query.do == "count":
            return self._counted(matching, result)
        return self._computed(matching, result)

    def _of_inner(self, query: TableQuery) -> Ids:
        return np.unique(np.array(Execution(self.view, query, self.order).run().rows, np.int64))

    def _listed_rows(self, matching: Ids) -> Ids:
        """The first or last of some rows, or the one beside the only one, as their file has them."""
        query, order = self.query, self.order(self.query.base)
        places = np.flatnonzero(np.isin(order, matching))
        if query.adjacent:
            place = int(places[0]) + query.adjacent if len(places) == 1 else -1
            return order[place : place + 1] if 0 <= place < len(order) else matching[:0]
        return order[places[-1:] if query.down else places[:1]]

    def _by_value(self, matching: Ids, rows: Ids, result: Result) -> Ids:
        """Return the rows with a value in the first column that rows share that meet one of several conditions each.

        With a denied condition, return those with a value of no row that meets it. Only these values are shown.
        """
        query, column = self.query, self.query.columns[0]
        alone = [c for c in query.where if c.alone and not c.negated]
        rest = [c for c in query.where if c not in alone]
        if len(alone) > 1 and not len(matching):
            result.intersected = True
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
            return matching
        self.common = common
        start, ends = self.reached(column, rows)
        return np.unique(start[np.isin(ends, common)])

    def _shown(self, rows: Ids) -> tuple[Ids, Ids]:
        """Return (row, value) of the first column, without values that do not meet the conditions by value."""
        start, ends = self.reached((self.query.columns or [self.view.name_of(self.query.base)])[0], rows)
        good = np.isin(ends, self.common) if self.common is not None else slice(None)
        return start[good], ends[good]

    def _ordered(self, rows: Ids, by: Column, result: Result) -> Ids:
        start, ends = self.reached(by, rows)
        keys = self._keys(ends)
        first: dict[int, tuple[int, float, str]] = {}
        if self.query.by_sum:
            start, keys = self._added(start, ends)
        for row, key in looked_at(zip(start.tolist(), keys, strict=True)):
            if row not in first or (key > first[row]) == self.query.down:
                first[row] = key
        order = sorted(looked_at(first), key=lambda r: (first[r], r), reverse=self.query.down)
        order = self._from_nth(order, first)
        if self.query.limit and order:
            last = first[order[min(self.query.limit, len(order)) - 1]]
            many = [r for r in looked_at(order) if (first[r] >= last if self.query.down else first[r] <= last)]
            lost = len(rows) - len(order)
            result.missing += lost
            end = ENDS["number" if self.query.by_sum else by.kind if by.kind in ENDS else "text"][self.query.down]
            shown = f"{end} {'total ' * self.query.by_sum}“{by.text}” of {len(order)}"
            result.computation = shown + (f"; {lost} say nothing of it" if lost else "")
            result.steps.append(Step("First", shown, len(rows), len(many)))
            result.compared = [r for r in order if r not in many] if len(order) <= FEW else []
            computed_itself = self.query.do in ("sum", "avg", "median") and self.query.columns == [by]
            order = order[: self.query.limit] if computed_itself else many  # of equal ones any will do
        elif len(order) < len(rows):
            order += [r for r in rows.tolist() if r not in first]
        return np.array(order, np.int64)

    def _from_nth(self, order: list[int], key: Mapping[int, object]) -> list[int]:
        """An order without those before the second, third …: equal ones have one place."""
        for _ in range(self.query.nth - 1):
            order = [r for r in order if key[r] != key[order[0]]]
        return order

    def _added(self, start: Ids, ends: Ids) -> tuple[Ids, list[tuple[int, float, str]]]:
        """The sum of the numbers of each row."""
        numbers = np.nan_to_num(self.graph.numbers[ends])
        rows, place = np.unique(start, return_inverse=True)
        return rows, [(0, n, "") for n in np.bincount(place, numbers, len(rows)).round(9).tolist()]

    def _keys(self, ends: Ids) -> list[tuple[int, float, str]]:
        numbers = self.graph.numbers[ends]
        texts = [self.graph.name(e).casefold() for e in looked_at(ends.tolist())]
        some = ~np.isnan(numbers)
        if some.mean() < 0.5 if len(some) else True:
            return [(0, 0.0, t) for t in texts]
        return [(0, float(n), "") if k else (-1, 0.0, t) for n, k, t in zip(numbers, some, texts, strict=True)]

    def _listed(self, rows: Ids, result: Result) -> Result:
        start, ends = self._shown(np.unique(rows))
        by_row: dict[int, list[int]] = {}
        for row, end in looked_at(zip(start.tolist(), ends.tolist(), strict=True)):
            by_row.setdefault(row, []).append(end)
        seen: set[int] = set()
        for row in looked_at(rows.tolist()):
            for end in by_row.get(row, ()):
                if end not in seen:
                    seen.add(end)
                    result.values.append(end)
                    result.rows.append(row)
        result.missing += sum(r not in by_row for r in rows.tolist())
        self._further_columns(self.query.columns[1:], result)
        return result

    def _aged(self, rows: Ids, result: Result) -> Result:
        """Compute how old rows are today, or were when they ended.

        A person whose birth lies more than `OLDEST` years ago has no age today: the table does not state the death.
        """
        column, today = self.query.columns[0], date.today()
        most = OLDEST if {"birth", "born", "birthday", "birthdate"} & set(column.words) else date.max.year
        ended = [c for c in self.view.columns if c.table == self.query.base and _ENDED & set(c.words)]
        over: dict[int, date | None] = {}
        for c in ended:
            for row, last in zip(*(x.tolist() for x in self.values(c, np.unique(rows))), strict=True):
                over[row] = last_day(self.graph.name(last))
        start, ends = self.reached(column, np.unique(rows))
        began = dict(zip(start.tolist(), map(self.graph.name, ends.tolist()), strict=True))
        ages = {
            r: years
            for r in rows.tolist()
            if r in began and (end := over.get(r, today)) and (years := age(began[r], end)) and years[0] <= most
        }
        result.rows, result.missing = list(ages), len(rows) - len(ages)
        said = {r: f"{low}" if low == high else f"{low} or {high}" for r, (low, high) in ages.items()}
        result.computation = ", ".join(
            f"{said[r]} years from {began[r]} to {over.get(r, today)}" for r in result.rows[:20]
        )
        if len(ages) == 1 and "or" not in said[result.rows[0]]:
            result.number = float(ages[result.rows[0]][0])
        else:
            result.values, result.measures = list(ages), list(said.values())
            result.said = [() for _ in ages]
        return result

    def _further_columns(self, columns: Sequence[Column], result: Result) -> None:
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
            start, ends = self._shown(rows)
            result.number = float(len({self.graph.name(e) for e in looked_at(ends.tolist())}))
            result.rows = np.unique(start).tolist()
            result.missing = len(rows) - len(result.rows)
            result.computation = f"different values of “{self.query.columns[0].text}” of {self._many(len(rows))}"
        else:
            result.number, result.rows = float(len(rows)), rows.tolist()
            result.computation = f"{self._many(len(rows))} counted"
        return result

    def _computed(self, rows: Ids, result: Result) -> Result:
        column = self.query.columns[0]
        way = self.way(column.table)
        if way is None:
            return result
        own = self._own_rows(column, way, rows)
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
        lost = f"; {result.missing} without one" if result.missing else ""
        rows_ = self._many(int(known.sum()), column.table)
        result.computation = f"{aggregate_words(FUNCTIONS[self.query.do], column.text, rows_)}{lost}"
        return result

    def _own_rows(self, column: Column, way: tuple[Join, ...], rows: Ids) -> Ids:
        """The rows of a column's own table that belong to some of the base: those which meet the conditions themselves
        where any do, of the orders of a product those that were cancelled."""
        if not way:
            return rows
        own, query = along(self.view, way, rows), self.query
        plain = [c for c in query.where if c.places is not None and not (c.negated or c.alone or c.table == query.base)]
        if not plain or len(plain) < len(query.where):
            return own
        mine = Rows(self.view, replace(query, base=column.table, where=plain))
        met = mine.meeting(plain, own)
        self.own = mine if len(met) else None
        return met if len(met) else own

    def _grouped(self, rows: Ids, result: Result) -> Result:
        query = self.query
        if query.group is None:
            here = [c for c in query.where if c.table == query.by_count != query.base and c.column and not c.negated]
            counts: Counter[int] = self.counts(query.by_count, rows, here)
            order = sorted(looked_at(rows.tolist()), key=lambda r: (counts.get(r, 0), -r), reverse=query.down)
            order = self._from_nth(order, {r: counts.get(r, 0) for r in order})
            if query.limit and order:
                edge = counts.get(order[min(query.limit, len(order)) - 1], 0)
                order = [r for r in order if (counts.get(r, 0) >= edge if query.down else counts.get(r, 0) <= edge)]
                result.computation = f"{self._many(edge, query.by_count)} each"
            matching = np.array(order, np.int64)
            if query.do == "count":
                return self._counted(matching, result)
            if query.do in COMPUTED:
                return self._computed(matching, result)
            return self._listed(matching, result)
        start, ends = self.reached(query.group, rows)
        groups: dict[int, list[int]] = {}
        for row, end in looked_at(zip(start.tolist(), ends.tolist(), strict=True)):
            groups.setdefault(end, []).append(row)
        each = looked_at(groups.items(), every=100)
        measure = {g: self._measure(np.array(sorted(set(some)), np.int64)) for g, some in each}
        chosen = [g for g in groups if not query.having[0] or _meets(len(set(groups[g])), query.having)]
        if query.limit or query.by_count >= 0 or query.by_sum:
            chosen.sort(key=lambda g: (measure[g], self.graph.name(g)), reverse=query.down)
            chosen = self._from_nth(chosen, measure)
        elif query.by is not None and not query.by_sum:
            keys = self._keys(np.array(chosen, np.int64))
            chosen = [g for _, g in sorted(zip(keys, chosen, strict=True), reverse=query.down)]
        if query.limit and chosen:
            last = measure[chosen[min(query.limit, len(chosen)) - 1]]
            chosen = [g for g in chosen if (measure[g] >= last if query.down else measure[g] <= last)]
        if query.do == "count" and query.limit and not query.columns and chosen:
            result.number, result.rows = measure[chosen[0]], groups[chosen[0]]
            result.computation = f"{self.graph.name(chosen[0])}: {self._many(int(measure[chosen[0]]))}"
            return result
        check()
        result.values, result.rows = chosen, [groups[g][0] for g in chosen]
        result.said = [() for _ in chosen]
        if query.do != "list" and not query.limit:
            result.measures = [f"{measure[g]:.6g}" for g in chosen]
        result.missing = len(rows) - len(np.unique(start))
        result.computation = ", ".join(f"{self.graph.name(g)}: {measure[g]:g}" for g in chosen[:20])
        return result

    def _many(self, number: int, table: int = -1) -> str:
        noun = self.view.tables[table if table >= 0 else self.query.base].text
        return f"{number:g} {noun if number == 1 else plural(noun)}"

    def _measure(self, rows: Ids) -> float:
        if self.query.by_sum and self.query.by is not None:
            return float(np.nansum(self.graph.numbers[self.reached(self.query.by, rows)[1]]))
        table = self.query.by_count
        if table >= 0 and table != self.query.base and (way := self.way(table)) is not None:
            return float(len(np.unique(owners(self.view, way, rows)[1])))
        if self.query.do in ("list", "count", "share") or not self.query.columns:
            return float(len(rows))
        _, ends = self.reached(self.query.columns[0], rows)
        numbers = self.graph.numbers[ends]
        known = numbers[~np.isnan(numbers)]
        if not known.size:
            return 0.0
        return computed(self.query.do, known)


def _meets(number: float, having: tuple[str, float]) -> bool:
    how, bound = having
    tests = {">": number > bound, ">=": number >= bound, "<": number < bound, "<=": number <= bound}
    return tests.get(how, number == bound)
