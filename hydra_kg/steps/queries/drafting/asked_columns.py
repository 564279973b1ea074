"""Read what a question wants to see: columns, counts, means and sums."""

from __future__ import annotations

from hydra_kg.extract.word_classes import BE, DO, HAVE, VERB, kind
from hydra_kg.language.morphology import is_same_family, singular
from hydra_kg.language.units import verb_dimension
from hydra_kg.steps.queries.drafting.comparable_columns import measured
from hydra_kg.steps.queries.drafting.implied_amounts import AmountPieces
from hydra_kg.steps.queries.drafting.row_conditions import DIFFERENT
from hydra_kg.steps.tables import costs
from hydra_kg.steps.tables.column_dimensions import column_dimensions, is_interval, is_since
from hydra_kg.steps.tables.graph_tables import NAME, Column, is_of_people
from hydra_kg.steps.tables.operation_words import asks_by_word, asks_who, is_object
from hydra_kg.steps.tables.question_spans import QueryPiece
from hydra_kg.steps.tables.rate_periods import asks_rate
from hydra_kg.steps.tables.span_meanings import same
from hydra_kg.steps.tables.table_query import COMPUTED, RowCondition
from hydra_kg.steps.tables.time_columns import is_time
from hydra_kg.text.articles import ARTICLES


class Asking(AmountPieces):
    """Outputs: names and ages, how many, the average price, for each country."""

    def _asked(self) -> bool:
        """Read what is shown of the rows, and return False if the question asks for nothing here."""
        query = self.query_
        is_asked = asks_who(self.words) and self.base in self.view.people
        people = self._choose_people() if asks_who(self.words) and not is_asked else []
        for place, piece in enumerate(self.pieces):
            if piece.used:
                continue
            cue = piece.cue
            if cue.say == "share" and query.do == "list" and not query.columns:
                query.do, query.whole, piece.used = "share", float(cue.value), True
                continue
            if cue.say == "measure":
                self._how(piece)
                continue
            if cue.say == "count" and query.do == "list":
                if self._count(place, piece):
                    continue
                return False
            extreme = cue.say in ("max", "min")
            chosen = extreme and (self.based or is_asked or people)  # who has the highest fee
            first = not (query.columns or chosen)
            if cue.say in COMPUTED and query.do == "list" and first:
                self._computed(place, piece)
                continue
            if extreme and query.by is None:
                self._extreme(place, piece, people)
                continue
            if cue.say == "each":
                self._each(place, piece)
                continue
            if piece.sort == "table" and self._is_base(piece):
                piece.used = True
                self.based = True
                continue
            if piece.sort == "column" and (self._never(place, piece) or self._in_stock(place, piece)):
                continue
            if piece.sort == "column" and self._has_occurred(piece):
                continue
            if piece.sort == "column" and query.do == "list":
                self._shown(piece)
        self._add_up()
        self._measure_groups()
        if asks_who(self.words) and self._same_column(query.columns):
            query.columns = query.columns[:1]  # who wrote and directed a play
        if query.do == "list" and not (query.columns or query.group or query.by):
            query.columns += self._by_question_word()
        if query.do == "list" and not query.columns and self.words[0].low == "when":
            days = [c for c in self.view.of_table(self.base) if is_time(self.view, c)]
            days = days if self.based and query.where and len(days) == 1 else []  # when it was observed
            query.columns = days if query.by is None else [query.by] if is_time(self.view, query.by) else []
        if query.do in COMPUTED and not query.columns:
            return False
        if not (query.columns or self.based or query.group or is_asked):
            query.shows_nothing = True
            self.cost += costs.NOTHING_SHOWN
        table = self.view.tables[self.base]
        if query.do == "list" and not query.columns and query.group is None:
            named = any(w.low in ("name", "names") for w in self.words)
            keyed = costs.NAMES_KEY if table.numbered and named else 0.0
            self.cost += self._showing_nameless() if table.nameless else keyed
        for column in query.columns[:1]:
            if query.do == "list" and column.relation < 0 and self.view.tables[column.table].nameless:
                self.cost += costs.NAMES_NAMELESS
        return True

    def _showing_nameless(self) -> float:
        """Return the cost of showing rows without names: low where the question asks which rows they are."""
        asked = next((p for p in self.pieces if p.sort == "table" and self._is_base(p)), None)
        which = asked is not None and any(w.low in ("which", "what") for w in self.words[: asked.start][-1:])
        return costs.NAMES_KEYS if which else costs.NAMES_NAMELESS

    def _by_question_word(self) -> list[Column]:
        """Return the only column that "who" or "where" can ask for, if the rows are events that have codes for names.

        Example: "Who treated Tim Lang?" of visits with a patient and a doctor asks for the doctor.
        """
        if (person := self._person()) is not None:
            return [person]
        if self.based and self.words[0].low == "whose":  # whose contract ended: its tenant
            links = [c for c in self.view.of_table(self.base) if self.view.people & set(c.to)]
            return links if len(links) == 1 else []
        if self.based and not self._asks_where() and self.base in self.view.people:
            return []  # who wrote it: the authors themselves, not their nationality
        conditions = {c.column for c in self.query_.where if not c.negated}
        met = {c.table for c in self.query_.where if not c.negated} - {self.base}
        if not conditions or not self.view.has_events(self.base):
            return []
        if not asks_by_word(self.words):
            return self._find_affected(conditions, met)
        nouns = {word for name in self.view.tables[self.base].names for word in name}
        if self._asks_where() and any(same("locate", word) < 1 for word in nouns):
            return []  # where a painting hangs: the room, not its guard
        said = {word for c in conditions if c is not None and c.kind != "date" for word in c.words}
        verb = self._verbs()[:1]
        if not verb or any(is_same_family(verb[0].low, word) for word in said):
            return []  # insured by Helvia, an insurer
        columns = [c for c in self.view.of_table(self.base) if c.relation != NAME and c.kind in ("text", "link")]
        left = [c for c in columns if c not in conditions and not met & set(c.to) and self.view.has_names(c)]
        people = [c for c in left if is_of_people(c.words)]
        left = people if people and not self._asks_where() else left
        if asks_who(self.words) and not people and any(is_of_people(c.words) for c in self.view.columns):
            return []  # who runs a pub with a landlord is no beer
        things = [c for c in left if c.kind == "link"]
        left = things if things and not self._asks_where() else left
        return left if len(left) == 1 else []

    def _asks_where(self) -> bool:
        return any(w.low == "where" for w in self.words[:2])

    def _add_up(self) -> None:
        """Compute the sum or the mean of the rows that a superlative chooses: the total of the 3 largest amounts."""
        query = self.query_
        adding = next((p for p in self.pieces if p.cue.say in ("sum", "avg", "median")), None)
        if adding is None or adding.used or query.do != "list" or query.group is not None:
            return
        if query.is_unordered and len(query.columns) == 1 and self._follows(adding, query.columns[0]):
            query.do, adding.used = adding.cue.say, True  # type: ignore[assignment]
            return
        if query.by is None or query.limit < 2 or query.by_sum or query.columns not in ([], [query.by]):
            return
        if query.by.kind == "number" and not self._is_ordinal(query.by):
            query.do, query.columns = adding.cue.say, [query.by]  # type: ignore[assignment]
            adding.used = self.based = True

    def _how(self, piece: QueryPiece) -> None:
        """Return what "how long" or "how old" asks for: what a superlative compares, or the column with its words."""
        query = self.query_
        behind = self.words[piece.end].low if piece.end < len(self.words) else ""
        did = self.words[piece.end - 1].low == "long" and behind in DO | HAVE  # how long she kept a book: not its pages
        found = (query.by, 0.0) if query.by else self._by_measures(piece.cue.measures, takes_time=did)
        if found is None or query.columns or query.by_sum:
            return
        query.columns, piece.used = [found[0]], True
        query.aged = self.words[piece.end - 1].low in ("old", "young") and "age" not in found[0].words
        self.cost += costs.UNUSED_CONDITION if query.aged and is_since(found[0]) else 0.0
        if query.aged and any(map(self._is_another_time, range(piece.end, len(self.words)))):
            self.cost += costs.UNUSED_CONDITION  # an age on another day than today
        self.cost += found[1]

    def _is_another_time(self, n: int) -> bool:
        """Return True for "when", and for "at" before something that happened: at the first visit, not at Elm."""
        behind = next((w for w in self.words[n + 1 :] if w.low not in ARTICLES), None)
        low = self.words[n].low
        return low == "when" or (low == "at" and behind is not None and not behind.named)

    def _shown(self, piece: QueryPiece) -> None:
        query, found = self.query_, self.column(piece)
        if found is None:
            return
        column, cost = found
        if piece.start == 1 + (self.words[1].low in BE) and asks_who(self.words) and self._states_some(column):
            self.cost += cost
            piece.used = True
            return
        behind = self._next(self.pieces.index(piece), "column", gap=0)
        between = {w.low for w in self.words[piece.end : behind.start]} if behind is not None else set()
        if column.relation < 0 and behind is not None and "of" in between and "and" not in between:
            other = self.column(behind)
            if other is not None and other[0].kind != "link" and not {"id", "code"} & set(other[0].words):
                piece.used = True
                return
        rows = self.view.tables[self.base]
        named = (singular(self.words[piece.end - 1].low),) in rows.names and not (rows.nameless or rows.numbered)
        if named and column.table == self.base and self._is_unsaid_key(piece, column):
            self.based = piece.used = True  # which products: their names, not their IDs
            return
        asked = asks_who(self.words) and self.base in self.view.people
        key = column.table == self.base and {(w,) for w in column.words} <= {*self.view.tables[self.base].names}
        if asked and (key or (column.table != self.base and self.base in column.to)):
            return  # who has no issue assigned: the people themselves
        if is_object(self.words, piece.start):
            piece.used = True
            return
        denied = any(c.negated and c.table == column.table != self.base for c in query.where)
        if (denied or (query.columns and column.kind == "link")) and self.words[piece.start - 1].low in ("a", "an"):
            piece.used = True  # who have never brought in a bike, which members returned a book
            return
        if self._is_of_others(piece, column):
            self.cost += costs.UNLIKE_ASKED
            return
        if column in (*query.columns, query.group):
            piece.used = True
            return
        if (self.based or query.columns) and self._leads(piece, column):
            return
        if self.based and not self._still_asked(piece):
            return
        self.cost += cost
        if query.columns and self._says_more(piece, column):
            query.columns[-1] = column
        else:
            query.columns.append(column)
        piece.used = True

    def _is_of_others(self, piece: QueryPiece, column: Column) -> bool:
        """Return True if a verb states a reference: which block *is below* block 1, what *lies in* Elmshire.

        What is asked for has the reference. It is not where Elmshire lies.
        """
        if column.kind != "link" or any(w.low in DO for w in self.words):
            return False
        copula = self.based and any(w.low in BE for w in self.words[max(0, piece.start - 1) : piece.end])
        behind = self.pieces[self.pieces.index(piece) + 1 :]
        verb = any(p.sort == "value" for p in behind) and kind(column.text.split()[0].lower()) == VERB
        return verb or (copula and column.table in column.to)

    def _leads(self, piece: QueryPiece, column: Column) -> bool:
        """Return True if a reference after the table says how to reach a condition: reported by staff called Bosco.

        A reference of the table to itself leads to no other table: the sponsor of a member is shown.
        """
        query = self.query_
        asked = self.words[piece.start - 1].low in ("their", "its", "his", "her", "and")
        to = {c.table for c in query.where if not c.negated} & set(column.to) - {self.base}
        if asked or column.kind != "link" or column.table != self.base or not to:
            return False
        self._follow(column)
        piece.used = True
        return True

    def _still_asked(self, piece: QueryPiece) -> bool:
        """Return True if a column after the table is asked for.

        It is directly after it, in another sentence, or said as "their".
        """
        place = self.pieces.index(piece)
        before = self.pieces[place - 1] if place else None
        word = self.words[piece.start - 1].low if piece.start else ""
        owned = word in ("their", "its", "his", "her")
        if owned and self.based and not self.query_.columns and self.words[piece.start - 2].low == "and":
            self.query_.columns.append(self.view.name_of(self.base))  # the films and their years
        if (owned or word == "and") and self.query_.columns:
            return True
        if any(w.mark for w in self.words[: piece.start]):
            return True
        if before is None or self.query_.columns:
            return False
        verb = kind(self.words[piece.end - 1].low) == VERB and self.words[0].low in ("which", "who")
        if verb and before.sort != "cue":
            return False  # which team won: what the winner is of is not asked for
        return before.sort == "table" and before.end == piece.start

    def _count(self, place: int, piece: QueryPiece) -> bool:
        """Count the table or column that "how many" refers to. Return False if there is none."""
        query = self.query_
        if self.based and self._counts_them(piece):
            query.do, piece.used = "count", True
            return True
        target = self._next(place, "table", "column", gap=1)
        if target is None and self._head() is not None:
            query.do, piece.used = "count", True
            self._sum_counts(of_rows=False)
            return True
        if target is None:
            if any(p.sort in ("table", "column") and not p.used for p in self.pieces[:place]):
                self.cost += costs.COUNT_APART
                return True
            behind = self.pieces[place + 1 :]
            target = next((p for p in behind if p.sort in ("table", "column") and not p.used), None)
            if target is None:
                return False
            between = behind[: behind.index(target)]
            self.cost += 0.0 if all(p.sort == "value" and self._describes(p) for p in between) else costs.COUNT_APART
        query.do = "count"
        piece.used = target.used = True
        if target.sort == "table":
            table = self._table(target)[0]
            if (dealt := self._find_dealt(table)) is None and table != self.base:
                return False
            if dealt is None and self._find_dealt(*self._referring()) is not None:
                self.cost += costs.COUNTED  # how many plants were sold: not how many kinds
            self.based = True
            self._sum_counts(self._amount(table, target) or dealt)
            return True
        if (found := self.column(target)) is None:
            return False
        column, cost = found
        self.cost += cost
        if self.words[piece.end - 1].low == "often" and (is_interval(column) or column.kind != "number"):
            return self._how_often(column, target)
        different = any(w.low in DIFFERENT for w in self.words)
        said = {singular(w.low) for w in self.words[target.start : target.end]}
        if column in self.view.so and column.table == self.base and said == {*column.words} and not different:
            self._add(RowCondition(self.base, column, self.view.so[column], text=column.text, at=target.start))
            self.based = True  # how many members: the rows where "member" says yes
            amount = self._next(self.pieces.index(target), "column", gap=0)
            added = self.column(amount, self._is_amount) if amount is not None else None
            if amount is not None and added is not None:  # how many billable hours
                query.columns, query.do, amount.used = [added[0]], "sum", True
            return True
        if any(c.column == column and c.places is None for c in query.where):
            self.based = True  # how many have a level under 240
            return True
        if column.kind == "number" and not different and not self._is_ordinal(column):
            query.columns = [column]
            self._add_or_average("sum")
            return True
        query.columns = [column]
        self.cost += costs.COUNT_KEYS if {"id", "code"} & set(column.words) and not different else 0.0
        self.cost += costs.COUNT_LINKS if column.kind == "link" and not different else 0.0
        return True

    def _add_or_average(self, do: str) -> None:
        """Compute what the words say, or the mean of "how many visitors did Bella have on average"."""
        last = self.pieces[-1]
        if do == "sum" and last.cue.say in ("avg", "median") and all(w.mark for w in self.words[last.end :]):
            do, last.used = last.cue.say, True
        self.query_.do = do  # type: ignore[assignment]

    def _computed(self, place: int, piece: QueryPiece) -> None:
        query = self.query_
        target = self._next(place, "column", "cue", gap=1)
        if target is not None and target.cue.say == "each":
            target = None  # how much each learner paid
        if target is not None and target.sort == "cue":
            if target.cue.say not in ("count", "sum"):
                return
            target.used = True
            target = self._next(self.pieces.index(target), "column", gap=1)
        target = self._last_noun(target)
        adds = piece.cue.say in ("avg", "median", "sum")
        measure = (lambda c: measured(0.5)(c) and not self._is_ordinal(c)) if adds else measured(0.5)
        if target is not None and not adds:
            named = target
            measure = lambda c: measured(0.5)(c) and not self._is_unsaid_key(named, c)  # noqa: E731
        found = self.column(target, measure) if target is not None else None
        if found is None and self.words[piece.start].low == "how":
            found, target = self._quantity_of_verb() or self._only_quantity(), None
        if found is None and piece.cue.say == "sum":  # what do they pay together
            found, target = self._quantity_of_verb(), None
        if found is None and adds and (rows := self._find_added_rows(place)) is not None:
            found, target, self.based = self._find_total(mean=piece.cue.say != "sum"), rows, True
        if found is None:
            return
        each = target is None and piece.cue.say == "sum" and asks_rate([w.low for w in self.words], found[0].words)
        query.columns = [found[0]]
        self._add_or_average("list" if each else piece.cue.say)
        self.cost += found[1]
        piece.used = True
        if target is not None:
            target.used = True

    def _extreme(self, place: int, piece: QueryPiece, people: list[Column]) -> None:
        query = self.query_
        target = self._next(place, "column", gap=1)
        found = self._measured_by(target)
        if found is None or target is None or (asks_who(self.words) and found[0].table != self.base):
            return
        query.by, query.down, query.limit = found[0], piece.cue.say == "max", query.limit or 1
        measures = {verb_dimension(w.low) for w in self.words} - {""}
        stated = not measures or measures & column_dimensions(found[0])  # not who *paid* the highest kg
        if len(people) == 1 and stated and not query.columns:
            query.columns = people  # who paid the highest fee, of rows with a member each
        self.cost += found[1]
        piece.used = target.used = True
