"""Load the part of a store with a schema of its own into memory: nodes, literals and relations as numpy columns."""

from __future__ import annotations

import math
import re
from collections import ChainMap
from collections.abc import Callable, Iterable, Mapping, MutableMapping, Sequence
from copy import copy
from functools import cached_property
from typing import Any, Final, Literal, TypeVar, cast

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Entity, Ids
from hydra_kg.execution.name_index import GraphNames, PlacesByText
from hydra_kg.language.tokens import fold_words
from hydra_kg.text.quantities import read_amount, read_time
from hydra_kg.text.text_column import TextColumn
from hydra_kg.util.cancelling import check
from hydra_kg.util.fast_dataclass import dataclass, field
from hydra_kg.util.number_columns import Incidence, contains, distinct, sort_distinct, spread

T = TypeVar("T")

ReadEntities = Callable[[Sequence[int]], list[Entity]]
"""Returns entities by class id, in that order."""

MOST_FACTS = 6_000_000
"""Largest number of facts of a store that is read into memory for its words."""

NUMERIC: Final = 0.9  # share of the values of a relation that must be numbers or dates to compare by it
_TYPED: Final = 0.8
"""Share of numbers in a column to which the loader gave a datatype; the others are its exceptions."""
_FEW_NUMBERS: Final = 3
"""Numbers next to which one cell is an exception, however few rows there are: £4, £7, £9 and "free"."""
_SAMPLED: Final = 50
"""Values of a column that decide whether it has dates."""
_FREEBASE: Final = re.compile(r"(?:[a-z0-9_]+(?:\.[a-z0-9_]+){2,}|topic_server\.\w+)$")
_WIKIDATA: Final = re.compile(r"P\d+(?:/P\d+)?$")
_GROUND: Final = ("rdf-syntax-ns#", "rdf-schema#", "2002/07/owl#", "void#", "vann/", "creativecommons.org/ns#")
_NUMBER: Final = re.compile(r"[+-]?\d+(?:\.\d+)?$")
_DATE: Final = re.compile(r"(\d{4})-(\d\d)(?:-(\d\d))?")
TYPE: Final = "rdf-syntax-ns#type"
SUBCLASS: Final = "rdf-schema#subClassOf"
BETWEEN_VALUES: Final = " / "
"""What separates the values of a cell that has several."""


def is_own(key: str) -> bool:
    """Return whether a predicate is in words of the user's own data, not of Freebase, Wikidata or RDF itself."""
    return bool(key) and not (_FREEBASE.match(key) or _WIKIDATA.match(key) or is_ground(key))


def is_ground(key: str) -> bool:
    """Return True for a predicate that only describes a schema. ``owl:deprecated`` may be said of any thing."""
    return key.endswith(":") or (any(g in key for g in _GROUND) and not key.endswith("owl#deprecated"))


@dataclass(frozen=True, eq=False)
class Columns:
    """A relation in one direction: places ``start`` (sorted) and ``end``, and handles of facts."""

    start: Ids
    end: Ids
    segment: npt.NDArray[np.int16]
    row: Ids

    @classmethod
    def sort(cls, start: Ids, end: Ids, segment: npt.NDArray[np.int16], row: Ids) -> Columns:
        """Return the columns of facts in any order."""
        if (start[1:] > start[:-1]).all():
            return cls(start, end, segment, row)
        order = np.lexsort((end, start))
        return cls(start[order], end[order], segment[order], row[order])

    @cached_property
    def back(self) -> Columns:
        """Return the other direction, which is sorted when first asked for."""
        return Columns.sort(self.end, self.start, self.segment, self.row)

    def rows(self, nodes: Ids) -> Ids:
        """Return the rows that start at one of the nodes (ascending)."""
        check(min(len(self.start), len(nodes)))
        if len(self.start) < len(nodes):
            return np.flatnonzero(contains(nodes, self.start))
        low, high = np.searchsorted(self.start, nodes), np.searchsorted(self.start, nodes, "right")
        found = spread(low, high - low)
        check(len(found))
        return found

    def leads(self, nodes: Ids) -> Ids:
        """Return the places that the nodes lead to, ascending, each once."""
        return sort_distinct(self.end[self.rows(nodes)])


@dataclass(frozen=True, slots=True, eq=False)
class OwnRelation:
    """A relation with its words. ``pred`` is its position among the predicates, ``there`` its columns."""

    pred: int
    key: str
    text: str
    words: tuple[str, ...]
    there: Columns
    literal: bool
    hierarchy: bool = False
    transitive: bool = False
    """Whether the relation extends over several steps: a town in a county of a region lies in the region."""
    part_of: int = -1
    """The relation whose days it has a part of, such as their months, in the same order; -1 for stated relations."""

    @property
    def back(self) -> Columns:
        """Return the columns from the ends of the relation to its starts."""
        return self.there.back

    def columns(self, forward: bool) -> Columns:
        """Return the columns in one direction."""
        return self.there if forward else self.back


@dataclass(slots=True, eq=False, weakref_slot=True)
class OwnGraph:
    """A graph whose nodes are places: those below ``len(ids)`` are classes of the store, those above are literals."""

    ids: Ids
    called: TextColumn
    """Names or keys of the things, and the texts of the literals."""
    literals: TextColumn
    relations: Sequence[OwnRelation]
    index: GraphNames
    classes: dict[str, Ids] = field(default_factory=dict)
    """Members of each class by its name."""
    names: Mapping[str, list[int]] = field(default_factory=dict)
    """Places by folded name, in singular words."""
    nameless: npt.NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, np.bool_))
    has_types: npt.NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, np.bool_))
    """Whether the store knows types of each thing."""
    numbers: npt.NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    """The number that each place is (dates as years with fractions), or NaN."""
    mixed: dict[int, tuple[str, ...]] = field(default_factory=dict)
    """Units of the relations whose amounts are in several units that were not converted."""
    units: dict[int, str] = field(default_factory=dict)
    """The unit of the amounts of relations whose facts state one, in lower case: "chf", "min"."""
    typed: bool = False
    """Whether its classes have names of their own."""
    tabular: bool = False
    """Whether its things are mostly rows of tables, not resources of the web."""
    read_in_texts: bool = False
    """Whether all its facts were read in documents, which say more than these facts."""
    shared: Ids = field(default_factory=lambda: np.zeros(0, np.int64))
    """Places that also have relations which are not own, ascending."""

    stored: OwnGraph | None = None
    """The graph that this one is a copy of, with names that have one meaning only."""
    _lengths: dict[int, int] = field(default_factory=dict)
    """Number of words in the name of each place that was asked for."""
    _derived: tuple[Sequence[OwnRelation], dict[str, Any]] | None = None
    """Results that were derived from the relations, by name."""

    @property
    def size(self) -> int:
        """Return the number of places."""
        return len(self.ids) + len(self.literals)

    @property
    def rows(self) -> Ids:
        """Return the places of the subjects of all facts, ascending."""
        starts = (r.there.start for r in self.relations)
        return self.derived("rows", lambda: distinct(np.concatenate([*starts, np.zeros(0, np.int64)]), self.size))

    def derived(self, name: str, make: Callable[[], T]) -> T:
        """Return the result of ``make`` on the relations. It is computed once, and again if the relations change."""
        if self._derived is None or self._derived[0] is not self.relations:
            self._derived = self.relations, {}
        made: T = self._derived[1][name] if name in self._derived[1] else make()
        self._derived[1].setdefault(name, made)
        return made

    def around(self, nodes: Ids) -> Ids:
        """Return the relations at some places, ascending, as 2 × number, plus 1 if inverse."""
        columns = (c.start for r in self.relations for c in (r.there, r.back))
        return self.derived("incidence", lambda: Incidence(list(columns), self.size)).at(nodes)

    def length(self, place: int) -> int:
        """Return the number of words in the name of a place."""
        if place not in self._lengths:
            self._lengths[place] = len(fold_words(self.name(place)))
        return self._lengths[place]

    def meaning(self, names: Mapping[str, list[int]]) -> OwnGraph:
        """Return the same graph in which some names (folded, in singular words) mean only the given places."""
        other = copy(self)
        other.names, other.stored = join_names(names, self.names), self.stored or self
        return other

    def with_values(self, relation: OwnRelation, texts: Sequence[str]) -> OwnGraph:
        """Return the same graph with one more relation, whose new values have some texts and the places from `size`."""
        other = copy(self)
        other.relations = [*self.relations, relation]
        other.literals = self.literals + TextColumn.encode(f'"{text}"' for text in texts)
        other.called = self.called + TextColumn.encode(texts)
        other.numbers = np.concatenate([self.numbers, [number(text) for text in texts]])
        other.names = join_names(self.names, {text.casefold(): [self.size + n] for n, text in enumerate(texts)})
        other.stored, other._lengths = self.stored or self, {}
        return other

    @property
    def tokens(self) -> PlacesByText:
        """Return the places by each word of their name."""
        return self.index.tokens

    @property
    def families(self) -> Mapping[str, set[str]]:
        """Return the values with one longer word, by its stem."""
        return self.index.families

    def things(self, places: Iterable[int], read: ReadEntities) -> dict[int, Entity]:
        """Return the things at some places as users see them; literals are left out.

        ``read`` reads classes from an open snapshot, which the graph may outlive.
        """
        wanted = [place for place in dict.fromkeys(places) if place < len(self.ids)]
        return dict(zip(wanted, read(self.ids[wanted].tolist()), strict=True)) if wanted else {}

    def place_of(self, node: int) -> int | None:
        """Return the place of a node by its id in the store, or None if the graph does not have it."""
        place = int(np.searchsorted(self.ids, node))
        return place if place < len(self.ids) and self.ids[place] == node else None

    def name(self, place: int) -> str:
        """Return the name of a node, or the text of a literal."""
        return self.called[place]


def value_kind(graph: OwnGraph, ends: Ids) -> Literal["date", "number", "text"]:
    """Return the kind of a column's values.

    If the loader gave some of them a datatype, fewer need to be numbers.
    """
    known = ends[~np.isnan(graph.numbers[ends])]
    first = int(known[0]) - len(graph.ids) if len(known) else -1
    literal = graph.literals[first] if first >= 0 else ""
    one_exception = "^^" in literal and len(ends) - len(known) == 1 and len(known) >= _FEW_NUMBERS
    if not one_exception and len(known) < (_TYPED if "^^" in literal else NUMERIC) * len(ends):
        return "text"
    kind: Literal["date", "number"] = "number"
    for n, end in enumerate(known[known >= len(graph.ids)][:_SAMPLED].tolist()):
        if _states_date(graph.literals[end - len(graph.ids)]):
            kind = "date"
            if not n:
                return kind
        elif not 1000 <= graph.numbers[end] < 2200:
            return "number"
    return kind  # of days, some may only be years


def _states_date(literal: str) -> bool:
    dated = literal.endswith(("xsd:date", "xsd:dateTime", "xsd:gYear", "#date", "#dateTime"))
    return dated or is_date(lexical(literal)) or not math.isnan(read_time(lexical(literal)))


def join_names(first: Mapping[str, list[int]], second: Mapping[str, list[int]]) -> Mapping[str, list[int]]:
    """Return the places of the names in either mapping; those of the first count if both have a name."""
    return ChainMap(cast(MutableMapping[str, list[int]], first), cast(MutableMapping[str, list[int]], second))


def lexical(literal: str) -> str:
    """Return the text of a literal in N-Triples form."""
    end = literal.rfind('"')
    return literal[1:end] if literal.startswith('"') and end > 0 else literal


def local_name(key: str) -> str:
    """Return the last part of an address."""
    return re.split(r"[/#]", key.rstrip("/#"))[-1]


def number(text: str) -> float:
    """Return the number, amount, date or time that a text states, or NaN."""
    if m := _DATE.match(text):
        return int(m[1]) + (int(m[2]) - 1) / 12 + (int(m[3] or 1) - 1) / 372
    if _NUMBER.match(text):
        return float(text)
    amount = read_amount(text)
    return read_time(text) if math.isnan(amount) else amount


def is_date(text: str) -> bool:
    """Return whether a text is a day or a month."""
    return _DATE.match(text) is not None
