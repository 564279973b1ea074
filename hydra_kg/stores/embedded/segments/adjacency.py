"""Turns sorted facts into compressed adjacency: forward as they stream in, the reverse by bounded sorts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Ids
from hydra_kg.errors import StoreError
from hydra_kg.stores.embedded.segments.array_folder import CHUNK, Array, ArrayWriter, FolderWriter
from hydra_kg.util.number_columns import match

BUCKET: Final = 1 << 23
"""Facts sorted at once for the reverse direction. Each takes about 40 bytes during the sort."""


MOST_NODES: Final = (1 << 31) - 1
"""Most nodes of a store, because nodes are numbered in int32."""


def check_nodes(count: int, what: str) -> None:
    """Raise StoreError if there are more nodes than numbers for them."""
    if count > MOST_NODES:
        raise StoreError(
            f"{what} has {count:,} entities, and a store takes {MOST_NODES:,}.",
            remedy="Load a part of it (--limit, --around), or keep sources in stores of their own.",
        )


class BitWriter:
    """Writes one bit per row, packed little-endian. ``any`` says whether a bit was set."""

    def __init__(self, out: ArrayWriter) -> None:
        self.out = out
        self.any = False
        self._rest = np.empty(0, np.bool_)

    def append(self, bits: npt.NDArray[np.bool_]) -> None:
        """Append rows."""
        self.any = self.any or bool(bits.any())
        bits = np.concatenate((self._rest, bits))
        whole = len(bits) & ~7
        self.out.append(np.packbits(bits[:whole], bitorder="little"))
        self._rest = bits[whole:]

    def close(self) -> None:
        """Write the last, incomplete byte."""
        self.out.append(np.packbits(self._rest, bitorder="little"))


class FactWriter:
    """Writes at most ``facts`` facts, sorted by (subject, predicate, object), to forward arrays.

    With ``links``, objects are local node numbers and are also counted for the reverse direction. Otherwise they are
    ids of literals.
    """

    def __init__(self, folder: FolderWriter, scratch: Path, *, nodes: Ids, preds: Ids, facts: int, links: bool) -> None:
        self.folder, self.nodes, self.preds, self.links = folder, nodes, preds, links
        self.limit = facts
        self.row_type = np.dtype((np.uint32 if facts < 1 << 32 else np.uint64) if facts else np.uint8)
        few = np.uint8 if len(preds) <= 1 << 8 else np.uint16
        self.pred_type = np.dtype(few if len(preds) <= 1 << 16 else np.uint32)
        self.out_count = np.zeros(len(nodes), self.row_type)
        self.in_count = np.zeros(len(nodes) if links else 0, self.row_type)
        self.pred_count = np.zeros(len(preds), np.int64)
        self.rows = 0
        head = "f" if links else "v"
        self._pred = folder.array(f"{head}pred", self.pred_type)
        self._object = folder.array("fdst", np.int32) if links else folder.array("vobj", np.int64)
        self._line = folder.array("line" if links else "vline", np.uint32)
        self._node_line: Array | None = np.zeros(len(nodes), np.uint32)
        self._last_node = -1
        self._subject = folder.array("fsrc", np.int32, folder=scratch) if links else None
        self._source: ArrayWriter | None = None
        self._detail: BitWriter | None = None
        self._last = (-1, -1, -1)

    def add(self, batch: Mapping[str, Array]) -> None:
        """Add the next batch: s, p, o (int64), line, and optionally source (uint16) and detail (bool)."""
        s, p, o = (np.asarray(batch[k], np.int64) for k in "spo")
        if not len(s):
            return
        heads = self._heads(s, p, o)
        subject = _find(self.nodes, s[heads], "node")
        pred = _find(self.preds, p[heads], "predicate")
        runs = np.diff(heads, append=len(s))
        np.add.at(self.out_count, subject, runs.astype(self.row_type))
        np.add.at(self.pred_count, pred, runs)
        self._pred.append(np.repeat(pred.astype(self.pred_type), runs))
        if self._subject is None:
            self._object.append(o)
        else:
            self._subject.append(np.repeat(subject.astype(np.int32), runs))
            self._object.append(self._local_objects(o))
        line = np.asarray(batch["line"])
        if self._line.dtype.itemsize < 8 and int(line.max()) >= 1 << 32:
            self._line.widen(np.uint64)
            self._node_line = None
        self._line.append(line)
        self._note_lines(subject, line, heads=heads, runs=runs)
        self._options(batch)
        self.rows += len(s)
        if self.rows > self.limit:
            raise StoreError("The stage gives more facts than it counted.", remedy="Please report this as a bug.")

    def finish(self) -> None:
        """Close the arrays and write the offsets (``foff`` or ``voff``)."""
        head = "f" if self.links else "v"
        unused: list[ArrayWriter] = []
        if self._node_line is not None and self.rows > len(self.nodes):
            self.folder.save("node_line" if self.links else "vnode_line", self._node_line)
            unused.append(self._line)
        if self._detail is not None:
            self._detail.close()
            if not self._detail.any:
                unused.append(self._detail.out)
        detail = None if self._detail is None else self._detail.out
        for out in (self._pred, self._object, self._line, self._source, detail):
            if out is not None and out not in unused:
                self.folder.done(out)
        for out in unused:
            out.close()
            out.path.unlink()
        self.folder.save(f"{head}off", offsets(self.out_count, self.row_type))

    def reverse(self) -> None:
        """Write ``roff``, ``rpred``, ``rsrc``, ``rfact``: the links sorted by (object, predicate, fact row).

        Ranges of about BUCKET facts are sorted in memory one by one. Only an entity with more facts takes more.
        """
        if self._subject is None:
            raise TypeError("literal facts have no reverse direction")
        self._subject.close()
        columns = (self._object, self._pred, self._subject)
        out = [
            self.folder.array("rpred", self.pred_type),
            self.folder.array("rsrc", np.int32),
            self.folder.array("rfact", self.row_type),
        ]
        roff = offsets(self.in_count, self.row_type)
        for low, high in ranges(roff, max(BUCKET, self.rows // 24)):
            rows, dst, pred, src = _within(columns, low, high)
            order = _order(dst, pred, low=low, high=high, preds=len(self.preds))
            for writer, column in zip(out, (pred, src, rows), strict=True):
                writer.append(column[order])
        for writer in out:
            self.folder.done(writer)
        self.folder.save("roff", roff)
        self._subject.path.unlink()

    def _note_lines(self, subject: Ids, line: Array, *, heads: Ids, runs: Ids) -> None:
        """Note the line of each node, as long as all facts of each node have the same line, as cells of a row have."""
        if self._node_line is None:
            return
        first = self._node_line[subject[0]] if int(subject[0]) == self._last_node else line[0]
        self._node_line[subject] = line[heads]
        self._node_line[subject[0]], self._last_node = first, int(subject[-1])
        if (np.repeat(self._node_line[subject], runs) != line).any():
            self._node_line = None

    def _heads(self, s: Ids, p: Ids, o: Ids) -> npt.NDArray[np.int64]:
        """Return where each run of equal (subject, predicate) begins. Raise StoreError if the facts are not sorted."""
        ds, dp = s[1:] != s[:-1], p[1:] != p[:-1]
        change = ds | dp
        wrong = (s[1:] < s[:-1]) | (~ds & (p[1:] < p[:-1])) | (~change & (o[1:] < o[:-1]))
        first = (int(s[0]), int(p[0]), int(o[0]))
        if wrong.any() or first < self._last:
            raise StoreError("The stage's facts are not sorted.", remedy="Please report this as a bug.")
        self._last = (int(s[-1]), int(p[-1]), int(o[-1]))
        return np.concatenate((np.zeros(1, np.int64), np.flatnonzero(change) + 1))

    def _local_objects(self, o: Ids) -> npt.NDArray[np.int32]:
        """Return the local node numbers of objects.

        The objects are sorted first, so that the search goes through the nodes in order.
        """
        order = np.argsort(o)
        ordered = o[order]
        heads = np.concatenate((np.zeros(1, np.int64), np.flatnonzero(ordered[1:] != ordered[:-1]) + 1))
        local = _find(self.nodes, ordered[heads], "node")
        runs = np.diff(heads, append=len(o))
        self.in_count[local] += runs.astype(self.row_type)
        out = np.empty(len(o), np.int32)
        out[order] = np.repeat(local.astype(np.int32), runs)
        return out

    def _options(self, batch: Mapping[str, Array]) -> None:
        head = "" if self.links else "v"
        if self.rows == 0:
            self._source = self.folder.array(f"{head}source", np.uint16) if "source" in batch else None
            self._detail = BitWriter(self.folder.array(f"{head}detail", np.uint8)) if "detail" in batch else None
        if (self._source is None) == ("source" in batch) or (self._detail is None) == ("detail" in batch):
            raise StoreError("The stage's batches differ in columns.", remedy="Please report this as a bug.")
        if self._source is not None:
            self._source.append(np.asarray(batch["source"]))
        if self._detail is not None:
            self._detail.append(np.asarray(batch["detail"], np.bool_))


def offsets(counts: npt.NDArray[np.int64], dtype: npt.DTypeLike) -> Array:
    """Return the CSR offsets (n+1,) of counts (n,)."""
    off = np.zeros(len(counts) + 1, dtype)
    np.cumsum(counts, out=off[1:], dtype=off.dtype)
    return off


def ranges(off: Array, size: int) -> Iterator[tuple[int, int]]:
    """Yield consecutive ranges of nodes with about ``size`` entries each, and at least one node."""
    low, n = 0, len(off) - 1
    while low < n:
        high = int(np.searchsorted(off, int(off[low]) + size, "right")) - 1
        high = min(n, max(high, low + 1))
        yield low, high
        low = high


def _within(columns: Sequence[ArrayWriter], low: int, high: int) -> tuple[Array, ...]:
    """Return the rows, and their values in each column, of facts whose object (first column) is in [low, high)."""
    parts = []
    for start in range(0, max(columns[0].rows, 1), CHUNK):  # none are a piece too
        dst, *others = (column.read(start, CHUNK) for column in columns)
        here = np.flatnonzero((dst >= low) & (dst < high))
        parts.append((here + start, dst[here], *(other[here] for other in others)))
    return tuple(np.concatenate(column) for column in zip(*parts, strict=True))


def _order(dst: Array, pred: Array, *, low: int, high: int, preds: int) -> npt.NDArray[np.int64]:
    """Return the stable order by (object, predicate): one sort of packed numbers if they fit into 62 bits."""
    count = len(dst)
    row_bits, pred_bits = max(1, count.bit_length()), max(1, preds.bit_length())
    if (high - low).bit_length() + pred_bits + row_bits > 62:
        return np.lexsort((pred, dst))
    key = dst.astype(np.int64)
    key -= low
    key <<= pred_bits
    key |= pred
    key <<= row_bits
    key |= np.arange(count)
    key.sort()
    key &= (1 << row_bits) - 1
    return key


def _find(known: Ids, ids: Ids, what: str) -> npt.NDArray[np.int64]:
    """Return the positions of ids. Raise StoreError if one is not known."""
    at = match(known, ids)
    if (at < 0).any():
        raise StoreError(f"The stage does not list a {what} that it uses.", remedy="Please report this as a bug.")
    return at
