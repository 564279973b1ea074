"""Comparisons with numbers, with dates, and with the mean of a column."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from typing import Final

import numpy as np

from hydra_kg.execution.graph_columns import NO_PLACES
from hydra_kg.execution.own_graph import is_date, number
from hydra_kg.language.dates import Period
from hydra_kg.language.lexicon import list_words
from hydra_kg.steps.queries.drafting.comparable_columns import bound_of, interval, is_dated, meant, measured
from hydra_kg.steps.queries.drafting.named_row_values import NamedRowPieces
from hydra_kg.steps.tables import costs
from hydra_kg.steps.tables.column_dimensions import column_dimensions, column_unit, converted
from hydra_kg.steps.tables.graph_tables import Column
from hydra_kg.steps.tables.operation_words import UNIT, YEARLESS
from hydra_kg.steps.tables.question_spans import SAME, QueryPiece
from hydra_kg.steps.tables.table_query import RowCondition
from hydra_kg.steps.tables.time_columns import (
    find_moments,
    interval_columns,
    is_time,
    read_moment,
    states_clocks,
)

_BEFORE: Final = list_words("before")
_JOINED: Final = 3
"""Words between two columns that are compared with one number."""
_NUMBERED: Final = ("top", "many", "most", "order")
"""Cues of orders, whose number says how many are shown: the three cheapest."""


class ComparedPieces(NamedRowPieces):
    """Comparisons: more than 70, at least two orders, before 1990, above the average."""

    def _compared(self) -> None:
        if not any(p.cue.say == SAME for p in self.pieces):
            self._equal_columns()
        for n, piece in enumerate(self.pieces):
            if piece.cue.say == SAME:
                self._same_as_named(n, piece, piece.cue.value)
            elif piece.cue.say == "compare" and not piece.used:
                self._compare(n, piece)
            elif piece.cue.say == "versus":
                self._more_than_named(n, piece)
        for n, piece in enumerate(self.pieces):
            if piece.cue.period is not None and not piece.used:
                self._during(n, piece, piece.cue.period)
        now = next((p for p in self.pieces if p.cue.say == "now"), None)
        if now is not None:
            today = number(date.today().isoformat())
            now.used = self.query_.holds_today = self._holding(today, today, "today", now.start)
        for n, piece in enumerate(self.pieces):
            if piece.cue.say == "several" and not piece.used:
                self._repeatedly(n, piece)
        for n, piece in enumerate(self.pieces):  # "200 or more", and bare numbers beside a column
            if piece.sort == "number" and not piece.used:
                after = self._next(n, "cue", gap=0)
                if after is not None and after.cue.say == "after":
                    self._bounded(n, n, after.cue.value, self.words[piece.start].number or 0.0)
                    after.used = piece.used
                elif self._is_clock(piece):
                    self._at_clock(n, piece, piece, "=")
                else:
                    self._exactly(n, piece)

    def _exactly(self, n: int, piece: QueryPiece) -> None:
        """Add the condition of a number directly before a column of amounts or a table: rooms with *two* beds."""
        ordered = any(p.cue.say in _NUMBERED for p in self.pieces)
        rows = None if ordered else self._next(n, "table", gap=0)
        if rows is not None and rows.start == piece.end and any(p.sort in ("table", "column") for p in self.pieces[:n]):
            self._exactly_so_many(n, piece, rows)
            return
        behind = None if ordered else self._next(n, "column", gap=0)
        found = self.column(behind, self._is_amount) if behind is not None else None
        value = self.words[piece.start].number
        if not ordered and found is None and value is not None:
            self._lasts(n, piece, value)
        if behind is not None and value is not None and behind.start == piece.end and found is None:
            self._so_many_values(piece, behind, ("=", value), value)
        if found is None or behind is None or value is None or behind.start != piece.end:
            return
        text = f"{found[0].text} = {value:g}"
        self._add(RowCondition(found[0].table, found[0], low=value, high=value, text=text, at=piece.start))
        self.cost += found[1]
        piece.used = behind.used = True

    def _lasts(self, n: int, piece: QueryPiece, value: float) -> None:
        """Add the condition of an amount behind the verb that states it: visits that *lasted* 30 minutes."""
        unit, verb = self._unit_of(n), self._measuring_verb(piece)
        if unit is None or not verb or unit.cue.value != verb:
            return
        found = self._only_one(lambda c: verb in column_dimensions(c))
        if found is None:
            return
        amount = converted(value, self.words[unit.start].low, found[0])
        if amount is None:
            return
        low, high = interval("=", amount, None, whole=False)
        text = f"{found[0].text} = {amount:g}"
        self._add(RowCondition(self.base, found[0], low=low, high=high, text=text, at=piece.start))
        self.query_.placed.add(piece.start - 1)
        self.cost += found[1]
        piece.used = unit.used = self.query_.beyond_sheets = True

    def _compare(self, n: int, piece: QueryPiece) -> None:
        how = piece.cue.value
        bound = self._next(n, "number", gap=2)
        if bound is None:
            when = self._next(n, "cue", gap=1)
            if when is not None and when.cue.period is not None:
                self._during(n, piece, when.cue.period, how)
                when.used = piece.used
                return
            self._than(n, piece, how)
            return
        at = self.pieces.index(bound)
        value = bound_of(self.words[bound.start])
        if how == "><":
            upper = self._next(at, "number", gap=1)
            if upper is None:
                return
            if self._is_clock(bound) and self._is_clock(upper):
                self._at_clock(n, piece, bound, how, upper)
                return
            bound.used = True
            to = self.pieces.index(upper)
            high = bound_of(self.words[upper.start])
            self._bounded(n, to, "><", value, high)
            bound.used = upper.used
            return
        for named in self._find_joined(n, at) or (None,):
            self._bounded(n, at, how, value, named=named)

    def _find_joined(self, n: int, at: int) -> list[QueryPiece]:
        """Return the pieces of the two columns that one number bounds: over 100 *in both height and width*."""
        behind = [p for p in self.pieces[at + 1 :] if p.cue.say not in ("both", UNIT)]
        before = [p for p in self.pieces[:n] if p.cue.say != "both"]
        both = next((p for p in self.pieces if p.cue.say == "both" and not p.used), None)
        for pair in (behind[:2] if all(p.sort != "cue" for p in behind[2:3]) else [], before[-2:] if both else []):
            found = [self.column(p, self._is_compared) if p.sort == "column" and not p.used else None for p in pair]
            columns = {one[0] for one in found if one is not None and one[0].kind == "number"}
            between = [w.low for w in self.words[pair[0].end : pair[-1].start]] if pair else []
            if len(columns) == 2 and "and" in between and len(between) < _JOINED:
                if both is not None:
                    both.used = True
                return pair
        return []

    def _bounded(
        self, n: int, at: int, how: str, value: float, high: float | None = None, named: QueryPiece | None = None
    ) -> None:
        """Add a comparison with a number, of the rows of a table or of a column before or after it, or of ``named``."""
        piece, bound = self.pieces[n], self.pieces[at]
        if self._is_clock(bound):
            self._at_clock(n, piece, bound, how)
            return
        unit, verb = self._unit_of(at), self._measuring_verb(piece)
        behind = self._next(at if unit is None else at + 1, "table", "column", gap=1)  # half an hour *late*
        before = named or self._previous(n, "column", gap=3)
        rows = behind if behind is not None and behind.sort == "table" else None
        good = is_dated if re.match(r"\d{4}-\d\d", self.words[bound.start].text) else measured(value)
        if self.words[piece.start].low in _BEFORE and 1000 <= value < 2200:  # posted before 2004: not 2004 square feet
            good = partial(is_time, self.view)
        found, used = self._adjacent_column(before, behind, good)
        if found is not None and used is not None and used is before:
            found = self._of_subject(before, found)
        own = self._only_one(lambda c: verb in column_dimensions(c)) if verb else None
        if found and verb and verb not in (column_dimensions(found[0]) or {"" if own else verb}):
            found, used = None, None  # bikes that cost less than 20 a day
        if found is None and (self._is_often(bound) or (rows is not None and not self._is_base(rows))):
            self._number_of_rows(n, piece, bound, rows, RowCondition(-1, count=(how, value), high=high or value))
            return
        if found is None and piece.cue.measures:
            found = self._by_measures(piece.cue.measures)
        if found is None and (unit is not None or verb):
            said = unit.cue.value if unit is not None else verb
            found = self._only_one(lambda c: said in column_dimensions(c))
        if found is None and rows is not None and self._is_base(rows):
            self.query_.having = (how, value)
            piece.used = bound.used = rows.used = True
            return
        listed = found is None or self._is_list(found[0])
        if listed and behind is not None and behind.sort == "column" and behind.start == bound.end:
            self._so_many_values(piece, behind, (how, value), high or value)
            if piece.used:
                bound.used = True
                return
        found = found or self._again(good) or self._by_kind(value, good) or self._aged(piece, value)
        if found is None:
            return
        if used is not None:
            used.used = True
        column, cost = found
        self.cost += cost
        if verb in column_dimensions(column):
            self.query_.placed.add(piece.start - 1)
        if unit is not None and unit.cue.value in column_dimensions(column):
            name = self.words[unit.start].low
            amount, top = converted(value, name, column), None if high is None else converted(high, name, column)
            if amount is None:
                return
            value, high = amount, top
            unit.used = bool(column_unit(column)) or unit.cue.value == "money"
            self.query_.beyond_sheets = unit.used
        for one in (before, behind):  # "weigh less than 100 g"
            if one is not None and one.sort == "column" and column in dict(one.tag.columns):
                one.used = True
        how = "><" if how == "><" else meant(how, piece, column)
        said = self.words[bound.start].text
        is_day = is_date(said)  # after 1997-01-01, not after the year 1997
        low, top = interval(how, value, high, whole=column.kind == "date" and not is_day)
        text = f"{column.text} {how} {said if is_day and high is None else f'{value:g}'}"
        limits = RowCondition(
            column.table, column, low=low, high=top, negated=self._denied(n), text=text, at=piece.start
        )
        self._add(limits, self._joined(n))
        piece.used = bound.used = True

    def _compared_day(self, measures: Sequence[str]) -> tuple[Column, float] | None:
        """Return the column of days that the question compares: the first orders that were *required* after June."""
        days = [c.column for c in self.query_.where if c.table == self.base and c.places is None and not c.negated]
        days = [c for c in days if c is not None and c.kind == "date"] if measures[:1] == ("@date",) else []
        return (days[0], 0.0) if len(days) == 1 and days[0] is not None else None

    def _is_clock(self, piece: QueryPiece) -> bool:
        return ":" in self.words[piece.start].text

    def _at_clock(
        self, n: int, piece: QueryPiece, bound: QueryPiece, how: str, upper: QueryPiece | None = None
    ) -> None:
        """Add a comparison with times of day, or with a moment: between 9:00 and 21:00, before 2024-05-01 20:00."""
        text = self.words[bound.start].text
        good = partial(states_clocks, self.view)
        last = bound if upper is None else upper
        behind, before = self._next(self.pieces.index(last), "column", gap=1), self._previous(n, "column", gap=3)
        found, used = self._adjacent_column(before, behind, good)
        found = found or self._only_one(good)
        if found is None or (how == "><") != (upper is not None):
            return
        dated, until = is_date(text), self.words[last.start].text
        low, high = interval(how, read_moment(text, dated=dated), read_moment(until, dated=dated), whole=False)
        places = find_moments(self.view, found[0], low, high, dated=dated)
        said = f"{found[0].text} {how} {text if upper is None else f'{text} and {until}'}"
        denied = self._denied(n)
        self._add(RowCondition(found[0].table, found[0], places, negated=denied, text=said, at=piece.start))
        self.cost += found[1]
        piece.used = bound.used = last.used = True
        if used is not None:
            used.used = True

    def _unit_of(self, at: int) -> QueryPiece | None:
        """Return the unit after the number at a place: 25 *euros*."""
        behind = self.pieces[at + 1] if at + 1 < len(self.pieces) else None
        is_next = behind is not None and behind.start == self.pieces[at].end
        return behind if is_next and behind is not None and behind.cue.say == UNIT else None

    def _adjacent_column(
        self, before: QueryPiece | None, behind: QueryPiece | None, good: Callable[[Column], bool]
    ) -> tuple[tuple[Column, float] | None, QueryPiece | None]:
        """Return the column before or after a comparison, and the piece that says it."""
        if before is not None:
            found = self.column(before, lambda c: good(c) and not self._is_unsaid_key(before, c))
            if found is not None:
                return found, before
        if behind is not None and behind.sort == "column" and (found := self.column(behind, good)) is not None:
            return found, behind
        return None, None

    def _again(self, good: Callable[[Column], bool]) -> tuple[Column, float] | None:
        """Return the column of the comparison before this one: "over 5 or under 2"."""
        last = self.query_.where[-1] if self.query_.where else None
        if last is None or last.column is None or last.places is not None or last.count[0]:
            return None
        return (last.column, 0.0) if good(last.column) else None

    def _holding(self, low: float, high: float, said: str, at: int = -1) -> bool:
        """Select rows that are valid between two days, and return False if no near table has columns for that.

        A row with an open end is valid. The nearest table that has such a pair of columns is used.
        """
        near = sorted(
            (t.place for t in self.view.tables if t.place == self.base or t.place in self.ways), key=self._distance
        )
        found = next((pair for t in near if (pair := interval_columns(self.view, t)) is not None), None)
        dated = any(is_time(self.view, c) for c in self.view.columns if c.table == self.base)
        if found is None or (dated and found[0].table != self.base):
            return False
        begin, end = found
        if begin.kind == "number":
            low, high = float(np.floor(low)), float(np.floor(high))
        open_end = RowCondition(end.table, end, missing=True, text="not said")
        self._add(RowCondition(begin.table, begin, high=high, text=f"{begin.text} not after {said}", at=at))
        self._add(
            RowCondition(end.table, end, low=low, either=(open_end,), text=f"{end.text} not before {said}", at=at)
        )
        self.cost += costs.BY_YEAR + self._distance(begin.table)
        return True

    def _during(self, n: int, piece: QueryPiece, period: Period, how: str = "=") -> None:
        """Add a time on a column that says when: "in March 2024", "before the second half of 2023"."""
        to, yearless = period.high, piece.cue.value == YEARLESS
        if yearless and how != "=":
            return
        if how == "><":
            when = next((p for p in self.pieces[n + 2 :] if p.cue.period is not None), None)
            if when is None or when.cue.period is None:
                return
            to, when.used = when.cue.period.high, True
        low, high = {
            "<": (float("-inf"), period.low - costs.INSTANT),
            "<=": (float("-inf"), to),
            ">": (to + costs.INSTANT, float("inf")),
            ">=": (period.low, float("inf")),
        }.get(how, (period.low, to))
        said = self._said(period)
        found = named = self._named_time(n, piece, yearly=period.year)
        if found is None and how == "=" and not yearless and self._holding(period.low, period.high, said, piece.start):
            piece.used = True
            return
        last = self.query_.where[-1].column if self.query_.where and self._joined(n) == "or" else None
        if found is None and last is not None and self._is_when(period.year, last):
            found = named = last, 0.0
        found = found or self._time_near(yearly=period.year)
        if found is None:
            return
        column, cost = found
        days = self._stated(column, self.view.rows(column.table)) if yearless else NO_PLACES
        numbers = self.view.graph.numbers[days]
        if named is None and len(np.unique(numbers[~np.isnan(numbers)] // 1)) > 1:
            return  # in April, of a column of several years that the question does not name
        self.query_.beyond_sheets |= not period.year
        if column.kind == "number" and "month" not in column.words:
            low, high = float(np.ceil(low)), float(np.floor(high))
        self.cost += cost
        denied = self._denied(n)
        text = f"{column.text} {f'in {said}' if how in ('=', '><') else f'{how} {said}'}"
        limits = RowCondition(column.table, column, low=low, high=high, negated=denied, text=text, at=piece.start)
        if yearless:  # in April, of any year
            fits = (numbers % 1 >= period.low % 1 - costs.INSTANT) & (numbers % 1 <= period.high % 1 + costs.INSTANT)
            limits = replace(limits, places=days[fits], low=float("-inf"), high=float("inf"))
        self._add(limits, self._joined(n))
        piece.used = True

    def _than(self, n: int, piece: QueryPiece, how: str) -> None:
        """Add a condition on a column: above its average, or above the value of a named row."""
        fn = self._next(n, "cue", gap=2)
        if fn is None or fn.cue.say not in ("avg", "median", "max", "min"):
            self._than_named(n, piece, how)
            return
        at = self.pieces.index(fn)
        behind, before = self._next(at, "column", gap=1), self._previous(n, "column", gap=3)
        for one in (behind, before):
            if one is not None and (found := self.column(one, measured(0.5))) is not None:
                column, cost = found
                self.cost += cost
                for p in (behind, before):
                    if p is not None and self.column(p) is not None and self.column(p)[0] == column:  # type: ignore[index]
                        p.used = True
                piece.used = fn.used = one.used = True
                self._above(column, how, fn.cue.say)
                return
        measures = piece.cue.measures
        if (found := self._by_measures(measures) or self._only_number()) is not None:
            piece.used = fn.used = True
            self.cost += found[1]
            self._above(found[0], how, fn.cue.say)

    def _above(self, column: Column, how: str, than: str) -> None:
        low, high = (0.0, float("inf")) if how in (">", ">=") else (float("-inf"), 0.0)
        self._add(RowCondition(column.table, column, low=low, high=high, than=than, text=f"{column.text} {how} {than}"))

    def _only_number(self) -> tuple[Column, float] | None:
        prices = self._by_measures(("price", "cost", "amount"))
        if prices is not None:
            return prices
        fits = [c for c in self.view.columns if c.table == self.base and c.kind == "number" and c.words[-1] != "id"]
        return (fits[0], costs.ONLY_NUMBER) if len(fits) == 1 else None
