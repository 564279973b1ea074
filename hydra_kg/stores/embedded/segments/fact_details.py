"""Fact details of a load: a heap of records beside the arrays, found by the position of the fact."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from typing import Final

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Ids, Index
from hydra_kg.errors import StoreCorruptError, StoreError
from hydra_kg.ports import Stage
from hydra_kg.stores.embedded.segments.array_folder import REPAIR, FolderWriter
from hydra_kg.stores.embedded.segments.format import DETAILS, Segment
from hydra_kg.stores.embedded.segments.record_heap import RecordOffsets
from hydra_kg.util.fact_details import UNIT, Detail, Packing, pack, unpack

_BATCH: Final = 50_000
_FIRST_VERSION: Final = (
    "SELECT row, rank, confidence, qualifiers, locator FROM detail WHERE row IN (SELECT value FROM json_each(?))"
)


def write_details(out: FolderWriter, stage: Stage, *, links: int, values: int) -> tuple[int, int]:
    """``details.bin`` and where in it each fact's record begins, if there are any. Returns how many records there are,
    and the checksum of their text. Raises StoreError if they are not in the order of the facts."""
    batches = stage.packed_details() if isinstance(stage, Packing) else map(pack, stage.details())
    heap, count, at = out.file(DETAILS), 0, 0
    link, value = RecordOffsets(out, "detail_off"), RecordOffsets(out, "vdetail_off")
    for rows, sizes, data in batches:
        ends = at + np.cumsum(sizes)
        split = int(np.count_nonzero(rows >= 0))
        if (rows[split:] >= 0).any() or (split and value.next):
            raise StoreError("The stage's details are not in order.", remedy="Please report this as a bug.")
        link.add(rows[:split], ends[:split], at)
        value.add(~rows[split:], ends[split:], int(ends[split - 1]) if split else at)
        heap.write(data)
        at, count = at + len(data), count + len(rows)
    link.finish(links)
    value.finish(values)
    if count:
        out.done(heap)
    else:
        heap.close()
        heap.path.unlink()
    return count, heap.crc


def read_details(segment: Segment, rows: npt.NDArray[np.int64]) -> dict[int, Detail]:
    """Details by row, of those rows (``~position`` for literal facts) that have any. Raises StoreCorruptError."""
    found: dict[int, Detail] = {}
    for off, bits, literal in (
        (segment.detail_off, segment.detail, False),
        (segment.vdetail_off, segment.vdetail, True),
    ):
        here = rows[(rows < 0) == literal]
        if bits is None or not len(here):
            continue
        pos = ~here if literal else here
        here = here[(bits[pos >> 3] >> (pos & 7).astype(np.uint8)) & 1 == 1]
        if off is None:
            found |= _first_version(segment, here.tolist())
            continue
        pos = ~here if literal else here
        low, high = off[pos].tolist(), off[pos + 1].tolist()
        for row, a, b in zip(here.tolist(), low, high, strict=True):
            found[row] = _record(segment, row, a, b)
    return found


def read_qualifiers(segment: Segment, rows: Ids) -> tuple[Index, list[str]]:
    """Qualifiers of rows: int32 (n,) index into the texts, each once, of which the first is "" for none; what
    ``read_details`` gives as its fourth. Raises StoreCorruptError."""
    codes, texts = np.zeros(len(rows), np.int32), {b"": 0}
    for off, bits, literal in (
        (segment.detail_off, segment.detail, False),
        (segment.vdetail_off, segment.vdetail, True),
    ):
        at = np.flatnonzero((rows < 0) == literal)
        if bits is None or not len(at):
            continue
        if off is None:
            known = _first_version(segment, rows[at].tolist())
            qualifier_texts: Iterable[bytes] = (
                known[row][3].encode() if row in known else b"" for row in rows[at].tolist()
            )
        else:
            pos = ~rows[at] if literal else rows[at]
            qualifier_texts = _qualifiers(segment, rows[at].tolist(), off[pos].tolist(), off[pos + 1].tolist())
        codes[at] = [texts.setdefault(text, len(texts)) for text in qualifier_texts]
    return codes, [text.decode() for text in texts]


def all_details(segment: Segment, *, literal: bool) -> Iterator[list[Detail]]:
    """Every detail of link facts or of literal facts, in the order of the facts, in batches."""
    bits, count = (segment.vdetail, len(segment.vobj)) if literal else (segment.detail, len(segment.fdst))
    for low in range(0, 0 if bits is None else count, _BATCH):
        rows = np.arange(low, min(low + _BATCH, count))
        found = read_details(segment, ~rows if literal else rows)
        yield [found[row] for row in sorted(found, reverse=literal)]


def _qualifiers(segment: Segment, rows: list[int], low: list[int], high: list[int]) -> Iterator[bytes]:
    """The part of each record that holds qualifiers, the rest unread; a fact without details has an empty record."""
    heap, unit = memoryview(b"") if segment.detail_heap is None else segment.detail_heap.data, UNIT.encode()
    for row, a, b in zip(rows, low, high, strict=True):
        parts = bytes(heap[a:b]).split(unit, 4)
        if a < b and (len(parts) < 5 or parts[0] != b"%d" % row):
            _record(segment, row, a, b)  # says what is wrong
        yield parts[3] if a < b else b""


def _record(segment: Segment, row: int, low: int, high: int) -> Detail:
    """One record, which must say that it is of this fact."""
    heap = segment.detail_heap
    try:
        detail = unpack(b"" if heap is None else heap[low:high].tobytes())
    except ValueError:
        detail = (row + 1, "", 1.0, "", "")
    if detail[0] != row:
        raise StoreCorruptError(f"{segment.path / DETAILS} has no details of fact {row}.", remedy=REPAIR)
    return detail


def _first_version(segment: Segment, rows: Sequence[int]) -> dict[int, Detail]:
    """Details of a load that was written by format version 1, which kept them in its SQLite file."""
    with closing(segment.open_texts()) as db:
        asked = f"[{','.join(map(str, rows))}]"
        return {row[0]: row for row in db.execute(_FIRST_VERSION, (asked,)).fetchall()}
