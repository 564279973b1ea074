"""Checks that the arrays of a load or merge fit together (offsets, places, order), in addition to checksums."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import numpy as np

from hydra_kg.errors import StoreCorruptError
from hydra_kg.stores.embedded.segments.array_folder import CHUNK, Array
from hydra_kg.stores.embedded.segments.format import NAMELESS, Segment
from hydra_kg.stores.embedded.segments.load_texts import KINDS
from hydra_kg.stores.embedded.segments.merged_adjacency import MergedAdjacency
from hydra_kg.stores.embedded.segments.name_rows import numbers_in

DISTRUST: Final = (
    "Its checksums are right, so it was written like this, not damaged: do not use this store. Load the sources again, "
    "or take a backup or publication that you trust."
)
"""The remedy for arrays that contradict one another."""

_NODES_OF_TEXTS: Final = ("name", "description", "passage")


def contradiction(path: Path, what: str) -> StoreCorruptError:
    """Return the error for files whose checksums are right but whose contents cannot be a store."""
    return StoreCorruptError(f"{path} contradicts itself: {what}.", remedy=DISTRUST)


def check_segment(segment: Segment) -> None:
    """Raise StoreCorruptError if an array of a load points to a place that does not exist or is out of order."""
    s = segment
    n, k, m, v = len(s.nodes), len(s.preds), len(s.fdst), len(s.vobj)
    sources = len(s.manifest.get("sources") or ()) or 1
    ends = {"foff": m, "roff": m, "voff": v, "term_off": len(s.term_heap)}
    ends |= {"name_off": len(s.name_heap)} if s.label_heap is None else {"label_off": len(s.label_heap)}
    heap = len(s.detail_heap) if s.detail_heap is not None else 0
    below = {
        "fdst": n,
        "rsrc": n,
        "fpred": k,
        "rpred": k,
        "vpred": k,
        "rfact": m,
        "source": sources,
        "vsource": sources,
        "name_node": n,
        "name_kind": len(KINDS),
    }
    below |= {"detail_off": heap + 1, "vdetail_off": heap + 1}
    codes = 0 if s.shared_off is None else max(len(s.shared_off) - 1, 0)
    below |= {"detail_code": codes, "vdetail_code": codes}
    ends |= {"shared_off": heap}
    arrays = {name: getattr(s, name) for name in (*ends, *below, "nodes", "preds", "term_id", "name_key")}
    _check(s.path, arrays, ends=ends, below=below, sets=("nodes", "preds", "term_id", "name_key"))
    if s.label_off is None:
        _check_names(s)
    for name in ("nodes", "preds", "term_id", "vobj", "same_a", "same_b"):
        check_below(s.path, name, getattr(s, name), 1 << 63)
    check_below(s.path, "pcount", s.pcount, m + v + 1)
    check_below(s.path, "mediator", s.mediator, 2)
    for name in ("detail_off", "vdetail_off"):
        if arrays[name] is not None and not _ascends(arrays[name], strictly=False):
            raise contradiction(s.path, f"{name} does not ascend")
    _check_texts(s)


def check_merged(merged: MergedAdjacency) -> None:
    """Raise StoreCorruptError if an array of merged links points to a missing place or is out of order."""
    n, k, m, loads = len(merged.nodes), len(merged.preds), len(merged.fdst), len(merged.loads)
    below = {"fdst": n, "rsrc": n, "fpred": k, "rpred": k, "fload": loads, "rload": loads}
    names = ("foff", "roff", *below, "nodes", "preds")
    arrays = {name: getattr(merged, name) for name in names}
    _check(merged.path, arrays, ends={"foff": m, "roff": m}, below=below, sets=("nodes", "preds"))


def check_below(path: Path, name: str, array: Array, limit: int, *, least: int = 0) -> None:
    """Raise StoreCorruptError if a value is not in ``[least, limit)``."""
    for block in _blocks(array):
        if len(block) and (int(block.min()) < least or int(block.max()) >= limit):
            raise contradiction(path, f"{name} points to nowhere (beyond {limit:,})")


def check_offsets(path: Path, name: str, array: Array, end: int) -> None:
    """Raise StoreCorruptError if offsets do not ascend from 0 to ``end``."""
    if not len(array) or int(array[0]) != 0 or int(array[-1]) != end or not _ascends(array, strictly=False):
        raise contradiction(path, f"{name} does not ascend from 0 to {end:,}")


def check_set(path: Path, name: str, array: Array) -> None:
    """Raise StoreCorruptError if values do not strictly ascend."""
    if not _ascends(array, strictly=True):
        raise contradiction(path, f"{name} does not ascend")


def _check(
    path: Path,
    arrays: Mapping[str, Array | None],
    *,
    ends: Mapping[str, int],
    below: Mapping[str, int],
    sets: tuple[str, ...],
) -> None:
    for name, array in arrays.items():
        if array is None:
            continue
        if name in ends:
            check_offsets(path, name, array, ends[name])
        elif name in below:
            check_below(path, name, array, below[name])
        elif name in sets:
            check_set(path, name, array)


def _check_names(s: Segment) -> None:
    """Check that keys and nodes point to names, and nodes to their own."""
    for block in _blocks(s.name_key):
        check_below(s.path, "name_key", numbers_in(block), len(s.name_node))
    named = 0
    for low, first in zip(range(0, len(s.nodes), CHUNK), _blocks(s.name_first), strict=True):
        local = np.flatnonzero(first != NAMELESS)
        check_below(s.path, "name_first", first[local], len(s.name_node))
        if (s.name_node[first[local]] != local + low).any():
            raise contradiction(s.path, "name_first points to names of other nodes")
        named += len(local)
    last, heads = -1, 0
    for block in _blocks(s.name_node):
        heads += int(np.count_nonzero(np.diff(block, prepend=last)))
        last = int(block[-1])
    if heads != named:
        raise contradiction(s.path, "name_first leaves nodes without their names")


def _check_texts(segment: Segment) -> None:
    """Check the nodes that names, descriptions and passages belong to; -1 means none."""
    try:
        with closing(segment.open_texts()) as db:
            for table in _NODES_OF_TEXTS[segment.label_off is None :]:
                low, high = db.execute(f"SELECT min(node), max(node) FROM {table}").fetchone()
                if low is not None and not -1 <= low <= high < len(segment.nodes):
                    raise contradiction(segment.texts, f"table {table} names node {high}")
    except (sqlite3.Error, TypeError) as e:
        raise contradiction(segment.texts, str(e)) from e


def _ascends(array: Array, *, strictly: bool) -> bool:
    """Return True if an array ascends, read block by block."""
    last: Any = None
    for block in _blocks(array):
        if not len(block):
            continue
        heads, tails = block[:-1], block[1:]
        wrong = tails <= heads if strictly else tails < heads
        if bool(np.any(wrong)) or (last is not None and (block[0] <= last if strictly else block[0] < last)):
            return False
        last = block[-1]
    return True


def _blocks(array: Array) -> Iterator[Array]:
    for start in range(0, len(array), CHUNK):
        yield array[start : start + CHUNK]
