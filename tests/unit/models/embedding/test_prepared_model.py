"""The stored, optimised copy of the default model: same vectors, made again when damaged, not needed to embed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from hydra_kg.models.embedding.onnx_embedder import _pinned, _run, session_of
from hydra_kg.models.embedding.prepared_model import MODEL, prepare_session

pytestmark = pytest.mark.slow
TOKENS = [[101, 2073, 2001, 12088, 2141, 102], [101, 2040, 102]]
KEY = "minilm"


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "hydra-kg" / "prepared"


@pytest.fixture(scope="module")
def expected():
    return _run(session_of(_pinned(MODEL)), TOKENS)


def vectors(reads: list[str] | None = None):
    def read() -> bytes:
        if reads is not None:
            reads.append("original")
        return _pinned(MODEL)

    return _run(prepare_session(KEY, start=session_of, read=read, run=_run), TOKENS)


def files(folder: Path) -> list[str]:
    return sorted(p.name for p in folder.iterdir())


def test_the_copy_gives_the_same_vectors_without_the_original(cache, expected):
    reads: list[str] = []
    assert np.array_equal(vectors(reads), expected)
    assert files(cache) == [KEY]
    assert np.array_equal(vectors(reads), expected)
    assert reads == ["original"]


def test_damaged_weights_are_noticed_and_made_again(cache, expected):
    vectors()
    weights = cache / KEY / "weights.bin"
    size = weights.stat().st_size
    with weights.open("rb+") as file:
        file.seek(size // 2)
        file.write(b"\xff" * (size // 4))
    reads: list[str] = []
    assert np.array_equal(vectors(reads), expected)
    assert reads == ["original"]
    assert np.array_equal(vectors(reads), expected)
    assert reads == ["original"]


def test_a_cut_copy_is_made_again(cache, expected):
    vectors()
    (cache / KEY / "model.onnx").write_bytes(b"")
    assert np.array_equal(vectors(), expected)
    assert (cache / KEY / "model.onnx").stat().st_size > 10_000


def test_without_a_writable_cache_folder_the_original_is_used(cache, expected):
    cache.parent.parent.mkdir(parents=True)
    cache.parent.write_text("a file where the folder would be")
    assert np.array_equal(vectors(), expected)
