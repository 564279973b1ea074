"""The application of the service where an extra is not installed."""

from __future__ import annotations

import sys

import pytest
from starlette.testclient import TestClient

from hydra_kg.serving.http.app import make_app
from hydra_kg.serving.http.gate.options import ServeOptions


def test_without_its_extra_the_service_starts_and_says_what_mcp_needs(tmp_path, monkeypatch: pytest.MonkeyPatch):
    ours = {"hydra_kg.serving.mcp", "hydra_kg.serving.http.tools"}
    for name in [n for n in sys.modules if n in ours or n.partition(".")[0] == "mcp"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "mcp", None)
    with TestClient(make_app(ServeOptions(store=str(tmp_path / "store"))), base_url="http://127.0.0.1") as client:
        reply = client.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "ping"})
    assert reply.status_code == 404
    assert "pip install 'hydra-kg[mcp]'" in reply.text
