"""Entities as users see them: display name, members, aliases, types, description, read in batched queries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from hydra_kg import ids
from hydra_kg.domain import Entity, Ids, Node
from hydra_kg.stores.common.same_as import TYPE_PREDICATES
from hydra_kg.stores.neo4j.reads.pinned_loads import GraphReader, Name, labels, space

DESCRIPTION: Final = 3  # the kind of a name that is a description


def entities(reader: GraphReader, nodes: Sequence[int]) -> list[Entity]:
    """See :meth:`hydra_kg.ports.Snapshot.entities`.

    Only one description a class: of the representative's name space first, then of the first load by name, then of the
    least id; of a node's own the longest, then the least text.
    """
    asked = np.asarray(nodes, np.int64)
    found, known = reader.classes_of(asked)
    classes = np.unique(found[known])
    members = reader.classes.members(classes)
    owner = dict(zip(members.tolist(), reader.classes.of(members).tolist(), strict=True))
    names = reader.names(owner)
    shown = labels(reader.classes, names)
    types = _types(reader, owner)
    described = _descriptions(names, owner)
    texts: dict[int, set[str]] = {}
    for _, node, kind, text in names:
        if kind != DESCRIPTION:
            texts.setdefault(owner[node], set()).add(text)
    key = dict(zip(owner, reader.keys(list(owner)), strict=True))
    ours: dict[int, list[str]] = {}
    for node, c in owner.items():  # same-as links name only nodes of their own load, so all members are known
        ours.setdefault(c, []).append(key[node])
    made = {}
    for c, degree, mediator in zip(
        classes.tolist(),
        reader.classes.degree(classes).tolist(),
        reader.classes.mediator(classes).tolist(),
        strict=True,
    ):
        own = key[c]
        entity_node = Node(c, own, shown.get(c) or own)
        made[c] = Entity(
            entity_node,
            keys=tuple(sorted(ours[c])),
            aliases=tuple(sorted(texts.get(c, set()) - {entity_node.name})),
            types=tuple(sorted(types.get(c, ()))),
            description=described.get(c, ""),
            degree=degree,
            mediator=mediator,
        )
    return [
        made[c] if is_known else _unknown_entity(number)
        for c, is_known, number in zip(found.tolist(), known.tolist(), asked.tolist(), strict=True)
    ]


def page(reader: GraphReader, *, after: int | None, limit: int) -> Ids:
    """See :meth:`hydra_kg.ports.Snapshot.all_classes`: nodes that represent themselves and that a ready load knows."""
    last = np.iinfo(np.int64).min if after is None else after
    while len(rows := reader.db.read("class_page", {"after": int(last), "limit": limit})):
        nodes = np.array([row[0] for row in rows], np.int64)
        own: Ids = nodes[reader.classes.of(nodes) == nodes]
        if len(own := own[reader.classes.known(own)]):
            return own
        last = int(nodes[-1])
    return np.empty(0, np.int64)


def _unknown_entity(number: int) -> Entity:
    key = ids.decode(number) or ""
    return Entity(Node(number, key, key))


def _descriptions(names: Sequence[Name], owner: dict[int, int]) -> dict[int, str]:
    """Return the description of each class."""
    own: dict[tuple[int, int], tuple[int, str]] = {}
    for load, node, kind, text in names:
        if kind == DESCRIPTION:
            rank = (-len(text), text)
            own[load, node] = min(rank, own.get((load, node), rank))
    best: dict[int, tuple[bool, int, int, str]] = {}
    for (load, node), (_, text) in own.items():
        c = owner[node]
        placed = (space(node) != space(c), load, node, text)
        if text:
            best[c] = min(placed, best.get(c, placed))
    return {c: placed[3] for c, placed in best.items()}


def _types(reader: GraphReader, owner: dict[int, int]) -> dict[int, set[str]]:
    """Return the types of each class."""
    out: dict[int, set[str]] = {}
    more = {"loads": reader.numbers, "predicates": sorted(TYPE_PREDICATES)}
    for node, literal in reader.many("values_with", owner, more):
        out.setdefault(owner[node], set()).add(literal)
    linked = [(node, target, handle) for node, target, handle in reader.many("types_of", owner)]
    ready = reader.segment_of(np.array([row[2] for row in linked], np.int64)) >= 0
    targets = reader.classes.of(np.array([row[1] for row in linked], np.int64))
    classes = sorted(set(targets[ready].tolist()))
    shown = reader.labels(classes) if classes else {}
    key = dict(zip(classes, reader.keys(classes), strict=True))
    for (node, _, _), target, is_ready in zip(linked, targets.tolist(), ready.tolist(), strict=True):
        if is_ready:
            out.setdefault(owner[node], set()).add(shown.get(target) or key[target])
    return out
