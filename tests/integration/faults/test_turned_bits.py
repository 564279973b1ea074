"""A bit that turns on the disk: doctor finds it wherever it is, and where it is cheap nothing is made of it."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
import zlib
from contextlib import closing, suppress
from pathlib import Path

import numpy as np
import pytest
from helpers.waiting_for_seals import wait_for_seals

from hydra_kg import Hydra, ids
from hydra_kg.errors import StoreCorruptError
from hydra_kg.ingest.contract.choices import LoadOptions
from hydra_kg.ingest.load import load_files
from hydra_kg.settings import ReaderSettings
from hydra_kg.stores.embedded.catalog.catalog_checks import rebuild_catalog
from hydra_kg.stores.embedded.operations.pending_load import HoldingStore
from hydra_kg.stores.embedded.segments.array_folder import HEADER, write_manifest
from hydra_kg.stores.embedded.store import EmbeddedStore
from hydra_kg.stores.published.publish import publish
from hydra_kg.stores.published.store import PublishedStore
from hydra_kg.util.package_data import find_content

QUESTION = "When was Steve Jobs born?"


@pytest.mark.slow
@pytest.mark.parametrize(
    "array", ["foff", "voff", "fdst", "fpred", "rsrc", "pcount", "name_off", "name_first", "name_key", "name_node"]
)
@pytest.mark.parametrize("value", ["highest", "middle"])
def test_arrays_that_lie_with_right_checksums_end_in_an_answer_or_a_clear_error(store, tmp_path, array, value):
    for file in store.glob(f"loads/*/{array}.npy"):
        manifest = json.loads(file.with_name("manifest.json").read_text())
        data = bytearray(file.read_bytes())
        entry = manifest["arrays"][array]
        values = np.frombuffer(data, entry["dtype"], offset=HEADER)
        values[1:-1:2] = np.iinfo(values.dtype).max >> (value == "middle")
        file.write_bytes(data)
        entry["crc32"] = f"{zlib.crc32(data[HEADER:]):08x}"
        manifest.pop("crc32")
        write_manifest(file.parent, manifest)
    assert any("contradicts itself" in text for text in errors(store))
    for question in (QUESTION, "Who founded Google?"):
        with Hydra(store=store) as hydra, suppress(StoreCorruptError):  # nothing else
            hydra.ask(question, keep=False)
    with EmbeddedStore(store) as opened:
        publish(opened, str(tmp_path / "published"))
    settings = ReaderSettings(copy_folder=str(tmp_path / "copy"), poll=0)
    with pytest.raises(StoreCorruptError, match="contradicts itself"):
        PublishedStore(f"file://{tmp_path}/published", settings)


def test_numbers_that_are_no_ids_stand_for_nothing():
    assert [ids.decode(number) for number in (-1, -6, (1 << 62) | ids.DATE)] == [None] * 3


@pytest.fixture
def store(sample_store: Path, tmp_path: Path) -> Path:
    shutil.copytree(sample_store, tmp_path / "store")
    return tmp_path / "store"


def findings(store: Path) -> list[str]:
    """What doctor says, an error with a remedy that it ends with included; anything else fails the test."""
    try:
        with EmbeddedStore(store) as opened:
            return [finding.what for finding in opened.doctor()]
    except StoreCorruptError as e:
        return [str(e)] if e.remedy else []


def errors(store: Path) -> list[str]:
    with EmbeddedStore(store) as opened:
        return [finding.what for finding in opened.doctor() if finding.level == "error"]


def turned(file: Path, draw: random.Random) -> tuple[str, int, bytes]:
    """Turn one bit of a file; its name, the place and what it held."""
    good = file.read_bytes()
    place = draw.randrange(len(good))
    data = bytearray(good)
    data[place] ^= 1 << draw.randrange(8)
    file.write_bytes(bytes(data))
    return file.name, place, good


def files_of(store: Path) -> list[Path]:
    there = [f for f in sorted(store.rglob("*")) if f.is_file() and f.stat().st_size and "locks" not in f.parts]
    return [f for f in there if not f.name.endswith(("-wal", "-shm"))]


@pytest.mark.parametrize("pattern", ["*.npy", "*.json", "*.sqlite*", "*.bin", "*.gz"])
def test_doctor_finds_every_turned_bit_of_a_sample(store, pattern):
    with EmbeddedStore(store) as opened:
        load_files(
            HoldingStore(opened), [find_content("sample", "tourbook.csv")], LoadOptions(extra={"entity": "ferry"})
        )
    with Hydra(store=store) as hydra:
        hydra.ask(QUESTION)
    with EmbeddedStore(store) as opened, opened.snapshot() as snapshot:
        snapshot.relation_pairs()
    wait_for_seals()
    files = [f for f in files_of(store) if f.match(pattern)]
    known, draw, missed = findings(store), random.Random(5), []
    for _ in range(12 if files else 0):
        name, place, good = turned(file := draw.choice(files), draw)
        if not set(findings(store)) - set(known):
            missed.append((name, place))
        file.write_bytes(good)
    assert missed == []


def test_a_question_over_a_damaged_catalog_says_what_to_do(store):
    good = {f: f.read_bytes() for f in store.glob("catalog.sqlite*")}
    with Hydra(store=store) as hydra:
        right = hydra.ask(QUESTION, keep=False).answer_text
    draw, said = random.Random(2), []
    for _ in range(20):
        turned(store / "catalog.sqlite", draw)
        try:
            with Hydra(store=store) as hydra:
                assert hydra.ask(QUESTION, keep=False).answer_text == right
        except StoreCorruptError as e:
            said.append(e.remedy)
        for left in set(store.glob("catalog.sqlite*")) - set(good):
            left.unlink()
        for file, data in good.items():
            file.write_bytes(data)
    assert all("--repair" in remedy for remedy in said)


def test_a_catalog_that_says_something_else_is_not_believed_and_made_anew(store):
    with closing(sqlite3.connect(store / "catalog.sqlite")) as db, db:
        kept = db.execute("SELECT value FROM meta WHERE key = 'content'").fetchone()
        db.execute("UPDATE source SET licence = licence || 'x'")
        db.execute("INSERT OR REPLACE INTO meta VALUES ('content', ?)", kept)
    with pytest.raises(StoreCorruptError, match="is not what was written"):
        EmbeddedStore(store)
    rebuild_catalog(store)
    assert errors(store) == []


def test_a_catalog_that_an_older_program_wrote_to_is_not_called_damaged(store):
    with closing(sqlite3.connect(store / "catalog.sqlite")) as db, db:
        db.execute("UPDATE load SET created = '2020-01-01T00:00:00+00:00'")
    assert errors(store) == []


def test_vectors_that_are_not_what_was_written_are_made_again(store):
    with Hydra(store=store) as hydra:
        right = hydra.ask(QUESTION, keep=False).to_dict()
    with closing(sqlite3.connect(store / "vectors.sqlite")) as db, db:
        rows = db.execute("SELECT rowid, vector FROM sealed_vectors").fetchall()
        for row, blob in rows:
            turned = bytearray(blob)
            turned[3] ^= 0x40  # the exponent of the first number
            db.execute("UPDATE sealed_vectors SET vector = ? WHERE rowid = ?", (bytes(turned), row))
    assert any("vectors are not what was written" in what for what in errors(store))
    with Hydra(store=store) as hydra:
        again = hydra.ask(QUESTION, keep=False).to_dict()
    apart = {"id", "seconds", "explorations"}
    assert {k: v for k, v in again.items() if k not in apart} == {k: v for k, v in right.items() if k not in apart}


@pytest.mark.parametrize("column", ["doc", "answer_text"])
def test_a_kept_answer_that_was_changed_is_found(store, column):
    with Hydra(store=store) as hydra:
        hydra.ask(QUESTION)
    assert errors(store) == []
    with closing(sqlite3.connect(store / "traces.sqlite")) as db, db:
        db.execute(f"UPDATE question SET {column} = substr({column}, 1, 3) || 'x' || substr({column}, 5)")
    assert any("traces.sqlite is damaged" in what for what in errors(store))


def test_two_leg_relations_that_are_not_what_was_written_are_made_again(store):
    with EmbeddedStore(store) as opened, opened.snapshot() as snapshot:
        right = snapshot.relation_pairs().tolist()
    (file,) = store.rglob("pairs.npy")
    turned = bytearray(file.read_bytes())
    turned[-40] ^= 1
    file.write_bytes(bytes(turned))
    with EmbeddedStore(store) as opened, opened.snapshot() as snapshot:
        assert snapshot.relation_pairs().tolist() == right
