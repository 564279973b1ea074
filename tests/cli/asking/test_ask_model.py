"""``ask`` with a model behind a real socket: recorded and replayed, never over its budget, and no key anywhere."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from helpers.servers.model_server import Decline, ModelServer

from hydra_kg.models.middleware.retry import retrying

QUESTION = "who directed forrest gump?"
KEY = "sk-canary-5be210"


@pytest.fixture
def store(sample_store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store of which the model is asked even what the sources are sure of."""
    monkeypatch.setenv("HYDRA_AGENT_GRAPH_FIRST", "1")
    return Path(shutil.copytree(sample_store, tmp_path / "store"))


def test_a_replay_is_the_same_answer_without_a_socket(call, store: Path, monkeypatch: pytest.MonkeyPatch):
    """Faults, attempts and cost are part of the record."""
    monkeypatch.setenv("HYDRA_MODEL_NAME", "m")
    monkeypatch.setitem(retrying.__kwdefaults__, "first_wait", 0.01)  # seconds
    ask = ("ask", QUESTION, "--store", store, "--json")
    with ModelServer(lambda body: "{}", faults=0.6, kinds=("429", "500", "cut"), seed=1) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        live = json.loads(call(*ask, "--record", "tape").output)
    assert live["agent"] != "offline"
    assert live["usage"]["calls"] == len(server.bodies) > 0
    assert sum(s["calls"] for s in live["usage"]["steps"].values()) == len(server.bodies)
    assert server.failed
    for _ in range(2):
        again = json.loads(call(*ask, "--replay", "tape").output)
        assert {k for k in live if live[k] != again[k]} <= {"id", "seconds"}


def test_an_answer_stays_inside_its_budget_and_says_so(call, store: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HYDRA_MODEL_NAME", "m")
    with ModelServer(lambda body: "{}") as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        done = call("ask", QUESTION, "--store", store, "--budget-calls", "1", "--verbose")
        assert len(server.bodies) == 1
    assert "Robert Zemeckis" in done.output
    assert "Note: " in done.output
    assert "1 of 1 calls are spent" in done.output
    assert "  model: 1 call, " in done.output


def test_the_key_is_nowhere(call, store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Not in the store, the trace, the record, the output or the error, whatever the endpoint says."""
    monkeypatch.setenv("HYDRA_MODEL_NAME", "m")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    replies = [f"the key is {KEY}", Decline(400, f"Bearer {KEY}"), Decline(401, KEY)]
    with ModelServer(replies, key=KEY) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        ask = ("ask", QUESTION, "--store", store, "--record", tmp_path / "tape")
        done = call(*ask, "--events", "--verbose", "--debug", code=None)
        shown = done.output + done.stderr + call("show", "--store", store, "--json").output
        assert server.headers[0]["authorization"] == f"Bearer {KEY}"
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert any(b"[key]" in path.read_bytes() for path in files)
    assert [path for path in files if KEY.encode() in path.read_bytes()] == []
    assert KEY not in shown
