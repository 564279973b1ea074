"""The shipped fakes do what their one sentence says."""

from __future__ import annotations

import numpy as np
import pytest

from hydra_kg.domain import Completion, WebPage, WebResult
from hydra_kg.errors import ModelError, NetworkError, NotFoundError
from hydra_kg.fakes import (
    FakeEmbedder,
    FakeExtractor,
    FakeLanguageModel,
    FakePageFetcher,
    FakeTraceStore,
    FakeVectorIndex,
    FakeWebSearch,
)


def test_embedder_sees_shared_words_only() -> None:
    """Unit vectors, the same alone and in a batch; shared words are near, order and case do not matter."""
    embedder = FakeEmbedder()
    texts = ["place of birth", "Birth: of PLACE", "film director", "", "?!"]
    vectors = embedder.embed(texts)
    assert vectors.shape == (5, embedder.dimension)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, rtol=1e-6)
    assert (vectors[0] == vectors[1]).all()
    assert vectors[0] @ vectors[2] < 0.5
    assert all((embedder.embed([t])[0] == v).all() for t, v in zip(texts, vectors, strict=True))


def test_language_model_follows_its_script() -> None:
    """Replies in order, errors raised, the calls kept; past the end it says so."""
    model = FakeLanguageModel(["a", ModelError("b")])
    asked = [{"role": "user", "content": "x"}]
    assert model.complete(asked, max_tokens=5, step="judge").text == "a"
    with pytest.raises(ModelError, match="b"):
        model.complete(asked, max_tokens=5)
    with pytest.raises(ModelError, match="only 2 replies"):
        model.complete(asked, max_tokens=5)
    assert len(model.calls) == 3
    assert model.steps == ["judge", "", ""]
    reply = FakeLanguageModel(lambda m: m[-1]["content"].upper()).complete(asked, max_tokens=5)
    assert (reply.text, reply.tokens_in, reply.tokens_out) == ("X", 1, 1)


def test_language_model_shows_the_first_token_to_who_asks() -> None:
    """Alternatives of the first token come with a reply that is a Completion, and only when asked for."""
    model = FakeLanguageModel([Completion("yes", first=(("yes", -0.1), ("no", -2.3)))] * 2)
    asked = [{"role": "user", "content": "x"}]
    assert model.complete(asked, max_tokens=1).first == ()
    assert model.complete(asked, max_tokens=1, logprobs=1).first == (("yes", -0.1),)


def test_web() -> None:
    """Pages that share words, most first; unknown pages are network errors."""
    web = FakeWebSearch([WebResult("Paris", "u1", "a city"), WebResult("Paris city guide", "u2", "")])
    assert [r.url for r in web.search("the city of paris", limit=5)] == ["u1", "u2"]
    assert [r.url for r in web.search("guide", limit=5)] == ["u2"]
    assert web.search("nothing", limit=5) == []
    page = WebPage("u", "t", "x")
    assert FakePageFetcher([page]).fetch("u") == page
    with pytest.raises(NetworkError):
        FakePageFetcher([]).fetch("u")


def test_vector_index() -> None:
    """Best first, ties by id; missing neighbours are -1."""
    index = FakeVectorIndex()
    index.add(np.array([7, 3, 5]), np.array([[1, 0], [1, 0], [0, 1]], np.float32))
    ids, cosines = index.search(np.array([[1, 0]], np.float32), 4)
    assert ids.tolist() == [[3, 7, 5, -1]]
    assert cosines[0, :2].tolist() == [1, 1]
    assert index.within(np.array([[1, 0]], np.float32), 0.5)[0][0].tolist() == [3, 7]


def test_extractor_and_traces() -> None:
    """Words between mentions; kept answers by unique prefix."""
    assert FakeExtractor().paths("A was born in B.", [(14, 15, 2), (0, 1, 1)]) == [(1, "was born in", 2)]
    traces = FakeTraceStore()
    for key in ("ab", "ac"):
        traces.save({"id": key, "question": "?"})
    assert traces.get()["id"] == "ac"
    assert traces.get("ab")["id"] == "ab"
    assert [a["id"] for a in traces.list(limit=1)] == ["ac"]
    with pytest.raises(NotFoundError):
        traces.get("a")
