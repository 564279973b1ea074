"""Superlatives of a mean: the recipe with the highest average rating, rated lowest on average."""

from __future__ import annotations

from hydra_kg.steps.queries.measures import is_down
from hydra_kg.steps.queries.missing_conditions import MissingPieces
from hydra_kg.steps.tables import costs
from hydra_kg.steps.tables.segments import QueryPiece
from hydra_kg.steps.tables.view import Column


class AveragedPieces(MissingPieces):
    """Groups that are ordered by the mean or the median of a column over their rows."""

    def _order_by_mean(self) -> None:
        """Group by the noun asked for, and order the groups by the mean that a superlative and "average" compare."""
        query = self.query_
        order, mean = self._cues_of_mean()
        if order is None or mean is None or order.cue is None or query.columns or query.group is not None:
            return
        group = self._group_asked(self.pieces.index(order))
        measure = self._averaged(order, mean, group[1]) if group is not None else None
        if group is None or measure is None or mean.cue is None:
            return
        column, cost, said = measure
        value = order.cue.value if order.cue.say == "top" else order.cue.say
        query.do, query.columns, query.group = mean.cue.say, [column], group[0]  # type: ignore[assignment]
        query.by, query.down, query.limit = column, is_down(value, order, column), query.limit or 1
        self.based = order.used = mean.used = said.used = group[1].used = True
        self.cost += cost

    def _cues_of_mean(self) -> tuple[QueryPiece | None, QueryPiece | None]:
        """Return the pieces of the superlative and of "average" right behind it or at the end of the question."""
        for n, piece in enumerate(self.pieces):
            if piece.cue is None or piece.used or piece.cue.say not in ("max", "min", "top"):
                continue
            for mean in self.pieces[n + 1 : n + 3]:
                if mean.cue is not None and mean.cue.say in ("avg", "median") and not mean.used:
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
            named = self._next(self.pieces.index(piece), "column", gap=1)
            if named is not None and (found := self.column(named, self._is_amount)) is not None:
                return *found, named
        place = self.pieces.index(order)
        measures = order.cue.measures if order.cue is not None else ()
        rows = self._next(place, "table", gap=0) if measures else self.pieces[place - 1]
        if rows is None or rows is group or rows.sort != "table":
            return None
        table = self._table(rows)[0]
        if measures:
            measured = self._measure_in(table, measures)
            return (*measured, rows) if measured is not None else None
        amounts = [c for c in self.view.of_table(table) if self._is_amount(c)]
        return (amounts[0], costs.ONLY_NUMBER, rows) if len(amounts) == 1 and table in self.ways else None
