"""The default model computed with integers: the vectors of floats, or floats where a processor cannot."""

from __future__ import annotations

import numpy as np
import pytest

from hydra_kg.models.embedding import onnx_embedder
from hydra_kg.models.embedding.integer_model import integer_session
from hydra_kg.models.embedding.onnx_embedder import OnnxEmbedder, _pinned, _run, session_of
from hydra_kg.models.embedding.prepared_model import MODEL

pytestmark = pytest.mark.slow
TEXTS = ["who directed inception", "people person place of birth", "Zürich: the largest city of Switzerland. " * 6]


@pytest.fixture
def fresh():
    """Start and end without a loaded default model."""
    onnx_embedder._default.cache_clear()
    yield
    onnx_embedder._default.cache_clear()


def test_cosines_are_those_of_floats():
    _, tokenizer = onnx_embedder._default()
    session = integer_session(start=session_of, read=_pinned, run=_run)
    if session is None:
        pytest.skip("products of bytes are not exact on this processor")
    tokens = [tokenizer(text) for text in TEXTS]
    own = onnx_embedder._unit(_run(session, tokens))
    floats = onnx_embedder._unit(_run(session_of(_pinned(MODEL)), tokens))
    assert np.abs(own @ own.T - floats @ floats.T).max() < 5e-4


def test_a_processor_that_computes_something_else_gets_floats(fresh, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    right = OnnxEmbedder().embed(TEXTS)
    onnx_embedder._default.cache_clear()
    found = []

    def saturated(session, tokens):
        vectors = _run(session, tokens)
        with_graph = {i.name for i in session.get_inputs()} == {"input_ids", "attention_mask"}
        found.append(with_graph)
        return np.clip(vectors, -0.1, 0.1) if with_graph else vectors

    monkeypatch.setattr(onnx_embedder, "_run", saturated)
    assert np.allclose(OnnxEmbedder().embed(TEXTS), right, atol=1e-4)
    assert found[0]  # it was tried
    assert not any(found[1:])


def test_without_the_graph_it_computes_with_floats():
    def missing(file):
        raise OSError(file.path)

    assert integer_session(start=session_of, read=missing, run=_run) is None
