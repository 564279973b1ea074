"""Amounts that questions ask for without their column: how much did we spend on food."""

from __future__ import annotations

from typing import Final

from hydra_kg.language.lexicon import list_words
from hydra_kg.language.morphology import is_same_family
from hydra_kg.language.units import verb_dimension
from hydra_kg.steps.queries.drafting.group_means import AveragedPieces
from hydra_kg.steps.queries.drafting.row_conditions import DIFFERENT, STATED, STOCK
from hydra_kg.steps.schema.answer_class import PAST
from hydra_kg.steps.tables import costs
from hydra_kg.steps.tables.column_dimensions import column_dimensions, is_interval
from hydra_kg.steps.tables.graph_tables import Column, is_of_people
from hydra_kg.steps.tables.operation_words import asks_who
from hydra_kg.steps.tables.question_spans import QueryPiece
from hydra_kg.steps.tables.rate_periods import rate_words
from hydra_kg.steps.tables.span_meanings import same
from hydra_kg.steps.tables.table_query import COMPUTED, RowCondition, TableQuery

_CALLED: Final = list_words("named")
_PAYING: Final = ("pay", "spend")
_GIVING: Final = ("donate", "contribute", "give")
"""Verbs whose subject pays an amount that rows around it state. What something costs is its own."""

TOTALS: Final = frozenset(("total", "amount", "sum"))
"""Words of columns whose sum is the total of their rows."""

_PLANNED: Final = "budget"
"""Word of amounts that nobody has paid."""
_OF_OTHERS: Final = 2
_LIKE: Final = (0.0, costs.ONLY_NUMBER, costs.OTHER_PAYMENT)
"""Costs of a column of money by how unlike a verb it is called."""

_STUFF: Final = frozenset(("mass", "volume"))


def states_stuff(query: TableQuery, column: Column) -> bool:
    """Return True if a question asks how much there is of a named stuff, and a column has its mass or volume."""
    named = any(c.at == 2 and c.table == column.table and not c.negated for c in query.where)  # how much *butter*
    return named and bool(column_dimensions(column) & _STUFF)


def _way_of_paying(word: str) -> int:
    """Return which of the verbs of paying a word is a form of, -1 for others: 1 for "donation"."""
    found = (n for n, verbs in enumerate((_PAYING, _GIVING)) if any(is_same_family(word, verb) for verb in verbs))
    return next(found, -1)


class AmountPieces(AveragedPieces):
    """Columns that a verb, or being the only amount, makes the answer to "how much"."""

    def _quantity_of_verb(self) -> tuple[Column, float] | None:
        """Return the only amount within reach that a verb of the question states: how much did Ida *pay*."""
        verb = next((k for k, w in enumerate(self.words) if verb_dimension(w.low) or _way_of_paying(w.low) >= 0), -1)
        low = self.words[verb].low if verb >= 0 else ""
        earns = verb >= 0 and is_same_family(low, "earn")  # the price of a job, if people do jobs
        pays = earns or _way_of_paying(low) >= 0
        if verb < 0 or not (pays or is_same_family(low, "cost")):
            return None
        fits = [c for c in self.view.columns if "money" in column_dimensions(c) and c.table in self.ways]
        fits = [c for c in fits if not (pays and _PLANNED in c.words)]
        ranks = {c: self._unlikeness(low, c) for c in fits}
        own = [c for c in fits if c.table == self.base and not ranks[c]]  # the wage of a cashier, not what was paid
        fits = own or [c for c in fits if c.table in self._referring()] if earns else fits
        if pays and 0 in ranks.values():
            fits = [c for c in fits if not ranks[c]]  # what a customer paid is not the price of what was sold
        mine = [c for c in fits if c.table == self.base]
        if pays and len(mine) == 1 and self.base not in self.view.people and not earns:
            fits = mine  # what was paid for a loan is not the value of what was lent
        lasting = [c for c in fits if "rate" in c.words or rate_words(c.words)]
        a_year = rate_words([w.low for w in self.words])
        if pays and (a_year or len(lasting) < len(fits)):  # what somebody earned is not the rate of an hour
            fits = (lasting or fits) if a_year else [c for c in fits if c not in lasting]
        fits = [c for c in fits if pays or c.table == self.base]  # what a boat costs is not what its repairs cost
        near = {self.base, *self._referring()}
        tables = {t for p in self.pieces if p.sort == "table" for t, _ in p.tag.tables}
        rows = [c for c in fits if c.table in tables & near - {self.base}]
        fits = rows if pays and len(rows) == 1 else fits  # spent on dives: their charges
        totals = [c for c in self.view.columns if c.table in near and TOTALS & set(c.words) and self._is_amount(c)]
        fits = totals if pays and len(totals) == 1 and not (a_year and lasting) else fits
        said_by = [p for p in self.pieces if verb in range(p.start, p.end)]  # paid, of a column of yes and no
        behind = (p for p in self.pieces[1:] if pays and p.sort == "column" and not p.used and p not in said_by)
        heading = next(behind, None)
        named = [c for c, _ in heading.tag.columns if c in fits] if heading is not None else []
        if heading is not None and len(named) == 1:
            fits, heading.used = named, True  # how much did Ida pay in fees
        if len(fits) != 1 or any(
            p.used or not (p.sort == "table" or self._is_flag(p) or fits[0] in dict(p.tag.columns)) for p in said_by
        ):
            return None
        rank = self._unlikeness(low, fits[0])
        if not any(self._unlikeness(low, c) == rank for c in self._amounts_elsewhere()):
            for piece in said_by:
                piece.used = True
            self.query_.placed |= set() if earns else {verb}
        known = not rank or (fits[0] in totals and rank < _OF_OTHERS)
        return fits[0], _LIKE[rank] * (not known) + self._distance(fits[0].table)

    def _unlikeness(self, verb: str, column: Column) -> int:
        """Return 0 for a column of money that is called like a verb, 2 for one that other verbs state, else 1.

        What somebody paid is the amount of a payment, rather than a fee, and hardly what they donated.
        """
        way, names = _way_of_paying(verb), {w for name in self.view.tables[column.table].names for w in name}
        ways = [_way_of_paying(word) for word in (*column.words, *names)]
        if way >= 0 and way in ways[: len(column.words)]:
            return 0
        if way >= 0 and not {-1, way}.issuperset(ways):
            return _OF_OTHERS
        return int(way not in ways if way >= 0 else all(same(verb, word) == 1 for word in column.words))

    def _amounts_elsewhere(self) -> list[Column]:
        """Return the columns of money in tables that have the named values too, without a way to them."""
        named = {c.at for c in self.query_.where}
        tags = [p.tag for p in self.pieces if p.sort == "value" and p.start in named]
        tables = {column.table for tag in tags for column, *_ in tag.values} - self.ways.keys() - {self.base}
        columns = (c for c in self.view.columns if c.table in tables)
        return [c for c in columns if "money" in column_dimensions(c) or TOTALS & set(c.words)]

    def _most(self, n: int, piece: QueryPiece, order: str) -> None:
        """Order the rows by what a verb says they paid or earned in all, else as usual: who *spent* the most."""
        query, last = self.query_, all(p.sort == "cue" for p in self.pieces[n + 1 :])
        first = query.by is None and query.by_count < 0
        dealt = self._dealt_most(n) if first else None
        spent = dealt or (self._quantity_of_verb() if first and last else None)
        if spent is None:
            super()._most(n, piece, order)
            return
        if spent[0].table == self.base:
            self._summed_before(n)  # which guide earned the most, of trips with a guide and a price
            people = self._choose_people() if asks_who(self.words) and query.group is None else []
            if len(people) == 1:
                query.group, query.by_sum = people[0], True  # who donated the most: the donor
            elif query.group is None and dealt is not None and not asks_who(self.words):
                query.group, query.by_sum = self.view.name_of(self.base), True  # which pass sold most, of several rows
        query.by, query.down, query.limit = spent[0], order == "max", query.limit or 1
        query.by_sum |= spent[0].table != self.base
        self.cost += spent[1]
        piece.used = True

    def _is_flag(self, piece: QueryPiece) -> bool:
        """Return True if a piece says only columns of yes and no."""
        columns = [c for c, _ in piece.tag.columns] if piece.sort == "column" else []
        return bool(columns) and all(c in self.view.so for c in columns)

    def _sum_counts(self, called: Column | None = None, *, of_rows: bool = True) -> None:
        """Add up a column ``called`` like its rows, or one that says how many there are of each: 12 jars of plum jam.

        If rows are counted, the table of the latter has no dates, as orders have, and nothing of another table chooses
        rows. If what they refer to is counted ("how many lamps were sold"), they may. It is not quite sure.
        """
        query, own = self.query_, self.view.of_table(self.base)
        if called is not None:
            query.do, query.columns = "sum", [called]
            return
        said = {c: p for p in self.pieces if p.sort == "column" and not p.used for c, _ in p.tag.columns}
        stated = [c for c in own if c.kind == "number" and STATED.issuperset(c.words)]
        fits = [c for c in stated if c in said or STOCK not in c.words]
        if not (fits or of_rows):  # how many rolls were sold, of a column "sold"
            fits = [
                c for c in said if c in own and self._is_amount(c) and self._says_any(c) and not column_dimensions(c)
            ]
        tables = {c.table for c in (*query.where, *query.either)}
        tables |= {t for p in self.pieces if p.sort == "table" and not self._is_base(p) for t, _ in p.tag.tables}
        head = self._head()
        referred = next((c for c in query.where if head is not None and c.at == head.start), None)
        past = any(w.low in PAST for w in self.words)  # were sold, not do we sell
        if of_rows or referred is None or referred.table == self.base or not past:
            referred = None
        else:
            tables.discard(referred.table)
        dated = referred is None and any(c.kind == "date" for c in own)
        denied = any(p.cue.say == "not" for p in self.pieces)  # out of stock
        if len(fits) != 1 or tables - {self.base} or dated or denied or {w.low for w in self.words} & DIFFERENT:
            return
        query.do, query.columns, query.beyond_sheets = "sum", fits, True
        self.cost += costs.COUNTED if referred is None else -costs.UNLIKE_ASKED  # see _headed
        if fits[0] in said:
            said[fits[0]].used = True

    def _find_added_rows(self, place: int) -> QueryPiece | None:
        """Return the base right behind "total of", after values that describe it: the total of unpaid invoices."""
        behind = [piece for piece in self.pieces[place + 1 :] if not piece.used][:1]
        is_base = bool(behind) and behind[0].sort == "table" and self._is_base(behind[0])
        return behind[0] if is_base and self.query_.is_unordered and not self.query_.limit else None

    def _find_total(self, *, mean: bool = False) -> tuple[Column, float] | None:
        """Return the only column of the base called "total" or "amount", else the only one of money.

        For a ``mean``, the only column of amounts will do: the stars of the average rating.
        """
        amounts = [c for c in self.view.of_table(self.base) if self._is_amount(c)]
        called = amounts if mean and len(amounts) == 1 else [c for c in amounts if TOTALS & set(c.words)]
        fits = called or [c for c in amounts if "money" in column_dimensions(c)]
        return (fits[0], costs.ONLY_NUMBER) if len(fits) == 1 else None

    def _only_quantity(self) -> tuple[Column, float] | None:
        """Return the only column of the base whose numbers can be added up, if it is called like an amount of money.

        It may also state how much there is of a stuff: the grams of "how much butter".
        """
        fits = [c for c in self.view.of_table(self.base) if self._is_amount(c)]
        if len(fits) == 1 and states_stuff(self.query_, fits[0]):
            return fits[0], costs.ONLY_NUMBER
        amounts = [c for c in fits if any(same("money", w) < 1 for w in c.words)]
        stated = (c.column for c in self.query_.where if c.column is not None and c.column.relation >= 0)
        owed = {word for column in stated if not is_of_people(column.words) for word in column.words}
        if any(_way_of_paying(word) >= 0 for word in owed):
            return self._find_total()  # how much is unpaid
        planned = any(_PLANNED in c.words for c in amounts) and any(verb_dimension(w.low) for w in self.words)
        if len(amounts) != 1 or len(fits) != 1 or planned:
            return None
        verbs = {k for k, w in enumerate(self.words) if _way_of_paying(w.low) >= 0}
        others = [c for c in self.view.columns if c.table in self._referring() and "money" in column_dimensions(c)]
        rank = max((self._unlikeness(self.words[k].low, amounts[0]) for k in verbs), default=1)
        elsewhere = [self._unlikeness(self.words[k].low, c) for k in verbs for c in self._amounts_elsewhere()]
        unclear = others or any(other <= rank for other in elsewhere)  # the fee of a diver, or the charges of the dives
        self.query_.placed |= verbs if not unclear else set()
        return amounts[0], _LIKE[rank] if rank == _OF_OTHERS or elsewhere or not verbs else 0.0

    def _follows(self, adding: QueryPiece, column: Column) -> bool:
        """Return True if "in total" follows a column of amounts, or "how much" asks for one: how much did it cost."""
        if any(p.used and p.cue.say == "measure" for p in self.pieces):
            return not self.query_.aged  # how long they are on average
        shown = next((p for p in self.pieces if p.used and column in dict(p.tag.columns)), None)
        if shown is None or not self._is_amount(column) or any(c.column == column for c in self.query_.where):
            return False  # who had only one goal total
        return self.words[adding.start].low == "how" or shown.start < adding.start

    def _how_often(self, column: Column, said: QueryPiece) -> bool:
        """Show the interval that a column states, else count rows: those where it says yes, or all that have it.

        Examples: 3, of "watered every days"; how often Ana won, of "won" or "winner".
        """
        query = self.query_
        if is_interval(column):
            query.do, query.columns = "list", [column]
            return True
        if column.table != self.base:
            return False
        self.based = True
        if column in self.view.so:
            self._add(RowCondition(self.base, column, self.view.so[column], text=column.text, at=said.start))
        return True

    def _states_some(self, column: Column) -> bool:
        """Add the condition of more than 0 if "who" comes before an amount of people: who *owes* money, was *late*."""
        refers = any(self.view.people & set(c.to) for c in self.view.of_table(self.base))
        people = self.base in self.view.people or (refers and self.view.has_events(self.base))
        if column.table != self.base or not people or not self._is_amount(column):
            return False
        low, text = 1e-9, f"{column.text} > 0"
        self._add(RowCondition(self.base, column, low=low, high=float("inf"), text=text, at=1))
        return True

    def _counts_them(self, piece: QueryPiece) -> bool:
        """Return True if "how many" counts the rows named before it: "how many of them are male"."""
        behind = [w.low for w in self.words[piece.end : piece.end + 2]]
        return behind in (["of", "them"], ["of", "these"], ["of", "those"]) or behind[:1] in (["are"], ["were"])

    def _last_noun(self, target: QueryPiece | None) -> QueryPiece | None:
        """Return the last of two columns side by side, whose first only describes it: the average *ticket price*."""
        behind = self._next(self.pieces.index(target), "column", gap=0) if target is not None else None
        if target is None or behind is None or behind.start != target.end:
            return target
        if self.column(behind, self._is_amount) is None:
            return target
        target.used = True
        return behind

    def _each(self, place: int, piece: QueryPiece) -> None:
        query = self.query_
        target = self._next(place, "column", "table", gap=1)
        if target is None or query.group is not None:
            return
        ends = {target.end, target.end + any(w.low in _CALLED for w in self.words[target.end : target.end + 1])}
        named = any(p.start in ends and p.sort == "value" for p in self.pieces)
        if piece.cue.value == "by" and named:
            piece.used = True  # the albums by the artist Lind
            return
        doing = {p.cue.say for p in self.pieces} & {"count", "share", *COMPUTED}
        per = query.do == "list" and query.is_unordered and self.words[piece.start].low == "per"
        if query.do == "list" and not (doing or per):
            piece.used = True  # the names of every student: all of them
            return
        if target.sort == "table":
            table = min(target.tag.tables, key=lambda named: (named[1], named[0] != self.base))[0]
            if table == self.base and not per:
                if query.do == "count" and not query.columns:
                    return  # the number of courses of each course
                target.used = self.based = piece.used = True
                if query.do == "sum":
                    query.group = self.view.name_of(self.base)  # what each learner paid
                return
            query.group = self.view.name_of(table)
        elif (found := self.column(target)) is not None and found[0] not in query.columns:  # its price *per night*
            query.group = found[0]
            self.cost += found[1]
        behind = self._next(self.pieces.index(target), "column", "table", gap=0)
        also = [w.low for w in self.words[target.end : behind.start]] if behind is not None else []
        piece.used = "and" not in also  # per client and product, of which no table has both
        target.used = True

    def _measure_groups(self) -> None:
        """Count rows, or add up the only column shown, for each group of a question that only says "per".

        "What was the cost per month?" Numbers that have no sum, such as scores, leave "per" without an effect unless
        each row is a group.
        """
        query, shown = self.query_, self.query_.columns
        per = next((p for p in self.pieces if p.used and p.cue.say == "each"), None)
        if query.do != "list" or query.group is None or per is None or not query.is_unordered:
            return
        if not shown and self.based:
            query.do = "count"
        elif len(shown) == 1 and self._is_amount(shown[0]):
            query.do = "sum"
            per.used = self._has_sum(shown[0]) or self._unique(query.group)
        else:
            per.used = False

    def _has_sum(self, column: Column) -> bool:
        """Return True if the numbers of a column can be added up by its name: costs, tickets, a quantity."""
        dimensions = column_dimensions(column) - {"temperature", "percent", "speed"}
        return bool(dimensions) or STATED.issuperset(column.words) or self._is_called_in_plural(column)
