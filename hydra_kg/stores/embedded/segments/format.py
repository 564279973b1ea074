"""The segment of one load: its arrays with names and types, and the checks that make them safe to use."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Ids, Index
from hydra_kg.errors import StoreCorruptError
from hydra_kg.stores.embedded.segments.array_folder import MANIFEST, REPAIR, Bytes, Folder, Unsigned
from hydra_kg.util.fast_dataclass import dataclass

__all__ = ["DETAILS", "REPAIR", "SEGMENT", "TEXTS", "Bytes", "Segment", "Unsigned", "open_segment"]

SEGMENT: Final = "hydra-kg segment"
_NAMED: Final = 5
"""The first version of the format in which names are arrays."""
_ALIAS: Final = 1  # the kind of a name
TEXTS: Final = "texts.sqlite"
DETAILS: Final = "details.bin"


@dataclass(frozen=True, slots=True, eq=False)
class Segment:
    """The arrays of one load (docs/store-format.md), memory-mapped and read-only.

    A segment has n local nodes, k local predicates, m link facts, v literal facts and t terms.

    Attributes:
        line, vline: a line for each fact, or None if ``node_line`` or ``vnode_line`` (n) has one for each node.
        source, vsource: uint16, or None if there is one source.
        detail, vdetail: packed bits (little-endian in the byte), or None if no fact has details.
        detail_off, vdetail_off, detail_heap: the records of details (:mod:`hydra_kg.util.fact_details`). Also None in
            format version 1, which stored them in ``texts.sqlite``.
        detail_code, vdetail_code, shared_off: replace these offsets if all facts share a few different records.
        label_off, label_heap: None from format version 5 on, where the display name is one of the names.
        name_node, name_kind, name_off, name_heap, name_key, name_first: names, most popular first. Before version 5,
            they are a table in ``texts.sqlite`` (:mod:`hydra_kg.stores.embedded.segments.name_rows` reads both).
    """

    id: str
    path: Path
    manifest: Mapping[str, Any]
    nodes: Ids
    mediator: Bytes
    preds: Ids
    pcount: Ids
    foff: Unsigned
    fpred: Unsigned
    fdst: Index
    line: Unsigned | None
    node_line: Unsigned | None
    source: npt.NDArray[np.uint16] | None
    detail: Bytes | None
    detail_off: Unsigned | None
    detail_code: Bytes | None
    roff: Unsigned
    rpred: Unsigned
    rsrc: Index
    rfact: Unsigned
    voff: Unsigned
    vpred: Unsigned
    vobj: Ids
    vline: Unsigned | None
    vnode_line: Unsigned | None
    vsource: npt.NDArray[np.uint16] | None
    vdetail: Bytes | None
    vdetail_off: Unsigned | None
    vdetail_code: Bytes | None
    shared_off: Unsigned | None
    detail_heap: Bytes | None
    label_off: Unsigned | None
    label_heap: Bytes | None
    name_node: Index
    name_kind: Bytes
    name_off: Unsigned
    name_heap: Bytes
    name_key: npt.NDArray[np.uint64]
    name_first: Unsigned
    term_id: Ids
    term_off: Unsigned
    term_heap: Bytes
    same_a: Ids
    same_b: Ids
    same_line: Unsigned

    def lines(self, rows: npt.NDArray[np.int64], subject: npt.NDArray[np.int64], *, literal: bool) -> Unsigned:
        """Return the lines of facts, by their positions and the local nodes of their subjects."""
        line, of_node = (self.vline, self.vnode_line) if literal else (self.line, self.node_line)
        found: Unsigned = line[rows] if line is not None else of_node[subject]  # type: ignore[index]  # one is there
        return found

    @property
    def texts(self) -> Path:
        """Return the SQLite file with names, descriptions, passages and predicates of this load."""
        return self.path / TEXTS

    def open_texts(self) -> sqlite3.Connection:
        """Open the texts for reading; the file never changes, so SQLite needs no lock or journal."""
        uri = f"{self.texts.absolute().as_uri()}?mode=ro&immutable=1"
        return sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)

    def labels(self, local: npt.NDArray[np.integer[Any]] | Sequence[int]) -> list[str]:
        """Return the display names of local nodes, "" where there is none."""
        if self.label_off is not None and self.label_heap is not None:
            return _heap_texts(self.label_off, self.label_heap, np.asarray(local, np.int64))
        rows = find_labels(self, np.asarray(local, np.int64))
        texts = iter(self.name_texts(rows[rows >= 0]))
        return [next(texts) if known else "" for known in (rows >= 0).tolist()]

    def are_named(self) -> npt.NDArray[np.bool_]:
        """Return whether each local node has a display name."""
        if self.label_off is not None:
            return self.label_off[1:] > self.label_off[:-1]
        return find_labels(self, np.arange(len(self.nodes))) >= 0

    def name_texts(self, rows: npt.NDArray[np.int64]) -> list[str]:
        """Return names by their numbers. Only from format version 5 on. Raise StoreCorruptError."""
        starts, ends = self.name_off[rows], self.name_off[rows + 1]
        if len(rows) and (int(ends.max()) > len(self.name_heap) or bool((ends < starts).any())):
            raise StoreCorruptError(f"{self.path / NAMES} is shorter than its names.", remedy=REPAIR)
        return _heap_texts(self.name_off, self.name_heap, rows)

    def terms(self, ids: Ids | Sequence[int]) -> list[str | None]:
        """Return the texts of hashed ids, None where this load does not know the id."""
        wanted = np.asarray(ids, np.int64)
        if not len(self.term_id):
            return [None] * len(wanted)
        at = np.minimum(np.searchsorted(self.term_id, wanted), len(self.term_id) - 1)
        known = self.term_id[at] == wanted
        texts = iter(_heap_texts(self.term_off, self.term_heap, at[known]))
        return [next(texts) if k else None for k in known.tolist()]


_OPTIONAL: Final = (
    *("source", "detail", "detail_off", "detail_code"),
    *("vsource", "vdetail", "vdetail_off", "vdetail_code", "shared_off"),
    *("line", "node_line", "vline", "vnode_line"),
)
_NAMES: Final = ("name_node", "name_kind", "name_off", "name_key", "name_first")
_HEAPS: Final = frozenset({"label_heap", "term_heap", "detail_heap", "name_heap"})
NAMES: Final = "names.bin"
_LABELS: Final = "labels.bin"  # up to format version 4
NAMELESS: Final = (1 << 32) - 1
"""Stands in ``name_first`` for a node that has no name."""


def open_segment(path: Path) -> Segment:
    """Open and check the folder of a load. Raise StoreCorruptError."""
    folder = Folder(path, magic=SEGMENT)
    folder.check_integers()
    a: dict[str, Any] = {name: folder.arrays.get(name) for name in _OPTIONAL}
    labelled = folder.manifest["version"] < _NAMED
    other = _NAMES if labelled else ("label_off",)
    a |= dict.fromkeys(other)
    names = [f for f in Segment.__dataclass_fields__ if f not in {"id", "path", "manifest", *other} | _HEAPS]
    for name in names:
        if name not in _OPTIONAL:
            if name not in folder.arrays:
                raise StoreCorruptError(f"{path / MANIFEST} does not name the array {name}.", remedy=REPAIR)
            a[name] = folder.arrays[name]
    n, m, v = len(a["nodes"]), len(a["fdst"]), len(a["vobj"])
    c = 0 if labelled else len(a["name_node"])
    lengths = {
        "mediator": n,
        "foff": n + 1,
        "roff": n + 1,
        "voff": n + 1,
        "label_off": n + 1,
        "name_kind": c,
        "name_off": c + 1,
        "name_key": c,
        "name_first": n,
        "fpred": m,
        "line": m,
        "rpred": m,
        "rsrc": m,
        "rfact": m,
        "vpred": v,
        "vline": v,
        "node_line": n,
        "vnode_line": n,
        "term_off": len(a["term_id"]) + 1,
        "pcount": len(a["preds"]),
        "source": m,
        "vsource": v,
        "detail": (m + 7) // 8,
        "vdetail": (v + 7) // 8,
        "detail_off": m + 1,
        "vdetail_off": v + 1,
        "detail_code": m,
        "vdetail_code": v,
        "same_b": len(a["same_a"]),
        "same_line": len(a["same_a"]),
    }
    for name, length in lengths.items():
        if a[name] is not None and len(a[name]) != length:
            raise StoreCorruptError(f"{path}: array {name} has {len(a[name])} rows instead of {length}.", remedy=REPAIR)
    if missing := [
        name for name in ("line", "vline") if a[name] is None and a[name.replace("line", "node_line")] is None
    ]:
        raise StoreCorruptError(f"{path / MANIFEST} does not name the array {missing[0]}.", remedy=REPAIR)
    for name, end in (("foff", m), ("roff", m), ("voff", v)):
        if int(a[name][-1]) != end:
            raise StoreCorruptError(f"{path}: array {name} ends at {int(a[name][-1])} instead of {end}.", remedy=REPAIR)
    if TEXTS not in folder.manifest["files"]:
        raise StoreCorruptError(f"{path / MANIFEST} does not name {TEXTS}.", remedy=REPAIR)
    a["name_heap"] = None if labelled else folder.bytes(NAMES)
    a["detail_heap"] = folder.bytes(DETAILS) if DETAILS in folder.manifest["files"] else None
    return Segment(
        id=path.name,
        path=path,
        manifest=folder.manifest,
        label_heap=folder.bytes(_LABELS) if labelled else None,
        term_heap=folder.bytes("terms.bin"),
        **a,
    )


def first_names(segment: Segment, local: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the number of the first name of local nodes, -1 for a node without one."""
    first = segment.name_first[local].astype(np.int64)
    first[first >= len(segment.name_node)] = -1
    return first


def find_labels(segment: Segment, local: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the number of the display name of local nodes: the first name that is no alias, or -1."""
    rows = first_names(segment, local)
    at = np.flatnonzero(rows >= 0)
    while len(at := at[segment.name_kind[rows[at]] == _ALIAS]):
        rows[at] += 1
        gone = rows[at] >= len(segment.name_node)
        rows[at[gone]] = -1
        at = at[~gone]
        other = segment.name_node[rows[at]] != local[at]
        rows[at[other]] = -1
        at = at[~other]
    return rows


_DENSE: Final = 256
"""Bytes of a heap for each text that is read, up to which one copy of all is quicker than one of each."""


def _heap_texts(off: Unsigned, heap: Bytes, rows: npt.NDArray[np.int64]) -> list[str]:
    starts, ends = off[rows], off[rows + 1]
    texts: Bytes | bytes = heap
    if len(rows) and int(ends.max()) - (first := int(starts.min())) <= _DENSE * len(rows):
        texts = heap[first : int(ends.max())].tobytes()  # one copy of all, where little lies between
        starts, ends = starts - first, ends - first
    spans = zip(starts.tolist(), ends.tolist(), strict=True)
    return [bytes(texts[a:b]).decode("utf-8", "surrogatepass") if b > a else "" for a, b in spans]
