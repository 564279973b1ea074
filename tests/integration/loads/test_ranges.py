"""Files read range by range, out of order and more than once, are staged row for row as when they are read in one."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from helpers.ranges import DUMPS, Here, packed, staged

from hydra_kg import Hydra, Settings
from hydra_kg.errors import LoadError, UsageError
from hydra_kg.ingest.contract import splits
from hydra_kg.ingest.formats.archives import read_blocks
from hydra_kg.util.package_data import find_content


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """A handful of ranges, cut anywhere."""
    monkeypatch.setattr(splits, "PLAIN", 17_001)
    monkeypatch.setattr(splits, "PACKED", 9_001)


@pytest.mark.parametrize("form", DUMPS)
def test_a_stage_is_the_same_row_for_row(form: str, tmp_path: Path) -> None:
    file = DUMPS[form](tmp_path)
    expected = staged(file, tmp_path / "one", form)
    assert staged(file, tmp_path / "ranges", form, Here()) == expected
    assert sum(len(rows) for name, rows in expected.items() if name not in {"lines", "prepared"}) > 20


@pytest.mark.parametrize("form", ["freebase", "wikidata_json"])
def test_so_it_is_of_a_bzip2_file_cut_at_its_blocks(form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = packed(DUMPS[form](tmp_path))
    monkeypatch.setattr(splits, "PACKED", file.stat().st_size // 4 + 1)
    assert staged(file, tmp_path / "ranges", form, Here()) == staged(file, tmp_path / "one", form)


def test_lines_longer_than_ranges_are_whole_and_there_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(splits, "PLAIN", 64)
    text = b"".join(b"%d %s\n" % (n, b"x" * (n * 37 % 301)) for n in range(40)) + b"\n\nthe last has no line feed"
    (tmp_path / "text").write_bytes(text)
    found = splits.splits([tmp_path / "text"])
    assert b"".join(b"".join(one.chunks(lambda *_: None)) for one in found) == text


def test_blocks_of_bzip2_are_what_the_library_unpacks(tmp_path: Path) -> None:
    text = gzip.decompress(find_content("sample", "freebase.nt.gz").read_bytes())[:1_000_000]
    (tmp_path / "text").write_bytes(text)
    file = packed(tmp_path / "text")
    with file.open("rb") as f:
        found = list(read_blocks(f, 0, name="text"))
        assert b"".join(data for _, data in found) == text
        middle = found[len(found) // 2][0]
        assert list(read_blocks(f, middle, name="text")) == found[len(found) // 2 :]


@pytest.mark.parametrize("how", ["turned", "cut"])
def test_damaged_blocks_are_said(how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(splits, "PACKED", 2_001)
    file = packed(DUMPS["freebase"](tmp_path))
    data = bytearray(file.read_bytes())
    if how == "turned":
        data[3 * len(data) // 4] ^= 0x10
    file.write_bytes(data if how == "turned" else data[: 3 * len(data) // 4])
    with pytest.raises(LoadError, match=r"freebase\.nt\.bz2 is damaged near byte"):
        staged(file, tmp_path / "stage", "freebase", Here())


def test_a_file_that_an_executor_sees_otherwise_is_refused(tmp_path: Path) -> None:
    file = DUMPS["freebase"](tmp_path)

    class Changing(Here):
        def run(self, do, items):  # type: ignore[no-untyped-def]
            file.write_bytes(file.read_bytes() + b"\n")
            return super().run(do, items)

    with pytest.raises(LoadError, match="is another file where an executor reads it"):
        staged(file, tmp_path / "stage", "freebase", Changing())


def test_what_cannot_be_split_is_said_and_is_one_range(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = DUMPS["freebase"](tmp_path)
    file = tmp_path / "freebase.nt.gz"
    file.write_bytes(gzip.compress(plain.read_bytes()))
    events = []
    with Hydra(store=tmp_path / "store", settings=Settings(), listener=events.append) as hydra:
        report = hydra.load(file, engine=Here())
    assert [e.data["file"] for e in events if e.kind == "load.unsplit"] == ["freebase.nt.gz"]
    assert report.loads[0].read == plain.read_bytes().count(b"\n")
    monkeypatch.setattr(splits, "WHOLE", 1_000)
    with pytest.raises(UsageError, match="which cannot be read from its middle") as refused:
        staged(file, tmp_path / "stage", "freebase", Here())
    assert "pack it with bzip2" in refused.value.remedy


@pytest.mark.parametrize(
    "name, text, more, why",
    [
        ("own.csv", "name,born\nAda,1815\nBob,1901\n", {}, "cannot be read in parts"),
        ("own.ttl", "@prefix : <http://x.org/> . :a :b :c .\n", {}, "own.ttl is turtle, which cannot be read in parts"),
        ("own.nt", "<http://x.org/a> <http://x.org/b> <http://x.org/c> .\n", {"limit": 1}, "read in one go"),
    ],
)
def test_what_is_read_as_a_whole_is_refused(name, text, more, why, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    with (
        Hydra(store=tmp_path / "store", settings=Settings()) as hydra,
        pytest.raises(UsageError, match=why) as refused,
    ):
        hydra.load(tmp_path / name, engine=Here(), **more)
    assert "leave --engine out" in refused.value.remedy.lower()
