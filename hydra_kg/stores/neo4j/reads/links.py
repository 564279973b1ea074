"""Facts between given classes, and two-leg relations through mediators: reads that need no cut."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Ids, Links
from hydra_kg.stores.neo4j.connection.queries import SPAN
from hydra_kg.stores.neo4j.reads.pinned_loads import BATCH, GraphReader, columns


def between(reader: GraphReader, left: Ids, right: Ids) -> Links:
    """See :meth:`hydra_kg.ports.Snapshot.between`; by (pair, forward first, predicate, segment, row)."""
    (a, known_a), (b, known_b) = reader.classes_of(left), reader.classes_of(right)
    asked: dict[tuple[int, int], list[tuple[int, bool]]] = {}
    every = np.unique(np.concatenate((a, b)))
    members = {c: reader.classes.members(every[i : i + 1]).tolist() for i, c in enumerate(every.tolist())}
    for n, (x, y, known) in enumerate(zip(a.tolist(), b.tolist(), (known_a & known_b).tolist(), strict=True)):
        if known:
            asked.setdefault((x, y), []).append((n, True))
            if x != y:
                asked.setdefault((y, x), []).append((n, False))
    ways = list(asked)
    pairs = [(n, s, o) for n, (x, y) in enumerate(ways) for s in members[x] for o in members[y]]
    rows: list[tuple[int, bool, int, int, int]] = []
    for i in range(0, len(pairs), BATCH):
        found = reader.db.read("between", {"pairs": pairs[i : i + BATCH]})
        segments = reader.segment_of(np.array([handle for *_, handle in found], np.int64)).tolist()
        for (n, kind, handle), segment in zip(found, segments, strict=True):
            if segment >= 0:
                rows += [
                    (pair, not forward, reader.types[kind], segment, handle % SPAN) for pair, forward in asked[ways[n]]
                ]
    pair, backward, pred, segment, row = columns((np.int32, np.bool_, np.int32, np.int16, np.int64), sorted(rows))
    return Links(pair, ~backward, pred, segment, row)


def relation_pairs(reader: GraphReader) -> npt.NDArray[np.int32]:
    """Return the distinct (predicate, direction in, predicate, direction out) at mediators, as int32 (k, 4)."""
    legs: list[tuple[Ids, Ids]] = []
    also = {"also": reader.fused_mediators.tolist()}
    for kind, mediator, other, handle, forward in reader.db.read("mediator_edges", also) if reader.numbers else ():
        if (pred := reader.types.get(kind)) is None:
            continue
        ready = reader.segment_of(np.asarray(handle, np.int64)) >= 0
        at = reader.classes.of(np.asarray(mediator, np.int64)[ready])
        far = reader.classes.of(np.asarray(other, np.int64)[ready])
        into = np.asarray(forward, np.bool_)[ready]
        keep = reader.classes.mediator(at) & ~reader.classes.mediator(far)
        legs.append((at[keep], pred * 2 + into[keep].astype(np.int64)))
    if not legs:
        return np.empty((0, 4), np.int32)
    owner, leg = (np.concatenate(column) for column in zip(*legs, strict=True))
    pairs = {
        (x >> 1, x & 1, y >> 1, 1 - (y & 1))
        for kind in _signatures(owner, leg)
        for x, several in kind
        for y, _ in kind
        if x != y or several
    }
    return np.array(sorted(pairs), np.int32).reshape(-1, 4)


def _signatures(owner: Ids, leg: Ids) -> set[tuple[tuple[int, bool], ...]]:
    """Return the distinct sets of mediators' legs, and for each leg whether it repeats.

    Mediators of one kind look alike, so there are few sets.
    """
    if not len(owner):
        return set()
    order = np.lexsort((leg, owner))
    owner, leg = owner[order], leg[order]
    first = np.flatnonzero((np.diff(owner, prepend=-1) != 0) | (np.diff(leg, prepend=-1) != 0))
    several = np.diff(np.append(first, len(leg))) > 1
    owner, leg = owner[first], leg[first]
    start = np.flatnonzero(np.diff(owner, prepend=-1) != 0).tolist()
    both = list(zip(leg.tolist(), several.tolist(), strict=True))
    return {tuple(both[a:b]) for a, b in zip(start, [*start[1:], len(both)], strict=True)}
