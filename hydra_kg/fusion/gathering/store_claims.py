"""Claims of a store: facts and values of classes with source and place, grouped for fusion (Eq. 2, 3)."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final, TypeVar

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Fact, Node, Predicates, Subgraph
from hydra_kg.events import Event, Listener, ignore
from hydra_kg.fusion.gathering.line_graph import Triples
from hydra_kg.fusion.gathering.mediated_claims import read_mediated_claims
from hydra_kg.ids import encode
from hydra_kg.ports import Snapshot
from hydra_kg.text.folding import fold
from hydra_kg.text.literals import is_literal, literal_text
from hydra_kg.util.cancelling import check_between
from hydra_kg.util.fast_dataclass import dataclass

PAGE_ROWS: Final = 40_000
"""Approximate number of statements in memory at a time."""

COUNTED: Final = 100_000
"""Number of classes that are counted at a time."""

_CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_DOTTED: Final = re.compile(r"[a-z0-9_]+(\.[a-z0-9_]+)+")
_BETWEEN: Final = "\x1f"

Circumstances = tuple[tuple[str, str], ...]
Read = TypeVar("Read")


@dataclass(frozen=True, slots=True)
class ClaimStatement:
    """A fact as a claim: class, aligned attribute, ``when`` of its group, literal or entity value, and the fact."""

    entity: int
    attribute: str
    when: Circumstances
    value: Node
    fact: Fact

    @property
    def key(self) -> str:
        """The entity and the circumstances as one text, which identifies the group."""
        return group_key(self.entity, self.when)


def group_key(entity: int, when: Circumstances) -> str:
    """Return an entity and circumstances as one text, see :attr:`ClaimStatement.key`."""
    return _BETWEEN.join((str(entity), *(part for pair in when for part in pair)))


def split_group_key(key: str) -> tuple[int, Circumstances]:
    """Return the entity and the circumstances of a group's key."""
    entity, *parts = key.split(_BETWEEN)
    return int(entity), tuple(zip(parts[::2], parts[1::2], strict=True))


def align_attributes(predicates: Predicates) -> tuple[str, ...]:
    """Return the attribute of each predicate.

    It is the last segment of a dotted key, or the text with joined words separated. Attributes that differ only in
    case, accents or punctuation get one name.
    """
    return _aligned(predicates.keys, predicates.texts)


@lru_cache(maxsize=4)  # many questions ask it of the same stores
def _aligned(keys: tuple[str, ...], texts: tuple[str, ...]) -> tuple[str, ...]:
    shown: dict[str, str] = {}
    names = [_plain(key, text) for key, text in zip(keys, texts, strict=True)]
    return tuple(shown.setdefault(fold(plain), plain) for plain in names)


def _plain(key: str, text: str = "") -> str:
    return key.rpartition(".")[2].replace("_", " ") if _DOTTED.fullmatch(key) else _CAMEL.sub(" ", text or key)


def inverse_of(predicates: Predicates, names: Sequence[str]) -> list[str]:
    """Return the attribute of each predicate in the other direction, or "" if the source declares none."""
    place = {key: n for n, key in enumerate(predicates.keys)}
    return [names[place[k]] if k in place else _plain(k) for k in predicates.inverse]


def matching(names: Sequence[str], asked: str) -> tuple[str, ...]:
    """Return the attributes that match a user's wording: exactly, otherwise those with all its words."""
    folded = fold(asked)
    exact = {n for n in names if fold(n) == folded}
    words = set(folded.split())
    return tuple(sorted(exact or {n for n in names if words and words <= set(fold(n).split())}))


def statements(
    snapshot: Snapshot,
    classes: Sequence[int],
    *,
    attributes: Collection[str] | None = None,
    may: Callable[[str], bool] = lambda _: True,
    mediated: bool = True,
) -> list[ClaimStatement]:
    """Return the statements about the classes, sorted by group, value and source.

    They are literals, named links and, unless ``mediated`` is False, claims through mediators, which take longest to
    read. ``attributes`` restricts them to some aligned attributes. ``may`` says whether a source is allowed. Untrusted
    sources (ρ 0) are left out.
    """
    predicates = snapshot.predicates()
    names = align_attributes(predicates)
    graph = snapshot.cut(list(classes), depth=1)
    joining = set(graph.ids[graph.mediator].tolist())
    classes = [c for c in classes if c not in joining]  # a mediator is nothing that has attributes of its own
    found = [*_literals(snapshot, classes, names, attributes), *_links(snapshot, graph, classes, names, attributes)]
    facts = snapshot.facts(
        np.array([f[3] for f in found], np.int16).reshape(-1), np.array([f[4] for f in found], np.int64).reshape(-1)
    )
    made = [
        ClaimStatement(entity, names[pred], (), value, fact)
        for (entity, pred, value, _, _), fact in check_between(zip(found, facts, strict=True))
        if fact.source.rho > 0 and may(fact.source.name)
    ]
    if mediated:
        inverse = inverse_of(predicates, names)
        behind = read_mediated_claims(
            snapshot, graph, classes, names, inverse=inverse, literal=literal_node, attributes=attributes
        )
        made += [
            ClaimStatement(entity, name, (), value, fact)
            for entity, name, value, fact in behind
            if (attributes is None or name in attributes) and fact.source.rho > 0 and may(fact.source.name)
        ]
    return sorted(
        _apart(made), key=lambda s: (s.entity, s.attribute, s.when, s.value.name, s.fact.source.name, s.fact.id)
    )


Found = tuple[int, int, Node, int, int]


def _literals(
    snapshot: Snapshot, classes: Sequence[int], names: Sequence[str], wanted: Collection[str] | None
) -> Iterator[Found]:
    """Yield the claims about literal values of some entities."""
    values = snapshot.values(list(classes))
    columns = (values.node, values.pred, values.segment, values.row)
    stated = zip(*(c.tolist() for c in columns), values.literal, strict=True)
    for node, pred, segment, row, literal in check_between(stated):
        if (wanted is None or names[pred] in wanted) and is_literal(literal):
            yield node, pred, literal_node(literal), segment, row


@lru_cache(maxsize=1 << 16)
def literal_node(literal: str) -> Node:
    """Return a literal as a node, cached because the same literals are stated many times."""
    return Node(encode(literal), literal, literal_text(literal))


def _links(
    snapshot: Snapshot, graph: Subgraph, classes: Sequence[int], names: Sequence[str], wanted: Collection[str] | None
) -> Iterator[Found]:
    """Yield the claims about links between some entities."""
    at = links_of(graph, classes, names, wanted)
    ends = np.unique(graph.ids[graph.dst[at]]).tolist()
    known = {e.node.id: e.node for e in snapshot.entities(ends)} if ends else {}
    columns = (graph.ids[graph.src[at]], graph.pred[at], graph.ids[graph.dst[at]], graph.segment[at], graph.row[at])
    for node, pred, end, segment, row in check_between(zip(*(c.tolist() for c in columns), strict=True)):
        yield node, pred, known[end], segment, row


def links_of(
    graph: Subgraph, classes: Sequence[int], names: Sequence[str], wanted: Collection[str] | None
) -> npt.NDArray[np.intp]:
    """Return the edges of a cut that link the classes to nodes that are no mediators.

    ``names`` are the attributes of the predicates. ``wanted`` restricts the edges to some attributes.
    """
    own = np.isin(graph.ids[graph.src], np.array(sorted(set(classes)), np.int64)) & ~graph.mediator[graph.dst]
    if wanted is not None:
        own &= np.isin(graph.pred, [p for p, name in enumerate(names) if name in wanted])
    return np.flatnonzero(own)


def _apart(made: Iterable[ClaimStatement]) -> Iterator[ClaimStatement]:
    """Yield the statements with circumstances: the qualifiers that *all* statements of the attribute have."""
    groups: dict[tuple[int, str], list[ClaimStatement]] = {}
    for s in check_between(made):
        groups.setdefault((s.entity, s.attribute), []).append(s)
    for (entity, attribute), members in groups.items():
        common = frozenset.intersection(*(keys_of(s.fact.qualifiers) for s in members))
        for s in members:
            when = when_of(s.fact.qualifiers, common) if common else ()
            yield ClaimStatement(entity, attribute, when, s.value, s.fact) if when else s


@lru_cache(maxsize=1 << 14)
def keys_of(qualifiers: Circumstances) -> frozenset[str]:
    """Return the properties of qualifiers."""
    return frozenset(k for k, _ in qualifiers)


@lru_cache(maxsize=1 << 14)
def when_of(qualifiers: Circumstances, common: frozenset[str]) -> Circumstances:
    """Return the qualifiers that distinguish groups, as readable text."""
    return tuple(sorted((k, literal_text(v)) for k, v in qualifiers if k in common))


def every_statement(
    snapshot: Snapshot,
    *,
    attributes: Collection[str] | None = None,
    listener: Listener = ignore,
    may: Callable[[str], bool] = lambda _: True,
) -> Iterator[ClaimStatement]:
    """Yield the statements of all sources about all classes, batch by batch.

    ``listener`` receives ``fuse.read`` events.
    """

    def read(classes: list[int]) -> list[ClaimStatement]:
        return statements(snapshot, classes, attributes=attributes, may=may)

    for found in read_in_pages(snapshot, read, listener, size=len):
        yield from found


def read_in_pages(
    snapshot: Snapshot, read: Callable[[list[int]], Read], listener: Listener, *, size: Callable[[Read], int]
) -> Iterator[Read]:
    """Yield ``read`` of all classes, in pages of about :data:`PAGE_ROWS` statements.

    ``size`` returns the number of statements of a page. ``listener`` receives ``fuse.read`` events.
    """
    total = _count_classes(snapshot)
    after: int | None = None
    done, limit = 0, 64
    while len(page := snapshot.all_classes(after=after, limit=limit)):
        after = int(page[-1])
        found = read(page.tolist())
        yield found
        count = size(found)
        done += len(page)
        limit = 2 * limit if count < PAGE_ROWS // 2 else max(1, limit // 2) if count > PAGE_ROWS else limit
        listener(Event("fuse.read", {"done": done, "total": total, "unit": "things"}, 0.0))


def _count_classes(snapshot: Snapshot) -> int:
    after: int | None = None
    count = 0
    while len(page := snapshot.all_classes(after=after, limit=COUNTED)):
        after, count = int(page[-1]), count + len(page)
    return count


def rows_of(stated: Iterable[ClaimStatement]) -> Iterator[tuple[str, str, str, str]]:
    """Yield statements as rows of claims: group, attribute, source, value."""
    for s in stated:
        yield s.key, s.attribute, s.fact.source.name, s.value.name


def triples_of(stated: Sequence[ClaimStatement]) -> Triples:
    """Return statements as nodes of a line graph.

    Attributes, sources and circumstances are numbered in the order of first mention; no circumstances are 0.
    """
    attributes: dict[str, int] = {}
    sources: dict[str, int] = {}
    times: dict[Circumstances, int] = {(): 0}
    rows = [
        (
            s.entity,
            attributes.setdefault(s.attribute, len(attributes)),
            s.value.id,
            sources.setdefault(s.fact.source.name, len(sources)),
            times.setdefault(s.when, len(times)),
        )
        for s in stated
    ]
    table = np.array(rows, np.int64).reshape(-1, 5)
    narrow = table.astype(np.int32)
    return Triples(table[:, 0], narrow[:, 1], table[:, 2], narrow[:, 3], narrow[:, 4])
