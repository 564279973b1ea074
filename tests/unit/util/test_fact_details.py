"""Details of facts on disk: random ones come back by row, in either format version; damage is noticed."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.memory_stage import FactRow, MemoryStage
from hydra_kg.errors import StoreCorruptError, StoreError
from hydra_kg.stores.embedded.segments import record_heap
from hydra_kg.stores.embedded.segments.array_folder import FolderWriter, open_array
from hydra_kg.stores.embedded.segments.fact_details import all_details, read_details, read_qualifiers, write_details
from hydra_kg.stores.embedded.segments.format import DETAILS, Segment, open_segment
from hydra_kg.stores.embedded.writes.writer import write_segment
from hydra_kg.util.fact_details import Detail, pack, unpack

texts = st.text(st.characters(exclude_characters="\x1f\x1e", exclude_categories=["Cs"]), max_size=8)
details = st.tuples(st.sampled_from(["", "preferred"]), st.floats(0, 1), st.just("[]"), texts)


class Given:
    """As much of a stage as details need."""

    def __init__(self, rows: Sequence[Detail], batch: int) -> None:
        self._rows, self._batch = rows, batch

    def details(self) -> Iterator[Sequence[Detail]]:
        for i in range(0, len(self._rows), self._batch):
            yield self._rows[i : i + self._batch]


@settings(deadline=None)
@given(st.dictionaries(st.integers(-40, 39), details), st.integers(1, 20), st.booleans())
def test_records_stand_where_the_offsets_say(
    found: dict[int, tuple[str, float, str, str]], batch: int, wide: bool
) -> None:
    order = sorted(found, key=lambda row: (row < 0, row if row >= 0 else ~row))
    given_rows: list[Detail] = [(row, *found[row]) for row in order]
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        patch.setattr(record_heap, "CHUNK", 7)
        if wide:
            patch.setattr(record_heap, "_NARROW", 30)
        with FolderWriter(Path(name), magic="test") as out:
            count, _ = write_details(out, Given(given_rows, batch), links=40, values=40)  # type: ignore[arg-type]
            heap = (Path(name) / DETAILS).read_bytes() if count else b""
            assert count == len(given_rows)
            for kind, literal in (("detail_off", False), ("vdetail_off", True)):
                mine = {~row if literal else row: detail for row, *detail in given_rows if (row < 0) == literal}
                if not mine:
                    assert kind not in out.arrays
                    continue
                off = open_array(Path(name), out.arrays[kind])
                assert len(off) == 41
                for at in range(40):
                    record = heap[int(off[at]) : int(off[at + 1])]
                    assert bool(record) == (at in mine)
                    if record:
                        assert unpack(record)[1:] == tuple(mine[at])


def test_an_unpacked_record_is_what_was_packed() -> None:
    rows: list[Detail] = [(0, "preferred", 0.1, '[["P1", "Q2"]]', "a\x1fb\x1e"), (~7, "", 1.0, "[]", "Ünïcode")]
    packed = pack(rows)
    first = int(packed.sizes[0])
    assert [unpack(packed.data[:first]), unpack(packed.data[first:])] == rows
    assert pack([(1, "", 1.0, "[]", "half \ud800")]).data == b"1\x1f\x1f1.0\x1f[]\x1fhalf ?\x1e"


@pytest.mark.parametrize("rows", [[1, 0], [0, 0], [~0, 0], [9], [~1, ~0]])
def test_details_out_of_order_are_an_error(tmp_path: Path, rows: list[int]) -> None:
    given_rows: list[Detail] = [(row, "preferred", 1.0, "[]", "") for row in rows]
    with FolderWriter(tmp_path, magic="test") as out, pytest.raises(StoreError, match="order"):
        write_details(out, Given(given_rows, 1), links=9, values=9)  # type: ignore[arg-type]


@pytest.fixture
def written(tmp_path: Path) -> Segment:
    links = [FactRow(f"Q{i}", "P1", f"Q{i + 1}", rank="preferred" if i % 3 else "") for i in range(1, 10)]
    values = [FactRow("Q1", "P2", '"x"@en', locator="page 7"), FactRow("Q2", "P2", '"y"@en')]
    write_segment(tmp_path / "load", tmp_path, MemoryStage(links, values=values), sources=())
    return open_segment(tmp_path / "load")


def test_a_damaged_heap_is_noticed(written: Segment) -> None:
    heap = (written.path / DETAILS).read_bytes()
    assert heap.count(b"preferred") == 6
    (written.path / DETAILS).write_bytes(heap.replace(b"\x1fpreferred", b"\x1e" * 10))
    with pytest.raises(StoreCorruptError, match=r"details\.bin"):
        read_details(open_segment(written.path), np.arange(9))
    with pytest.raises(StoreCorruptError, match=r"details\.bin"):
        read_qualifiers(open_segment(written.path), np.arange(9))


def test_details_of_format_version_1_are_read(written: Segment) -> None:
    both = [*all_details(written, literal=False), *all_details(written, literal=True)]
    rows = [detail for batch in both for detail in batch]
    assert len(rows) == 7
    with closing(sqlite3.connect(written.texts)) as db, db:
        db.execute(
            "CREATE TABLE detail (row INTEGER PRIMARY KEY, rank TEXT, confidence REAL, qualifiers TEXT, locator TEXT)"
        )
        db.executemany("INSERT INTO detail VALUES (?, ?, ?, ?, ?)", rows)
    values = {name: getattr(written, name) for name in Segment.__dataclass_fields__}
    old = Segment(**{**values, "detail_off": None, "vdetail_off": None, "detail_heap": None})
    asked = np.array([*range(9), ~0, ~1])
    assert read_details(old, asked) == read_details(written, asked) == {row[0]: row for row in rows}
    wanted = [next((row[3] for row in rows if row[0] == n), "") for n in asked.tolist()]
    for segment in (old, written):
        codes, found = read_qualifiers(segment, asked)
        assert [found[n] for n in codes] == wanted
        assert len(set(found)) == len(found)
