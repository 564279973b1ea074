"""The part of a store that is in words of its own, in memory: nodes, literals and relations as numpy columns."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Entity, Ids, Predicates
from hydra_kg.ids import TYPE_KEYS
from hydra_kg.ports import Snapshot
from hydra_kg.steps.schema.stems import singular, words
from hydra_kg.text.folding import fold

MOST_FACTS = 3_000_000
"""Stores with more facts are not read into memory for their words."""

_PAGE = 10_000
_FREEBASE: Final = re.compile(r"(?:[a-z0-9_]+(?:\.[a-z0-9_]+){2,}|topic_server\.\w+)$")
_WIKIDATA: Final = re.compile(r"P\d+(?:/P\d+)?$")
_GROUND: Final = ("rdf-syntax-ns#", "rdf-schema#", "2002/07/owl#", "void#", "vann/", "creativecommons.org/ns#")
_NUMBER: Final = re.compile(r"[+-]?\d+(?:\.\d+)?$")
_DATE: Final = re.compile(r"(\d{4})-(\d\d)(?:-(\d\d))?")
_ROW: Final = re.compile(r"([^/#]+)[/#]")
"""Keys of rows behind their feed: their table, then their own key or number."""

TYPE: Final = "rdf-syntax-ns#type"
SUBCLASS: Final = "rdf-schema#subClassOf"


def is_own(key: str) -> bool:
    """Whether a predicate is in words of somebody's own data: not Freebase's, not Wikidata's, not of RDF itself."""
    return bool(key) and not (_FREEBASE.match(key) or _WIKIDATA.match(key) or is_ground(key))


def is_ground(key: str) -> bool:
    """Whether a predicate is one by which RDF describes schemas and vocabularies."""
    return any(g in key for g in _GROUND)


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """One relation in one direction: ``start``, ``end`` places of nodes, sorted by start, with the handles of the
    facts."""

    start: Ids
    end: Ids
    segment: npt.NDArray[np.int16]
    row: Ids

    def rows(self, nodes: Ids) -> Ids:
        """Rows that start at one of some nodes (ascending)."""
        low, high = np.searchsorted(self.start, nodes), np.searchsorted(self.start, nodes, "right")
        counts = high - low
        if not counts.any():
            return np.zeros(0, np.int64)
        first = np.repeat(low - np.concatenate([[0], np.cumsum(counts)[:-1]]), counts)
        return first + np.arange(counts.sum())

    def leads(self, nodes: Ids) -> Ids:
        """Where some nodes lead, ascending, each once."""
        return np.unique(self.end[self.rows(nodes)])


@dataclass(frozen=True, slots=True, eq=False)
class OwnRelation:
    """A relation with its words: ``pred`` its place among the predicates, ``there`` and ``back`` its columns."""

    pred: int
    key: str
    text: str
    words: tuple[str, ...]
    there: Columns
    back: Columns
    literal: bool
    hierarchy: bool = False

    def columns(self, forward: bool) -> Columns:
        """The columns in one direction."""
        return self.there if forward else self.back


@dataclass(slots=True, eq=False, weakref_slot=True)
class OwnGraph:
    """Nodes are places: those below ``len(ids)`` are classes of the store, those above are literals."""

    ids: Ids
    entities: Sequence[Entity]
    literals: Sequence[str]
    relations: Sequence[OwnRelation]
    classes: dict[str, Ids] = field(default_factory=dict)
    """Members of each class by its name."""
    names: dict[str, list[int]] = field(default_factory=dict)
    """Places by folded name, singular words."""
    tokens: dict[str, list[int]] = field(default_factory=dict)
    """Places by a word of their name."""
    nameless: npt.NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, np.bool_))
    numbers: npt.NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    """The number that each place is (dates as years with fractions), or NaN."""
    typed: bool = False
    """Whether its classes have names of their own."""
    tabular: bool = False
    """Whether its things are mostly rows of tables, not resources of the web."""
    shared: Ids = field(default_factory=lambda: np.zeros(0, np.int64))
    """Places of which relations that are not own say something as well, ascending."""

    @property
    def rows(self) -> Ids:
        """What the facts of a store without classes are about."""
        return np.unique(np.concatenate([r.there.start for r in self.relations]))

    def name(self, place: int) -> str:
        """Name of a node, or the text of a literal."""
        if place < len(self.ids):
            return self.entities[place].node.name
        return lexical(self.literals[place - len(self.ids)])


def lexical(literal: str) -> str:
    """The text of a literal in N-Triples form."""
    end = literal.rfind('"')
    return literal[1:end] if literal.startswith('"') and end > 0 else literal


def number(text: str) -> float:
    """The number or the date that a text is; NaN for others."""
    if m := _DATE.match(text):
        return int(m[1]) + (int(m[2]) - 1) / 12 + (int(m[3] or 1) - 1) / 372
    return float(text) if _NUMBER.match(text) else float("nan")


def read_own_graph(snapshot: Snapshot, *, every: bool = False) -> OwnGraph | None:
    """The own part of a store, or with ``every`` all of it but what RDF says of itself; None where that is not most of
    the store, or too large to be held in memory."""
    predicates = snapshot.predicates()
    own = np.array([is_own(k) or (every and not is_ground(k)) for k in predicates.keys], np.bool_)
    ground = np.array([is_ground(k) or k in TYPE_KEYS for k in predicates.keys], np.bool_)
    mine, others = (int(predicates.counts[which].sum()) for which in (own, ~own & ~ground))
    if mine <= others or mine + others > MOST_FACTS:
        return None
    links, values = _facts(snapshot)
    used = [links[c][own[links["pred"]]] for c in ("src", "dst")] + [values["node"][own[values["pred"]]]]
    typed = np.isin(links["pred"], [i for i, k in enumerate(predicates.keys) if k.endswith((TYPE, SUBCLASS))])
    used += [links[c][typed & np.isin(links["src"], np.concatenate(used))] for c in ("src", "dst")]
    ids = np.unique(np.concatenate(used))
    graph = OwnGraph(ids, snapshot.entities(ids.tolist()), (), ())
    other = ~(own | ground)
    said = [links[c][other[links["pred"]]] for c in ("src", "dst")] + [values["node"][other[values["pred"]]]]
    graph.shared = np.flatnonzero(np.isin(ids, np.concatenate(said)))
    literals = sorted(set(values["literal"]))
    place = {text: len(ids) + i for i, text in enumerate(literals)}
    graph.literals = literals
    ends = np.array([place[t] for t in values["literal"]], np.int64)
    graph.relations = tuple(_relations(predicates, own, ids, links, values, ends))
    graph.nameless = np.array([e.mediator or e.node.name in (e.node.key, "") for e in graph.entities], np.bool_)
    named = [graph.name(p) for p in range(len(ids) + len(literals))]
    graph.numbers = np.array([number(name) for name in named], np.float64)
    _name(graph)
    _classify(graph, predicates, links)
    return graph


def _facts(snapshot: Snapshot) -> tuple[dict[str, npt.NDArray[np.int64]], dict[str, npt.NDArray[np.int64]]]:
    links: dict[str, list[npt.NDArray[np.int64]]] = defaultdict(list)
    values: dict[str, list[npt.NDArray[np.int64]]] = defaultdict(list)
    texts: list[str] = []
    for page in _pages(snapshot):
        cut = snapshot.cut(page.tolist(), depth=1, hops="paper")
        mine = np.isin(cut.ids[cut.src], page)
        for name, column in (
            ("src", cut.ids[cut.src]),
            ("dst", cut.ids[cut.dst]),
            ("pred", cut.pred),
            ("segment", cut.segment),
            ("row", cut.row),
        ):
            links[name].append(column[mine].astype(np.int64))
        stated = snapshot.values(page.tolist())
        texts += stated.literal
        for name, column in (
            ("node", stated.node),
            ("pred", stated.pred),
            ("segment", stated.segment),
            ("row", stated.row),
        ):
            values[name].append(column.astype(np.int64))
    joined = {k: np.concatenate(v) for k, v in values.items()}
    joined["literal"] = texts  # type: ignore[assignment]
    return {k: np.concatenate(v) for k, v in links.items()}, joined


def _pages(snapshot: Snapshot) -> Iterator[Ids]:
    after: int | None = None
    while len(page := snapshot.all_classes(after=after, limit=_PAGE)):
        yield page
        after = int(page[-1])


def _relations(
    predicates: Predicates,
    own: npt.NDArray[np.bool_],
    ids: Ids,
    links: dict[str, npt.NDArray[np.int64]],
    values: dict[str, npt.NDArray[np.int64]],
    ends: Ids,
) -> Iterator[OwnRelation]:
    for pred in np.flatnonzero(own).tolist():
        key, text = predicates.keys[pred], predicates.texts[pred]
        mine, said = links["pred"] == pred, values["pred"] == pred
        start = np.concatenate([np.searchsorted(ids, links["src"][mine]), np.searchsorted(ids, values["node"][said])])
        end = np.concatenate([np.searchsorted(ids, links["dst"][mine]), ends[said]])
        if not len(start):
            continue
        segment = np.concatenate([links["segment"][mine], values["segment"][said]]).astype(np.int16)
        row = np.concatenate([links["row"][mine], values["row"][said]])
        there, back = _columns(start, end, segment, row), _columns(end, start, segment, row)
        local = re.split(r"[/#:]", key.rstrip("/#"))[-1]
        said_words = tuple(dict.fromkeys([*words(text), *words(local)]))
        yield OwnRelation(pred, key, text, said_words, there, back, bool(said.sum() > mine.sum()), _is_hierarchy(there))


def _columns(start: Ids, end: Ids, segment: npt.NDArray[np.int16], row: Ids) -> Columns:
    order = np.lexsort((end, start))
    return Columns(start[order], end[order], segment[order], row[order])


def _is_hierarchy(there: Columns) -> bool:
    """Whether a relation leads from things to things of its own kind, and up: most that it leads to go on, none back
    to where it came from at once."""
    starts, ends = np.unique(there.start), np.unique(there.end)
    going_on = np.isin(ends, starts).mean()
    pairs = set(zip(there.start.tolist(), there.end.tolist(), strict=True))
    mutual = sum((b, a) in pairs for a, b in pairs)
    return bool(going_on >= 0.5 and len(ends) < 0.7 * len(starts) and mutual <= 0.02 * len(pairs))


def _name(graph: OwnGraph) -> None:
    for place, entity in enumerate(graph.entities):
        if not graph.nameless[place]:
            for text in (entity.node.name, *entity.aliases):
                _index(graph, text, place)
        elif "://" in entity.node.key:
            _index(graph, " ".join(words(re.split(r"[/#]", entity.node.key.rstrip("/#"))[-1])), place)
    for i, literal in enumerate(graph.literals):
        _index(graph, lexical(literal)[:80], len(graph.ids) + i)


def _index(graph: OwnGraph, text: str, place: int) -> None:
    parts = [singular(w) for w in words_of(text)]
    for key in {" ".join(parts), _initials(text)} - {""}:
        if place not in (known := graph.names.setdefault(key, [])):
            known.append(place)
    for part in set(parts):
        graph.tokens.setdefault(part, []).append(place)


def words_of(text: str) -> list[str]:
    """Folded words of a name, as questions are split too."""
    return re.findall(r"[^\W_]+", fold(re.sub(r"['’]s\b", "", text)))


def _initials(text: str) -> str:
    parts = [p for p in re.findall(r"[^\W_]+", text) if p[0].isupper()]
    return "".join(p[0] for p in parts).lower() if len(parts) >= 3 else ""


def _classify(graph: OwnGraph, predicates: Predicates, links: dict[str, npt.NDArray[np.int64]]) -> None:
    """Members of classes by name, those of their subclasses among them; of tables, what their rows are about."""
    keys = predicates.keys
    typing = np.isin(links["pred"], [i for i, k in enumerate(keys) if k.endswith(TYPE)])
    below = np.isin(links["pred"], [i for i, k in enumerate(keys) if k.endswith(SUBCLASS)])
    parents: dict[int, set[int]] = defaultdict(set)
    for a, b in zip(links["src"][below].tolist(), links["dst"][below].tolist(), strict=True):
        parents[a].add(b)
    known = {int(n): i for i, n in enumerate(graph.ids.tolist())}
    members: dict[str, set[int]] = defaultdict(set)
    for thing, cls in zip(links["src"][typing].tolist(), links["dst"][typing].tolist(), strict=True):
        for up in _above(cls, parents):
            if thing in known and up in known:
                entity = graph.entities[known[up]]
                if is_ground(entity.node.key):
                    continue
                local = re.split(r"[/#]", entity.node.key.rstrip("/#"))[-1]
                members[entity.node.name if entity.node.name != entity.node.key else local].add(known[thing])
    rows = [":" in e.node.key and "://" not in e.node.key for e in graph.entities]
    joined = any(e.types or e.mediator for e in graph.entities) or all(r.literal for r in graph.relations)
    graph.tabular = joined and 2 * sum(rows) > len(rows)
    graph.typed = bool(members) or any(e.types or e.mediator for e in graph.entities)
    subjects = np.unique(np.concatenate([r.there.start for r in graph.relations]))
    for place in subjects.tolist():
        entity = graph.entities[place]
        if "://" not in entity.node.key:
            for kind in entity.types or _table(entity):
                members[kind].add(place)
    graph.classes = {name: np.array(sorted(found), np.int64) for name, found in sorted(members.items())}


def _table(entity: Entity) -> tuple[str, ...]:
    """What a row without a kind is called: after its table where it has no name, else after its feed."""
    feed, _, rest = entity.node.key.partition(":")
    if entity.mediator and (m := _ROW.match(rest)):
        parts = words(m[1])
        return (" ".join([*parts[:-1], *map(singular, parts[-1:])]),)
    return (feed,) if rest else ()


def _above(cls: int, parents: dict[int, set[int]]) -> set[int]:
    found, todo = {cls}, [cls]
    while todo:
        for up in parents.get(todo.pop(), ()):
            if up not in found:
                found.add(up)
                todo.append(up)
    return found
