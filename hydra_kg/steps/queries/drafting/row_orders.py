"""Orders, superlatives, and the groups that they are about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from hydra_kg.extract.word_classes import BE, HAVE
from hydra_kg.language.morphology import singular
from hydra_kg.plan.query_wording import ENDS
from hydra_kg.steps.queries.drafting.column_values import ValuedPieces
from hydra_kg.steps.queries.drafting.comparable_columns import is_any, is_down, measured
from hydra_kg.steps.tables import costs
from hydra_kg.steps.tables.column_dimensions import column_dimensions
from hydra_kg.steps.tables.graph_tables import Column
from hydra_kg.steps.tables.operation_words import BEHIND, MERIT
from hydra_kg.steps.tables.question_spans import QueryPiece
from hydra_kg.steps.tables.span_meanings import same
from hydra_kg.steps.tables.table_query import RowCondition, TableQuery

_WITH: Final = frozenset("with has have having".split())
_THAT: Final = frozenset("that which who the".split())


class Orders(ValuedPieces):
    """Orders: the oldest, the three most expensive, sorted by name, with the most orders."""

    def _ordered(self) -> None:
        """Apply the words that order rows or limit their number."""
        query = self.query_
        if any(p.cue.say in ("top", "many", "most", "order") for p in self.pieces):
            for n, piece in enumerate(self.pieces):
                behind = self._next(n, "table", "column", "cue", gap=1) if piece.sort == "number" else None
                other = behind and behind.sort == "cue" and behind.cue.say not in ("top", "many", "most")
                if piece.used or other or self.words[piece.start].low in BEHIND:
                    continue
                size = self.words[piece.start].number or 0.0
                if behind is not None and 1 <= size <= 100 and size == int(size):
                    query.limit, piece.used = int(size), True
        for n, piece in enumerate(self.pieces):
            if piece.sort != "cue" or piece.used:
                continue
            say, value = piece.cue.say, piece.cue.value
            if say in ("top", "many", "max", "min") and self._nested(n, piece):
                continue
            if say == "limit":
                query.limit = int(self.words[piece.cue.end - 1].number or 1)
                query.down = True
                piece.used = True
            elif say == "order":
                self._order(n, piece)
            elif say == "row" and query.by is None:
                query.listed, query.down, query.limit, piece.used = True, value == "max", 1, True
            elif say == "adjacent":
                query.adjacent, piece.used = int(value), True
            elif say == "top":
                self._top(n, piece, value)
            elif say == "versus":
                self._versus(n, piece, value)
            elif say == "many":
                self._most(n, piece, value)
            elif say == "most":
                self._common(n, piece, value)
        for piece in self.pieces:
            if piece.cue.say == "nth" and query.limit == 1:
                query.nth, piece.used = int(piece.cue.value), True
                grouped = query.group is not None and query.by_count == self.base  # the third most common breed
                alone = all(p.sort != "table" or self._is_base(p) for p in self.pieces)
                if query.by_count >= 0 and not grouped and alone:
                    self.cost += costs.UNUSED_CONDITION  # the third most popular

    def _order(self, n: int, piece: QueryPiece) -> None:
        """Order rows by what "sorted by" is followed by: a measure, a sum, a count or a column."""
        query = self.query_
        piece.used = True
        if piece.cue.value == "desc":
            query.down = True
        if piece.cue.measures:
            if (found := self._by_measures(piece.cue.measures)) is not None:
                query.by, query.down = found[0], is_down("max" if query.down else "min", piece, found[0])
                self.cost += found[1]
            return
        counted = self._next(n, "cue", gap=2)
        if counted is not None and counted.cue.say == "sum":
            amount = self._next(self.pieces.index(counted), "column", gap=1)
            added = self.column(amount, lambda c: c.kind == "number") if amount is not None else None
            if added is None or amount is None:
                return
            query.by, query.by_sum = added[0], True
            self.cost += added[1]
            counted.used = amount.used = True
            self._summed_before(n)
            return
        if counted is not None and counted.cue.say == "count":
            at = self.pieces.index(counted)
            table, amount = self._next(at, "table", gap=1), self._next(at, "column", gap=1)
            counted.used = True
            number = self.column(amount, lambda c: c.kind == "number") if amount is not None else None
            if number is not None and amount is not None:
                query.by, amount.used = number[0], True
                self.cost += number[1]
                return
            if table is not None:
                table.used = True
                query.by_count = self._table(table)[0]
            else:
                query.by_count = self.base
            return
        column = self._next(n, "column", gap=2)
        if column is not None and query.by is None and (found := self.column(column)) is not None:
            query.by = found[0]
            self.cost += found[1]
            column.used = True
            again = self._next(self.pieces.index(column), "column", gap=0)
            if again is not None and self.words[again.start - 1].low == "and":
                again.used = True

    def _nested(self, n: int, piece: QueryPiece) -> bool:
        """Add a superlative on another table as a condition, if any: "the doctor of the *oldest* patient"."""
        owner = self._next(n, "table", gap=0) if piece.cue.say == "top" else None
        if owner is None:
            before = self.pieces[n - 1] if n else None
            between = {w.low for w in self.words[before.end : piece.start]} if before is not None else set()
            if before is None or before.sort != "table" or not between & _WITH or between - _WITH - _THAT:
                return False
            owner = before
        if owner.used or self._is_base(owner):
            return False
        table = self._table(owner)[0]
        behind = self._next(n, "column", gap=0) if owner.start < piece.start else None

        def good(column: Column) -> bool:
            return column.table == table and measured(0.5)(column) and column.words[-1] != "id"

        found = self.column(behind, good) if behind is not None else self._measure_in(table, piece.cue.measures)
        if found is None or table not in self.ways:
            return False
        column, order = found[0], "max" if piece.cue.say == "max" else "min"
        order = piece.cue.value if piece.cue.say in ("top", "many") else order
        inner = TableQuery(table, by=column, down=is_down(order, piece, column), limit=1)
        later = [c for c in self.query_.where if c.at > piece.start and not c.negated]
        self.query_.where = [c for c in self.query_.where if c not in later]
        inner.where = later
        text = f"the {ENDS[column.kind][inner.down]} {column.text}"
        self.query_.where.append(RowCondition(table, column, inner=inner, text=text, at=piece.start))
        self.cost += found[1]
        piece.used = owner.used = True
        if behind is not None:
            behind.used = True
        return True

    def _measure_in(self, table: int, measures: Sequence[str]) -> tuple[Column, float] | None:
        """Return the column of one table that a superlative measures, and its cost."""
        base, self.base = self.base, table
        try:
            found = self._by_measures(measures)
        finally:
            self.base = base
        return found if found is not None and found[0].table == table else None

    def _top(self, n: int, piece: QueryPiece, order: str) -> None:
        query = self.query_
        if query.by is not None or query.by_count >= 0 or query.listed:
            return
        behind = self._next(n, "column", gap=0)
        if behind is None and "@date" in piece.cue.measures and n == len(self.pieces) - 1:
            behind = self._previous(n, "column", gap=0)  # hired most recently
        said = (p for p in self.pieces[n + 1 :] if p.sort == "column" and self.words[p.start - 1].low == "by")
        happened = next(said, None)  # the biggest cities by area
        happened = happened or (self._happened(n) if behind is None and "@date" in piece.cue.measures else None)
        behind = happened or behind
        said_time = None
        if self.words[0].low == "when":
            said_time = self._said_time(behind, *self.pieces[n + 1 :])
            behind = happened = said_time or happened
        found = self._measured_by(behind)
        if found and piece.cue.measures == MERIT and all(same(m, w) == 1 for m in MERIT for w in found[0].words):
            return  # the best time may be the least
        if found and behind and (happened or self._asked_before(n) or behind.start < piece.start):
            behind.used = True
        else:
            found = self._compared_day(piece.cue.measures) or self._by_measures(piece.cue.measures)
            if found is not None:
                found = self._total_of(found[0]), found[1]  # the most expensive order
            if found is None and (later := self._next(n, "column", gap=1)) is not None:
                found = self._measured_by(later)
                later.used = found is not None and self._asked_before(n)
        table = self._next(n, "table", gap=0) if "size" in piece.cue.measures else None  # "tallest" is no amount
        if found is None and table is not None and self._is_base(table) and (amount := self._only_amount()) is not None:
            found = amount, costs.ONLY_NUMBER  # the largest order, of orders with a total
        if found is not None:
            query.by, query.down, query.limit = found[0], is_down(order, piece, found[0]), query.limit or 1
            if said_time is not None and not query.columns:
                query.columns = [found[0]]
                self.cost += costs.UNLIKE_ASKED if found[0].table != self.base else 0.0  # all times of that ferry
                first = self.pieces[0]  # "when" may mean a column of days
                first.used |= first.start == 0 and first.sort == "column"
            self.cost += found[1] + self._compares_other(behind)
            piece.used = True
            if self._measuring_verb(piece) in column_dimensions(found[0]):
                query.placed.add(piece.start - 1)  # takes the longest

    def _happened(self, n: int) -> QueryPiece | None:
        """Return the column behind the table that says what was first: the first driver who was *hired*."""
        table = self._next(n, "table", gap=0)
        column = self._next(self.pieces.index(table), "column", gap=2) if table is not None else None
        dated = column is not None and self.column(column, lambda c: c.kind == "date") is not None
        return column if dated and table is not None and self._is_base(table) else None

    def _compares_other(self, behind: QueryPiece | None) -> float:
        """Return the cost of ordering rows where the adjective is said of what they refer to: the largest *farm*."""
        found = self.column(behind) if behind is not None and not behind.used else None
        return costs.ORDERS_OTHER if found is not None and found[0].kind == "link" else 0.0

    def _measured_by(self, piece: QueryPiece | None) -> tuple[Column, float] | None:
        """Return the numeric column that a piece names, with its cost. Keys named only by their table are none."""
        if piece is None:
            return None
        return self.column(piece, lambda c: measured(0.5)(c) and not self._is_unsaid_key(piece, c))

    def _versus(self, n: int, piece: QueryPiece, order: str) -> None:
        """Order two named things: which is older, larger, has more beds, has more patients."""
        query = self.query_
        named = [c for c in query.where if c.column is not None and c.column.relation < 0 and c.places is not None]
        several = [c for c in named if c.places is not None and len(c.places) > 1 and c.table == self.base]
        if not several:
            self._more_rows(n, piece, order)
            return
        behind = None if piece.cue.measures else self._next(n, "column", "table", gap=0)
        if behind is not None and behind.sort == "table" and not self._is_base(behind):
            table, cost = self._table(behind)
            query.by_count, query.down, query.limit = table, order == "max", 1
            self.based = piece.used = behind.used = True
            self.cost += cost
            return
        number = (lambda c: c.kind == "number") if behind is not None else is_any
        found = self.column(behind, number) if behind is not None else self._by_measures(piece.cue.measures)
        if found is None:
            return
        if behind is not None:
            behind.used = True
        query.by, query.down, query.limit = found[0], is_down(order, piece, found[0]), 1
        self.based = piece.used = True
        self.cost += found[1]

    def _more_rows(self, n: int, piece: QueryPiece, order: str) -> None:
        """Order two values of a column by their rows: who directed more films, of a table of films."""
        query, behind = self.query_, self._next(n, "table", gap=0)
        values = [c for c in query.where if c.table == self.base and c.column is not None and c.column.relation >= 0]
        chosen = next((c for c in values if c.places is not None and len(c.places) > 1 and not c.negated), None)
        if piece.cue.measures or behind is None or not self._is_base(behind) or chosen is None:
            return
        query.group, query.by_count, query.down, query.limit = chosen.column, self.base, order == "max", 1
        self.based = piece.used = behind.used = True
        for one in self.pieces:
            if chosen.column in {c for c, _ in one.tag.columns}:
                one.used = True

    def _asked_before(self, n: int) -> bool:
        """Return True if what is asked for precedes a place."""
        return any(p.sort in ("column", "table") and not p.used for p in self.pieces[:n])

    def _most(self, n: int, piece: QueryPiece, order: str) -> None:
        query = self.query_
        if query.by is not None or query.by_count >= 0:
            return
        behind = self._next(n, "table", "column", gap=1)
        last = all(p.sort == "cue" for p in self.pieces[n + 1 :])
        behind = behind or (self._previous(n, "column", gap=0) if last else None)  # earns the least
        if behind is None and last and (done := self._previous(n, "table", gap=0)) is not None:
            behind = done if self.words[done.start - 1].low in BE | HAVE else None  # was rented the most
        if behind is None:
            return
        if behind.sort == "column":
            found = self.column(behind, lambda c: self._is_list(c) or (c.kind == "number" and c.words[-1] != "id"))
            if found is not None:
                query.by_values = self._is_list(found[0])
                query.by, query.down, query.limit = found[0], order == "max", query.limit or 1
                query.by_sum = found[0].table != self.base
                self.cost += found[1]
                piece.used = behind.used = True
                if not query.by_sum:
                    self._summed_before(n)
                return
            if (other := self.column(behind)) is None:
                return
            table = other[0].table if other[0].table != self.base else (other[0].to or (self.base,))[0]
        else:
            table = self._table(behind)[0]
            if (amount := self._amount(table, behind)) is not None:
                query.by, query.down, query.limit = amount, order == "max", query.limit or 1
                query.by_sum = table != self.base
                piece.used = behind.used = True
                return
        query.by_count, query.down, query.limit = table, order == "max", query.limit or 1
        piece.used = behind.used = True
        if table == self.base:
            self._group_before(n)

    def _summed_before(self, n: int) -> None:
        """Group by the column named right before, and add up its rows.

        "The film with the most tickets", of a table of shows, asks for the tickets of each film in all. "Who manages
        the farm with the most hectares" does not ask for the hectares of each manager.
        """
        for piece in reversed(self.pieces[:n]):
            if piece.sort == "table" and self._is_base(piece):
                return
            piece.used |= self.query_.by in dict(piece.tag.columns)
            if piece.sort not in ("column", "table") or piece.used:
                continue  # which play *sold* the most tickets, of a column "tickets sold"
            found = self.column(piece, lambda c: c.table == self.base)
            if found is not None and found[0].kind == "date":
                continue  # which pub *ordered* the most kegs, of a column "ordered on"
            if found is not None and not self._unique(found[0]) and found[0].kind in ("link", "text"):
                self.query_.group, self.query_.by_sum, piece.used = found[0], True, True
                self.cost += found[1]
            return

    def _group_before(self, n: int, *, of_several: bool = False) -> None:
        for piece in self.pieces[:n]:
            if piece.sort == "column" and not piece.used and (found := self.column(piece)) is not None:
                if of_several and self._unique(found[0]):
                    return
                itself = found[0].kind == "link" and self.base in found[0].to and found[0].table != self.base
                self.query_.group = self.view.name_of(found[0].table) if itself else found[0]
                self.cost += found[1]
                piece.used = True
                return
        tables = (p for p in self.pieces[:n] if p.sort == "table" and not p.used and not self._is_base(p))
        if (table := next(tables, None)) is not None:
            self.query_.group, table.used = self.view.name_of(self._table(table)[0]), True
            return
        self.query_.group = self.query_.group or self._find_subject()

    def _common(self, n: int, piece: QueryPiece, order: str) -> None:
        """Order groups by their number of rows: "the most common colour", "which city is most often named"."""
        query = self.query_
        behind = self._next(n, "column", gap=1)
        often = behind is None and self.words[piece.end - 1].low in ("often", "frequently", "commonly")
        if often:
            self._group_before(n, of_several=True)
            if query.group is not None:
                query.by_count, query.down, query.limit = self.base, order == "max", query.limit or 1
                piece.used = True
                return
        first = next((p for p in self.pieces[:n] if p.sort == "column" and not p.used), None) if often else None
        one = behind or first or self._previous(n, "column", gap=4)
        if often and one is not None and self._order_by_times(one, order):
            piece.used = one.used = True
            return
        if one is None or (found := self.column(one)) is None:
            if (table := self._next(n, "table", gap=1)) is not None and self._is_base(table):
                others = [p for p in self.pieces if p.sort == "table" and not self._is_base(p)]
                repeated = self._table(others[0])[0] if others else self._repeated(0)
                if repeated is None:
                    return
                query.by_count = repeated
                for p in others[:1]:
                    p.used = True
                query.down, query.limit, piece.used = order == "max", query.limit or 1, True
            return
        if found[0].table == self.base and self._unique(found[0]):
            others = [p for p in self.pieces if p.sort == "table" and not self._is_base(p)]
            counted = self._table(others[0])[0] if others else self._repeated(0)
            if counted is None:
                return
            query.by_count, query.columns = counted, [found[0]]
            for p in others[:1]:
                p.used = True
        else:
            query.group, query.by_count = found[0], self.base
        query.down, query.limit = order == "max", query.limit or 1
        self.cost += found[1]
        piece.used = one.used = True

    def _amount(self, table: int, piece: QueryPiece) -> Column | None:
        """Return the numeric column that is called like its table, as in "degrees conferred".

        There is none if the column counts rows, within groups or in all, or if the table has two names and only the
        other one is said.
        """
        names = self.view.tables[table].names
        said = {singular(w.low) for w in self.words[piece.start : piece.end]}
        nouns = {w for n in names if len(names) == 1 or said & set(n) for w in n}
        fits = [c for c in self.view.columns if c.table == table and c.kind == "number" and set(c.words) <= nouns]
        return fits[0] if fits and not (self._counts_within_groups(fits[0]) or self._is_ordinal(fits[0])) else None

    def _counts_within_groups(self, column: Column) -> bool:
        """Return True if a column counts 1, 2, … up to some number, none of them more often than the one before."""
        ends = self.view.graph.relations[column.relation].there
        numbers = self.view.graph.numbers[ends.end[ends.rows(self.view.rows(column.table))]]
        values, times = np.unique(numbers[~np.isnan(numbers)], return_counts=True)
        return bool(len(values) and (values == np.arange(1, len(values) + 1)).all() and (np.diff(times) <= 0).all())
