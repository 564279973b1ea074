"""The shipped vectors of relation texts are those of the default embedder, and save making them."""

from __future__ import annotations

import numpy as np
import pytest

from hydra_kg.models.embedding.cached_embedder import CachedEmbedder, load_shipped_vectors, pack_vectors
from hydra_kg.models.embedding.onnx_embedder import OnnxEmbedder

TEXTS = ["person place of birth", "director film", "notable work"]


def test_they_are_those_of_the_default_embedder() -> None:
    embedder = OnnxEmbedder()
    shipped = load_shipped_vectors(embedder.checksum, TEXTS)
    assert list(shipped) == TEXTS
    cosines = (np.stack(list(shipped.values())) * embedder.embed(TEXTS)).sum(axis=1)
    assert cosines.min() > 0.9999
    assert cosines.max() <= 1.0001


def test_texts_that_are_not_shipped_and_other_embedders_get_none() -> None:
    checksum = OnnxEmbedder().checksum
    assert list(load_shipped_vectors(checksum, ["zzz no relation", TEXTS[0]])) == [TEXTS[0]]
    assert load_shipped_vectors("another", TEXTS) == load_shipped_vectors(checksum, []) == {}


def test_the_cache_computes_only_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    inner, steps = OnnxEmbedder(), []
    embed = inner.embed
    monkeypatch.setattr(inner, "embed", lambda texts: asked.extend(texts) or embed(texts))
    cache = CachedEmbedder(inner)
    vectors = cache.keep([*TEXTS, "zzz no relation"], lambda done, total: steps.append((done, total)))
    assert asked == ["zzz no relation"]
    assert steps == [(1, 1)]
    assert (cache.keep(TEXTS) == vectors[:3]).all()


def test_packed_rows_are_in_the_order_of_their_hashes() -> None:
    vectors = np.eye(3, 5, dtype=np.float32)
    packed = pack_vectors("made for", TEXTS, vectors)
    assert packed["embedder"] == "made for"
    assert (np.diff(packed["hashes"].astype(object)) > 0).all()
    assert sorted(packed["rows"].argmax(axis=1).tolist()) == [0, 1, 2]
    assert packed["rows"].max() == 127
