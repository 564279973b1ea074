"""The links of several loads as one adjacency, built by `db compact`, so that a question reads them in one place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Ids, Index
from hydra_kg.errors import StoreCorruptError
from hydra_kg.stores.embedded.segments.adjacency import check_nodes, offsets, ranges
from hydra_kg.stores.embedded.segments.array_folder import Array, Folder, FolderWriter, Unsigned
from hydra_kg.stores.embedded.segments.format import Segment
from hydra_kg.util.fast_dataclass import dataclass

MERGED: Final = "hydra-kg merged"
BLOCK: Final = 1 << 22
"""Facts merged at once. Each takes about 60 bytes during the merge."""

REBUILD: Final = "hydra-kg db compact --force builds it again; the loads themselves are not touched."

RowCallback = Callable[[int], None]


@dataclass(frozen=True, slots=True, eq=False)
class MergedAdjacency:
    """All links of some loads in both directions, memory-mapped, with n nodes, k predicates and m links.

    Attributes:
        loads: ids of the loads, in the order to which ``fload`` and ``rload`` refer.
        nodes: int64 (n,), ids, ascending.
        preds: int64 (k,), ids, ascending.
        foff, roff: (n+1,), offsets.
        fpred, rpred: (m,), place in ``preds``.
        fdst, rsrc: int32 (m,), place of the other end in ``nodes``.
        fload, rload: (m,), place in ``loads``.
        frow, rrow: (m,), the fact's row in its load, as in handles.
    """

    id: str
    path: Path
    loads: tuple[str, ...]
    nodes: Ids
    preds: Ids
    foff: Unsigned
    fpred: Unsigned
    fdst: Index
    fload: Unsigned
    frow: Unsigned
    roff: Unsigned
    rpred: Unsigned
    rsrc: Index
    rload: Unsigned
    rrow: Unsigned


def open_merged(path: Path) -> MergedAdjacency:
    """Open and check a merged adjacency. Raise StoreCorruptError."""
    folder = Folder(path, magic=MERGED)
    folder.check_integers()
    names = [f for f in MergedAdjacency.__dataclass_fields__ if f not in {"id", "path", "loads"}]
    try:
        a: dict[str, Any] = {name: folder.arrays[name] for name in names}
        loads = tuple(map(str, folder.manifest["loads"]))
    except (KeyError, TypeError) as e:
        raise StoreCorruptError(f"{path} is damaged ({e}).", remedy=REBUILD) from e
    n, m = len(a["nodes"]), len(a["fdst"])
    lengths = {name: n + 1 if name.endswith("off") else m for name in names if name not in {"nodes", "preds"}}
    for name, length in lengths.items():
        if len(a[name]) != length:
            raise StoreCorruptError(
                f"{path}: array {name} has {len(a[name])} rows instead of {length}.", remedy=REBUILD
            )
    return MergedAdjacency(id=path.name, path=path, loads=loads, **a)


def estimate_merged_bytes(segments: Sequence[Segment]) -> int:
    """Return the most bytes of disk that merging takes."""
    links, nodes = sum(len(s.fdst) for s in segments), sum(len(s.nodes) for s in segments)
    return links * 2 * (4 + 4 + 2 + 8) + nodes * (8 + 2 * 8)


def merge(path: Path, segments: Sequence[Segment], *, on_rows: RowCallback = lambda rows: None) -> None:
    """Write the merged adjacency of some loads into a new folder and make it durable.

    ``on_rows`` is called with the number of written rows, two for each link. Takes about 30 bytes of memory per node
    and 300 MB; an entity with more than BLOCK facts takes more.
    """
    linked = [s for s in segments if len(s.fdst)]
    with FolderWriter(path, magic=MERGED) as out:
        nodes = union([s.nodes for s in linked])
        preds = union([s.preds for s in linked])
        check_nodes(len(nodes), "What is merged")
        places = [np.searchsorted(nodes, s.nodes).astype(np.int32) for s in linked]
        kinds = [np.searchsorted(preds, s.preds) for s in linked]
        out.save("nodes", nodes)
        out.save("preds", preds)
        for forward in (True, False):
            _direction(out, linked, places, kinds, forward=forward, on_rows=on_rows)
        out.finish(loads=[s.id for s in linked])


def _direction(
    out: FolderWriter,
    segments: Sequence[Segment],
    places: Sequence[Index],
    kinds: Sequence[npt.NDArray[np.int64]],
    *,
    forward: bool,
    on_rows: RowCallback,
) -> None:
    """Write the merged edges of one direction."""
    head, total = "f" if forward else "r", sum(len(s.fdst) for s in segments)
    rows = max((len(s.fdst) for s in segments), default=0)
    nodes, preds = (int(out.arrays[name]["shape"][0]) for name in ("nodes", "preds"))
    count = np.zeros(nodes, np.int64)
    for s, place in zip(segments, places, strict=True):
        off = (s.foff if forward else s.roff).astype(np.int64)
        count[place] += off[1:] - off[:-1]
    off = offsets(count, np.uint32 if total < 1 << 32 else np.uint64)
    writers = [
        out.array(f"{head}pred", np.uint16 if preds <= 1 << 16 else np.uint32),
        out.array("fdst" if forward else "rsrc", np.int32),
        out.array(f"{head}load", np.uint8 if len(segments) <= 1 << 8 else np.uint16),
        out.array(f"{head}row", np.uint32 if rows < 1 << 32 else np.uint64),
    ]
    for low, high in ranges(off, BLOCK):
        columns = _block(segments, places, kinds, low, high, forward=forward, preds=preds)
        for writer, values in zip(writers, columns, strict=True):
            writer.append(values)
        on_rows(len(columns[0]))
    for writer in writers:
        out.done(writer)
    out.save(f"{head}off", off)


def _block(
    segments: Sequence[Segment],
    places: Sequence[Index],
    kinds: Sequence[npt.NDArray[np.int64]],
    low: int,
    high: int,
    *,
    forward: bool,
    preds: int,
) -> list[Array]:
    """Return predicate, other end, load and row of all facts of the nodes in [low, high).

    They are sorted by node, predicate, load and row.
    """
    bits = max(1, preds.bit_length())
    keys, ends, loads, rows = [np.empty(0, np.int64)], [np.empty(0, np.int32)], [], []
    for number, (s, place, kind) in enumerate(zip(segments, places, kinds, strict=True)):
        first, last = (int(i) for i in np.searchsorted(place, (low, high)))
        off = (s.foff if forward else s.roff)[first : last + 1].astype(np.int64)
        span = slice(int(off[0]), int(off[-1]))
        node = np.repeat(place[first:last].astype(np.int64) - low, off[1:] - off[:-1])
        keys.append(node << bits | kind[(s.fpred if forward else s.rpred)[span]])
        ends.append(place[(s.fdst if forward else s.rsrc)[span]])
        loads.append((number, len(node)))
        rows.append(np.arange(span.start, span.stop) if forward else s.rfact[span].astype(np.int64))
    key = np.concatenate(keys)
    order = np.argsort(key, kind="stable")
    numbers, sizes = zip(*loads, strict=True)
    of = np.repeat(np.array(numbers, np.uint16), sizes)
    return [key[order] & (1 << bits) - 1, np.concatenate(ends)[order], of[order], np.concatenate(rows)[order]]


def union(arrays: Sequence[Ids]) -> Ids:
    """Return the distinct ids of ascending arrays, ascending. Their order makes the sort a merge."""
    if len(arrays) == 1:
        return arrays[0]
    ids = np.sort(np.concatenate([np.empty(0, np.int64), *arrays]), kind="stable")
    keep = np.ones(len(ids), np.bool_)
    np.not_equal(ids[1:], ids[:-1], out=keep[1:])
    return ids[keep]
