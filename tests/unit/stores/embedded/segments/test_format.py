"""Files of a segment: whatever happened to one of them is said at open, with a remedy; no access goes wrong later."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bench.memory_stage import FactRow, MemoryStage
from hydra_kg.domain import Source
from hydra_kg.errors import StoreCorruptError
from hydra_kg.stores.embedded.segments.array_folder import (
    HEADER,
    MANIFEST,
    SMALL,
    ArrayWriter,
    Folder,
    FolderWriter,
    verify,
)
from hydra_kg.stores.embedded.segments.format import SEGMENT, open_segment
from hydra_kg.stores.embedded.writes.writer import write_segment


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A segment with all optional arrays, some mapped and some read."""
    folder = tmp_path_factory.mktemp("segment")
    links = [
        FactRow(f"Q{i}", "P1", f"Q{i * 7 % 9000 + 1}", i, i % 2, rank="preferred" * (i == 5)) for i in range(1, 9000)
    ]
    values = [
        FactRow("Q1", "P2", '"1"^^xsd:integer', 1, 1, qualifiers=(("P3", "Q4"),)),
        FactRow("Q2", "P2", '"x"@en', 2),
    ]
    stage = MemoryStage(
        links,
        values=values,
        names=[("Q1", "name", "One"), ("Q2", "alias", "Two")],
        mediators=["Q3"],
        same_as=[("Q1", "m.02", 1)],
        nodes=["https://example.org/a"],
    )
    write_segment(folder / "load", folder, stage, sources=[Source("a"), Source("b")])
    return folder / "load"


@pytest.fixture
def copy(written: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(written, tmp_path / "load"))


def _files(folder: Path) -> list[str]:
    return sorted(f.name for f in folder.iterdir() if f.name != MANIFEST)


def _amend(folder: Path, **entries: Any) -> None:
    manifest = json.loads((folder / MANIFEST).read_text())
    manifest.pop("crc32", None)  # as one that a program wrote which knew no checksum of it
    (folder / MANIFEST).write_text(json.dumps(manifest | entries))


def _refused(folder: Path) -> str:
    with pytest.raises(StoreCorruptError) as e:
        open_segment(folder)
    assert e.value.remedy
    return str(e.value)


def test_a_segment_opens(written: Path) -> None:
    s = open_segment(written)
    assert len(s.nodes) == 9002
    assert len(s.fdst) == 8999
    assert len(s.vobj) == 2
    assert s.fdst.nbytes + HEADER <= SMALL < s.nodes.nbytes  # both ways of opening are in use
    assert not s.nodes.flags.writeable
    assert not s.fdst.flags.writeable
    assert all(type(a) is np.ndarray for a in (s.nodes, s.fdst))
    verify(written, magic=SEGMENT)


@pytest.mark.parametrize("cut", [1, 100, "half", "all"])
def test_every_truncated_file_is_an_error(copy: Path, written: Path, cut: int | str) -> None:
    for name in _files(written):
        data = (written / name).read_bytes()
        keep = {"half": len(data) // 2, "all": 0}.get(str(cut), max(0, len(data) - int(cut) if cut in (1, 100) else 0))
        (copy / name).write_bytes(data[:keep])
        if data:
            assert name in _refused(copy)
        (copy / name).write_bytes(data)
    open_segment(copy)


def test_every_longer_or_missing_file_is_an_error(copy: Path, written: Path) -> None:
    for name in _files(written):
        (copy / name).write_bytes((written / name).read_bytes() + b"x")
        assert name in _refused(copy)
        (copy / name).unlink()
        assert name in _refused(copy)
        shutil.copy(written / name, copy / name)
    open_segment(copy)


def test_every_changed_byte_fails_its_checksum(copy: Path, written: Path) -> None:
    for name in _files(written):
        data = bytearray((written / name).read_bytes())
        if data:
            data[-1] ^= 1
            (copy / name).write_bytes(data)
            with pytest.raises(StoreCorruptError, match=name):
                verify(copy, magic=SEGMENT)
            shutil.copy(written / name, copy / name)
    verify(copy, magic=SEGMENT)


def test_a_foreign_array_of_the_same_length_is_an_error(copy: Path) -> None:
    size = (copy / "fdst.npy").stat().st_size
    for data in (bytes(size), b"\x80\x04" * (size // 2), (copy / "line.npy").read_bytes()):
        (copy / "fdst.npy").write_bytes(data)
        assert "fdst.npy" in _refused(copy)


def test_other_versions_and_foreign_folders(copy: Path, tmp_path: Path) -> None:
    _amend(copy, version=6)
    assert "version 6" in _refused(copy)
    _amend(copy, version=1, magic="something else")
    assert SEGMENT in _refused(copy)
    assert MANIFEST in _refused(tmp_path / "nowhere")
    for text in ("", "[]", "{", "\x00", '{"magic": "hydra-kg segment", "version": 1}'):
        (copy / MANIFEST).write_text(text)
        assert MANIFEST in _refused(copy)
    (copy / MANIFEST).write_bytes(b"\xff\xfe")
    assert MANIFEST in _refused(copy)


@pytest.mark.parametrize(
    "change",
    [
        {"dtype": "|O"},
        {"dtype": "nonsense"},
        {"dtype": "<i8"},
        {"shape": [3]},
        {"shape": "x"},
        {"shape": [-1]},
        {"file": "../load/fdst.npy"},
        {"file": "/etc/passwd"},
        {"bytes": None},
        {"bytes": 128},
    ],
)
def test_a_manifest_that_lies_is_an_error(copy: Path, change: dict[str, Any]) -> None:
    arrays = json.loads((copy / MANIFEST).read_text())["arrays"]
    arrays["fdst"] |= change
    _amend(copy, arrays=arrays)
    _refused(copy)


def test_every_turned_bit_in_the_checksum_of_a_manifest_is_an_error(copy: Path) -> None:
    good = (copy / MANIFEST).read_bytes()
    for place in range(good.rindex(b', "crc32"'), len(good)):
        for bit in range(8):
            turned = bytearray(good)
            turned[place] ^= 1 << bit
            (copy / MANIFEST).write_bytes(turned)
            assert MANIFEST in _refused(copy)


def test_a_manifest_of_a_program_that_gave_none_a_checksum_is_believed(copy: Path) -> None:
    _amend(copy)
    assert len(open_segment(copy).nodes) == 9002


def test_arrays_that_do_not_fit_together_are_an_error(copy: Path) -> None:
    arrays = json.loads((copy / MANIFEST).read_text())["arrays"]
    _amend(copy, arrays=arrays | {"fdst": arrays["vobj"]})
    assert "rows" in _refused(copy)
    _amend(copy, arrays={k: v for k, v in arrays.items() if k != "roff"})
    assert "roff" in _refused(copy)


def test_arrays_are_plain_npy_files(written: Path) -> None:
    for file in written.glob("*.npy"):
        assert np.array_equal(np.load(file, allow_pickle=False), Folder(written, magic=SEGMENT).arrays[file.stem])


def test_appending_in_pieces_and_widening(tmp_path: Path) -> None:
    writer = ArrayWriter(tmp_path / "a.npy", np.uint32)
    values = np.arange(100_000)
    for part in np.array_split(values, 7):
        writer.append(part)
    writer.widen(np.uint64)
    writer.append(np.array([1 << 40], np.uint64))
    writer.close()
    assert np.load(tmp_path / "a.npy").tolist() == [*range(100_000), 1 << 40]
    assert [f.name for f in tmp_path.iterdir()] == ["a.npy"]


def test_a_file_that_cannot_be_made_durable_leaves_no_manifest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path) -> None:
        raise OSError(28, "No space left", str(path))

    monkeypatch.setattr("hydra_kg.stores.embedded.segments.array_folder.sync", full)
    with FolderWriter(tmp_path / "x", magic="m") as out:
        out.save("a", np.arange(3))
        with pytest.raises(OSError, match="No space left"):
            out.finish()
    assert [f.name for f in (tmp_path / "x").iterdir()] == ["a.npy"]


def test_a_folder_without_a_manifest_is_unfinished(tmp_path: Path) -> None:
    with FolderWriter(tmp_path / "x", magic="m") as out:
        out.save("a", np.arange(3))
        with pytest.raises(StoreCorruptError, match="not finished"):
            Folder(tmp_path / "x", magic="m")
        out.finish()
    assert Folder(tmp_path / "x", magic="m").arrays["a"].tolist() == [0, 1, 2]
