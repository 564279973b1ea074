"""Keys, names and types of many classes as columns, for graphs that are read whole."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hydra_kg import ids
from hydra_kg.domain import Ids, Index
from hydra_kg.ports import Things
from hydra_kg.stores.embedded.reads.entities import find_facts
from hydra_kg.stores.embedded.reads.pinned_generation import SegmentReader
from hydra_kg.text.text_column import TextColumn
from hydra_kg.util.number_columns import match


def key_texts(reader: SegmentReader, wanted: Ids) -> TextColumn:
    """See :meth:`hydra_kg.ports.LoadScanning.texts`."""
    found, rows, left = TextColumn(b"", np.zeros(1, np.int64)), [], np.arange(len(wanted))
    for load in reader.view.loads:
        s = load.segment
        at = match(s.term_id, wanted[left])
        known = at >= 0
        off = s.term_off
        found += TextColumn.cut(s.term_heap, off[at[known]].astype(np.int64), off[at[known] + 1].astype(np.int64))
        rows.append(left[known])
        left = left[~known]
    found += TextColumn.encode(ids.decode(number) or "" for number in wanted[left].tolist())
    return found.take(np.argsort(np.concatenate([*rows, left]), kind="stable"))


def things(reader: SegmentReader, nodes: Ids) -> Things:
    """See :meth:`hydra_kg.ports.LoadScanning.things`."""
    classes, key = reader.view.classes_of(nodes), key_texts(reader, nodes)
    label = TextColumn.encode(reader.labels(classes))
    shown = np.arange(len(nodes)) + np.where(np.diff(label.off) > 0, 0, len(nodes))
    named, names = _names(reader, classes)
    return Things(
        key, (label + key).take(shown), named, names, reader.view.mediator[classes], _are_typed(reader, classes)
    )


def _names(reader: SegmentReader, classes: Index) -> tuple[Ids, TextColumn]:
    """Return the names of classes in all loads, and for each its place among the classes, ascending."""
    owners, names = [np.zeros(0, np.int64)], TextColumn(b"", np.zeros(1, np.int64))
    for load in reader.named:
        local, owner = load.locals_of(classes)
        place = np.full(len(load.segment.nodes), -1, np.int64)
        place[local] = owner
        stored = reader.names(load)
        nodes, texts = stored.columns(stored.of_nodes(local))
        owners.append(place[nodes])
        names += texts
    owner = np.concatenate(owners)
    order = np.argsort(owner, kind="stable")
    return owner[order], names.take(order)


def _are_typed(reader: SegmentReader, classes: Index) -> npt.NDArray[np.bool_]:
    typed = np.zeros(len(classes), np.bool_)
    wanted = np.sort(ids.encode_many(ids.TYPE_KEYS))
    for load in reader.view.loads:
        s = load.segment
        local, own = load.locals_of(classes)
        for pred in np.flatnonzero(match(wanted, s.preds) >= 0).tolist():
            for column, off in ((s.vpred, s.voff), (s.fpred, s.foff)):
                typed[own[find_facts(pred, column, off, local)[1]]] = True
    return typed
