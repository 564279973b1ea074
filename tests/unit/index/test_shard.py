"""Vectors of names, and the index over them: the nearest are found, by all rows or by cells, kept and read back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from thorough import examples

from hydra_kg.errors import StoreCorruptError
from hydra_kg.index.shard import DIMENSION, Shard, compare_spelling, name_vectors

NAMES = [f"{a}{b} {c}{d}" for a in ("mar", "jo", "kel", "ti", "van") for b in ("en", "ova", "ish", "ard")
         for c in ("berg", "wood", "stein", "ley", "ski") for d in ("er", "in", "ow", "ham", "es")]  # fmt: skip


def shard(names, *, exact):
    vectors = name_vectors(names)
    return Shard.made([vectors[:100], vectors[100:]], rows=len(names), exact=exact)


@examples(60)
@given(st.lists(st.text(max_size=30), min_size=1, max_size=12))
def test_a_name_has_the_same_unit_vector_in_any_batch(names):
    together = name_vectors(names)
    assert together.shape == (len(names), DIMENSION)
    assert all((name_vectors([name])[0] == row).all() for name, row in zip(names, together, strict=True))
    norms = np.linalg.norm(together, axis=1)
    assert np.all(np.isclose(norms, 1.0, atol=1e-5) | (norms == 0))


def test_what_is_spelt_alike_is_near():
    alike, other = compare_spelling("arnold schwarzenegger", ["arnold shwartzeneger", "angela merkel"])
    assert alike > 0.5 > other
    near, far = name_vectors(["arnold shwartzeneger", "angela merkel"]) @ name_vectors(["arnold schwarzenegger"])[0]
    assert near > far
    assert compare_spelling("new york", ["new york"])[0] == pytest.approx(1.0)
    assert compare_spelling("", ["", "x"]).tolist() == [1.0, 0.0] or compare_spelling("", ["x"])[0] < 0.5


@pytest.mark.parametrize("exact", [True, False], ids=["all rows", "cells"])
def test_every_name_finds_itself_also_after_it_was_kept(exact, tmp_path):
    made = shard(NAMES, exact=exact)
    rows, cosines = made.search(name_vectors(NAMES), 5)
    assert (rows[:, 0] == np.arange(len(NAMES))).mean() > 0.99
    assert cosines[:, 0].min() > 0.95
    noted = made.write(tmp_path / "names.faiss")
    again = Shard.read(tmp_path / "names.faiss", noted)
    assert len(again) == noted["rows"] == len(NAMES)
    assert (again.search(name_vectors(NAMES[:50]), 5)[0] == rows[:50]).all()


def test_cells_are_found_the_same_again():
    one, other = (shard(NAMES, exact=False).search(name_vectors(NAMES), 9)[0] for _ in range(2))
    assert (one == other).all()


def test_there_are_no_more_rows_than_vectors():
    rows, _ = shard(NAMES[:3], exact=True).search(name_vectors(["maren berger"]), 5)
    assert sorted(rows[0].tolist()) == [-1, -1, 0, 1, 2]


@pytest.mark.parametrize("exact", [True, False], ids=["all rows", "cells"])
def test_a_file_that_is_another_is_not_handed_to_the_library(exact, tmp_path):
    file = tmp_path / "names.faiss"
    noted = shard(NAMES, exact=exact).write(file)
    good = file.read_bytes()
    for broken in (good[:-1], good + b"x", b"", bytes([good[0] ^ 1]) + good[1:], good[:20] + b"\xff" * 8 + good[28:]):
        file.write_bytes(broken)
        with pytest.raises(StoreCorruptError, match="cannot be used"):
            Shard.read(file, noted)
    file.unlink()
    with pytest.raises(StoreCorruptError, match="cannot be used"):
        Shard.read(file, noted)


def test_a_place_that_cannot_be_written_is_an_os_error(tmp_path):
    with pytest.raises(OSError, match="names"):
        shard(NAMES[:9], exact=False).write(tmp_path / "no" / "names.faiss")
