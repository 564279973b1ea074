"""Entities as users see them: display name, members, aliases, types, description, read in batched queries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from hydra_kg import ids
from hydra_kg.domain import Entity, Index, Node
from hydra_kg.stores.embedded.reads.pinned_generation import SegmentReader
from hydra_kg.stores.embedded.reads.snapshot_graph import Positions, distinct, extents, spans
from hydra_kg.util.number_columns import match

Numbers = npt.NDArray[np.unsignedinteger[Any]]

FEW = 50_000  # facts that are looked through faster than searched

_DESCRIPTIONS = "SELECT node, text FROM description WHERE node IN (SELECT value FROM json_each(?))"


def entities(reader: SegmentReader, nodes: Sequence[int]) -> list[Entity]:
    """See :meth:`hydra_kg.ports.Snapshot.entities`.

    Only one description a class: of the representative's name space first, then of the first load by name, then of the
    least id. Those that were asked for lately are remembered.
    """
    view = reader.view
    found = view.classes_of(nodes)
    classes = distinct(found[found >= 0], len(view.classes))
    made = reader.recent.known(classes.tolist())
    new = [c for c in classes.tolist() if c not in made]
    if new:
        fresh = dict(zip(new, _make_entities(reader, np.array(new, np.int32)), strict=True))
        reader.recent.keep(fresh)
        made |= fresh
    return [made[c] if c >= 0 else _unknown_entity(number) for c, number in zip(found.tolist(), nodes, strict=True)]


def _make_entities(reader: SegmentReader, classes: Index) -> list[Entity]:
    """Return the entities of classes: names, descriptions, types and degree from all loads."""
    view = reader.view
    names = reader.labels(classes)
    texts: list[set[str]] = [set() for _ in names]
    described: list[tuple[bool, int, int, str] | None] = [None] * len(names)
    space = [reader.space(i) for i in view.classes[classes].tolist()]
    for load in view.loads:
        local, owner = load.locals_of(classes)
        at = dict(zip(local.tolist(), owner.tolist(), strict=True))
        stored = reader.names(load)
        for node, _, text in stored.read(stored.of_nodes(at)):
            texts[at[node]].add(text)
        for node, text in reader.query_many(load.index, _DESCRIPTIONS, at):
            number = int(load.segment.nodes[node])
            rank = (reader.space(number) != space[at[node]], load.index, number, text)
            current = described[at[node]]
            if current is None or rank < current:
                described[at[node]] = rank
    types = _types(reader, classes)
    members, owner_of = reader.members(classes)
    keys: list[list[str]] = [[] for _ in names]
    for owner_at, key in zip(owner_of.tolist(), reader.keys(members), strict=True):
        keys[owner_at].append(key)
    own = reader.keys(view.classes[classes])
    columns = zip(
        view.classes[classes].tolist(), view.degree[classes].tolist(), view.mediator[classes].tolist(), strict=True
    )
    return [
        Entity(
            Node(number, own[n], names[n] or own[n]),
            keys=tuple(sorted(keys[n])),
            aliases=tuple(sorted(texts[n] - {names[n] or own[n]})),
            types=tuple(sorted(types[n])),
            description=about[3] if (about := described[n]) else "",
            degree=degree,
            mediator=mediator,
        )
        for n, (number, degree, mediator) in enumerate(columns)
    ]


def _unknown_entity(number: int) -> Entity:
    key = ids.decode(number) or ""
    return Entity(Node(number, key, key))


def _types(reader: SegmentReader, classes: Index) -> list[set[str]]:
    """Return the type names of each class."""
    out: list[set[str]] = [set() for _ in range(len(classes))]
    wanted = np.sort(ids.encode_many(ids.TYPE_KEYS))  # links show the object's name, literal facts their text
    linked: list[tuple[Positions, Index]] = []
    for load in reader.view.loads:
        s = load.segment
        for pred in np.flatnonzero(match(wanted, s.preds) >= 0).tolist():
            local, own = load.locals_of(classes)
            pos, owner = find_facts(pred, s.vpred, s.voff, local)
            for at, text in zip(own[owner].tolist(), reader.keys(s.vobj[pos]), strict=True):
                out[at].add(text)
            pos, owner = find_facts(pred, s.fpred, s.foff, local)
            linked.append((own[owner], load.classes_of(s.fdst[pos])))
    if linked:
        owners, others = (np.concatenate(column) for column in zip(*linked, strict=True))
        targets = distinct(others, len(reader.view.classes))
        both = zip(reader.labels(targets), reader.keys(reader.view.classes[targets]), strict=True)
        shown = [label or key for label, key in both]
        for at, n in zip(owners.tolist(), np.searchsorted(targets, others).tolist(), strict=True):
            out[at].add(shown[n])
    return out


def find_facts(pred: int, column: Numbers, off: Numbers, local: Index) -> tuple[Positions, Positions]:
    """Return (position, position in ``local``) of the facts of nodes with one predicate, by binary search per node."""
    low, count = extents(off, local)
    if int(count.sum()) <= FEW:
        pos, owner = spans(low, count)
        hit = column[pos] == pred
        return pos[hit], owner[hit]
    first, last = (_bisect(column, low, low + count, bound) for bound in (pred, pred + 1))
    return spans(first, last - first)


def _bisect(column: Numbers, low: Positions, high: Positions, bound: int) -> Positions:
    """Return the first position in every ascending range ``column[low[i]:high[i]]`` that is not less than ``bound``."""
    low, high = low.copy(), high.copy()
    while len(open_ := np.flatnonzero(low < high)):
        middle = (low[open_] + high[open_]) >> 1
        less = column[middle] < bound
        low[open_[less]] = middle[less] + 1
        high[open_[~less]] = middle[~less]
    return low
