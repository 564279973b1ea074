"""A store's own graph as tables: classes with their columns, and how they join."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Final, Literal, TypeVar

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Ids
from hydra_kg.execution.graph_columns import NO_PLACES
from hydra_kg.execution.own_graph import OwnGraph, OwnRelation, value_kind
from hydra_kg.language.lexicon import list_words
from hydra_kg.language.morphology import abbreviations, is_same_family, singular
from hydra_kg.language.people_headings import holds_persons, is_person_like
from hydra_kg.language.tokens import split_identifier
from hydra_kg.steps.retrieval.entity_types import WHO, kinds_named
from hydra_kg.text.articles import ARTICLES
from hydra_kg.util.fast_dataclass import dataclass, field
from hydra_kg.util.number_columns import contains, distinct, sort_distinct

T = TypeVar("T")

Kind = Literal["name", "number", "date", "text", "link"]
NAME: Final = -1
"""The place of the column that is what rows are called."""

_FEW: Final = 20
"""Values of a column of states, at most."""
_INITIAL: Final = re.compile(r"\b([lfm])[ _]?name\b", re.IGNORECASE)
_INITIALS: Final = {"l": "last", "f": "first", "m": "middle"}
_YES = list_words("yes_in_cells")
_NO = list_words("no_in_cells")
_NOTHING = list_words("nothing_in_cells")
_LASTING: Final = list_words("lasting")
"""Before these a "min" is a minute, not the least."""
_NUMBERED: Final = ("number",)
"""Words of a heading without letters: "#", "№"."""
_LOOKED_AT: Final = 50
"""Rows or values of a table that say what its names are like."""

_NAMES: Final = 0.9  # share of values that must look like names
_GENERAL: Final = list_words("general_column")


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Args:
        table: The number of its table.
        relation: Its place in the graph, or :data:`NAME`.
        words: The words of its name, in the singular and with abbreviations written out.
        kind: The kind of its values.
        to: The tables that it leads to.
        text: Its name as written.
    """

    table: int
    relation: int
    words: tuple[str, ...]
    kind: Kind
    to: tuple[int, ...] = ()
    text: str = ""
    also: tuple[tuple[str, ...], ...] = ()
    """Other names for it, each as words."""
    unit: str = ""
    """The unit of its amounts, if its heading or its values state one."""


@dataclass(frozen=True, slots=True, eq=False)
class ClassTable:
    """A table of things of one kind: the places of its rows (ascending), and its names, each as words."""

    place: int
    names: tuple[tuple[str, ...], ...]
    text: str
    rows: Ids
    nameless: bool
    numbered: bool = False
    """Whether its rows are called by what they are and their key: order 17."""


@dataclass(frozen=True, slots=True)
class Join:
    """One step between tables over a relation, ``forward`` or back.

    ``also`` has other relations that are as good for the step: a match is both the home team's and the away team's.
    """

    start: int
    end: int
    relation: int
    forward: bool
    also: tuple[int, ...] = ()

    @property
    def relations(self) -> tuple[int, ...]:
        """Return all relations that make the step."""
        return (self.relation, *self.also)


def is_of_people(name: Sequence[str]) -> bool:
    """Return True if a table or column of such a name has people or groups: driver, author name, approved by, who."""
    called = name[:-1] if name[1:] and name[-1] == "name" else name
    return name == ("who",) or name[-1:] == ("by",) or bool(kinds_named(" ".join(called)) & WHO)


@dataclass(eq=False)
class View:
    """All tables of a graph. ``joins`` are by the table where they start, ``of`` has columns by relation."""

    graph: OwnGraph
    tables: list[ClassTable]
    columns: list[Column]
    joins: dict[int, list[Join]] = field(default_factory=dict)
    of: dict[int, list[Column]] = field(default_factory=dict)
    so: dict[Column, Ids] = field(default_factory=dict)
    """Columns of yes and no, with the places of yes."""
    spoken: frozenset[str] = frozenset()
    """Words of all its names of tables and columns, in the singular."""
    within: list[npt.NDArray[np.bool_]] = field(default_factory=list)
    totals: dict[int, Column] = field(default_factory=dict)
    """What rows come to, by the relation of their price for one, which is never added up."""
    _made: dict[Hashable, Any] = field(default_factory=dict)

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return what ``make`` made of the stored graph, once for all questions."""
        made: T = self._made[key] if key in self._made else self._made.setdefault(key, make())
        return made

    @cached_property
    def people(self) -> frozenset[int]:
        """Return the tables of people or groups.

        They are called so ("staff"), or like a role if a column or a word of the store says so (learners with a
        birthday, divers who dive), or referred to as such ("driver", "who").
        """
        named = {t.place for t in self.tables if any(is_of_people(name) for name in t.names)}
        roles = ((t, name[-1]) for t in self.tables for name in t.names if is_person_like(name[-1]))
        named |= {t.place for t, role in roles if self._of_persons(t) or self._is_done_by(role)}
        return frozenset(named.union(*(c.to for c in self.columns if c.kind == "link" and is_of_people(c.words))))

    def _of_persons(self, table: ClassTable) -> bool:
        """Return True if a heading of a table is one of people: surname, birthday, phone."""
        return holds_persons("", [word for c in self.columns if c.table == table.place for word in c.words])

    def _is_done_by(self, role: str) -> bool:
        """Return True if a shorter word of the store says what a role does: divers, not employment with an employee."""
        shorter = (word for word in self.spoken if len(word) < len(role) and is_same_family(role, word))
        return any(not is_person_like(word) for word in shorter)

    def people_of(self, table: int) -> list[Column]:
        """Return the columns of a table of events that say who took part in them."""
        columns = () if table in self.people else self.of_table(table)
        nouns = {word for name in self.tables[table].names for word in name}
        words = {w for c in columns for w in c.words if w.endswith(("er", "or"))}
        doers = {w for w in words - nouns if any(is_same_family(w, n) for n in nouns)}  # the adopter of an adoption
        texts = {c for c in columns if c.kind == "text" and (is_of_people(c.words) or doers & {*c.words})}
        return [c for c in columns if c in texts or self.people & {*c.to}]

    def rows(self, table: int) -> Ids:
        """Return the rows of a table."""
        return self.tables[table].rows

    def only(self, table: int, places: Ids) -> Ids:
        """Return those of some places that are rows of a table."""
        things = places[places < len(self.graph.ids)]
        return things[self.within[table][things]]

    def holding(self, places: Sequence[int]) -> Iterator[tuple[Column, Ids]]:
        """Yield the columns that have one of some values, each with its values; rows of such a name are among them."""
        some = np.array(sorted(places), np.int64)
        for table in self.tables:
            if len(mine := self.only(table.place, some)) and not table.nameless:
                yield self.name_of(table.place), mine
        for number, relation in enumerate(self.graph.relations):
            columns = [c for c in self.of.get(number, ()) if c.kind != "link"]
            starts = relation.back.rows(some) if columns else NO_PLACES
            for column in columns if len(starts) else ():
                ends = relation.back.end[starts]
                good = self.within[column.table][ends]
                if good.any():
                    yield column, sort_distinct(relation.back.start[starts][good])

    def called(self, low: str) -> list[int]:
        """Return the values that a word names, not those whose words it abbreviates: A Love of a Lifetime, of "all"."""
        return [place for place in self.graph.names.get(low, ()) if " " not in self.graph.name(place)]

    def of_table(self, table: int) -> list[Column]:
        """Return the columns of a table."""
        return [c for c in self.columns if c.table == table]

    def has_events(self, table: int) -> bool:
        """Return True if rows have no names of their own: none, codes that end in a digit, or shared ones."""
        return self.once(("events", table), lambda: self._has_events(table))

    def _has_events(self, table: int) -> bool:
        names = [self.graph.name(row) for row in self.rows(table)[:_LOOKED_AT].tolist()]
        shared = len(set(names)) < len(names)
        return self.tables[table].nameless or shared or all(name[-1:].isdigit() for name in names)

    def has_names(self, column: Column) -> bool:
        """Return True if nearly all values of a column begin with a capital letter and have no digit."""
        ends = sort_distinct(self.graph.relations[column.relation].there.end)[:_LOOKED_AT].tolist()
        names = [self.graph.name(end) for end in ends]
        proper = sum(name[:1].isupper() and not any(c.isdigit() for c in name) for name in names)
        return proper >= _NAMES * len(names) > 0

    def has_sentences(self, column: Column) -> bool:
        """Return True if at least half of a column's texts begin with a capital letter and go on in small ones."""
        if column.kind != "text" or column.relation < 0:
            return False
        ends = sort_distinct(self.graph.relations[column.relation].there.end)[:_LOOKED_AT].tolist()
        texts = [self.graph.name(end).split() for end in ends]
        prose = sum(len(t) > 1 and t[0][:1].isupper() and t[-1][:1].islower() for t in texts)
        return 2 * prose >= len(texts) > 0

    def has_years(self, column: Column) -> bool:
        """Return True if a column has years or days of modern times."""
        ends = self.graph.relations[column.relation].there.end[:200]
        return 1000 <= float(np.nanmedian(self.graph.numbers[ends])) < 2200

    def has_few(self, column: Column) -> bool:
        """Return True if a column of texts has few different values."""
        if column.kind != "text" or column.relation < 0:
            return False
        relation = self.graph.relations[column.relation].there
        return len(sort_distinct(relation.end[relation.rows(self.rows(column.table))])) <= _FEW

    def name_of(self, table: int) -> Column:
        """Return the column with the names of rows."""
        return next(c for c in self.of[NAME] if c.table == table)


def view_of(graph: OwnGraph) -> View:
    """Return the tables of a graph; classes with the same members are one."""
    members: dict[bytes, list[str]] = defaultdict(list)
    for name, rows in graph.classes.items():
        members[rows.tobytes()].append(name)
    count = len(graph.ids)
    view = View(graph, [], [])
    spelt = _Spelling(graph)
    for place, (key, names) in enumerate(members.items()):
        rows = np.frombuffer(key, np.int64)
        nameless = bool(graph.nameless[rows].mean() > 0.5)
        said = [view.graph.name(r) for r in rows[:_LOOKED_AT].tolist()]
        numbered = not nameless and all(any(s.startswith(f"{n} ") and s[-1].isdigit() for n in names) for s in said)
        view.tables.append(ClassTable(place, tuple(spelt.words(n) for n in names), names[0], rows, nameless, numbered))
        mask = np.zeros(count, np.bool_)
        mask[rows] = True
        view.within.append(mask)
    by_relation: dict[int, list[Column]] = defaultdict(list)
    joins: dict[int, list[Join]] = defaultdict(list)
    for table in view.tables:
        extra = tuple(dict.fromkeys(w for n in table.names for w in n))
        by_relation[NAME].append(Column(table.place, NAME, ("name", *extra), "name", (), "name"))
    for number, relation in enumerate(graph.relations):
        for table in view.tables:
            if (column := _column(view, table, number, relation, spelt)) is not None:
                by_relation[number].append(column)
                for to in column.to:
                    joins[table.place].append(Join(table.place, to, number, True))
                    joins[to].append(Join(to, table.place, number, False))
    view.columns = [c for columns in by_relation.values() for c in columns]
    view.spoken = frozenset(w for t in view.tables for n in t.names for w in n) | {
        w for c in view.columns for w in c.words
    }
    view.of, view.joins = dict(by_relation), dict(joins)
    view.so = {c: yes for c in view.columns if c.relation >= 0 and (yes := _yes(view, c)) is not None}
    return view


def _column(view: View, table: ClassTable, number: int, relation: OwnRelation, spelt: _Spelling) -> Column | None:
    rows = relation.there.rows(table.rows)
    if not len(rows):
        return None
    ends = relation.there.end[rows]
    things = ends[ends < len(view.graph.ids)]
    said, *also = (spelt.words(text) or _NUMBERED for text in relation.text.split(" / "))
    to: tuple[int, ...] = ()
    if len(things) >= 0.5 * len(ends):
        share = [(float(mask[things].mean()), t) for t, mask in enumerate(view.within)]
        to = tuple(t for s, t in share if s >= 0.5)
    if to:
        return Column(table.place, number, said, "link", to, relation.text, tuple(also))
    unit = view.graph.units.get(number, "")
    return Column(table.place, number, said, value_kind(view.graph, ends), (), relation.text, tuple(also), unit)


def _yes(view: View, column: Column) -> Ids | None:
    """Return the values that mean yes in a column of yes and no, or of something and "none": damage, allergies."""
    relation = view.graph.relations[column.relation].there
    ends = distinct(relation.end[relation.rows(view.rows(column.table))], view.graph.size)
    if len(ends) > _FEW and column.kind != "text":
        return None
    none = np.concatenate([view.graph.index.names.find(singular(word)) for word in sorted(_NOTHING)])
    if len(ends) > _LOOKED_AT and not contains(ends, none).any():
        return None
    said = {view.graph.name(e).casefold(): e for e in ends.tolist()}
    if len(said) <= 2 and said.keys() <= _YES | _NO:
        yes = [e for text, e in said.items() if text in _YES]
        return np.array(yes, np.int64) if yes else None
    some = [e for text, e in said.items() if text not in _NOTHING]
    return np.array(some, np.int64) if column.kind == "text" and 1 < len(some) < len(said) else None


class _Spelling:
    """Splits names into words, in the singular and with abbreviations written out.

    Words that are written together are taken apart by the other words of the schema.
    """

    def __init__(self, graph: OwnGraph) -> None:
        texts = [*graph.classes, *(r.text for r in graph.relations)]
        self.known = _GENERAL | {singular(w) for t in texts for w in split_identifier(t)}

    def words(self, text: str) -> tuple[str, ...]:
        """Return the words of a name, each once."""
        found: list[str] = []
        every = split_identifier(_INITIAL.sub(lambda m: _INITIALS[m[1].casefold()] + " name", text))
        for word in every:
            for part in self._apart(word):
                behind = bool(found) and word == every[-1] and "max" not in self.known  # late by min
                lasting = part == "min" and (behind or bool(_LASTING & set(found)))
                found += ["minute"] if lasting else [singular(p) for p in abbreviations().get(part, (part,))]
        return tuple(dict.fromkeys(found))

    def _apart(self, word: str) -> tuple[str, ...]:
        if word in abbreviations() or len(word) < 5:
            return (word,)
        smaller = self.known - {word, singular(word)}
        for cut in range(len(word) - 2, 2, -1):
            first, last = word[:cut], word[cut:]
            if singular(first) in smaller or first in abbreviations():
                rest = (last,) if singular(last) in smaller else self._apart(last)
                if all(singular(r) in smaller for r in rest):
                    return (first, *rest)
        return (word,)


_GROUPED_BY: Final = list_words("each") | {"per", "by"}


def with_column_pairs(view: View, lows: Sequence[str]) -> View:
    """Return a view that also has each two columns by which a question groups rows, as one: "per shop and month".

    Only columns with one value a row are joined. Rows without a value of the second have "–" there.
    """
    graph, columns, of = view.graph, list(view.columns), dict(view.of)
    for said, first, second in _grouping_pairs(view, lows):
        one, other = (graph.relations[c.relation] for c in (first, second))
        if any(len(sort_distinct(r.there.start)) < len(r.there.start) for r in (one, other)):
            continue
        seconds = dict(zip(other.there.start.tolist(), other.there.end.tolist(), strict=True))
        pairs = zip(one.there.start.tolist(), one.there.end.tolist(), strict=True)
        texts = [f"{graph.name(end)}, {graph.name(seconds[row]) if row in seconds else '–'}" for row, end in pairs]
        places = {text: graph.size + n for n, text in enumerate(sorted(set(texts)))}
        there = replace(one.there, end=np.array([places[text] for text in texts], np.int64))
        text = f"{first.text} and {second.text}"
        root = one.part_of if one.part_of >= 0 else first.relation
        graph = graph.with_values(
            OwnRelation(one.pred, one.key, text, said, there, literal=True, part_of=root), list(places)
        )
        columns.append(Column(first.table, len(graph.relations) - 1, said, "text", (), text))
        of[len(graph.relations) - 1] = columns[-1:]
    return replace(view, graph=graph, columns=columns, of=of) if graph is not view.graph else view


def _grouping_pairs(view: View, lows: Sequence[str]) -> Iterator[tuple[tuple[str, ...], Column, Column]]:
    """Yield two columns of a table that words such as "per" group by, with their words: shop and month."""
    words = [singular(low) for low in lows if low not in ARTICLES]
    own: dict[tuple[int, tuple[str, ...]], Column] = {}
    for column in (c for c in view.columns if c.relation >= 0 and "and" in words):
        own.setdefault((column.table, column.words), column)
    for middle in (k for k, low in enumerate(words) if low == "and"):
        begin = next((k + 1 for k in range(middle - 2, -1, -1) if words[k] in _GROUPED_BY), middle)
        behind = middle + 1 + (words[middle + 1 : middle + 2] != [] and words[middle + 1] in _GROUPED_BY)
        for (table, said), first in own.items():
            if said != tuple(words[begin:middle]):
                continue
            for end in range(len(words), behind, -1):
                if (second := own.get((table, tuple(words[behind:end])))) is not None and second is not first:
                    yield tuple(words[begin:end]), first, second
                    break
