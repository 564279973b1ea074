"""Groups by the mean, the median or the sum of a column over their rows: ordered by it, or those within a bound.

Examples: the recipe with the highest average rating, rated lowest on average, carriers with a mean time above 4 days.
"""

from __future__ import annotations

from typing import Final

from hydra_kg.steps.queries.drafting.comparable_columns import bound_of, is_down
from hydra_kg.steps.queries.drafting.missing_conditions import MissingPieces
from hydra_kg.steps.tables import costs
from hydra_kg.steps.tables.column_dimensions import column_dimensions, converted
from hydra_kg.steps.tables.graph_tables import Column
from hydra_kg.steps.tables.question_spans import QueryPiece

_MEANS: Final = ("avg", "median")
_NEAR: Final = 3
"""Pieces between a comparison and "average" or "in total"."""


class AveragedPieces(MissingPieces):
    """Groups that are ordered by what is computed of their rows, or compared with a number."""

    def _order_by_mean(self) -> None:
        """Group by the noun asked for, and order the groups by the mean that a superlative and "average" compare."""
        query = self.query_
        order, mean = self._cues_of_mean()
        if order is None or mean is None or query.columns or query.group is not None:
            return
        group = self._group_asked(self.pieces.index(order))
        measure = self._averaged(order, mean, group[1]) if group is not None else None
        if group is None or measure is None:
            return
        column, cost, said = measure
        value = order.cue.value if order.cue.say == "top" else order.cue.say
        query.do, query.columns, query.group = mean.cue.say, [column], group[0]  # type: ignore[assignment]
        query.by, query.down, query.limit = column, is_down(value, order, column), query.limit or 1
        self.based = order.used = mean.used = said.used = group[1].used = True
        self.cost += cost

    def _bound_groups(self) -> None:
        """Group by the noun asked for, and take those whose mean or sum is within a bound: a mean price above 5."""
        query = self.query_
        for n, compare in enumerate(self.pieces):
            bound = self._next(n, "number", gap=2) if compare.cue.say == "compare" else None
            near = self.pieces[max(0, n - _NEAR) : n + _NEAR + 2]
            computed = next((p for p in near if p.cue.say in (*_MEANS, "sum")), None)
            if bound is None or computed is None or compare.cue.value == "><":
                continue
            group = self._group_asked(min(n, self.pieces.index(computed)))
            if group is None:
                return
            measure = self._averaged(compare, computed, group[1]) or self._averaged(bound, computed, group[1])
            measure = measure or self._of_dimension(compare, bound)
            if measure is None or measure[0] == group[0]:
                return
            column, cost, said = measure
            value = self._in_unit_of(column, bound)
            if value is None:
                return
            query.do, query.columns, query.group = computed.cue.say, [column], group[0]  # type: ignore[assignment]
            query.bound = (compare.cue.value, value)
            counting = self._previous(self.pieces.index(group[1]), "cue", gap=0)
            if counting is not None and counting.cue.say == "count":
                query.counts_groups = counting.used = True
            self.based = compare.used = computed.used = bound.used = said.used = group[1].used = True
            self.cost += cost
            return

    def _of_dimension(self, compare: QueryPiece, bound: QueryPiece) -> tuple[Column, float, QueryPiece] | None:
        """Return the only column that the unit of a number or a verb can mean: stayed more than 5 *days* on average."""
        unit = self._unit_of(self.pieces.index(bound))
        dimension = unit.cue.value if unit is not None else self._measuring_verb(compare)
        only = self._only_one(lambda c: dimension in column_dimensions(c)) if dimension else None
        self.query_.placed |= {compare.start - 1} if only is not None and unit is None else set()
        return (*only, bound) if only is not None else None

    def _in_unit_of(self, column: Column, bound: QueryPiece) -> float | None:
        """Return a number in the unit of a column, or None if it has another one."""
        unit, value = self._unit_of(self.pieces.index(bound)), bound_of(self.words[bound.start])
        if unit is None:
            return value
        unit.used = unit.cue.value in column_dimensions(column)
        return converted(value, self.words[unit.start].low, column) if unit.used else None

    def _cues_of_mean(self) -> tuple[QueryPiece | None, QueryPiece | None]:
        """Return the pieces of the superlative and of "average" right behind it or at the end of the question."""
        for n, piece in enumerate(self.pieces):
            if piece.used or piece.cue.say not in ("max", "min", "top"):
                continue
            for mean in self.pieces[n + 1 : n + 3]:
                if mean.cue.say in _MEANS and not mean.used:
                    return piece, mean
        return None, None

    def _group_asked(self, end: int) -> tuple[Column, QueryPiece] | None:
        """Return the column for each value of which the mean is taken, and the piece that says it."""
        for piece in self.pieces[:end]:
            if piece.used or piece.sort not in ("table", "column"):
                continue
            if piece.sort == "table":
                table = self._table(piece)[0]
                return (self.view.name_of(table), piece) if not self.view.tables[table].nameless else None
            found = self.column(piece)
            return (found[0], piece) if found is not None else None
        return None

    def _averaged(
        self, order: QueryPiece, mean: QueryPiece, group: QueryPiece
    ) -> tuple[Column, float, QueryPiece] | None:
        """Return the column whose mean is compared, its cost, and the piece that says it.

        It is named behind one of the two words, is measured by the adjective (the *longest* lessons), or is the only
        amount of a table that a verb names (*rated* highest).
        """
        for piece in (mean, order):
            place = self.pieces.index(piece)
            owner = self._next(place, "table", gap=0)  # the average product price
            named = self._next(place + (owner is not None), "column", gap=1)
            if named is not None and (found := self.column(named, self._is_amount)) is not None:
                return *found, named
        place = self.pieces.index(order)
        measures = order.cue.measures
        rows = self._next(place, "table", gap=0) if measures else self.pieces[place - 1]
        if rows is None or rows is group or rows.sort != "table":
            return None
        table = self._table(rows)[0]
        if measures:
            measured = self._measure_in(table, measures)
            return (*measured, rows) if measured is not None else None
        amounts = [c for c in self.view.of_table(table) if self._is_amount(c)]
        return (amounts[0], costs.ONLY_NUMBER, rows) if len(amounts) == 1 and table in self.ways else None
