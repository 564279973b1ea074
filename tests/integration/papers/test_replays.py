"""The recorded runs of the papers' systems on the sample replay without a model, to the digit."""

from __future__ import annotations

import pytest

from bench.reproduce.replay import recorded, replayed
from hydra_kg.models.embedding import onnx_embedder
from hydra_kg.models.embedding.integer_model import integer_session


@pytest.mark.slow
def test_recorded_runs_replay_with_equal_answers_calls_and_tokens(sample_store):
    session = integer_session(start=onnx_embedder.session_of, read=onnx_embedder._pinned, run=onnx_embedder._run)
    if session is None:
        pytest.skip("this processor embeds with floats, which order near ties otherwise than the recording did")
    every = recorded()
    assert {way.system for way, _ in every} == {"hydra", "pog", "tog", "tog-2", "multirag"}
    differing = [way.key for way, row in every if replayed(way, sample_store) != row]
    assert differing == [], "a prompt, a setting or a search changed: python bench/reproduce/record.py --again …"
