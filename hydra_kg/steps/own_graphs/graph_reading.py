"""A store's own part is read into memory: its facts as columns, its names, its classes."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import Final

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Entity, Ids, Predicates
from hydra_kg.execution.own_graph import (
    FAMILY,
    MOST_FACTS,
    SUBCLASS,
    TYPE,
    Columns,
    OwnGraph,
    OwnRelation,
    is_ground,
    lexical,
    number,
)
from hydra_kg.ids import OPEN, noun_key
from hydra_kg.language.lexicon import list_words
from hydra_kg.language.morphology import family_stem, singular
from hydra_kg.language.tokens import fold_words, split_identifier, split_words
from hydra_kg.ports import Snapshot
from hydra_kg.steps.own_graphs.fact_columns import FactColumns, read_facts
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
from hydra_kg.util.cancelling import check_between
from hydra_kg.util.number_columns import contains, sort_distinct

_HIERARCHY_CONTINUES: Final = 0.5
"""Share of a relation's objects that must have it themselves, for it to be a hierarchy."""
_HIERARCHY_NARROWS: Final = 0.7  # its objects by its subjects must be fewer than this
_HIERARCHY_MUTUAL: Final = 0.02  # share of its facts that may also hold the other way

_PAGE: Final = 10_000
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
    typed = np.isin(links["pred"], [i for i, k in enumerate(predicates.keys) if k.endswith((TYPE, SUBCLASS))])
    ids, seen = sort_distinct(np.concatenate(used)), 0
    if not len(ids):
        return None
    while len(ids) > seen:  # classes, and those above them that nothing is of directly
        seen = len(ids)
        ids = sort_distinct(np.concatenate((ids, links["dst"][typed & np.isin(links["src"], ids)])))
    graph = OwnGraph(ids, _entities(snapshot, ids), (), ())
    graph.shared = np.flatnonzero(np.isin(ids, _foreign_things(every, kinds)))
    literals = sorted(set(check_between(mine.literal)))
    place = {text: len(ids) + i for i, text in check_between(enumerate(literals))}
    graph.literals = literals
    ends = np.array([place[t] for t in check_between(mine.literal)], np.int64)
    graph.relations = tuple(_relations(predicates, kinds.own, ids, links, values, ends))
    nameless = (e.mediator or e.node.name in (e.node.key, "") for e in check_between(graph.entities))
    graph.nameless = np.fromiter(nameless, np.bool_, len(ids))
    graph.numbers = np.array([number(graph.name(p)) for p in check_between(range(graph.size))], np.float64)
    _name(graph)
    _classify(graph, predicates, links)
    apply_ontology(graph, snapshot, predicates, links)
    set_mixed_units(graph)
    set_stated_units(graph, snapshot)
    return graph


def _foreign_things(facts: FactColumns, kinds: PredicateKinds) -> Ids:
    """Return the things of which foreign predicates state something."""
    linked, stated = kinds.foreign[facts.links["pred"]], kinds.foreign[facts.values["pred"]]
    return np.concatenate([facts.links["src"][linked], facts.links["dst"][linked], facts.values["node"][stated]])


def _entities(snapshot: Snapshot, ids: Ids) -> list[Entity]:
    """Return the entities of some ids, read page by page so that stopping the question takes effect."""
    pages = check_between(range(0, len(ids), _PAGE), every=1)
    return [entity for at in pages for entity in snapshot.entities(ids[at : at + _PAGE].tolist())]


def _relations(
    predicates: Predicates,
    own: npt.NDArray[np.bool_],
    ids: Ids,
    links: Mapping[str, npt.NDArray[np.int64]],
    values: Mapping[str, npt.NDArray[np.int64]],
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
        there, back = _columns(start, end, segment, row), _columns(end, start, segment, row)
        local = re.split(r"[/#:]", key.rstrip("/#"))[-1]
        said_words = tuple(dict.fromkeys([*split_identifier(text), *split_identifier(local)]))
        literal, hierarchy = len(said) > len(mine), _is_hierarchy(there)
        contains = bool(_WITHIN & set(said_words)) and _goes_on(there)
        yield OwnRelation(pred, key, text, said_words, there, back, literal, hierarchy or contains, contains)


def _by_number(numbers: Ids) -> Callable[[int], Ids]:
    """Return a function that gives the places of a number, ascending; the column is sorted once for all numbers."""
    order = np.argsort(numbers, kind="stable")
    ordered = numbers[order]

    def places(number: int) -> Ids:
        low, high = np.searchsorted(ordered, [number, number + 1])
        return order[low:high]

    return places


def _columns(start: Ids, end: Ids, segment: npt.NDArray[np.int16], row: Ids) -> Columns:
    order = np.lexsort((end, start))
    return Columns(start[order], end[order], segment[order], row[order])


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


def _name(graph: OwnGraph) -> None:
    for place, entity in check_between(enumerate(graph.entities)):
        if not graph.nameless[place]:
            for text in (entity.node.name, *entity.aliases):
                _index(graph, text, place)
        elif "://" in entity.node.key:
            _index(graph, " ".join(split_identifier(re.split(r"[/#]", entity.node.key.rstrip("/#"))[-1])), place)
    for i, literal in check_between(enumerate(graph.literals)):
        _index(graph, lexical(literal)[:80], len(graph.ids) + i)


def _index(graph: OwnGraph, text: str, place: int) -> None:
    """Add one name of a place to the index; places come in ascending order, each with all of its names."""
    parts = [singular(w) for w in fold_words(text)]
    for key in {" ".join(parts), _initials(text)} - {""}:
        known = graph.names.setdefault(key, [])
        if not known or known[-1] != place:
            known.append(place)
    key = graph.entities[place].node.key if place < len(graph.ids) else ""
    is_value = not key or ("=" in key and "://" not in key)  # clinic:reason=check-up, which several rows share
    if len(parts) == 1 and len(parts[0]) >= FAMILY and parts[0].isalpha() and is_value:
        graph.families.setdefault(family_stem(parts[0]), set()).add(parts[0])
    for part in set(parts):
        graph.tokens.setdefault(part, []).append(place)


def _initials(text: str) -> str:
    """Return the initials of a name of three or more capitalised words, in lower case, or ""."""
    if sum(map(str.isupper, text)) < 3:  # as in most names, of which there may be millions
        return ""
    parts = [w.text for w in split_words(text) if w.text[0].isupper()]
    return "".join(p[0] for p in parts).lower() if len(parts) >= 3 else ""


def _classify(graph: OwnGraph, predicates: Predicates, links: Mapping[str, npt.NDArray[np.int64]]) -> None:
    """Return the members of classes by name, including those of subclasses.

    The rows of a table are members of what the table is about.
    """
    keys = predicates.keys
    typing = np.isin(links["pred"], [i for i, k in enumerate(keys) if k.endswith(TYPE)])
    below = np.isin(links["pred"], [i for i, k in enumerate(keys) if k.endswith(SUBCLASS)])
    parents: dict[int, set[int]] = defaultdict(set)
    for a, b in zip(links["src"][below].tolist(), links["dst"][below].tolist(), strict=True):
        parents[a].add(b)
    known = {n: i for i, n in check_between(enumerate(graph.ids.tolist()))}
    members: dict[str, set[int]] = defaultdict(set)
    for thing, cls in check_between(zip(links["src"][typing].tolist(), links["dst"][typing].tolist(), strict=True)):
        for up in _above(cls, parents):
            if thing in known and up in known:
                entity = graph.entities[known[up]]
                if is_ground(entity.node.key):
                    continue
                local = re.split(r"[/#]", entity.node.key.rstrip("/#"))[-1]
                members[entity.node.name if entity.node.name != entity.node.key else local].add(known[thing])
    rows = [":" in e.node.key and "://" not in e.node.key for e in check_between(graph.entities)]
    kinds = any(e.types or e.mediator for e in check_between(graph.entities))
    graph.tabular = (kinds or all(r.literal for r in graph.relations)) and 2 * sum(rows) > len(rows)
    graph.read_in_texts = all(r.key.startswith(OPEN) for r in graph.relations)
    graph.tabular &= not graph.read_in_texts
    graph.typed = bool(members) or kinds
    subjects = sort_distinct(np.concatenate([r.there.start for r in graph.relations]))
    for place in check_between(subjects.tolist()):
        entity = graph.entities[place]
        if "://" not in entity.node.key:
            for kind in entity.types or _table(entity):
                members[kind].add(place)
    for feed, noun in _nouns(predicates, members):
        members[noun] = members[feed]
    graph.classes = {name: np.array(sorted(found), np.int64) for name, found in sorted(members.items())}


def _nouns(predicates: Predicates, members: Mapping[str, set[int]]) -> list[tuple[str, str]]:
    """Return single tables with their rows' noun by the name column, unless it names another."""
    texts = dict(zip(predicates.keys, predicates.texts, strict=True))
    found = [(feed, texts[noun_key(feed)]) for feed in members if noun_key(feed) in texts]
    known = Counter([*(singular(fold(name)) for name in members), *(singular(fold(noun)) for _, noun in found)])
    return [(feed, noun) for feed, noun in found if known[singular(fold(noun))] == 1]


def _table(entity: Entity) -> tuple[str, ...]:
    """Return the class of a row without a kind: its table's name if the row has no name, else its feed's."""
    feed, _, rest = entity.node.key.partition(":")
    if entity.mediator and (m := _ROW.match(rest)):
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
