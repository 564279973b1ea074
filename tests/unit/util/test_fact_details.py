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
from hydra_kg import Hydra, Settings
from hydra_kg.errors import StoreCorruptError, StoreError
from hydra_kg.stores.embedded.segments import fact_details, record_heap
from hydra_kg.stores.embedded.segments.array_folder import FolderWriter, open_array
from hydra_kg.stores.embedded.segments.fact_details import all_details, read_details, read_qualifiers, write_details
from hydra_kg.stores.embedded.segments.format import DETAILS, Segment, open_segment
from hydra_kg.stores.embedded.writes.restage import SegmentStage
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
        patch.setattr(fact_details, "SHARED", 0)
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


@settings(deadline=None)
@given(st.dictionaries(st.integers(-40, 39), st.sampled_from(["a", "b", "ç"])), st.integers(1, 20))
def test_facts_share_a_record_where_few_differ(found: dict[int, str], batch: int) -> None:
    order = sorted(found, key=lambda row: (row < 0, row if row >= 0 else ~row))
    given_rows: list[Detail] = [(row, "", 1.0, "[]", found[row]) for row in order]
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        patch.setattr(fact_details, "CHUNK", 7)
        with FolderWriter(Path(name), magic="test") as out:
            count, _ = write_details(out, Given(given_rows, batch), links=40, values=40)  # type: ignore[arg-type]
            assert count == len(found)
            assert (DETAILS in out.files) == bool(found)
            for kind, literal in (("detail_code", False), ("vdetail_code", True)):
                mine = {~row if literal else row: text for row, text in found.items() if (row < 0) == literal}
                if not mine:
                    assert kind not in out.arrays
                    continue
                codes, off = open_array(Path(name), out.arrays[kind]), open_array(Path(name), out.arrays["shared_off"])
                assert len(codes) == 40
                heap = (Path(name) / DETAILS).read_bytes()
                for at, code in enumerate(codes.tolist()):
                    record = heap[int(off[code]) : int(off[code + 1])]
                    assert bool(record) == (at in mine)
                    assert not record or unpack(record) == (code, "", 1.0, "[]", mine[at])


def test_cells_of_a_table_share_their_columns(tmp_path: Path) -> None:
    rows = "".join(f"thing {n},{n},{n % 3}\n" for n in range(50))
    (tmp_path / "things.csv").write_text(f"name,size,weight\n{rows}")
    with Hydra(store=tmp_path / "store", settings=Settings()) as hydra:
        hydra.load(tmp_path / "things.csv")
    (folder,) = (tmp_path / "store" / "loads").iterdir()
    segment = open_segment(folder)
    assert segment.vdetail_code is not None
    assert segment.vdetail_off is None
    assert (folder / DETAILS).stat().st_size < 100
    found = [detail for batch in all_details(segment, literal=True) for detail in batch]
    assert len(found) == 100
    assert {detail[4] for detail in found} == {"column size", "column weight"}
    assert [detail[0] for detail in found] == [~n for n in range(100)]
    again = write_segment(tmp_path / "again", tmp_path, SegmentStage(segment), sources=())
    copy = open_segment(tmp_path / "again")
    assert [detail for batch in all_details(copy, literal=True) for detail in batch] == found
    assert again["checksum"] == segment.manifest["checksum"]


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


@pytest.fixture(params=[0, 255], ids=["a record each", "shared records"])
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Segment:
    monkeypatch.setattr(fact_details, "SHARED", request.param)
    links = [FactRow(f"Q{i}", "P1", f"Q{i + 1}", rank="preferred" if i % 3 else "") for i in range(1, 10)]
    values = [FactRow("Q1", "P2", '"x"@en', locator="page 7"), FactRow("Q2", "P2", '"y"@en')]
    write_segment(tmp_path / "load", tmp_path, MemoryStage(links, values=values), sources=())
    return open_segment(tmp_path / "load")


def test_a_damaged_heap_is_noticed(written: Segment) -> None:
    heap = (written.path / DETAILS).read_bytes()
    assert heap.count(b"preferred") == (6 if written.shared_off is None else 1)
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
    gone = ("detail_off", "vdetail_off", "detail_heap", "detail_code", "vdetail_code", "shared_off")
    old = Segment(**{**values, **dict.fromkeys(gone)})
    asked = np.array([*range(9), ~0, ~1])
    assert read_details(old, asked) == read_details(written, asked) == {row[0]: row for row in rows}
    wanted = [next((row[3] for row in rows if row[0] == n), "") for n in asked.tolist()]
    for segment in (old, written):
        codes, found = read_qualifiers(segment, asked)
        assert [found[n] for n in codes] == wanted
        assert len(set(found)) == len(found)
