"""All claims of a store as columns, for fusing everything without an object for each fact."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Ids, Source, Subgraph, Witnesses
from hydra_kg.events import Listener, ignore
from hydra_kg.fusion.gathering.mediated_claims import read_mediated_claims
from hydra_kg.fusion.gathering.store_claims import (
    Circumstances,
    align_attributes,
    group_key,
    inverse_of,
    keys_of,
    links_of,
    literal_node,
    read_in_pages,
    when_of,
)
from hydra_kg.fusion.model.claims import Codes, Numbered, StatementColumns
from hydra_kg.ports import Snapshot, Witnessing
from hydra_kg.text.literals import is_literal, literal_text

_Stated = tuple[Ids, Codes, Codes, Codes, Codes]
"""Class id, and the numbers of attribute, qualifiers, source and text, of some statements."""


class _Page(NamedTuple):
    """Statements on some classes: index of the class, and numbers of attribute, circumstances, source and text."""

    entity: Ids
    attribute: Codes
    when: Codes
    source: Codes
    text: Codes


_NOTHING = _Page(np.zeros(0, np.int64), *(np.zeros(0, np.int32) for _ in range(4)))


def every_row(
    snapshot: Snapshot,
    *,
    attributes: Collection[str] | None = None,
    listener: Listener = ignore,
    differing: Callable[[Iterator[tuple[int, str]]], None] = lambda _: None,
) -> StatementColumns:
    """Return the rows of ``every_statement``, in its order, as columns.

    ``listener`` receives ``fuse.read`` events. ``differing`` receives the class and attribute of the statements of a
    page on which sources that state one value each do not agree.
    """
    gathering = _Gathering(snapshot, attributes, differing)
    return gathering.rows(list(read_in_pages(snapshot, gathering.page, listener, size=lambda page: len(page.entity))))


class _Gathering:
    """Reader of all claims of a snapshot, page by page, that numbers attributes, circumstances, sources and texts."""

    def __init__(
        self, snapshot: Snapshot, wanted: Collection[str] | None, differing: Callable[[Iterator[tuple[int, str]]], None]
    ) -> None:
        predicates, self._differing = snapshot.predicates(), differing
        self._snapshot, self._wanted, self._names = snapshot, wanted, align_attributes(predicates)
        self._inverse = inverse_of(predicates, self._names)
        self._attributes, self._sources, self._texts = Numbered[str](), Numbered[str](), Numbered[str]()
        self._whens, self._literals = Numbered[Circumstances](), _Literals(self._texts)
        self._attribute = self._attributes.column(self._names)
        self._asked = np.array([wanted is None or name in wanted for name in self._names], np.bool_)
        self._classes: list[Ids] = []
        self._known = 0

    def page(self, classes: list[int]) -> _Page:
        """Return the statements about classes, which must follow those of the pages before."""
        graph = self._snapshot.cut(classes, depth=1)
        joining = set(graph.ids[graph.mediator].tolist())
        classes = [c for c in classes if c not in joining]  # a mediator is nothing that has attributes of its own
        circumstances = Numbered[Circumstances]()
        parts = [
            self._values(circumstances, classes),
            self._links(circumstances, graph, classes),
            self._behind(circumstances, graph, classes),
        ]
        node, attribute, qualifiers, source, text = _concatenate_columns(parts)
        own = np.array(classes, np.int64)
        entity = np.searchsorted(own, node)
        when = self._apart(entity * len(self._attributes) + attribute, qualifiers, tuple(circumstances))
        self._classes.append(own)
        self._known += len(own)
        group = (entity * len(self._attributes) + attribute) * len(self._whens) + when
        at, names = _disagreeing(group, source, text), tuple(self._attributes)
        self._differing((int(own[entity[n]]), names[attribute[n]]) for n in at.tolist())
        return _Page(entity + self._known - len(own), attribute, when, source, text)

    def _values(self, circumstances: Numbered[Circumstances], classes: Sequence[int]) -> _Stated:
        """Return the claims about literal values of some entities."""
        values = self._snapshot.values(classes)
        text = np.fromiter(map(self._literals.__getitem__, values.literal), np.int32, len(values.literal))
        selected = (text >= 0) & self._asked[values.pred]
        return self._stated(
            circumstances,
            values.node[selected],
            values.pred[selected],
            text[selected],
            values.segment[selected],
            values.row[selected],
        )

    def _links(self, circumstances: Numbered[Circumstances], graph: Subgraph, classes: Sequence[int]) -> _Stated:
        at = links_of(graph, classes, self._names, self._wanted)
        ends, end = np.unique(graph.ids[graph.dst[at]], return_inverse=True)
        text = self._texts.column([e.node.name for e in self._snapshot.entities(ends.tolist())] if len(ends) else [])
        return self._stated(
            circumstances, graph.ids[graph.src[at]], graph.pred[at], text[end], graph.segment[at], graph.row[at]
        )

    def _stated(
        self,
        circumstances: Numbered[Circumstances],
        node: Ids,
        pred: npt.NDArray[np.int32],
        text: Codes,
        segment: npt.NDArray[np.int16],
        row: Ids,
    ) -> _Stated:
        who = witnesses(self._snapshot, segment, row)
        selected = np.array([s.rho > 0 for s in who.sources], np.bool_)[who.source]
        source = self._sources.column(s.name for s in who.sources)[who.source[selected]]
        qualifiers = circumstances.column(who.known)[who.qualifiers[selected]]
        return node[selected], self._attribute[pred[selected]], qualifiers, source, text[selected]

    def _behind(self, circumstances: Numbered[Circumstances], graph: Subgraph, classes: Sequence[int]) -> _Stated:
        """Return the claims that mediators connect to some entities."""
        found = read_mediated_claims(
            self._snapshot,
            graph,
            classes,
            self._names,
            inverse=self._inverse,
            literal=literal_node,
            attributes=self._wanted,
        )
        rows = [
            (
                entity,
                self._attributes[name],
                circumstances[fact.qualifiers],
                self._sources[fact.source.name],
                self._texts[value.name],
            )
            for entity, name, value, fact in found
            if (self._wanted is None or name in self._wanted) and fact.source.rho > 0
        ]
        table = np.array(rows, np.int64).reshape(-1, 5)
        attribute, qualifiers, source, text = table[:, 1:].astype(np.int32).T
        return table[:, 0], attribute, qualifiers, source, text

    def _apart(self, group: Ids, qualifiers: Codes, circumstances: Sequence[Circumstances]) -> Codes:
        """Return the circumstances that distinguish groups: the qualifiers that every statement of a group has."""
        sets = Numbered[frozenset[str]]()
        groups, kinds, _ = _pairs(group, sets.column(map(keys_of, circumstances))[qualifiers])
        begin = np.flatnonzero(np.diff(groups, prepend=-1))
        common, known = kinds[begin], tuple(sets)
        end = np.append(begin[1:], len(groups))
        for i in np.flatnonzero(end - begin > 1).tolist():
            common[i] = sets[frozenset.intersection(*(known[k] for k in kinds[begin[i] : end[i]].tolist()))]
        own, shared, at = _pairs(qualifiers, common[np.searchsorted(groups[begin], group)])
        known = tuple(sets)
        whens = (when_of(circumstances[q], known[k]) for q, k in zip(own.tolist(), shared.tolist(), strict=True))
        return self._whens.column(whens)[at]

    def rows(self, pages: Sequence[_Page]) -> StatementColumns:
        """Return all pages together, sorted by class, attribute, circumstances, text and source."""
        page = _Page(*_concatenate_columns([_NOTHING, *pages]))
        within = page.entity * len(self._attributes) + _ranks(self._attributes)[page.attribute]
        within = within * len(self._whens) + _ranks(self._whens)[page.when]
        order = np.lexsort((_ranks(self._sources)[page.source], _ranks(self._texts)[page.text], within))
        classes, whens = np.concatenate([np.zeros(0, np.int64), *self._classes]), tuple(self._whens)
        entity, when, at = _pairs(page.entity, page.when)
        keys = [group_key(c, whens[w]) for c, w in zip(classes[entity].tolist(), when.tolist(), strict=True)]
        columns = (
            _renumber_by_mention(codes[order], names)
            for codes, names in (
                (at, keys),
                (page.attribute, tuple(self._attributes)),
                (page.source, tuple(self._sources)),
                (page.text, tuple(self._texts)),
            )
        )
        codes, names = zip(*columns, strict=True)
        return StatementColumns(np.column_stack(codes), names)


class _Literals(dict[str, int]):
    """Map from literals to the numbers of their texts, −1 for a text that is no literal."""

    def __init__(self, texts: Numbered[str]) -> None:
        super().__init__()
        self._texts = texts

    def __missing__(self, key: str) -> int:
        self[key] = code = self._texts[literal_text(key)] if is_literal(key) else -1
        return code


def witnesses(snapshot: Snapshot, segment: npt.NDArray[np.int16], row: Ids) -> Witnesses:
    """Return who states facts and under which circumstances, from any snapshot."""
    if isinstance(snapshot, Witnessing):
        return snapshot.witnesses(segment, row)
    facts, sources, known = snapshot.facts(segment, row), Numbered[Source](), Numbered[Circumstances]()
    known[()] = 0
    source, qualifiers = sources.column(f.source for f in facts), known.column(f.qualifiers for f in facts)
    return Witnesses(source, qualifiers, tuple(sources), tuple(known))


def _concatenate_columns(parts: Sequence[_Stated]) -> _Stated:
    """Return the columns of several parts, concatenated."""
    table = [np.concatenate(column) for column in zip(*parts, strict=True)]
    return (table[0], table[1], table[2], table[3], table[4])


def _disagreeing(group: Ids, source: Codes, text: Codes) -> Ids:
    """Return the index of the first row of each group of which several sources state one text each, but not the same.

    It is a guess before values are normalised: two spellings of one date disagree here.
    """
    groups, at, place = np.unique(group, return_index=True, return_inverse=True)
    sources, _, who = _pairs(place, source)
    texts, _, _ = _pairs(place, text)
    stated, _, _ = _pairs(who, text)
    by, said = (np.bincount(column, minlength=len(groups)) for column in (sources, texts))
    all_said = np.bincount(sources[stated], minlength=len(groups))
    found: Ids = at[(by > 1) & (said > 1) & (all_said == by)]
    return found


def _pairs(first: npt.NDArray[np.integer[Any]], second: npt.NDArray[np.integer[Any]]) -> tuple[Ids, Ids, Ids]:
    """Return the distinct pairs of two columns, ascending, and the index of each row's pair."""
    width = int(second.max(initial=0)) + 1
    distinct, at = np.unique(first.astype(np.int64) * width + second, return_inverse=True)
    return *np.divmod(distinct, width), at


def _ranks(things: Collection[Any]) -> Ids:
    """Return the rank of each thing in sorted order."""
    known = list(things)
    order = np.array(sorted(range(len(known)), key=known.__getitem__), np.int64)
    ranks = np.empty(len(known), np.int64)
    ranks[order] = np.arange(len(known))
    return ranks


def _renumber_by_mention(codes: npt.NDArray[np.integer[Any]], names: Sequence[str]) -> tuple[Codes, tuple[str, ...]]:
    """Return codes renumbered in the order of first mention, and the names of those that occur."""
    first = np.full(len(names), len(codes))
    first[codes[::-1]] = np.arange(len(codes))[::-1]
    order = np.argsort(first, kind="stable")[: np.count_nonzero(first < len(codes))]
    number = np.empty(len(names), np.int32)
    number[order] = np.arange(len(order))
    return number[codes], tuple(names[i] for i in order.tolist())
