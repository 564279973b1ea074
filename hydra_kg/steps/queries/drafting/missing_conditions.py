"""Conditions on what rows lack, have, or have too late: never admitted, borrowed, out of stock, overdue."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import replace
from datetime import date
from typing import Final

import numpy as np

from hydra_kg.domain import Ids
from hydra_kg.execution.graph_columns import NO_PLACES
from hydra_kg.execution.own_graph import number
from hydra_kg.extract.word_classes import BE, DO, VERB, kind
from hydra_kg.steps.queries.drafting.row_orders import Orders
from hydra_kg.steps.tables import costs
from hydra_kg.steps.tables.graph_tables import Column
from hydra_kg.steps.tables.operation_words import LATE, OVERRUN, PENDING, asks_who
from hydra_kg.steps.tables.question_spans import UNUSED, QueryPiece
from hydra_kg.steps.tables.span_meanings import KEY_WORDS
from hydra_kg.steps.tables.table_paths import ways
from hydra_kg.steps.tables.table_query import RowCondition
from hydra_kg.steps.tables.time_columns import deadline_columns, is_later
from hydra_kg.util.number_columns import in_first

_LACKING: Final = ("no", "without", "any")
"""Words before what is missing: boats without an owner."""


_NEAR: Final = 4
"""Most words between "late" and the verb whose date it compares."""


class MissingPieces(Orders):
    """Conditions that a column after a denial states."""

    def _never(self, place: int, piece: QueryPiece) -> bool:
        """Return True if a column right after a denial says what is missing or never happened: no owner.

        Numbers that are missing count only if none is 0: a product with no stock has a stock of 0.
        """
        before = self.pieces[place - 1] if place else None
        denial = before is not None and before.cue.say == "not" and not before.used
        if not denial or before is None or self._next(place, "value", "number", "text"):
            return False
        lacking = any(w.low in _LACKING for w in self.words[before.start : piece.start])
        if self._gap(before, piece) > lacking:  # not in *any* play
            return False
        found = self.column(piece)
        if found is None:
            return False
        column, table = found[0], found[0].table
        lacks = column.table == self.base and lacking and not self._has_zero(column)
        done = column.kind == "link" and column.table == self.base and self.words[piece.start].low.endswith("ed")
        blank = self._blank_rows(column.to)
        gaps = column.kind == "date" or lacks or done  # shows that are not sponsored
        gaps = gaps and (len(blank) > 0 or self._has_gaps(column))
        if not gaps and (table == self.base or self.view.tables[self.base].nameless):
            return False
        self.cost += found[1]
        text = self.view.tables[table].text
        missing = RowCondition(table, column, missing=True, text=column.text, at=piece.start)
        if len(blank):
            alike = RowCondition(table, column, places=blank, text=f"{column.text} without a name", at=piece.start)
            missing = replace(missing, either=(alike,), text=f"{missing.text} or {alike.text}")
        never = any(w.low == "never" for w in self.words[before.start : before.end])
        if never and gaps and column.kind == "date":  # a field that was never harvested has no row with such a day
            others = table == self.base and any(c.kind == "link" for c in self.query_.columns)
            self.cost += costs.BASE_DENIED if others else 0.0
            missing = missing if table == self.base else RowCondition(table, column, low=0.0, negated=True, text=text)
        self.query_.where.append(missing if gaps else RowCondition(table, negated=True, text=text))
        if column.kind == "link" and self.base in column.to:  # who never attended one, not who never taught one
            self._follow(column)
        before.used = piece.used = True
        return True

    def _has_occurred(self, piece: QueryPiece) -> bool:
        """Return True for a verb that a date states of rows that are met: who *borrowed* a tool, of "borrowed on".

        These rows are meant, or on the way to what the question names; not the author of a book that was borrowed.
        If some rows lack the date of an end, those that have it are meant: who *returned* it.
        """
        query, found, first = self.query_, self.column(piece), self.words[0].low
        asked = first in ("which", "how") and (self.based or query.columns or query.group)
        asked = asked or asks_who(self.words) or first in ("why", "where")
        asked = asked or (first == "what" and (self.words[piece.start - 1].low in BE or self.words[1].low in DO))
        tables = [query.by_count, *(c.table for c in query.where), *(c.table for c in query.columns)]
        met = {self.base, *(join.end for t in tables for join in self.ways.get(t, (0.0, ()))[1])}
        if not asked or found is None or found[0].table not in met or not self._states_event(piece, found[0]):
            return False
        column, gaps = found[0], self._has_gaps(found[0])
        if gaps and not is_later(column.words):
            return False  # a letter without a date was written, too
        piece.used = True
        if gaps and all(c.column != column for c in query.where):
            self._add(RowCondition(column.table, column, missing=True, negated=True, text=column.text, at=piece.start))
        return True

    def _states_event(self, piece: QueryPiece, column: Column) -> bool:
        """Return True for a verb whose day a column states: *borrowed*, of a column "borrowed on" of loans."""
        verb = kind(self.words[piece.start].low) == VERB or self.words[piece.start].low.endswith("ed")
        return (verb or any(w.low in DO for w in self.words[: piece.start])) and column.kind == "date"

    def _follow(self, column: Column) -> None:
        """Take the way over a reference that the question names."""
        self.query_.prefer[column.relation] = costs.STEP_NAMED
        self.ways = ways(self.view, self.base, self.query_.prefer)

    def _unused(self) -> None:
        """Add the condition that no row of the only table that refers to the base does so: an *empty* stall."""
        cue = next((p for p in self.pieces if p.cue.say == UNUSED), None)
        referring = {j.end for j in self.view.joins.get(self.base, ()) if not j.forward and j.end != self.base}
        if cue is None or len(referring) != 1 or not any(p.sort == "table" and self._is_base(p) for p in self.pieces):
            return
        table = referring.pop()
        self.query_.where.append(RowCondition(table, negated=True, text=self.view.tables[table].text))
        cue.used = True

    def _compare_deadlines(self) -> None:
        """Compare the date that was promised with the one that fulfilled it: *overdue* loans, those returned *late*.

        What is late without a word of when it was fulfilled may also be overdue: promised for a day that has passed.
        """
        n = next((n for n, p in enumerate(self.pieces) if p.cue.say in (LATE, OVERRUN)), -1)
        if n < 0:
            self._pending()
            return
        piece, named = self.pieces[n], dict[Column, QueryPiece]()
        for one in self.pieces:
            named |= {c: one for c, _ in one.tag.columns} if one.sort == "column" else {}
        nearest = -1 if piece.cue.value == "overdue" else 1  # "overdue" says all by itself
        far = _NEAR if piece.cue.say == OVERRUN else nearest
        near = {c for c, one in named.items() if self._gap(piece, one) <= far}
        pairs = self._deadlines(named, near)
        chosen = [pair for pair in pairs if pair[1] in named] or [pair for pair in pairs if pair[0] in named] or pairs
        if len(chosen) != 1:
            return
        (promised, done), how = chosen[0], piece.cue.value
        said = named.get(done) if self.words[0].low != "when" else None
        for other in (said, named.get(promised)):
            if other is not None and self._gap(piece, other) <= _NEAR:
                other.used = True
        piece.used = self.query_.beyond_sheets = True
        if piece.cue.say == OVERRUN:
            self.query_.overrun, self.based = (done, promised) if how == ">" else (promised, done), True
            self.query_.columns = [done]
            return
        if self._denied(n):
            how = {">": "<=", "<=": ">"}.get(how, "")
        if how == "overdue" or (how == ">" and said is None):
            today = date.today().isoformat()
            before = number(today) - costs.INSTANT
            past = RowCondition(promised.table, promised, high=before, text=f"{promised.text} < {today}, today")
            self._add(replace(past, at=piece.start))
        if how:
            self._add(_late_condition(how, promised, done, piece.start, is_done=said is not None))
        else:
            self.cost += costs.UNUSED_CONDITION

    def _pending(self) -> None:
        """Select the rows that are not fulfilled yet, for "who *still has* a book": loans that were not returned."""
        piece = next((p for p in self.pieces if p.cue.say == PENDING), None)
        if piece is None:
            return
        pairs = [pair for table in self.ways for pair in deadline_columns(self.view, table, ())]
        if len(pairs) != 1:
            self.cost += costs.UNUSED_CONDITION
            return
        done = pairs[0][1]
        self._add(RowCondition(done.table, done, missing=True, text=f"no {done.text}", at=piece.start))
        piece.used = self.query_.beyond_sheets = True

    def _deadlines(self, named: Container[Column], near: Container[Column]) -> list[tuple[Column, Column]]:
        """Return the pairs of dates of the base, else of the only other table that the question or its dates name.

        If it names none and the base has no dates, the only table with such dates is meant. ``near``: dates that the
        question names right before or behind "late".
        """
        if own := deadline_columns(self.view, self.base, near):
            return own
        dated = any(c.kind == "date" for c in self.view.of_table(self.base))
        said = {t for p in self.pieces if p.sort == "table" for t, _ in p.tag.tables}
        every = [pairs for table in self.ways if (pairs := deadline_columns(self.view, table, near))]
        found = [p for p in every if p[0][0].table in said or any(c in named for pair in p for c in pair)]
        found = found or ([] if dated else every)
        return found[0] if len(found) == 1 else []

    def _has_gaps(self, column: Column) -> bool:
        """Return True if a column is empty in some rows: loans that were not returned."""
        rows = self.view.rows(column.table)
        return bool(np.setdiff1d(rows, self.view.graph.relations[column.relation].there.start).size)

    def _blank_rows(self, tables: Sequence[int]) -> Ids:
        """Return the few rows of tables of which nothing but the key is stated: publisher 1."""
        graph, found = self.view.graph, list[int]()
        for table in (self.view.tables[t] for t in tables):
            own = [c for c in self.view.of_table(table.place) if c.relation >= 0]
            keys = [graph.relations[c.relation].there for c in own if c.words[-1] in KEY_WORDS]
            stated = [graph.relations[c.relation].there.start for c in own if c.words[-1] not in KEY_WORDS]
            rest = in_first(table.rows, np.unique(np.concatenate([NO_PLACES, *stated])))
            key = {p: graph.name(e) for k in keys for p, e in zip(k.start.tolist(), k.end.tolist(), strict=True)}
            blank = [p for p in rest.tolist() if graph.name(p) == f"{table.text} {key.get(p)}"]
            found += blank if 2 * len(blank) < len(table.rows) else []
        return np.array(sorted(found), np.int64)

    def _has_zero(self, column: Column) -> bool:
        """Return True if some row has a 0 in a column."""
        ends = self.view.graph.relations[column.relation].there
        return bool((self.view.graph.numbers[ends.end[ends.rows(self.view.rows(column.table))]] == 0).any())

    def _in_stock(self, place: int, piece: QueryPiece) -> bool:
        """Return True if none or some of a column of numbers is meant: out of stock, without goals, in stock."""
        before = self.pieces[place - 1] if place else None
        denied = before is not None and before.cue.say == "not" and not before.used
        if denied and before is not None and self._gap(before, piece):
            denied = False
        lows = [w.low for w in self.words[max(0, piece.start - 2) : piece.start]]
        some = lows[-1:] == ["in"] and (lows[0] in BE | {"still"} or self._behind_base(place))
        if not (denied or some) or self._next(place, "value", "number", "text", "table"):
            return False
        found = self.column(piece, lambda c: c.kind == "number" and not self._is_ordinal(c))
        if found is None:
            return False
        column, cost = found
        low, high = (0.0, 0.0) if denied else (1e-9, float("inf"))
        text = f"{column.text} {'= 0' if denied else '> 0'}"
        self.query_.where.append(RowCondition(column.table, column, low=low, high=high, text=text, at=piece.start))
        self.cost += cost
        piece.used = True
        if denied and before is not None:
            before.used = True
        return True

    def _behind_base(self, place: int) -> bool:
        """Return True if the table that is asked about directly precedes a piece."""
        before = self.pieces[place - 1] if place else None
        return before is not None and before.sort == "table" and self._is_base(before)


def _late_condition(how: str, promised: Column, done: Column, at: int, *, is_done: bool) -> RowCondition:
    """Return the condition that a date is beyond the promised one as ``how`` says, or missing for "overdue".

    ``is_done``: whether the question says that it was done, so that what is not done yet is not late.
    """
    missing = RowCondition(done.table, done, missing=True, text=f"no {done.text}")
    if how == "overdue":
        return missing
    text, infinite = f"{done.text} {how} {promised.text}", float("inf")
    if how == ">":
        late = RowCondition(done.table, done, low=0.0, high=infinite, other=promised, text=text, at=at)
        return late if is_done else replace(late, either=(missing,), text=f"{text} or {missing.text}")
    early = RowCondition(done.table, done, low=-infinite, high=0.0, other=promised, text=text, at=at)
    if how == "<":
        return early
    same = replace(early, low=0.0, text=f"the same as {promised.text}")
    return replace(early, either=(same,), text=f"{text} or {same.text}")
