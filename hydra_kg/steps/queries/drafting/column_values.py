"""Values that rows have in a column: names, codes, words, parts of texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hydra_kg.language.lexicon import list_words
from hydra_kg.language.morphology import singular
from hydra_kg.steps.queries.drafting.row_directions import DirectedPieces
from hydra_kg.steps.tables import costs
from hydra_kg.steps.tables.derived_words import other_values
from hydra_kg.steps.tables.graph_tables import NAME, Column
from hydra_kg.steps.tables.operation_words import QueryToken
from hydra_kg.steps.tables.question_spans import QueryPiece
from hydra_kg.steps.tables.table_paths import ways
from hydra_kg.steps.tables.table_query import RowCondition
from hydra_kg.text.articles import ARTICLES
from hydra_kg.util.number_columns import in_both

_COORDINATING: Final = list_words("coordination") | {"both", "nor"}


class ValuedPieces(DirectedPieces):
    """Values: in France, named Lind, with "ROY" in it."""

    def _prefer(self) -> None:
        """Prefer columns that lead to other tables, if the question names them next to a value of that table."""
        for n, piece in enumerate(self.pieces):
            if piece.sort != "column":
                continue
            links = [(c, cost) for c, cost in piece.tag.columns if c.kind == "link"]
            if not links:
                continue
            if (role := self._role(n, piece, links)) is not None:
                self.query_.prefer[role.relation] = costs.STEP_NAMED
                piece.used = True
                continue
            column = min(links, key=lambda c: c[1] + self._distance(c[0].table))[0]
            around = [self._next(n, "value", gap=1), self._previous(n, "value", gap=1)]
            for value in around:
                values = value.tag.values if value is not None else ()
                # a table that refers to itself leads to its named rows only: below block 1, not below 3 inches
                tables = {c.table for c, *_ in values if c.relation == NAME or c.table != column.table}
                if value is not None and tables & set(column.to):
                    self.roles.setdefault(value.start, column)
                    if self._leads_back(column):
                        piece.used = True
                    else:
                        self._prefer_way(piece, column)
            most = self.pieces[n + 1].cue if n + 2 < len(self.pieces) else None
            counted = self.pieces[n + 2].tag if most is not None and most.say in ("top", "many", "most") else None
            ends = {t for t, _ in counted.tables} & set(column.to) if counted is not None else set()
            if ends and self.base in (column.table, *column.to):  # who *directed* the most films
                self._prefer_way(piece, column)
        if self.query_.prefer:
            self.ways = ways(self.view, self.base, self.query_.prefer)

    def _prefer_way(self, piece: QueryPiece, column: Column) -> None:
        """Prefer the relation of a column, and remember the piece, which is only used if the query takes that way."""
        self.query_.prefer[column.relation] = costs.STEP_NAMED
        self.preferred.append((piece, column.relation))
        piece.used = True

    def _role(self, n: int, piece: QueryPiece, links: Sequence[tuple[Column, float]]) -> Column | None:
        """Return the reference that a word before a table says, by which its rows belong to others: *home* matches."""
        behind = self.pieces[n + 1] if n + 1 < len(self.pieces) else None
        if behind is None or behind.sort != "table" or behind.start != piece.end:
            return None
        rows = {t for t, _ in behind.tag.tables}
        here = [(cost, k) for k, (c, cost) in enumerate(links) if c.table in rows]
        return links[min(here)[1]][0] if here else None

    def _found_like(self) -> None:
        for n, piece in enumerate(self.pieces):
            if piece.cue.say != "like":
                continue
            text = self._next(n, "text", "value", gap=2)
            if text is None or (text.sort == "value" and not self.words[text.start].named):
                continue
            before = self._previous(n, "column", gap=3)
            called = self.view.name_of(self.base), costs.LIKE_NAME
            found = self.column(before) if before is not None else called
            if found is None:
                continue
            column, cost = found
            said = self._said(text)
            self.cost += cost
            denied = self._denied(n)
            self._add(
                RowCondition(
                    column.table, column, like=(piece.cue.value, said), negated=denied, text=f"{column.text} has {said}"
                )
            )
            piece.used = text.used = True
            if before is not None:
                before.used = True

    def _valued(self) -> None:
        for n, piece in enumerate(self.pieces):
            if piece.sort == "value" and not piece.used:
                self._value(n, piece)

    def _value(self, n: int, piece: QueryPiece) -> None:
        """Add the condition that a value states, in the column that the words around it make cheapest."""
        named_as = piece.end < len(self.words) and self.words[piece.end].low == "as"
        around = self._previous(n, "column", gap=2), self._next(n, "column", gap=2 if named_as else 0)
        adjacent = [p for p in around if p is not None]
        owner = self._previous(n, "table", gap=1)
        cheapest = min(c for *_, c in piece.tag.values)
        joined = self._coordinated(n)
        best: tuple[float, int, Column, QueryPiece | None] | None = None
        for k, (column, mine, price) in enumerate(piece.tag.values):
            cost = price - cheapest + self._distance(column.table)
            by = None
            for one in adjacent:
                spoken = dict(one.tag.columns)
                if column in spoken:
                    unlike = min(costs.VALUE_COLUMN_MOST, spoken[column] - min(spoken.values()))
                    cost -= costs.VALUE_COLUMN - costs.VALUE_COLUMN_UNLIKE * unlike
                    by = one
                    cost += self._of_table(one, column) if unlike < costs.SAME_SYNONYM else 0.0
                    break
            cost -= costs.VALUE_COORDINATED if joined is not None and joined.column == column else 0.0
            if owner is not None and any(t == column.table for t, _ in owner.tag.tables):
                cost -= costs.VALUE_CALLED if column.relation < 0 else costs.VALUE_OF_TABLE
            said = self.words[piece.start : piece.end]
            if column.relation < 0 and price and all(w.text == w.low and not w.quoted for w in said):
                cost += -costs.VALUE_DESCRIBES if self._describes(piece) else costs.VALUE_COMMON
                cost += costs.VALUE_OF_KIND if len(said) > 1 and self._ends_in_plural(said) else 0.0
            if column.table == self.base and self._is_plural(piece) and self._unique(column):
                others = any(not len(in_both(mine, places)) for _, places, _ in piece.tag.values)
                cost += costs.VALUE_OF_KIND * others  # aliens are not the hero called Alien
            number = self.words[piece.start].number if piece.tag.end - piece.tag.start == 1 and by is None else None
            called = column.relation == NAME and self._is_called(owner, piece, column)  # room 301
            if number is not None and not called:
                dated = column.kind == "date" or "year" in column.words
                other = costs.NUMBER_YEAR if 1000 <= number < 2200 else costs.NUMBER_OTHER
                cost += costs.NUMBER_DATED if dated else other
            if best is None or (cost, k) < (best[0], best[1]):
                best = (cost, k, column, by)
        if best is None or best[0] > costs.VALUE_MOST:
            self.cost += costs.UNUSED_COLUMN
            return
        cost, k, column, by = best
        widest = k if by is not None else self._widest(piece, k)
        if widest is not None:
            k, column = widest, piece.tag.values[widest][0]
        self.cost += cost + (costs.UNUSED_CONDITION if widest is None else 0.0)
        if by is not None:
            by.used = True
        piece.used = True
        places = piece.tag.values[k][1]
        column = self._role_of(piece, column)
        text = f"{column.text} {' '.join(w.text for w in self.words[piece.start : piece.end])}"
        denied = self._denied(n) or (joined is not None and joined.column == column and joined.negated)
        if denied and column in self.view.so and self._says_not(n):
            places, denied = other_values(self.view, column, places), False  # some bill of theirs is not paid
        condition = RowCondition(column.table, column, places, negated=denied, text=text, at=piece.start)
        self.cost += costs.UNUSED_CONDITION if self._are_apart(condition) else 0.0
        if any(p.cue.say == "share" for p in self.pieces):
            self.query_.where.append(condition)
        else:
            self._add(condition, self._joined(n))

    def _says_not(self, n: int) -> bool:
        """Return True if the last denial before a piece is "not", which some row meets, not "never" or "without"."""
        denials = [p for p in self.pieces[:n] if p.cue.say == "not"]
        low = self.words[denials[-1].end - 1].low if denials else ""
        return low == "not" or low.endswith("n't")

    def _widest(self, piece: QueryPiece, k: int) -> int | None:
        """Return the meaning of a value whose rows include those of its other meanings, if rows are added up.

        Of paint, the item, and paint, the category of more items, "how much was spent on paint" asks for the category.
        Return None if neither includes the other.
        """
        table = piece.tag.values[k][0].table
        adds = any(p.cue.say in ("sum", "avg", "median", "count") for p in self.pieces)
        every = piece.tag.values if adds else ()
        kinds = self._is_plural(piece) and not self._unique(piece.tag.values[k][0])
        same_table = [n for n, (c, *_) in enumerate(every) if c.table == table and not (kinds and self._unique(c))]
        if len(same_table) < 2:
            return k
        rows = {n: {*self._rows_with(*piece.tag.values[n][:2]).tolist()} for n in same_table}
        widest = max(same_table, key=lambda n: (len(rows[n]), n == k))
        return widest if all(some <= rows[widest] for some in rows.values()) else None

    def _is_plural(self, piece: QueryPiece) -> bool:
        """Return True if a value is written as a noun in the plural: "aliens"."""
        last = self.words[piece.end - 1]
        return last.text == last.low and singular(last.low) != last.low

    def _is_called(self, owner: QueryPiece | None, piece: QueryPiece, column: Column) -> bool:
        """Return True if the table directly before a value is the one whose rows have such names."""
        tables = owner.tag.tables if owner is not None and owner.end == piece.start else ()
        return any(table == column.table for table, _ in tables)

    def _coordinated(self, n: int) -> RowCondition | None:
        """Return the condition of the value that "and" or "or" joins to this one: neither 'USA' nor 'UK'."""
        before = self.pieces[n - 1] if n else None
        if before is not None and before.cue.say in ("or", "not") and n > 1:
            before = self.pieces[n - 2]
        if before is None or before.sort != "value" or not self.query_.where:
            return None
        between = [w.low for w in self.words[before.end : self.pieces[n].start]]
        last = self.query_.where[-1]
        joins = bool(between) and {*between} <= ARTICLES | {"and", "or", "nor", ","}
        return last if joins and last.at == before.start else None

    def _ends_in_plural(self, said: Sequence[QueryToken]) -> bool:
        """Return True if words end in a table's noun in the plural: "chinese restaurants" are seldom one name."""
        noun = singular(said[-1].low)
        return noun != said[-1].low and any(noun in name[-1:] for t in self.view.tables for name in t.names)

    def _are_apart(self, condition: RowCondition) -> bool:
        """Return True if nothing joins a value in small letters to another one of the same column before it."""
        last = next(
            (c for c in reversed(self.query_.where) if c.column == condition.column and c.places is not None), None
        )
        if last is None or last.negated or not 0 <= last.at < condition.at or self._several(condition):
            return False
        between = self.words[last.at : condition.at + 1]
        return all(w.text == w.low and not w.quoted and w.low not in _COORDINATING for w in between)

    def _role_of(self, piece: QueryPiece, column: Column) -> Column:
        """Return the reference meant by a name among several to its table: "directed by Ada and composed by Tom"."""
        role = self.roles.get(piece.start)
        if role is None or column.relation >= 0 or column.table not in role.to:
            return column
        rivals = {c for c in self.roles.values() if c.table == role.table and column.table in c.to}
        return role if len(rivals) > 1 or self._leads_back(role) else column

    def _leads_back(self, column: Column) -> bool:
        """Return True if a reference to the base describes a thing named before it: works at a branch *managed by* Ida.

        Then the name is not that of the rows asked for.
        """
        said = (p.start for p in self.pieces if p.sort == "column" and column in dict(p.tag.columns))
        start = next(said, 0)
        things = (p.tag for p in self.pieces if p.sort == "table" and p.end == start)
        tables = {t for tag in things for t, _ in tag.tables}
        return self.base != column.table and self.base in column.to and column.table in tables

    def _of_table(self, piece: QueryPiece, column: Column) -> float:
        """Return True if a column next to a value belongs to the table named before it: the document with id 1."""
        before = self._previous(self.pieces.index(piece), "table", gap=1)
        if before is None:
            return 0.0
        its = any(t == column.table for t, _ in before.tag.tables)
        nouns = {w for n in self.view.tables[column.table].names for w in n}
        if not its and nouns & {singular(w.low) for w in self.words[piece.start : piece.end]}:
            return 0.0  # order items whose product id
        return -costs.COLUMN_OF_TABLE if its else costs.COLUMN_OF_OTHER
