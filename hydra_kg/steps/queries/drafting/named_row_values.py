"""Conditions on values of named rows: cheaper than Salt, in the same room as Salt, at least as tall as Salt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from math import floor
from typing import Final

import numpy as np

from hydra_kg.domain import Ids
from hydra_kg.extract.word_classes import BE, DO, HAVE
from hydra_kg.language.dates import Period
from hydra_kg.language.morphology import family_stem, is_same_family, singular
from hydra_kg.steps.queries.drafting.comparable_columns import PARTS_OF_YEARS, factor_of, interval, meant
from hydra_kg.steps.queries.drafting.row_conditions import RelatedPieces
from hydra_kg.steps.tables import costs
from hydra_kg.steps.tables.column_dimensions import column_dimensions, is_beginning
from hydra_kg.steps.tables.graph_tables import Column
from hydra_kg.steps.tables.question_spans import QueryPiece
from hydra_kg.steps.tables.table_query import RowCondition
from hydra_kg.steps.tables.time_columns import BEGINNING, interval_columns, is_later, is_time

_SAME_GAP: Final = 6
"""Words between "the same" and the name of the thing that is compared with."""
_ROUNDED: Final = 1e-6


class NamedRowPieces(RelatedPieces):
    """Comparisons with named rows: cheaper than Salt, in the same room as Salt."""

    def _same_as_named(self, n: int, piece: QueryPiece, part: str) -> None:
        """Add a condition: the value that a named row has ("in the same room as Salt")."""
        as_ = next(k for k in range(piece.end, len(self.words)) if self.words[k].low == "as")
        value = next((p for p in self.pieces if p.start > as_ and p.sort == "value"), None)
        if value is None or self._gap(piece, value) > _SAME_GAP:
            return
        named = {c.table: places for c, places, _ in value.tag.values if c.relation < 0}
        noun = next((p for p in self.pieces[n + 1 :] if p.end <= as_ and p.sort in ("column", "table")), None)

        def good(column: Column) -> bool:
            return column.table in named and column.relation >= 0 and (not part or is_time(self.view, column))

        if part:
            found = self._named_time(n, piece, yearly=part == "year") or self._by_verb(piece, good)
            found = found if found is not None and good(found[0]) else self._only_one(good)
        elif noun is not None and noun.sort == "column":
            lows = {singular(w.low) for w in self.words[noun.start : noun.end]}  # "painter" is not "painted on"
            found = self.column(noun, lambda c: good(c) and lows <= {*c.words}) or self.column(noun, good)
        elif noun is not None:
            rows = {table for table, _ in noun.tag.tables}
            found = self._only_one(lambda c: good(c) and c.kind == "link" and bool(rows & {*c.to}))
        else:
            found = None
        if found is None or not self._add_value_of(found[0], "=", value, named[found[0].table], part=part):
            return
        self.cost += found[1]
        for one in (piece, value, noun):
            if one is not None:
                one.used = True

    def _named_time(self, n: int, piece: QueryPiece, *, yearly: bool) -> tuple[Column, float] | None:
        """Return the column named next to a time that says when."""
        for one in (self._previous(n, "column", gap=3), self._next(self.pieces.index(piece), "column", gap=1)):
            if one is not None and (found := self.column(one, partial(self._is_when, yearly))) is not None:
                one.used = True
                return found
        for one in reversed(self.pieces[:n]):  # who *brought* in a bike in May
            said = dict(one.tag.columns) if one.sort == "column" else {}
            dated = bool(said) and all(c.kind == "date" and self._is_when(yearly, c) for c in said)
            if dated and (found := self.column(one)) is not None:
                one.used = True
                return found
        return None

    def _time_near(self, *, yearly: bool) -> tuple[Column, float] | None:
        """Return the only column of the table, or of one near it, that says when; of several the one that began it.

        Loans in March were made in March, not returned.
        """
        named = {t for p in self.pieces if p.sort == "table" for t, _ in p.tag.tables}
        fits = [
            (self._distance(c.table) + costs.BY_YEAR * (c.table not in named and c.table != self.base), k, c)
            for k, c in enumerate(self.view.columns)
            if self._is_when(yearly, c)
        ]
        years = {c.table for *_, c in fits if yearly and c.words == ("year",)}
        fits = [fit for fit in fits if fit[2].table not in years or fit[2].words == ("year",)]
        if not fits:
            return None
        least = min(cost for cost, *_ in fits)
        alike = [f for f in fits if f[0] == least]
        first = [f for f in alike if not is_later(f[2].words)]
        alike = first if len(first) == 1 else alike
        return alike[0][2], costs.BY_YEAR + least + costs.PERIOD_SEVERAL * (len(alike) > 1)

    def _is_when(self, yearly: bool, column: Column) -> bool:
        return is_time(self.view, column) and (yearly or column.kind == "date" or "month" in column.words)

    def _add_value_of(
        self,
        column: Column,
        how: str,
        value: QueryPiece,
        named: Ids,
        *,
        part: str = "",
        theirs: Column | None = None,
        factor: float = 1.0,
    ) -> bool:
        """Add a comparison with a value of named rows, which are left out; return False if none is stated.

        Of dates, the ``part`` ("year", "month") has to be the same. ``theirs`` is the column of the named rows if it is
        another: who died before Salt was *born*; their values count ``factor`` times.
        """
        ends = self._stated(theirs or column, named)
        said = self._said_with_value(value, ends)
        measured = column.kind in ("number", "date")
        bounds = self.view.graph.numbers[ends] * factor if measured else np.zeros(len(ends))
        bounds = bounds[~np.isnan(bounds)]
        if not len(bounds):
            return False
        condition = RowCondition(column.table, column, ends, text=f"{column.text} as {said}", at=value.start)
        if measured:
            low, high = float(bounds.min()), float(bounds.max())
            of, how_often = f"the {theirs.text}" if theirs else "that", f"{factor:g} times " if factor != 1 else ""
            text = f"{column.text} {how} {how_often}{of} of {said}"
            if step := PARTS_OF_YEARS.get(part, 0):
                low, high = floor(low * step + _ROUNDED) / step, (floor(high * step + _ROUNDED) + 1 - _ROUNDED) / step
                text = f"{column.text} {'on' if part == 'day' else 'in'} the same {part} as that of {said}"
            elif how != "=":
                low, high = interval(how, high if how.startswith(">") else low, None, whole=False)
            condition = replace(condition, places=None, low=low, high=high, text=text)
        self._add(replace(condition, negated=self._denied(self.pieces.index(value))))
        if self.words[0].low not in BE | DO | HAVE:
            name = self.view.name_of(column.table)
            text = f"{name.text} {self._said(value)}"
            self._add(RowCondition(column.table, name, named, negated=True, text=text))
        self.query_.beyond_sheets = True
        return True

    def _than_named(self, n: int, piece: QueryPiece, how: str) -> None:
        """Add a condition: beyond the value that a named row has ("longer than Salt", "released after Salt")."""
        value = self._next(n, "value", "table", gap=2)
        noun = value if value is not None and value.sort == "table" else None  # cheaper than room 201
        value = self._next(self.pieces.index(noun), "value", gap=0) if noun is not None else value
        if value is None:
            self._compare_columns(n, piece, how)
        compares = how in (">", "<") or self.words[piece.end - 1].low == "as"
        if value is None or not compares:
            return
        named = {c.table: places for c, places, _ in value.tag.values if c.relation < 0}
        before = self._previous(n, "column", gap=1)
        if before is None and self.words[value.start - 1].low == "of":  # the fee of Salt is more than that of Dusk
            before = next((p for p in self.pieces[:n] if p.sort == "column" and not p.used), None)

        def good(column: Column) -> bool:
            amount = self.words[piece.end - 1].low in ("than", "as") or bool(piece.cue.measures)
            timed = amount or is_time(self.view, column)
            return column.table in named and column.relation >= 0 and column.kind in ("number", "date") and timed

        found = self.column(before, good) if before is not None else None
        if found is None:
            before, found = None, self._by_measures(piece.cue.measures) or self._by_verb(piece, good)
        if found is None or not good(found[0]):
            return
        column, cost = found
        how, other = meant(how, piece, column), self._next(self.pieces.index(value), "column", gap=1)
        theirs = self.column(other, lambda c: good(c) and c.kind == column.kind) if other is not None else None
        factor = factor_of(self.words[piece.start : piece.end])
        if theirs is None and how in (">", "<") and factor == 1:
            self._add_beyond(column, how, value, named[column.table])
        elif not self._add_value_of(
            column, how, value, named[column.table], theirs=theirs and theirs[0], factor=factor
        ):
            return
        for one in (piece, value, before, noun, other if theirs is not None else None):
            if one is not None:
                one.used = True
        self.cost += cost

    def _stated(self, column: Column, rows: Ids) -> Ids:
        return self.view.graph.relations[column.relation].there.leads(rows)

    def _said(self, span: QueryPiece | Period) -> str:
        return " ".join(w.text for w in self.words[span.start : span.end])

    def _said_with_value(self, piece: QueryPiece, values: Ids) -> str:
        """Return a name as the question says it, with its value if there is one: Salt (150)."""
        said = self._said(piece)
        return f"{said} ({self.view.graph.name(int(values[0]))})" if len(values) == 1 else said

    def _add_beyond(self, column: Column, how: str, value: QueryPiece, named: Ids) -> None:
        """Add the condition of a value beyond that of named rows."""
        low, high = (0.0, float("inf")) if how == ">" else (float("-inf"), 0.0)
        text = f"{column.text} {how} that of {self._said_with_value(value, self._stated(column, named))}"
        self._add(RowCondition(column.table, column, low=low, high=high, beyond=named, text=text))
        self.query_.beyond_sheets |= column.kind == "date"

    def _by_verb(self, piece: QueryPiece, good: Callable[[Column], bool]) -> tuple[Column, float] | None:
        """Return the only column that the verb before a comparison states: *cost* more than, *joined* before."""
        verb, said = self.words[piece.start - 1].low, self._measuring_verb(piece)
        begins, pair = family_stem(verb) in BEGINNING, interval_columns(self.view, self.base) or ()

        def states(column: Column) -> bool:
            starts = begins and (column in pair[:1] or is_beginning(column))
            starts |= is_time(self.view, column) and any(is_same_family(verb, word) for word in column.words)
            return good(column) and (starts or said in column_dimensions(column))

        found = self._only_one(states)
        if found is not None:
            self.query_.placed.add(piece.start - 1)
        return found

    def _more_than_named(self, n: int, piece: QueryPiece) -> None:
        """Add a condition: a value beyond that of a named row ("a higher bill than Nina", "more beds than Vik")."""
        noun = self._next(n, "column", gap=0)
        value = self._next(self.pieces.index(noun), "value", gap=1) if noun is not None else None
        if noun is None or value is None:
            return
        if "than" not in {w.low for w in self.words[noun.end : value.start]}:
            return
        named = {c.table: places for c, places, _ in value.tag.values if c.relation < 0}
        found = self.column(noun, lambda c: c.kind == "number" and c.table in named)
        if found is None:
            return
        piece.used = noun.used = value.used = True
        self.cost += found[1]
        self._add_beyond(found[0], ">" if piece.cue.value == "max" else "<", value, named[found[0].table])
