"""Facts by handle with all their provenance, read only for facts that survived pruning."""

from __future__ import annotations

import json
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from hydra_kg import ids
from hydra_kg.domain import Fact, Ids, Locator, Source, Values, Witnesses
from hydra_kg.ports import CodedValues
from hydra_kg.stores.common.refusals import foreign_handle
from hydra_kg.stores.embedded.reads.pinned_generation import SegmentReader
from hydra_kg.stores.embedded.reads.snapshot_graph import LoadView, Positions, extents, spans
from hydra_kg.stores.embedded.segments.fact_details import read_details, read_qualifiers


def facts(reader: SegmentReader, segment: npt.NDArray[np.int16], row: Ids) -> list[Fact]:
    """See :meth:`hydra_kg.ports.Snapshot.facts`. Raises UsageError for a handle of another snapshot."""
    out: list[Fact | None] = [None] * len(row)
    for i in sorted(set(segment.tolist())):
        if not 0 <= i < len(reader.view.loads):
            raise foreign_handle()
        at = np.flatnonzero(segment == i)
        load = reader.view.loads[i]
        for literal in (False, True):
            here = at[(row[at] < 0) == literal]
            if len(here):
                made = _facts(reader, load, ~row[here] if literal else row[here], literal=literal)
                for n, fact in zip(here.tolist(), made, strict=True):
                    out[n] = fact
    return [fact for fact in out if fact is not None]


def witnesses(reader: SegmentReader, segment: npt.NDArray[np.int16], row: Ids) -> Witnesses:
    """See :meth:`hydra_kg.ports.Witnessing.witnesses`. Raises UsageError for a handle of another snapshot."""
    source, qualifiers = np.zeros(len(row), np.int32), np.zeros(len(row), np.int32)
    sources: dict[Source, int] = {}
    known: dict[tuple[tuple[str, str], ...], int] = {(): 0}
    for i in sorted(set(segment.tolist())):
        if not 0 <= i < len(reader.view.loads):
            raise foreign_handle()
        at, s = np.flatnonzero(segment == i), reader.view.loads[i].segment
        own = [sources.setdefault(x, len(sources)) for x in reader.pinned.loads[i][0].sources]
        rows = row[at]
        for column, count, literal in ((s.source, len(s.fdst), False), (s.vsource, len(s.vobj), True)):
            here = at[(rows < 0) == literal]
            pos = ~row[here] if literal else row[here]
            if len(pos) and int(pos.max()) >= count:
                raise foreign_handle()
            source[here] = own[0] if column is None else np.array(own, np.int32)[column[pos]]
        codes, texts = read_qualifiers(s, rows)
        numbers = [known.setdefault(_qualifiers(text) if text else (), len(known)) for text in texts]
        qualifiers[at] = np.array(numbers, np.int32)[codes]
    return Witnesses(source, qualifiers, tuple(sources), tuple(known))


def values(reader: SegmentReader, nodes: Ids) -> Values:
    """See :meth:`hydra_kg.ports.Snapshot.values`: by place of the class in ``nodes``, then by load and row."""
    found = coded_values(reader, nodes)
    distinct, code = np.unique(found.object, return_inverse=True)
    literal = tuple(map(reader.keys(distinct).__getitem__, code.tolist()))
    return Values(found.node, found.pred, literal, found.segment, found.row)


def coded_values(reader: SegmentReader, nodes: Ids) -> CodedValues:
    """See :meth:`hydra_kg.ports.LoadScanning.coded_values`."""
    found = reader.view.classes_of(nodes)
    known = np.flatnonzero(found >= 0)
    none = np.empty(0, np.int64)
    owners, preds, objects, rows = [none], [none.astype(np.int32)], [none], [none]
    segments = [none.astype(np.int16)]
    for load in reader.view.loads:
        s = load.segment
        local, own = load.locals_of(found[known])
        pos, owner = spans(*extents(s.voff, local))
        owners.append(known[own[owner]])
        preds.append(load.map.to_pred[s.vpred[pos]])
        objects.append(s.vobj[pos])
        segments.append(np.full(len(pos), load.index, np.int16))
        rows.append(~pos)
    owner = np.concatenate(owners)
    order = np.argsort(owner, kind="stable")
    node = reader.view.classes[found[owner[order]]]
    pred, segment = np.concatenate(preds)[order], np.concatenate(segments)[order]
    return CodedValues(node, pred, np.concatenate(objects)[order], segment, np.concatenate(rows)[order])


def _facts(reader: SegmentReader, load: LoadView, pos: Positions, *, literal: bool) -> list[Fact]:
    """Return the facts at some positions of a load, with details and sources."""
    s = load.segment
    off, pred = (s.voff, s.vpred) if literal else (s.foff, s.fpred)
    source = s.vsource if literal else s.source
    if len(pos) and int(pos.max()) >= len(pred):
        raise foreign_handle()
    subject = np.searchsorted(off, pos.astype(off.dtype), "right") - 1
    number = np.zeros(len(pos), np.int64) if source is None else source[pos].astype(np.int64)
    left = reader.keys(s.nodes[subject])
    right = reader.keys(s.vobj[pos] if literal else s.nodes[s.fdst[pos]])
    middle = [reader.pinned.generation.predicates.keys[p] for p in load.map.to_pred[pred[pos]].tolist()]
    more = _details(load, ~pos if literal else pos)
    ordinals = _ordinals(pos, off[subject].astype(np.int64), pred, s.vobj if literal else s.fdst, source)
    origin_of = {k: (reader.source(load.index, k), reader.file(load.index, k)) for k in set(number.tolist())}
    out = []
    rows = (~pos if literal else pos).tolist()
    lines = s.lines(pos, subject, literal=literal).tolist()
    for n, (a, p, b, at, row) in enumerate(zip(left, middle, right, lines, rows, strict=True)):
        origin, whole = origin_of[int(number[n])]
        file, at = reader.place(load.index, at, file=whole)
        rank, confidence, qualifiers, where = more.get(row, ("", 1.0, (), ""))
        out.append(
            Fact(
                ids.fact_id(a, p, b, origin.name, ordinals[n]),
                a,
                p,
                b,
                origin,
                Locator.at(where, file=file, line=at),
                rank,
                confidence,
                qualifiers,
            )
        )
    return out


def _ordinals(
    pos: Positions,
    low: Positions,
    pred: npt.NDArray[np.unsignedinteger],
    obj: npt.NDArray[np.signedinteger],
    source: npt.NDArray[np.uint16] | None,
) -> list[int]:
    """Return for each fact how many earlier facts state the same for the same source.

    The same means equal subject, predicate and object. Equal facts are adjacent.
    """
    count = np.zeros(len(pos), np.int64)
    live, back = np.arange(len(pos)), pos.copy()
    while len(live):
        back = back - 1
        at = pos[live]
        inside = back >= low[live]
        same = inside & (pred[np.where(inside, back, at)] == pred[at]) & (obj[np.where(inside, back, at)] == obj[at])
        live, back, at = live[same], back[same], at[same]
        count[live] += 1 if source is None else source[back] == source[at]
    return count.tolist()


def _details(load: LoadView, row: Positions) -> dict[int, tuple[str, float, tuple[tuple[str, str], ...], str]]:
    return {
        row: (rank, confidence, _qualifiers(qualifiers), where)
        for row, rank, confidence, qualifiers, where in read_details(load.segment, row).values()
    }


@lru_cache(maxsize=1 << 14)
def _qualifiers(text: str) -> tuple[tuple[str, str], ...]:
    """Return qualifiers from their JSON. The result is cached, because many rows have the same ones."""
    return tuple((str(k), str(v)) for k, v in json.loads(text))
