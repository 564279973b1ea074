"""The whole query of a cut over one table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from hydra_kg.extract.word_classes import BE, DO, HAVE, PREPOSITIONS
from hydra_kg.language.lexicon import list_words
from hydra_kg.language.morphology import singular
from hydra_kg.steps.queries.drafting.answer_kinds import fits_question
from hydra_kg.steps.queries.drafting.asked_columns import Asking
from hydra_kg.steps.tables import costs
from hydra_kg.steps.tables.graph_tables import NAME, Column
from hydra_kg.steps.tables.operation_words import asks_who
from hydra_kg.steps.tables.question_spans import BINDING, FREE, LIGHT, QueryPiece
from hydra_kg.steps.tables.span_meanings import same
from hydra_kg.steps.tables.table_paths import ways
from hydra_kg.steps.tables.table_query import FUNCTIONS, RowCondition, TableQuery
from hydra_kg.util.number_columns import in_first

_PRONOUNS: Final = list_words("third_person third_person_plural")
OF_ALL: Final = list_words("play take make have") | {"playing", "takes", "taken", "makes"}
"""Verbs that say of any reference that there is one."""


class Draft(Asking):
    """Builder of a query; what it cannot use costs something."""

    def query(self) -> TableQuery | None:
        """Return the query, or None if the pieces make none."""
        self.cost += self._base_unlike() + self._base_denied()
        self._direct()
        self._prefer()
        self._bound_groups()
        self._compared()
        self._compare_deadlines()
        self._found_like()
        self._valued()
        self._join_alternatives()
        self._headed()
        self._unused()
        self._order_by_mean()
        self._ordered()
        if not self._asked():
            return None
        self._rest()
        self._sum_totals()
        if not fits_question(self.view, self.words, self.query_):
            if self.words[0].low == "why":
                return None  # neither the day nor the place of what happened is its reason
            self.cost += costs.UNUSED_CONDITION if self.words[0].low == "whose" else costs.UNLIKE_ASKED
        if self._passes_over_own_reference():
            self.cost += costs.LATER
        if self._one_each() or self._needs_groups() or self._describes_people() or self._shows_events():
            self.cost += costs.UNLIKE_ASKED
        if self._says_itself() or self._counts_one_named():
            self.cost += costs.ECHO
        if self._orders_one_named():
            self.cost += costs.UNUSED_CONDITION
        others = {c.table for c in self.query_.columns} & self.view.people - {self.base}
        if self.query_.do in FUNCTIONS and others and self.base in self.view.people:
            self.cost += costs.UNUSED_CONDITION  # what a guest pays is not the salary of staff
        denials = (p.start for p in self.pieces if p.cue.say == "not")
        if any(k and self.words[k - 1].low in _PRONOUNS for k in denials):
            self.cost += costs.UNUSED_CONDITION  # who rode a horse that they do not own
        self.query_.cost = self.cost + self._distances()
        return self.query_

    def _sum_totals(self) -> None:
        """Add up what rows come to, not their prices for one: 6 kegs at 95 each."""
        query = self.query_
        if query.do == "sum":
            query.columns = [self._total_of(c) for c in query.columns]
        if query.by is not None and query.by_sum:
            query.by = self._total_of(query.by)

    def _base_unlike(self) -> float:
        """Return how much worse this table fits the words than another that the question calls it."""
        named = [dict(p.tag.tables) for p in self.pieces if p.sort == "table"]
        unlike = [fits[self.base] - min(fits.values()) for fits in named if self.base in fits]
        return min(unlike, default=0.0)

    def _base_denied(self) -> float:
        """Return what it costs to look among the things of which there are none: regions with no *wind plant*."""
        tables = [n for n, p in enumerate(self.pieces) if p.sort == "table"]
        if len(tables) < 2 or self._is_base(self.pieces[tables[0]]):
            return 0.0
        mine = next((n for n in tables if self._is_base(self.pieces[n])), None)
        before = list(self.pieces[:mine]) if mine is not None else []
        while before and before[-1].sort == "value":
            before.pop()
        denied = bool(before) and before[-1].cue.say == "not"
        return costs.BASE_DENIED if denied else 0.0

    def _headed(self) -> None:
        """Select rows with a value that names what is asked for: which *apples*."""
        head = self._head()
        if head is None:
            return
        condition = next((c for c in self.query_.where if c.at == head.start), None)
        if condition is None or condition.table != self.base:
            self.cost += costs.UNLIKE_ASKED
        else:
            self.based = True

    def _one_each(self) -> bool:
        """Return True if every row has one of what the most is asked of.

        A book has no more books than another, a loan no more members.
        """
        query = self.query_
        if query.by_count < 0 or not query.limit or query.group is not None:
            return False
        way = self.ways.get(query.by_count, (0.0, ()))[1]
        return all(j.forward and not j.also and self._is_functional(j.relation) for j in way)

    def _needs_groups(self) -> bool:
        """Return True if the most is asked of a value that several rows of an unsaid table share.

        "Which gardener has the most plants" of beds with a gardener each: plants are counted for each gardener.
        """
        query = self.query_
        if query.by_count in (-1, self.base) or not (query.limit and query.columns) or self.based:
            return False
        return query.columns[0].table == self.base and not self._unique(query.columns[0])

    def _passes_over_own_reference(self) -> bool:
        """Return True if a name is found elsewhere, although what is asked for refers to a thing of that name.

        "Which pieces did Ida make" asks for pieces whose potter she is, not for those in firings that she supervised.
        """
        query = self.query_
        shown = query.columns[0] if query.do == "list" and query.columns else None
        if shown is None or shown.relation == NAME:
            return False
        things = shown.to or tuple(t.place for t in self.view.tables if shown.words in t.names)
        joins = [join for table in things for join in self.view.joins.get(table, ()) if join.forward]
        tags = {p.start: p.tag for p in self.pieces if p.sort == "value"}
        others = [c for c in query.where if c.at in tags and c.column is not None and not self._says(c.column)]
        return any(
            join.end == column.table and column.relation == NAME
            for c in others
            if c.table not in things and c.column is not None and c.column.relation != NAME
            for join in joins
            for column, *_ in tags[c.at].values
        )

    def _says(self, column: Column) -> bool:
        """Return True if a word of the question is a word of a column: the name of rows, or "supervised"."""
        return any(same(w.low, word) < 1 for w in self.words for word in column.words)

    def _describes_people(self) -> bool:
        """Return True if all conditions are on the people that events refer to: who works in Leeds.

        All such people are asked for, with or without events.
        """
        query = self.query_
        shown = query.columns[0] if query.do == "list" and query.columns and asks_who(self.words) else None
        if shown is None or shown.table != self.base or not self.view.people & set(shown.to) or not query.where:
            return False
        ways = [self.ways.get(c.table, (0.0, ()))[1] for c in query.where]
        return query.is_unordered and all(way and way[0].relation == shown.relation for way in ways)

    def _shows_events(self) -> bool:
        """Return True if "who dived the deepest" is answered with the number of a dive, though dives name the diver."""
        query = self.query_
        plain = query.do == "list" and query.group is None and asks_who(self.words)
        names = all(c.relation < 0 and c.table == self.base for c in query.columns)
        return plain and names and bool(self.view.people_of(self.base))

    def _says_itself(self) -> bool:
        """Return True if the answers would be the name that the question itself contains."""
        query = self.query_
        shown = query.columns[0] if query.columns else None
        if query.do != "list" or not query.is_unordered or query.group or query.adjacent or query.overrun:
            return False
        if shown is not None and (shown.relation >= 0 or shown.table != self.base):
            return False
        return any(
            c.table == self.base and c.column is not None and c.column.relation < 0 and not c.negated
            for c in query.where
            if c.places is not None and len(c.places) <= 3
        )

    def _counts_one_named(self) -> bool:
        """Return True if a count has no condition but a name that one row has: how many paintings *Marco Dessi* made.

        That there is one painter called Marco Dessi is no answer.
        """
        query = self.query_
        plain = query.do == "count" and not query.columns and query.group is None
        return plain and len(query.where) == 1 and self._names_one_row(query.where[0])

    def _orders_one_named(self) -> bool:
        """Return True if a superlative chooses among one row: when Ilse joined last, for the last dive of Ilse."""
        query = self.query_
        of_base = query.by is not None and query.by.table == self.base
        return of_base and bool(query.limit) and any(map(self._names_one_row, query.where))

    def _distances(self) -> float:
        query = self.query_
        tables = {c.table for c in (*query.where, *query.either, *query.wanted, *query.among)} | {
            c.table for c in query.columns
        }
        tables |= {query.group.table} if query.group else set()
        tables |= {query.by.table} if query.by else set()
        tables |= {query.by_count} if query.by_count >= 0 else set()
        unclear = costs.LINK_UNCLEAR if self._unclear(tables) else 0.0
        return unclear + sum(self._distance(t) for t in tables)

    def _unclear(self, tables: Iterable[int]) -> bool:
        """Return True if an unused word may choose between references: which team *lost* matches."""
        shown = {c.relation for c in (*self.query_.columns, self.query_.group, self.query_.by) if c is not None}
        doubtful = [j for t in tables if t in self.ways for j in self.ways[t][1] if j.also]
        for join in doubtful:
            left = {join.relation, *join.also} - shown
            if len(left) > 1 or not left:
                break
            self.query_.prefer.setdefault(left.pop(), 1.0)  # the one that the question does not ask for
        else:
            self.ways = ways(self.view, self.base, self.query_.prefer)
            return False
        said = {k for p in self.pieces for k in range(p.start, p.end)}
        free = FREE | LIGHT | PREPOSITIONS | OF_ALL
        return any(w.low not in free and not w.mark and k not in said for k, w in enumerate(self.words))

    def _related(self, n: int, piece: QueryPiece) -> None:
        query = self.query_
        table, cost = self._table(piece)
        piece.used = True
        if table == self.base:
            return
        if any(c.negated and c.column is None for c in query.where):
            self.cost += costs.DENIED_TABLE  # assigned to no repair of machines: what is denied has further words
            return
        self.cost += cost
        if self.view.tables[table].nameless:
            about = {j.relation: costs.STEP_ABOUT for j in self.view.joins.get(table, ())}
            query.prefer = about | query.prefer
            self.ways = ways(self.view, self.base, query.prefer)
        denied = self._denied(n)
        affected = [c for c in query.where if c.table == table or (denied and c.table != self.base)]
        if denied and affected and not any(c.negated for c in affected):
            for c in affected:
                query.where.remove(c)
                query.where.append(replace(c, negated=True))
        elif not affected or denied:
            found = RowCondition(table, negated=denied, text=self.view.tables[table].text)
            if (denied or not query.where) and len(blank := self._blank_rows([table])):
                named = in_first(self.view.rows(table), blank)
                found = replace(found, column=self.view.name_of(table), places=named)
            query.where.append(found)
            query.placed |= {k for k in range(piece.start) if self.words[k].low in OF_ALL}  # who has not taken a lesson

    def _linking(self, piece: QueryPiece, used: set[int]) -> bool:
        """Return True if a word says how two tables of the query join; that way is then taken."""
        followed = {join.end for table in used if table in self.ways for join in self.ways[table][1]}
        for column, _ in piece.tag.columns:
            if column.table in followed and self._states_event(piece, column) and not self._has_gaps(column):
                return True
            ends = ({column.table} | set(column.to)) & (used | {self.base})
            to = {*column.to} - {column.table}  # a block below another block is no join of two tables
            if column.kind == "link" and column.table in ends and to & ends:
                self._follow(column)
                return True
        return False

    def _shared(self) -> None:
        """Find what a share counts and of what: another part of the question, or words by the noun."""
        query = self.query_
        cue = next((p for p in self.pieces if p.cue.say == "share"), None)
        among = next((p for p in self.pieces if p.cue.say == "among"), None)
        noun = next(
            (p for p in self.pieces if p.sort == "table" and cue and p.start >= cue.end and self._is_base(p)), None
        )
        if cue is None:
            return
        if among is not None:
            among.used = True
        where, query.where = query.where, []
        for condition in where:
            apart = condition.at < cue.start or (
                among is not None and among.start > cue.start and condition.at > among.start
            )
            if apart:
                query.where.append(condition)
            else:
                query.wanted.append(condition)
        start = self._predicate(query.wanted, noun.start) if noun is not None else 0
        before = [c for c in query.wanted if c.at < start]
        behind = [c for c in query.wanted if c not in before]
        if before and behind and among is None and not query.where:
            query.where, query.wanted = before, behind
        ratio, rest = query.whole == 1.0 and among is None, [w.low for w in self.words[cue.end :]]
        if ratio and "to" in rest and not query.where:
            to = cue.end + rest.index("to")
            query.against = [c for c in query.wanted if c.at > to]
            query.wanted = [c for c in query.wanted if c.at < to]
            if query.against and query.wanted:
                return
        if not query.wanted or (ratio and "to" in rest and "total" not in rest and "all" not in rest):
            self.cost += costs.SHARE_UNCLEAR

    def _predicate(self, conditions: Sequence[RowCondition], noun: int) -> int:
        """Return the verb between conditions ("films directed by Ada *were* composed by Tom"), else the noun."""
        places = [c.at for c in conditions if c.at > noun]
        if len(places) < len(conditions):
            return noun
        verbs = [k for k, w in enumerate(self.words) if w.low in BE | HAVE | DO]
        return next((k for k in verbs if places and min(places) < k < max(places)), noun)

    def _says_first(self) -> bool:
        """Return True for "the first 3 orders" or "which 3 orders", which nothing but their file orders."""
        limits = (p for p in self.pieces if p.cue.say == "limit")
        return not any(w.low in ("top", "best") for p in limits for w in self.words[p.start : p.end])

    def _differs(self) -> bool:
        """Return True if values are denied that any row has: the column is before the denial, its table is not.

        The table may be part of the column: which *product categories* have no discontinued items.
        """
        denial = next((n for n, p in enumerate(self.pieces) if p.cue.say == "not"), -1)
        before = self.pieces[: max(0, denial)]
        columns = {p.start for p in before if p.sort == "column"}
        tables = (p for p in before if p.sort == "table" and self._is_base(p) and p.end not in columns)
        return bool(columns) and not any(tables)

    def _free_untaken_ways(self, tables: Iterable[int]) -> None:
        """Mark pieces as unused whose relation the query does not follow: who *examined* Bo, if it shows his tutor."""
        followed = {join.relation for t in tables if t in self.ways for join in self.ways[t][1]}
        query = self.query_
        conditions = (c.column for c in (*query.where, *query.either, *query.wanted, *query.against))
        followed |= {c.relation for c in (*query.columns, query.group, *conditions) if c is not None}
        for piece, relation in self.preferred:
            piece.used = piece.used and relation in followed

    def _rest(self) -> None:
        """Add tables that are only named: the rows that are meant have rows of them, or none after a denial."""
        query = self.query_
        if query.adjacent and any(c.table != self.base for c in query.columns):
            self.cost += costs.UNUSED_CONDITION
        query.differ = self._differs()
        if query.differ and query.columns and query.columns[0].kind == "link" and any(c.negated for c in query.where):
            ends = self.view.graph.relations[query.columns[0].relation].there.end
            tables = [self.view.tables[t] for t in query.columns[0].to]
            named = [t for t in tables if any((singular(w.low),) in t.names for w in self.words)]
            apart = any(len(in_first(t.rows, ends)) for t in named)
            self.cost += costs.DIFFER_LINK + costs.BASE_DENIED * apart  # dogs that never stayed at all
        if query.do == "share":
            self._shared()
        for n, piece in enumerate(self.pieces):
            if piece.sort == "table" and not piece.used:
                self._related(n, piece)
        conditions = (*query.where, *query.either, *query.wanted, *query.against)
        used = {c.table for c in conditions} | {c.table for c in query.columns}
        used |= {query.by_count} if query.by_count >= 0 else set()
        used |= {query.group.table} if query.group else set()
        self._free_untaken_ways(used)
        for n, piece in enumerate(self.pieces):
            if piece.used:
                continue
            if piece.sort == "column" and n == 0 and self.words[max(0, piece.start - 1)].low in ("which", "what"):
                self.cost += costs.HEAD
            elif piece.sort == "column":
                piece.used = self._linking(piece, used)
                self.cost += costs.LINKING if piece.used else costs.UNUSED_COLUMN
            elif piece.sort in ("number", "text", "value"):
                self.cost += costs.UNUSED_PIECE
            elif piece.cue.say == "not" and query.where and not query.where[-1].negated:
                query.where[-1] = replace(query.where[-1], negated=True)
            elif piece.cue.say == "sum" and (query.do == "sum" or query.by_sum):
                continue  # in total
            elif piece.sort == "cue" and piece.cue.say not in "distinct order both or sorting idle among".split():
                bound = piece.cue.say in BINDING
                self.cost += costs.UNUSED_CONDITION if bound else costs.UNUSED_CUE
        if query.by is None and query.by_count < 0 and not query.limit and query.down:
            query.by = query.columns[0] if query.columns else None
        if query.limit and query.is_unordered and self._says_first():
            query.listed, query.down = True, False
            self.cost += costs.FIRST_LISTED
        if query.limit and query.group is None and self._limits_others():
            self.cost += costs.UNUSED_CONDITION
        if query.having[0] and query.group is None:
            query.group, query.columns = next(iter(query.columns), None), []
            query.counts_groups = query.do == "count"
            self.cost += costs.UNUSED_CONDITION if query.group is None else 0.0
        if query.having[0] and query.by not in (None, query.group):
            self.cost += costs.UNUSED_CONDITION  # the last 2 categories with many products: by no date of their orders
        if query.by_count == self.base and query.group is None and query.columns:
            query.group, query.columns = query.columns[0], []
