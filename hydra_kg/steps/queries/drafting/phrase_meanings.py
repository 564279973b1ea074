"""The pieces of a question next to each other, and what they may mean for one table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from hydra_kg.extract.word_classes import BE, PREPOSITIONS, VERB, kind
from hydra_kg.language.lexicon import list_words
from hydra_kg.language.morphology import plural, singular
from hydra_kg.language.units import verb_dimension
from hydra_kg.steps.tables import costs
from hydra_kg.steps.tables.column_dimensions import (
    can_measure,
    column_dimensions,
    is_beginning,
    is_interval,
    measured_dimensions,
)
from hydra_kg.steps.tables.graph_tables import Column, View
from hydra_kg.steps.tables.operation_words import SINCE, QueryToken, asks_who
from hydra_kg.steps.tables.question_spans import FREE, QueryPiece
from hydra_kg.steps.tables.span_meanings import KEY_WORDS, same
from hydra_kg.steps.tables.table_paths import ways
from hydra_kg.steps.tables.table_query import RowCondition, TableQuery
from hydra_kg.steps.tables.time_columns import is_time, states_clocks
from hydra_kg.text.articles import ARTICLES
from hydra_kg.util.number_columns import in_both, sort_distinct

_BIRTH: Final = list_words("beginning_column")
_AGES: Final = ("age", "date of birth")
"""What "old" measures first."""
_OLD: Final = 120
"""Years that nobody is older than."""
_LINKS: Final = list_words("article coordination links_pieces")
_ONE: Final = ARTICLES - {"the"}
_SHORT: Final = 3
"""Letters up to which a word may begin another one by chance."""
_FEW: Final = 5
"""Rows below which a table says little about what its numbers are."""
_RUNNING_FROM: Final = 100
"""Least number from which running numbers begin that are no amounts."""


class Pieces:
    """The state and the lookups that every step of the reading uses."""

    def __init__(self, view: View, words: Sequence[QueryToken], pieces: list[QueryPiece], base: int) -> None:
        self.view, self.words, self.pieces, self.base = view, words, pieces, base
        self.query_ = TableQuery(base)
        self.ways = ways(view, base, {})
        self.cost, self.based = 0.0, False
        self.or_: list[RowCondition] = []
        self.roles: dict[int, Column] = {}
        self.preferred: list[tuple[QueryPiece, int]] = []
        """References that the question says right beside a name."""

    def _distance(self, table: int) -> float:
        if table == self.base:
            return 0.0
        found = self.ways.get(table)
        return costs.UNREACHABLE if found is None else costs.STEP * max(costs.STEP_LEAST, found[0])

    def _gap(self, one: QueryPiece, other: QueryPiece) -> int:
        """Return the number of words between two pieces that are no mere links."""
        a, b = (one, other) if one.start <= other.start else (other, one)
        return sum(3 if w.mark else 1 for w in self.words[a.end : b.start] if w.low not in _LINKS)

    def _next(self, place: int, *sorts: str, gap: int = 2) -> QueryPiece | None:
        """Return the next piece if it is of such a sort, unused and near."""
        for piece in self.pieces[place + 1 :]:
            if self._gap(self.pieces[place], piece) > gap:
                return None
            if piece.used or (piece.cue.say in ("distinct", "or") and "cue" not in sorts):
                continue
            return piece if piece.sort in sorts else None
        return None

    def _previous(self, place: int, *sorts: str, gap: int = 3) -> QueryPiece | None:
        for piece in reversed(self.pieces[:place]):
            if self._gap(self.pieces[place], piece) > gap:
                return None
            if piece.used:
                if piece.sort == "number" or piece.cue.say == "not":
                    continue
                return None
            if piece.cue.say in ("not", "both", "or", "distinct") and "cue" not in sorts:
                continue
            return piece if piece.sort in sorts else None
        return None

    def column(self, piece: QueryPiece, good: Callable[[Column], bool] = lambda _: True) -> tuple[Column, float] | None:
        """Return the column that a piece most likely means for this base."""
        if not piece.tag.columns:
            return None
        cheapest = min(c for _, c in piece.tag.columns)
        fits = [
            (c, cost - cheapest + self._distance(c.table) - self._said_elsewhere(c, piece), n)
            for n, (c, cost) in enumerate(piece.tag.columns)
            if good(c)
        ]
        owned = self._next(self.pieces.index(piece), "table", gap=0)
        if owned is not None and self.words[owned.start - 1].low in ("of", "the", "all", "for"):
            mine = {t for t, _ in owned.tag.tables}
            mine -= {t for t in mine if self.view.tables[t].numbered}
            gain, loss = costs.COLUMN_OWNED, costs.COLUMN_NOT_OWNED * bool(mine)
            fits = [(c, cost - gain if c.table in mine else cost + loss, n) for c, cost, n in fits]
        if not fits:
            return None
        column, cost, _ = min(fits, key=lambda f: (f[1], f[2]))
        return (column, cost) if cost < costs.COLUMN_MOST else None

    def _says_more(self, piece: QueryPiece, column: Column) -> bool:
        """Return True if the last column's words may mean this one too: a *bottle price* of "a bottle costs"."""
        several = any(w.low == "and" or w.mark for w in self.words[: piece.start])
        before = [p.tag for p in self.pieces[: self.pieces.index(piece)] if p.used]
        return not several and any({self.query_.columns[-1], column} <= {*dict(tag.columns)} for tag in before)

    def _said_elsewhere(self, column: Column, piece: QueryPiece) -> float:
        """Return a small gain for each word of a column that the question says elsewhere."""
        inside = {w.low for w in self.words[piece.start : piece.end]}
        lows = {w.low for w in self.words} - inside
        return costs.COLUMN_SAID * sum(w in lows for w in column.words if w not in _LINKS)

    def _table(self, piece: QueryPiece) -> tuple[int, float]:
        cheapest = min(c for _, c in piece.tag.tables)
        return min(
            ((t, cost - cheapest + (0 if t == self.base else self._distance(t))) for t, cost in piece.tag.tables),
            key=lambda f: f[1],
        )

    def _measuring_verb(self, piece: QueryPiece) -> str:
        """Return the dimension of the verb before a comparison, or "": money for "*pay* more than 25"."""
        return verb_dimension(self.words[piece.start - 1].low) if piece.start else ""

    def _of_subject(self, piece: QueryPiece, found: tuple[Column, float]) -> tuple[Column, float]:
        """Return the subject's own measure for a verb that states one: boats that *cost* less, not their repairs.

        The subject is the table right before the verb, else the base.
        """
        said = verb_dimension(self.words[piece.start].low) if piece.end == piece.start + 1 else ""
        tag = next((p.tag for p in self.pieces if p.sort == "table" and p.end == piece.start), None)
        subjects = {self.base} if tag is None else {t for t, _ in tag.tables}
        if not said or found[0].table in subjects:
            return found
        own = [c for c in self.view.columns if c.table in subjects and said in column_dimensions(c)]
        if len(own) != 1:
            return found
        return (own[0], 0.0) if own[0].table == self.base else (found[0], found[1] + costs.COLUMN_MOST)

    def _is_base(self, piece: QueryPiece) -> bool:
        return any(t == self.base for t, _ in piece.tag.tables)

    def _limits_others(self) -> bool:
        """Return True if a number is not that of rows, but of what they lead to: three people, of reviews."""
        limit = next((n for n, p in enumerate(self.pieces) if p.cue.say == "limit"), None)
        behind = self.pieces[limit + 1 :] if limit is not None else ()
        limited = next((p for p in behind if p.cue.say not in ("top", "many", "most")), None)
        found = self.column(limited) if limited is not None and limited.sort == "column" else None
        other = limited is not None and limited.sort == "table" and not self._is_base(limited)
        return other or (found is not None and found[0].table != self.base)

    def _denied(self, place: int) -> bool:
        """Return True if a denial precedes a piece with nothing used between them; the denial is then used."""
        for piece in reversed(self.pieces[:place]):
            if self._gap(self.pieces[place], piece) > 4:
                return False
            if piece.cue.say == "not":
                if not piece.used:
                    piece.used = True
                    return True
                return False
            if piece.used and piece.sort in ("value", "number"):
                return False
        return False

    def _joined(self, n: int) -> str:
        """Return how a value is joined to the one before it: or, both, and."""
        said = [p.cue.say for p in self.pieces[:n]]
        if "both" in said:
            return "both"
        if "or" in said and any(p.cue.say == "or" for p in self.pieces[max(0, n - 3) : n]):
            return "or"
        return "and"

    def _add(self, condition: RowCondition, joined: str = "and") -> None:
        where = self.query_.where
        alike = [c for c in where if condition.column is not None and c.column == condition.column]
        last = next((c for c in reversed(alike) if c.places is not None), None)
        bounded = bool(alike) and (condition.places is None or alike[-1].places is None)
        if joined == "or" and bounded and alike[-1] is where[-1]:
            one = where.pop()  # in 1911 or 1950
            where.append(replace(one, either=(*one.either, condition), text=f"{one.text} or {condition.text}"))
            return
        if last is not None and condition.places is not None and last.negated == condition.negated:
            where.remove(last)
            assert last.places is not None
            each = all(c.at > 0 and self.words[c.at - 1].low in _ONE for c in (last, condition))  # a chair and a lamp
            any_ = joined == "and" and condition.table == self.base and not (each or self._several(condition))
            if joined == "or" or any_:
                both = np.union1d(last.places, condition.places)
                where.append(replace(last, places=both, text=f"{last.text} or {condition.text}"))
                return
            if joined == "and" and len(both := in_both(last.places, condition.places)):
                where.append(replace(last, places=both, text=f"{last.text} {condition.text}"))
                return
            where += [replace(last, alone=True), replace(condition, alone=True)]
            return
        where.append(condition)

    def _several(self, condition: RowCondition) -> bool:
        """Return True if a row may have several values in a column."""
        column = condition.column
        if column is None or column.relation < 0:
            return False
        return not self._is_functional(column.relation)

    def _is_functional(self, relation: int) -> bool:
        """Return True if nearly every row has one value of a relation."""
        start = self.view.graph.relations[relation].there.start
        return len(sort_distinct(start)) >= costs.SEVERAL * len(start)

    def _is_list(self, column: Column) -> bool:
        """Return True for a column of this table with several values in a row, such as phones."""
        own = column.table == self.base and column.relation >= 0 and column.kind != "link"
        return own and not self._is_functional(column.relation)

    def _describes(self, piece: QueryPiece) -> bool:
        """Return True if a value is an adjective: "good female heroes", "how many of them are male"."""
        if piece.start and self.words[piece.start - 1].low in BE:
            return True
        end = piece.end
        while (more := next((p for p in self.pieces if p.start == end and p.sort == "value"), None)) is not None:
            end = more.end
        return any(p.start == end and p.sort == "table" for p in self.pieces)

    def _unique(self, column: Column) -> bool:
        """Return True if a column tells all rows apart."""
        if column.relation < 0:
            return True
        return self.view.once(("unique", column), lambda: self._has_distinct_values(column))

    def _has_distinct_values(self, column: Column) -> bool:
        ends = self.view.graph.relations[column.relation].there
        rows = ends.rows(self.view.rows(column.table))
        return len(rows) > 1 and len(sort_distinct(ends.end[rows])) == len(rows)

    def _is_ordinal(self, column: Column) -> bool:
        """Return True if the numbers of a column only tell rows apart, or are years: such numbers have no sum.

        In a table of few rows that is so only if they run on without a gap from a large number: 1001, 1002, 1003.
        """
        if {"id", "code", "year"} & set(column.words) or column.kind != "number" or column.relation < 0:
            return True
        if self._is_list(column):
            return True  # three phones have no sum
        last = column.words[-1]
        if column_dimensions(column) or (plural(last) != last and self._is_called_in_plural(column)):
            return False  # an album's tracks
        ends = self.view.graph.relations[column.relation].there
        rows = ends.rows(self.view.rows(column.table))
        numbers = self.view.graph.numbers[ends.end[rows]]
        known = numbers[~np.isnan(numbers)]
        if len(known) < 2 or len(np.unique(known)) < len(known) or (known != known.astype(np.int64)).any():
            return False
        extent = known.max() - known.min()
        if len(known) < _FEW:
            return bool(extent == len(known) - 1 and known.min() >= _RUNNING_FROM)
        return bool(extent < 2 * len(known))

    def _is_called_in_plural(self, column: Column) -> bool:
        """Return True if a column is called by a noun in the plural: tickets."""
        return column.text.split(" / ")[0].casefold().endswith(plural(column.words[-1]))

    def _is_amount(self, column: Column) -> bool:
        """Return True if the numbers of a column can be added up."""
        return column.kind == "number" and not self._is_ordinal(column)

    def _total_of(self, price: Column) -> Column:
        """Return what rows come to whose price for one is a column, if the query is about them; else that column."""
        total, way = self.view.totals.get(price.relation), self.ways.get(price.table, (0.0, ()))[1]
        return total if total and total.table in (self.base, *(join.end for join in way)) else price

    def _is_unsaid_key(self, piece: QueryPiece, column: Column) -> bool:
        """Return True for a key that only its table's noun names: "the largest order" is not the highest order no."""
        said = {singular(w.low) for w in self.words[piece.start : piece.end]}
        return column.words[-1] in KEY_WORDS and not said & KEY_WORDS

    def _only_amount(self) -> Column | None:
        """Return the only column of the base whose numbers are amounts: neither keys, nor years, nor ordinals."""
        fits = [c for c in self.view.of_table(self.base) if self._is_amount(c) and not KEY_WORDS & set(c.words)]
        return fits[0] if len(fits) == 1 else None

    def _head(self) -> QueryPiece | None:
        """Return the value asked for in place of a table: which *apples*, how many *pears*."""
        place = 1 if self.pieces and self.pieces[0].cue.say == "count" else 0
        piece = self.pieces[place] if place < len(self.pieces) else None
        if piece is None or piece.sort != "value" or any(w.named for w in self.words[piece.start : piece.end]):
            return None
        begin = self.pieces[0].end if place else 1
        if piece.start != begin or (not place and self.words[0].low not in ("which", "what")):
            return None
        end = piece.end  # "good female heroes": each value before a noun describes it
        while (more := next((p for p in self.pieces if p.start == end and p.sort == "value"), None)) is not None:
            end = more.end
        behind = self.words[end].low if end < len(self.words) else ""
        noun = any(p.start == end and p.sort in ("table", "column") for p in self.pieces)
        return None if noun and kind(behind) != VERB else piece

    def _repeated(self, n: int) -> int | None:
        """Return the table whose rows say how often something happened.

        It is a table that is named before, or else one whose rows refer to the base.
        """
        for piece in reversed(self.pieces[:n]):
            if piece.sort == "table" and not self._is_base(piece):
                piece.used = True
                return self._table(piece)[0]
        near = [j.end for j in self.view.joins.get(self.base, ()) if not j.forward]
        return near[0] if near else None

    def _says_any(self, column: Column) -> bool:
        """Return True if the question says a word of a column, also in another form: to *order*, of "ordered on"."""
        said = [w.low for w in self.words if w.low not in FREE]
        pairs = ((one, word) for one in said for word in column.words if word not in PREPOSITIONS)
        return any(same(one, word) < 1 or (len(one) > _SHORT and word.startswith(one)) for one, word in pairs)

    def _by_measures(self, measures: Sequence[str], *, takes_time: bool = False) -> tuple[Column, float] | None:
        """Return a column that has the words or the dimension of what is measured, of time if it ``takes_time``."""
        best: tuple[float, Column] | None = None
        for rank, measure in enumerate(measures):
            for column in self.view.columns:
                if column.kind not in ("number", "date") or (takes_time and "time" not in column_dimensions(column)):
                    continue
                if measure == "@date":
                    begins = bool(_BIRTH & set(column.words))
                    fit = costs.MEASURE_DATE if column.kind == "date" or begins else 1.0
                    if rank and column.table == self.base and is_beginning(column):
                        fit = 0.0  # the newest member joined last; her bookings are newer
                    fit += costs.MEASURE_OTHER_DATE if measures[0] in _AGES and not begins else 0.0
                    fit -= costs.COLUMN_SAID * self._says_any(column)
                elif measure == "@year":
                    fit = costs.MEASURE_DATE if column.table == self.base and is_time(self.view, column) else 1.0
                elif measure == SINCE:
                    opened = asks_who(self.words) and self.base not in self.view.people and _BIRTH & set(column.words)
                    begins = is_beginning(column) and is_time(self.view, column) and not opened  # no chief was opened
                    fit = costs.MEASURE_DATE * (rank > 0) if begins else 1.0
                else:
                    fit = max(min((same(m, w) for w in column.words), default=1.0) for m in measure.split())
                cost = fit + self._distance(column.table)
                cost = cost + costs.MEASURE_NEXT * rank + costs.MEASURE_LENGTH * len(column.words)
                if fit < costs.MEASURE_UNLIKE and (best is None or cost < best[0]):
                    best = (cost, column)
        found = (best[1], best[0]) if best is not None and best[0] < costs.MEASURE_MOST else None
        if found is not None and found[0].table == self.base and found[1] <= costs.MEASURE_DIMENSION:
            return found
        dimensions = measured_dimensions(measures) if not takes_time else {"time"}
        return self._only_one(lambda c: can_measure(c, dimensions)) or found

    def _said_time(self, *pieces: QueryPiece | None) -> QueryPiece | None:
        """Return the first column of times that the question says: when the first ferry *leaves*, not when built."""

        def says_when(column: Column) -> bool:
            return is_time(self.view, column) or states_clocks(self.view, column)

        said = (p for p in pieces if p is not None and p.sort == "column")
        return next((p for p in said if self.column(p, says_when) is not None), None)

    def _order_by_times(self, said: QueryPiece, order: str) -> bool:
        """Order rows by the number of times that a column states: ordered most often, of a column "times ordered"."""
        found = self.column(said, lambda c: c.kind == "number" and c.table == self.base)
        if found is None or not (is_interval(found[0]) or "time" in found[0].words):
            return False
        query, self.cost = self.query_, self.cost + found[1]
        query.by, query.limit = found[0], query.limit or 1
        query.down = (order == "max") != is_interval(found[0])
        return True

    def _only_one(self, good: Callable[[Column], bool]) -> tuple[Column, float] | None:
        """Return the only column of the base that has a dimension which nothing else names: minutes for "longest"."""
        fits = [c for c in self.view.of_table(self.base) if good(c)]
        return (fits[0], costs.MEASURE_DIMENSION) if len(fits) == 1 else None

    def _by_kind(self, value: float, good: Callable[[Column], bool]) -> tuple[Column, float] | None:
        """Return the only column that can be compared with such a number: a date for a year."""
        if not 1000 <= value < 2200:
            return None
        fits = [c for c in self.view.columns if c.table == self.base and good(c) and self.view.has_years(c)]
        return (fits[0], costs.BY_YEAR + costs.BY_YEAR_SEVERAL * (len(fits) > 1)) if fits else None

    def _aged(self, piece: QueryPiece, value: float) -> tuple[Column, float] | None:
        """Return the column of ages for a number without one: "members under 50"."""
        said = self.words[piece.start].low if piece.sort == "cue" else ""
        if value > _OLD or said not in ("under", "over", "above", "below"):
            return None
        fits = [c for c in self.view.columns if c.table == self.base and c.kind == "number" and c.words == ("age",)]
        return (fits[0], costs.BY_YEAR) if fits else None
