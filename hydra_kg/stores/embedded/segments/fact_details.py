"""Details of facts in a load: a heap of records, found by the position of the fact."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Final

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Ids, Index
from hydra_kg.errors import StoreCorruptError, StoreError
from hydra_kg.ports import Stage
from hydra_kg.stores.embedded.segments.array_folder import CHUNK, REPAIR, ArrayWriter, FolderWriter
from hydra_kg.stores.embedded.segments.format import DETAILS, Segment
from hydra_kg.stores.embedded.segments.record_heap import RecordOffsets
from hydra_kg.util.fact_details import UNIT, Detail, Packing, Shared, Sharing, pack, unpack

SHARED: Final = 255
"""Most different records that facts can share, because the code of each takes one byte."""

_BATCH: Final = 50_000
_FIRST_VERSION: Final = (
    "SELECT row, rank, confidence, qualifiers, locator FROM detail WHERE row IN (SELECT value FROM json_each(?))"
)


def write_details(out: FolderWriter, stage: Stage, *, links: int, values: int) -> tuple[int, int]:
    """Write ``details.bin`` and where each fact's record is in it.

    Returns the number of facts with details and the checksum of the records. Raises StoreError if they are not in the
    order of the facts. A record that many facts share, such as the column of a table's cells, is written once.
    """
    shared = stage.distinct_details(SHARED) if isinstance(stage, Sharing) else _distinct(stage.details())
    if shared:
        return _write_shared(out, stage, sorted(shared), links=links, values=values)
    batches = stage.packed_details() if isinstance(stage, Packing) else map(pack, stage.details())
    heap, count, at = out.file(DETAILS), 0, 0
    link, value = RecordOffsets(out, "detail_off"), RecordOffsets(out, "vdetail_off")
    for rows, sizes, data in batches:
        ends = at + np.cumsum(sizes)
        split = int(np.count_nonzero(rows >= 0))
        if (rows[split:] >= 0).any() or (split and value.next):
            raise _out_of_order()
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


def _write_shared(
    out: FolderWriter, stage: Stage, shared: Sequence[Shared], *, links: int, values: int
) -> tuple[int, int]:
    """Write details that many facts share once, with a code for each."""
    codes = {detail: code for code, detail in enumerate(shared, 1)}
    records = pack([(code, *detail) for detail, code in codes.items()])
    heap = out.file(DETAILS)
    heap.write(records.data)
    out.done(heap)
    out.save("shared_off", np.concatenate(([0, 0], np.cumsum(records.sizes))).astype(np.uint32))
    link, value = _Codes(out, "detail_code"), _Codes(out, "vdetail_code")
    for rows, numbers in (
        stage.detail_codes(codes) if isinstance(stage, Sharing) else _encode_details(stage.details(), codes)
    ):
        split = int(np.count_nonzero(rows >= 0))
        if (rows[split:] >= 0).any() or (split and value.next):
            raise _out_of_order()
        link.add(rows[:split], numbers[:split])
        value.add(~rows[split:], numbers[split:])
    link.finish(links)
    value.finish(values)
    return link.count + value.count, heap.crc


class _Codes:
    """Writes an array with the code of each fact's record, 0 for a fact without one."""

    def __init__(self, out: FolderWriter, name: str) -> None:
        self._out, self._name = out, name
        self._array: ArrayWriter | None = None
        self.next = self.count = 0

    def add(self, rows: Ids, codes: npt.NDArray[np.uint8]) -> None:
        """Append the codes of some rows. The rows must ascend."""
        if not len(rows):
            return
        if int(rows[0]) < self.next or (rows[1:] <= rows[:-1]).any():
            raise _out_of_order()
        if self._array is None:
            self._array = self._out.array(self._name, np.uint8)
        self._fill(self._array, int(rows[0]))
        block = np.zeros(int(rows[-1]) + 1 - self.next, np.uint8)
        block[rows - self.next] = codes
        self._array.append(block)
        self.next, self.count = int(rows[-1]) + 1, self.count + len(rows)

    def finish(self, total: int) -> None:
        """Write the remaining rows up to ``total``, if there were any codes."""
        if self.next > total:
            raise _out_of_order()
        if self._array is not None:
            self._fill(self._array, total)
            self._out.done(self._array)

    def _fill(self, array: ArrayWriter, end: int) -> None:
        for low in range(self.next, end, CHUNK):
            array.append(np.zeros(min(CHUNK, end - low), np.uint8))
        self.next = end


def _distinct(batches: Iterator[Sequence[Detail]]) -> set[Shared] | None:
    found: set[Shared] = set()
    for batch in batches:
        found.update(detail[1:] for detail in batch)
        if len(found) > SHARED:
            return None
    return found


def _encode_details(
    batches: Iterator[Sequence[Detail]], codes: Mapping[Shared, int]
) -> Iterator[tuple[Ids, npt.NDArray[np.uint8]]]:
    for batch in batches:
        rows = np.array([detail[0] for detail in batch], np.int64)
        yield rows, np.array([codes[detail[1:]] for detail in batch], np.uint8)


def read_details(segment: Segment, rows: npt.NDArray[np.int64]) -> dict[int, Detail]:
    """Return the details of those rows that have any, by row. Raise StoreCorruptError.

    The row of a literal fact is ``~position``.
    """
    found: dict[int, Detail] = {}
    for bits, literal in ((segment.detail, False), (segment.vdetail, True)):
        here = rows[(rows < 0) == literal]
        if bits is None or not len(here):
            continue
        pos = ~here if literal else here
        here = here[(bits[pos >> 3] >> (pos & 7).astype(np.uint8)) & 1 == 1]
        places = _places(segment, here, literal=literal)
        if places is None:
            found |= _first_version(segment, here.tolist())
            continue
        read: dict[int, Detail] = {}
        for row, number, low, high in zip(here.tolist(), *places, strict=True):
            if number not in read:
                read[number] = _record(segment, number, low, high)
            found[row] = (row, *read[number][1:])
    return found


def read_qualifiers(segment: Segment, rows: Ids) -> tuple[Index, list[str]]:
    """Return the qualifiers of rows: int32 (n,) indexes into texts, and the texts, each once.

    The first text is "" and means no qualifiers. The others are the fourth value that ``read_details`` returns. Raises
    StoreCorruptError.
    """
    codes, texts = np.zeros(len(rows), np.int32), {b"": 0}
    for bits, literal in ((segment.detail, False), (segment.vdetail, True)):
        at = np.flatnonzero((rows < 0) == literal)
        if bits is None or not len(at):
            continue
        if (places := _places(segment, rows[at], literal=literal)) is None:
            known = _first_version(segment, rows[at].tolist())
            qualifier_texts: Iterable[bytes] = (
                known[row][3].encode() if row in known else b"" for row in rows[at].tolist()
            )
        else:
            qualifier_texts = _qualifiers(segment, *places)
        codes[at] = [texts.setdefault(text, len(texts)) for text in qualifier_texts]
    return codes, [text.decode() for text in texts]


def all_details(segment: Segment, *, literal: bool) -> Iterator[list[Detail]]:
    """Yield all details of link facts or of literal facts, in the order of the facts, in batches."""
    bits, count = (segment.vdetail, len(segment.vobj)) if literal else (segment.detail, len(segment.fdst))
    for low in range(0, 0 if bits is None else count, _BATCH):
        rows = np.arange(low, min(low + _BATCH, count))
        found = read_details(segment, ~rows if literal else rows)
        yield [found[row] for row in sorted(found, reverse=literal)]


def _places(segment: Segment, rows: Ids, *, literal: bool) -> tuple[list[int], list[int], list[int]] | None:
    """Return the number that each row's record must have, and where it begins and ends.

    Returns None in format version 1.
    """
    pos = ~rows if literal else rows
    codes = segment.vdetail_code if literal else segment.detail_code
    if codes is not None and segment.shared_off is not None:
        at = codes[pos].astype(np.int64)
        return at.tolist(), segment.shared_off[at].tolist(), segment.shared_off[at + 1].tolist()
    off = segment.vdetail_off if literal else segment.detail_off
    return None if off is None else (rows.tolist(), off[pos].tolist(), off[pos + 1].tolist())


def _qualifiers(segment: Segment, rows: list[int], low: list[int], high: list[int]) -> Iterator[bytes]:
    """Yield the part of each record that contains qualifiers, without decoding the rest.

    A fact without details has an empty record.
    """
    heap, unit = memoryview(b"") if segment.detail_heap is None else segment.detail_heap.data, UNIT.encode()
    for row, a, b in zip(rows, low, high, strict=True):
        parts = bytes(heap[a:b]).split(unit, 4)
        if a < b and (len(parts) < 5 or parts[0] != b"%d" % row):
            _record(segment, row, a, b)  # says what is wrong
        yield parts[3] if a < b else b""


def _record(segment: Segment, row: int, low: int, high: int) -> Detail:
    """Return one record. Raise StoreCorruptError if it does not belong to this fact."""
    heap = segment.detail_heap
    try:
        detail = unpack(b"" if heap is None else heap[low:high].tobytes())
    except ValueError:
        detail = (row + 1, "", 1.0, "", "")
    if detail[0] != row:
        raise StoreCorruptError(f"{segment.path / DETAILS} has no details of fact {row}.", remedy=REPAIR)
    return detail


def _out_of_order() -> StoreError:
    return StoreError("The stage's details are not in order.", remedy="Please report this as a bug.")


def _first_version(segment: Segment, rows: Sequence[int]) -> dict[int, Detail]:
    """Return details of a load in format version 1, which stored them in its SQLite file."""
    with closing(segment.open_texts()) as db:
        asked = f"[{','.join(map(str, rows))}]"
        return {row[0]: row for row in db.execute(_FIRST_VERSION, (asked,)).fetchall()}
