"""A bit that turns on the disk: doctor finds it wherever it is, and where it is cheap nothing is made of it."""

from __future__ import annotations

import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from hydra_kg import Hydra
from hydra_kg.stores.embedded.store import EmbeddedStore

QUESTION = "When was Steve Jobs born?"


@pytest.fixture
def store(sample_store: Path, tmp_path: Path) -> Path:
    shutil.copytree(sample_store, tmp_path / "store")
    return tmp_path / "store"


def errors(store: Path) -> list[str]:
    with EmbeddedStore(store) as opened:
        return [finding.what for finding in opened.doctor() if finding.level == "error"]


def test_doctor_finds_every_turned_bit_of_a_sample(store):
    files = [f for part in ("loads", "generations") for f in sorted((store / part).rglob("*"))
             if f.is_file() and f.stat().st_size and f.name != "pairs.npy"]  # fmt: skip
    assert errors(store) == []
    draw, missed = random.Random(5), []
    for _ in range(40):
        file = draw.choice(files)
        good = file.read_bytes()
        place = draw.randrange(len(good))
        turned = bytearray(good)
        turned[place] ^= 1 << draw.randrange(8)
        file.write_bytes(bytes(turned))
        if not errors(store):
            missed.append((file.name, place))
        file.write_bytes(good)
    assert missed == []


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
