"""A store's own part is read into memory: its facts as columns, its names, its classes."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Ids, Predicates
from hydra_kg.execution.name_index import GraphNames
from hydra_kg.execution.own_graph import (
    MOST_FACTS,
    SUBCLASS,
    TYPE,
    Columns,
    OwnGraph,
    OwnRelation,
    is_ground,
    local_name,
    number,
)
from hydra_kg.ids import OPEN, noun_key
from hydra_kg.language.lexicon import list_words
from hydra_kg.language.morphology import singular
from hydra_kg.language.tokens import split_identifier
from hydra_kg.ports import Snapshot, Things
from hydra_kg.steps.own_graphs.fact_columns import FactColumns, read_facts, read_things
from hydra_kg.steps.own_graphs.load_groups import (
    PredicateKinds,
    group_loads,
    loads_in_own_words,
    own_loads,
    predicate_kinds,
)
from hydra_kg.steps.own_graphs.mixed_units import set_mixed_units, set_stated_units
from hydra_kg.steps.own_graphs.ontology import apply_ontology
from hydra_kg.text.folding import fold
from hydra_kg.text.quantities import may_be_numbers
from hydra_kg.text.text_column import TextColumn
from hydra_kg.util.cancelling import check_between
from hydra_kg.util.number_columns import contains, match, sort_distinct

_HIERARCHY_CONTINUES: Final = 0.5
"""Share of a relation's objects that must have it themselves, for it to be a hierarchy."""
_HIERARCHY_NARROWS: Final = 0.7  # its objects by its subjects must be fewer than this
_HIERARCHY_MUTUAL: Final = 0.02  # share of its facts that may also hold the other way

_FOUND_BY: Final = 80
"""Characters of a value by which it is found."""
_WITHIN: Final = list_words("within")
"""Words of relations to what something is in: what that is in, it is in too."""
_DEEPEST: Final = 30
"""Steps up from place to place, beyond which a relation goes round."""
_ROW: Final = re.compile(r"([^/#]+)[/#]")
"""Keys of rows behind their feed: their table, then their own key or number."""


def read_own_graphs(snapshot: Snapshot) -> tuple[OwnGraph, ...]:
    """Read each group of loads with a schema of its own, largest first.

    Dumps and passages are left out. So is a store of more than `MOST_FACTS` facts whose loads cannot be told apart.
    """
    predicates = snapshot.predicates()
    kinds = predicate_kinds(predicates)
    if not predicates.counts[kinds.own].any():
        return ()
    loads = own_loads(snapshot, kinds)
    if loads == [] or (loads is None and int(predicates.counts.sum()) > MOST_FACTS):
        return ()
    facts = read_facts(snapshot, loads)
    loads = loads_in_own_words(facts, kinds) if loads is None else loads
    groups = group_loads(facts, loads, kinds, predicates)
    graphs = [_graph_of(snapshot, predicates, kinds, facts.of_loads(group), facts) for group in groups]
    return tuple(sorted((g for g in graphs if g is not None), key=lambda g: -len(g.ids)))


def read_whole_graph(snapshot: Snapshot) -> OwnGraph | None:
    """Read all of a store but what RDF says of itself, for a description; None if nothing is left."""
    predicates = snapshot.predicates()
    kinds = predicate_kinds(predicates, every=True)
    facts = read_facts(snapshot, None)
    return _graph_of(snapshot, predicates, kinds, facts, facts)


def _graph_of(
    snapshot: Snapshot, predicates: Predicates, kinds: PredicateKinds, mine: FactColumns, every: FactColumns
) -> OwnGraph | None:
    links, values = mine.links, mine.values
    used = [links[c][kinds.own[links["pred"]]] for c in ("src", "dst")] + [values["node"][kinds.own[values["pred"]]]]
    typing = np.array([k.endswith((TYPE, SUBCLASS)) for k in predicates.keys], np.bool_)
    below, above = (links[c][typing[links["pred"]]] for c in ("src", "dst"))
    ids, seen = sort_distinct(np.concatenate(used)), 0
    if not len(ids):
        return None
    while len(ids) > seen:  # classes, and those above them that nothing is of directly
        seen = len(ids)
        ids = sort_distinct(np.concatenate((ids, above[contains(ids, below)])))
    things = read_things(snapshot, ids)
    known, codes = np.unique(values["object"], return_inverse=True)
    literals, ends = _sort_texts(mine.texts(known))
    said = _inside_quotes(literals)
    nameless = things.mediator | (np.diff(things.name.off) == 0) | things.name.equals(things.key)
    index = _index_names(things, said, nameless)
    called = things.name + said
    graph = OwnGraph(ids, called, literals, (), index, names=index.names)
    graph.shared = np.flatnonzero(contains(sort_distinct(_foreign_things(every, kinds)), ids))
    graph.relations = tuple(_relations(predicates, kinds.own, ids, links, values, len(ids) + ends[codes]))
    graph.nameless, graph.has_types, graph.numbers = nameless, things.typed, _read_numbers(called)
    _classify(graph, snapshot, things, predicates, links)
    apply_ontology(graph, snapshot, predicates, links)
    set_mixed_units(graph)
    set_stated_units(graph, snapshot)
    return graph


def _sort_texts(texts: TextColumn) -> tuple[TextColumn, Ids]:
    """Return texts in ascending order, and where each of them is there."""
    raw = list(texts.raw())
    order = np.array(sorted(range(len(raw)), key=raw.__getitem__), np.int64)
    place = np.empty(len(raw), np.int64)
    place[order] = np.arange(len(raw))
    return texts.take(order), place


def _inside_quotes(literals: TextColumn) -> TextColumn:
    """Return :func:`lexical` of each literal."""
    quotes = np.append(-1, np.flatnonzero(literals.column == ord('"')))
    start, end = literals.off[:-1], literals.off[1:]
    last = quotes[np.searchsorted(quotes, end) - 1]
    quoted = (literals.bytes_at(0) == ord('"')) & (last > start)
    return TextColumn.cut(literals.column, start + quoted, np.where(quoted, last, end))


def _read_numbers(texts: TextColumn) -> npt.NDArray[np.float64]:
    """Return the number that each text states, or NaN."""
    found = np.full(len(texts), np.nan)
    rows = np.flatnonzero(may_be_numbers(texts))
    found[rows] = [number(text) for text in check_between(texts.take(rows))]
    return found


def _index_names(things: Things, said: TextColumn, nameless: npt.NDArray[np.bool_]) -> GraphNames:
    """Return the index of the names of all things, and of all values."""
    is_web = things.key.has(b"://")
    own, unnamed = ~nameless[things.named], np.flatnonzero(nameless & is_web)
    split = TextColumn.encode(" ".join(split_identifier(local_name(key))) for key in things.key.take(unnamed))
    values = len(things.key) + np.arange(len(said))
    names = chain(things.names.take(np.flatnonzero(own)).raw(), split.raw(), map(_cut, said.raw()))
    is_value = things.key.has(b"=") & ~is_web  # clinic:reason=check-up, which several rows share
    places = np.concatenate([things.named[own], unnamed, values])
    return GraphNames(names, places, np.append(is_value, np.ones(len(said), np.bool_)))


def _cut(text: bytes) -> bytes:
    """Return the first characters of a value, by which it is found."""
    if len(text) <= _FOUND_BY:
        return text
    return text.decode("utf-8", "surrogatepass")[:_FOUND_BY].encode("utf-8", "surrogatepass")


def _foreign_things(facts: FactColumns, kinds: PredicateKinds) -> Ids:
    """Return the things of which foreign predicates state something."""
    linked, stated = kinds.foreign[facts.links["pred"]], kinds.foreign[facts.values["pred"]]
    return np.concatenate([facts.links["src"][linked], facts.links["dst"][linked], facts.values["node"][stated]])


def _relations(
    predicates: Predicates,
    own: npt.NDArray[np.bool_],
    ids: Ids,
    links: Mapping[str, npt.NDArray[Any]],
    values: Mapping[str, npt.NDArray[Any]],
    ends: Ids,
) -> Iterator[OwnRelation]:
    """Yield the relations of the chosen predicates as columns in both directions, with the words of their names."""
    of_links, of_values = _by_number(links["pred"]), _by_number(values["pred"])
    for pred in check_between(np.flatnonzero(own).tolist(), every=1):
        key, text = predicates.keys[pred], predicates.texts[pred]
        mine, said = of_links(pred), of_values(pred)
        start = np.concatenate([np.searchsorted(ids, links["src"][mine]), np.searchsorted(ids, values["node"][said])])
        end = np.concatenate([np.searchsorted(ids, links["dst"][mine]), ends[said]])
        if not len(start):
            continue
        segment = np.concatenate([links["segment"][mine], values["segment"][said]]).astype(np.int16)
        row = np.concatenate([links["row"][mine], values["row"][said]])
        there = Columns.sort(start, end, segment, row)
        local = re.split(r"[/#:]", key.rstrip("/#"))[-1]
        said_words = tuple(dict.fromkeys([*split_identifier(text), *split_identifier(local)]))
        literal, hierarchy = len(said) > len(mine), _is_hierarchy(there)
        contains = bool(_WITHIN & set(said_words)) and _goes_on(there)
        yield OwnRelation(pred, key, text, said_words, there, literal, hierarchy or contains, contains)


def _by_number(numbers: Ids) -> Callable[[int], Ids]:
    """Return a function that gives the places of a number, ascending; the column is sorted once for all numbers."""
    narrow = numbers.astype(np.uint16) if len(numbers) and numbers.max() < 1 << 16 else numbers  # sorted by radix
    order = np.argsort(narrow, kind="stable")
    ordered = numbers[order]

    def places(number: int) -> Ids:
        low, high = np.searchsorted(ordered, [number, number + 1])
        return order[low:high]

    return places


def _is_hierarchy(there: Columns) -> bool:
    """Return True if a relation leads up within its kind: most targets go on, none back at once."""
    starts, ends = sort_distinct(there.start), sort_distinct(there.end)
    going_on = contains(starts, ends).mean()
    if going_on < _HIERARCHY_CONTINUES or len(ends) >= _HIERARCHY_NARROWS * len(starts):
        return False
    pairs = set(zip(there.start.tolist(), there.end.tolist(), strict=True))
    mutual = sum((b, a) in pairs for a, b in pairs)
    return mutual <= _HIERARCHY_MUTUAL * len(pairs)


def _goes_on(there: Columns) -> bool:
    """Return True if a relation goes on from some of the things it leads to, and never comes back to its start."""
    ups: dict[int, list[int]] = defaultdict(list)
    for below, above in zip(there.start.tolist(), there.end.tolist(), strict=True):
        ups[below].append(above)
    todo, depth = [a for above in ups.values() for a in above if a in ups], 0
    goes_on = bool(todo)
    while todo and depth <= _DEEPEST:
        todo, depth = list({a for below in todo for a in ups.get(below, ())}), depth + 1
    return goes_on and depth <= _DEEPEST


def _classify(
    graph: OwnGraph, snapshot: Snapshot, things: Things, predicates: Predicates, links: Mapping[str, npt.NDArray[Any]]
) -> None:
    """Return the members of classes by name, including those of subclasses.

    The rows of a table are members of what the table is about.
    """
    keys = predicates.keys
    typing = np.isin(links["pred"], [i for i, k in enumerate(keys) if k.endswith(TYPE)])
    below = np.isin(links["pred"], [i for i, k in enumerate(keys) if k.endswith(SUBCLASS)])
    parents: dict[int, set[int]] = defaultdict(set)
    for a, b in zip(links["src"][below].tolist(), links["dst"][below].tolist(), strict=True):
        parents[a].add(b)
    of_class: dict[int, list[int]] = defaultdict(list)
    for thing, cls in check_between(zip(links["src"][typing].tolist(), links["dst"][typing].tolist(), strict=True)):
        of_class[cls].append(thing)
    members: dict[str, list[Ids]] = defaultdict(list)
    for cls, those in of_class.items():
        found = match(graph.ids, np.array(those, np.int64))
        for up in _above(cls, parents):
            place = graph.place_of(up) if (found >= 0).any() else None
            if place is not None and not is_ground(key := things.key[place]):
                name = things.name[place] if things.name[place] != key else local_name(key)
                members[name].append(found[found >= 0])
    rows = int((things.key.has(b":") & ~things.key.has(b"://")).sum())
    kinds = bool(things.typed.any() or things.mediator.any())
    graph.tabular = (kinds or all(r.literal for r in graph.relations)) and 2 * rows > len(graph.ids)
    graph.read_in_texts = all(r.key.startswith(OPEN) for r in graph.relations)
    graph.tabular &= not graph.read_in_texts
    graph.typed = bool(members) or kinds
    for kind, rows_of_kind in _kinds_of_rows(graph, snapshot, things).items():
        members[kind].append(rows_of_kind)
    for feed, noun in _nouns(predicates, members):
        members[noun] = members[feed]
    graph.classes = {name: sort_distinct(np.concatenate(found)) for name, found in sorted(members.items())}


def _kinds_of_rows(graph: OwnGraph, snapshot: Snapshot, things: Things) -> dict[str, Ids]:
    """Return the subjects of facts by what their types, or the keys of rows, say that they are."""
    rows = graph.rows
    rows = rows[~things.key.has(b"://")[rows]]
    found: dict[str, list[Ids]] = defaultdict(list)
    for place, thing in graph.things(rows[things.typed[rows]].tolist(), snapshot.entities).items():
        for kind in thing.types:
            found[kind].append(np.array([place], np.int64))
    rows = rows[~things.typed[rows]]
    joining = things.mediator[rows]
    for place, key in zip(rows[joining].tolist(), things.key.take(rows[joining]), strict=True):
        for kind in _table(key):
            found[kind].append(np.array([place], np.int64))
    rows = rows[~joining]
    begin, colon = things.key.off[rows], things.key.find(b":")[rows]
    feeds = np.flatnonzero((colon >= 0) & (colon + 1 < things.key.off[rows + 1]))
    hashes = TextColumn.cut(things.key.column, begin[feeds], colon[feeds]).hashes()
    for one in sort_distinct(hashes.view(np.int64)).view(np.uint64).tolist():
        those = feeds[hashes == one]
        found[things.key[int(rows[those[0]])].partition(":")[0]].append(rows[those])
    return {kind: np.concatenate(places) for kind, places in found.items()}


def _nouns(predicates: Predicates, members: Iterable[str]) -> list[tuple[str, str]]:
    """Return single tables with their rows' noun by the name column, unless it names another."""
    texts = dict(zip(predicates.keys, predicates.texts, strict=True))
    found = [(feed, texts[noun_key(feed)]) for feed in members if noun_key(feed) in texts]
    known = Counter([*(singular(fold(name)) for name in members), *(singular(fold(noun)) for _, noun in found)])
    return [(feed, noun) for feed, noun in found if known[singular(fold(noun))] == 1]


def _table(key: str) -> tuple[str, ...]:
    """Return the class of a row without a name: its table's name, else its feed's."""
    feed, _, rest = key.partition(":")
    if m := _ROW.match(rest):
        parts = split_identifier(m[1])
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
