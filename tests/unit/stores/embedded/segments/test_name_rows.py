"""Names of a load are found alike in arrays and in the SQLite table of earlier formats."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from bench.memory_stage import FactRow, MemoryStage
from hydra_kg.errors import StoreCorruptError
from hydra_kg.stores.embedded.segments.array_bounds import check_segment
from hydra_kg.stores.embedded.segments.array_folder import FolderWriter, write_manifest
from hydra_kg.stores.embedded.segments.format import SEGMENT, TEXTS, Segment, open_segment
from hydra_kg.stores.embedded.segments.name_rows import names_of
from hydra_kg.stores.embedded.segments.record_heap import TextHeap
from hydra_kg.stores.embedded.writes.writer import write_segment
from hydra_kg.text.folding import fold

NAMES = [
    ("Q1", "name", "Zoë"),
    ("Q1", "name", "Zoe!"),
    ("Q1", "alias", "Z. K."),
    ("Q2", "alias", "another"),
    ("Q2", "alias", "Only an alias"),
    ("Q2", "title", "Z title"),
    ("Q3", "alias", "zoe"),
    ("Q4", "name", "!!!"),
    ("Q5", "name", "東京 Tower"),
    ("Q6", "name", "only one"),
    ("Q6", "description", "no name"),
]


def write_as_before(new: Path, old: Path) -> Segment:
    """Write a load again in format version 4."""
    segment, manifest = open_segment(new), json.loads((new / "manifest.json").read_text())
    names = names_of(segment)
    with FolderWriter(old, magic=SEGMENT) as out:
        for file in new.iterdir():
            (old / file.name).write_bytes(file.read_bytes())
        heap = TextHeap(out, "label")
        heap.add(np.arange(len(segment.nodes)), segment.labels(range(len(segment.nodes))))
        heap.finish(len(segment.nodes))
        with closing(sqlite3.connect(old / TEXTS)) as db, db:
            db.execute("CREATE TABLE name (id INTEGER PRIMARY KEY, node, kind, text TEXT, fold TEXT)")
            rows = [(*row, fold(row[2])) for row in names.read(np.arange(names.count))]
            db.executemany("INSERT INTO name (node, kind, text, fold) VALUES (?, ?, ?, ?)", rows)
        out.add(TEXTS)
        arrays = {k: v for k, v in manifest["arrays"].items() if not k.startswith("name_")} | out.arrays
        files = {k: v for k, v in manifest["files"].items() if k != "names.bin"} | out.files
    manifest.pop("crc32")
    write_manifest(old, {**manifest, "version": 4, "arrays": arrays, "files": files})
    return open_segment(old)


@pytest.fixture
def both(tmp_path: Path) -> tuple[Segment, Segment]:
    stage = MemoryStage([FactRow("Q6", "P1", "Q7"), FactRow("Q6", "P1", "Q2")], names=NAMES)
    write_segment(tmp_path / "new", tmp_path, stage, sources=())
    return open_segment(tmp_path / "new"), write_as_before(tmp_path / "new", tmp_path / "old")


def test_both_formats_have_the_same_names(both: tuple[Segment, Segment]) -> None:
    new, old = both
    assert (new.label_off is None, old.label_off is None) == (True, False)
    wanted = [fold(text) for *_, text in NAMES] + ["nobody", "zo"]
    found = []
    for s in both:
        check_segment(s)
        names = names_of(s)
        found.append(
            [
                names.read(np.arange(names.count)),
                {text: rows.tolist() for text, rows in names.find(wanted).items()},
                [names.of_nodes([n]).tolist() for n in range(len(s.nodes))],
                names.of_nodes(range(len(s.nodes))).tolist(),
                [
                    names.starting(begin, 9).tolist()
                    for begin in ("z", "zoe", "only a", "only an alias", "東", "x", "!!!")
                ],
                names.starting("z", 2).tolist(),
                s.labels(range(len(s.nodes))),
                s.are_named().tolist(),
            ]
        )
    assert found[0] == found[1]
    rows, by_fold, of_nodes, *_, labels, _ = found[0]
    assert len(rows) == 10
    assert [rows[i][2] for i in by_fold["zoe"]] == ["Zoe!", "Zoë", "zoe"]
    assert sorted(map(len, of_nodes)) == [0, 1, 1, 1, 1, 3, 3]
    assert sorted(labels) == ["", "", "!!!", "Z title", "Zoe!", "only one", "東京 Tower"]


def test_folds_with_the_same_checksum_stay_apart(tmp_path: Path) -> None:
    alike = ("plumless", "buckeroo")  # have one CRC-32
    write_segment(tmp_path / "load", tmp_path, MemoryStage(names=[("Q1", "name", alike[0])]), sources=())
    assert list(names_of(open_segment(tmp_path / "load")).find(alike)) == [alike[0]]


def test_a_name_of_a_node_that_is_not_there_is_an_error(both: tuple[Segment, Segment]) -> None:
    new, _ = both
    lying = Segment(**{f: getattr(new, f) for f in Segment.__dataclass_fields__} | {"nodes": new.nodes[:2]})
    with pytest.raises(StoreCorruptError, match="lacks"):
        names_of(lying).read(np.arange(10))
