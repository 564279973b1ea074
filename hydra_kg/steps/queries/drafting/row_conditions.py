"""Conditions on other rows and columns: with two teams, at least twice, cheaper than Salt, the same in two."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from hydra_kg.language.lexicon import list_words
from hydra_kg.language.morphology import singular
from hydra_kg.steps.queries.drafting.phrase_meanings import Pieces
from hydra_kg.steps.tables import costs
from hydra_kg.steps.tables.graph_tables import Column, is_of_people
from hydra_kg.steps.tables.question_spans import QueryPiece
from hydra_kg.steps.tables.span_meanings import NO_TAG
from hydra_kg.steps.tables.table_query import RowCondition

STATED: Final = list_words("stated_count") | {"in"}
"""Words of the heading of a column that says how many there are of each row."""
STOCK: Final = "stock"
DIFFERENT: Final = list_words("different")
_DEALING: Final = frozenset("sell sold buy bought".split())


class CountedPieces(Pieces):
    """Numbers of rows: multiple jobs, two teams, at least 2 orders."""

    def _find_dealt(self, *tables: int) -> Column | None:
        """Return the only column that says how many each row is of, if a question is on what was sold or bought.

        It is a column of some tables, or of the base if it refers to one: sales of plants with a quantity each. The
        verb is then used.
        """
        verbs = {k for k, w in enumerate(self.words) if singular(w.low) in _DEALING}
        near = {*tables}.union(c.table for c in self.view.of_table(self.base) if not {*tables}.isdisjoint(c.to))
        counts = [c for c in self.view.columns if c.table in near and c.kind == "number"]
        fits = [c for c in counts if STATED.issuperset(c.words) and STOCK not in c.words]
        if not verbs or len(fits) != 1 or not DIFFERENT.isdisjoint(w.low for w in self.words):
            return None
        self.query_.placed |= verbs
        for piece in self.pieces:
            if verbs.issuperset(range(piece.start, piece.end)):
                piece.used, piece.sort, piece.tag = True, "text", NO_TAG  # no column near to "sold" is meant
        return fits[0]

    def _dealt_most(self, n: int) -> tuple[Column, float] | None:
        """Return the quantity that was sold or bought the most, of what the question names behind, or of the base."""
        behind = self._next(n, "table", "column", gap=1)
        tags = [] if behind is None else [behind.tag]
        named = {t for tag in tags for t, _ in tag.tables} | {t for tag in tags for c, _ in tag.columns for t in c.to}
        dealt = self._find_dealt(*(named or {self.base, *self._referring()}))
        if dealt is not None and behind is not None:
            behind.used = True
        return (dealt, 0.0) if dealt is not None else None

    def _referring(self) -> set[int]:
        """Return the tables whose rows refer to the base."""
        return {join.end for join in self.view.joins.get(self.base, ()) if not join.forward}

    def _repeatedly(self, n: int, piece: QueryPiece) -> None:
        """Add the condition of more than one row, "multiple jobs", or of more than one value: "several phones"."""
        behind = self._next(n, "table", gap=1)
        listed = self._next(n, "column", gap=0) if behind is None else None
        if listed is not None and self.words[piece.end - 1].low != "once":
            self._so_many_values(piece, listed, (">", 1.0))
            return
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

    def _so_many_values(
        self, piece: QueryPiece, listed: QueryPiece, count: tuple[str, float], high: float = 0.0
    ) -> None:
        """Add the condition of so many values of a column that may have several for a row: more than one phone."""
        column, cost = self.column(listed) or (None, 0.0)
        if column is None or column.relation < 0 or (column.table == self.base and not self._is_list(column)):
            return
        if column.table != self.base and self._is_amount(column):
            return  # more than 5 hectares
        text = f"{count[0]} {count[1]:g} {column.text}"
        self._add(
            RowCondition(
                column.table, column, count=count, high=high, negated=self._denied(self.pieces.index(piece)), text=text
            )
        )
        self.cost += cost
        piece.used = listed.used = True

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


class RelatedPieces(CountedPieces):
    """Comparisons with named rows, and of two columns: cheaper than Salt, closed after its due date."""

    def _equal_columns(self) -> None:
        """Add a condition: two columns of a row state the same: hosted and produced by the *same* person."""
        same = next((k for k, w in enumerate(self.words) if w.low == "same" and not w.named), None)
        if same is None:
            return
        pieces = [p for p in self.pieces if p.sort == "column" and not p.used and p.end <= same][-2:]
        found = [self.column(p, lambda c: c.table == self.base and c.kind in ("link", "text")) for p in pieces]
        columns = [one[0] for one in found if one is not None]
        if len(columns) < 2 or columns[0] == columns[1] or columns[0].to != columns[1].to:
            self.cost += costs.UNUSED_CONDITION
            return
        self._require_equal(columns)
        self.query_.beyond_sheets = True
        for piece in (*pieces, *(p for p in self.pieces if p.start == same + 1)):
            piece.used = True

    def _require_equal(self, columns: Sequence[Column]) -> None:
        """Add the condition that two columns of a row state the same."""
        text = f"{columns[0].text} is {columns[1].text}"
        self._add(RowCondition(columns[0].table, columns[0], low=0.0, high=0.0, other=columns[1], text=text))

    def _compare_columns(self, n: int, piece: QueryPiece, how: str) -> None:
        """Add a condition: beyond another column of the same row ("closed after its due date")."""
        sides = self._previous(n, "column", gap=1), self._next(n, "column", gap=1)
        one, other = (self.column(side, self._is_compared) if side is not None else None for side in sides)
        if one is None or other is None or one[0].kind != other[0].kind or one[0] == other[0] or how not in (">", "<"):
            return
        for used in (piece, *sides):
            if used is not None:
                used.used = True
        self.cost += one[1] + other[1]
        self.query_.beyond_sheets = True
        low, high = (0.0, float("inf")) if how == ">" else (float("-inf"), 0.0)
        text = f"{one[0].text} {how} {other[0].text}"
        self._add(RowCondition(self.base, one[0], low=low, high=high, other=other[0], text=text, at=piece.start))

    def _is_compared(self, column: Column) -> bool:
        return column.table == self.base and column.relation >= 0 and column.kind in ("number", "date")

    def _same_column(self, columns: Sequence[Column]) -> bool:
        """Return True if two columns "wrote and directed" have to state the same, which is then a condition."""
        named = any(c.column is not None and c.column.relation < 0 for c in self.query_.where)
        people = len(columns) == 2 and all(c.kind == "link" or is_of_people(c.words) for c in columns)
        if not people or named or (columns[0].to, columns[0].table) != (columns[1].to, columns[1].table):
            return False
        self._require_equal(columns)
        return True

    def _join_alternatives(self) -> None:
        """Join two conditions on different columns by "or": "serve Italian food or are in York".

        Alternatives among three conditions cost so much that none is answered.
        """
        query = self.query_
        for piece in self.pieces:
            if piece.cue.say != "or" or self.words[piece.start].low != "or":
                continue
            before = next((c for c in reversed(query.where) if 0 <= c.at < piece.start), None)
            behind = next((c for c in query.where if c.at > piece.start), None)
            if before is None or behind is None or before.column == behind.column:
                continue
            if len(query.where) == 2 and not before.negated and not behind.negated:
                query.either, query.where = [before, behind], []
            else:
                self.cost += costs.UNUSED_CONDITION
            piece.used = True

    def _names_one_row(self, one: RowCondition) -> bool:
        is_name = one.column is not None and one.column.relation < 0 and one.table == self.base and not one.negated
        return is_name and one.places is not None and len(one.places) == 1
