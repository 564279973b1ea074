"""Conditions on how many rows belong to what is asked for: with two teams, in multiple years, at least twice."""

from __future__ import annotations

from dataclasses import replace

from hydra_kg.steps.queries.phrase_meanings import Pieces
from hydra_kg.steps.tables.question_spans import QueryPiece
from hydra_kg.steps.tables.table_query import RowCondition


class CountedPieces(Pieces):
    """Numbers of rows: multiple jobs, two teams, at least 2 orders."""

    def _repeatedly(self, n: int, piece: QueryPiece) -> None:
        """Add the condition of more than one row: "multiple jobs"."""
        behind = self._next(n, "table", gap=1)
        if behind is not None and self._is_base(behind):
            self.query_.having = (">", 1.0)
            piece.used = behind.used = True
            return
        table = self._table(behind)[0] if behind is not None else self._repeated(n)
        if table is not None:
            self._add(RowCondition(table, count=(">", 1.0), text="more than one"))
            piece.used = True
            if behind is not None:
                behind.used = True

    def _exactly_so_many(self, n: int, piece: QueryPiece, rows: QueryPiece) -> None:
        """Add the condition of so many rows: coaches with *two teams*."""
        value = self.words[piece.start].number
        if value is None or value < 1 or value != int(value):
            return
        if self._is_base(rows):
            self.query_.having = ("=", value)
            piece.used = rows.used = True
        else:
            self._number_of_rows(n, piece, piece, rows, RowCondition(-1, count=("=", value), high=value))

    def _is_often(self, bound: QueryPiece) -> bool:
        """Return True if a number says how often: "twice", "3 times"."""
        if self.words[bound.start].low in ("once", "twice", "thrice"):
            return True
        return bound.end < len(self.words) and self.words[bound.end].low in ("time", "times")

    def _number_of_rows(
        self, n: int, piece: QueryPiece, bound: QueryPiece, rows: QueryPiece | None, condition: RowCondition
    ) -> None:
        """Add a condition on the number of rows of a table that belong to each row: "with at least 2 orders"."""
        table = self._table(rows)[0] if rows is not None else self._repeated(n)
        if table is None:
            return
        how, value = condition.count
        self._add(replace(condition, table=table, negated=self._denied(n), text=f"{how} {value:g}"))
        piece.used = bound.used = True
        if rows is not None:
            rows.used = True
