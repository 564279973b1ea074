"""``hydra-kg strategies``: every strategy with paper, steps and defaults; a broken foreign one hides no other."""

from __future__ import annotations

import json
from importlib.metadata import EntryPoint

from hydra_kg.cli.setup import strategies as module

PAPERS = {"hydra", "hydra-e", "pog", "pog-e", "tog", "tog-r", "tog-2", "multirag"}
BASELINES = {"io", "cot", "sc", "text-rag", "web-rag", "cok", "cosine", "titles"}
PROMPTED = {"ircot", "rq-rag", "metarag", "mdqa", "graphrag", "chatkbqa", "fidelis"}
"""Rivals of the papers that prompt a language model (docs/papers.md)."""
MODEL_ONLY = {"io", "cot", "sc", "cok"} | (PROMPTED - {"graphrag", "fidelis"})
"""Not defined without a model; graphrag and fidelis answer by vectors then."""


def test_every_strategy_is_listed_with_paper_steps_and_defaults(call):
    found = {doc["name"]: doc for doc in json.loads(call("strategies", "--json").output)}
    assert set(found) >= PAPERS | BASELINES | PROMPTED
    assert all(doc["paper"] and doc["about"] for doc in found.values())
    assert found["tog-2"]["defaults"]["width"] == 3
    assert {name for name, doc in found.items() if doc["needs_model"]} == MODEL_ONLY
    assert {name for name, doc in found.items() if doc["needs_web"]} == {"web-rag"}
    assert "needs     a language model" in call("strategies").output


def test_a_foreign_strategy_that_does_not_load_hides_no_other(call, monkeypatch):
    broken = EntryPoint("broken", "no_such_package:Thing", "hydra_kg.strategies")
    ours = module._entry_points()
    monkeypatch.setattr(module, "_entry_points", lambda: {**ours, "broken": broken.load})
    output = call("strategies").output
    assert "broken\n  cannot be loaded: ModuleNotFoundError" in output
    assert "tog-2" in output
