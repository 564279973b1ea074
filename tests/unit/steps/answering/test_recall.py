"""What a model answers by itself: each name once, nothing behind it, and nothing loaded that searches or compares."""

from __future__ import annotations

import subprocess
import sys
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest

from hydra_kg.domain import Judgement
from hydra_kg.steps.answering.recall import recalled
from hydra_kg.steps.context import Observers


@pytest.mark.parametrize("own, said", [(True, ["Salzburg", "Vienna"]), (False, [])])
def test_only_what_the_agent_knows_itself_is_said_and_each_name_once(own, said):
    context: Any = SimpleNamespace(observers=Observers(), phase=lambda name: nullcontext({}))
    names = ("Salzburg", "SALZBURG", "Vienna")
    tried = recalled(context, Judgement(True, 0.5, "", names, own_knowledge=own))
    assert [a.name for a in tried.conclusion.answers] == said
    assert not tried.conclusion.evidence
    assert not tried.conclusion.supporting


@pytest.mark.slow
def test_asking_a_model_alone_loads_nothing_that_searches_the_graph_or_compares_sources():
    code = "import sys, hydra_kg.strategies.baselines.model_only; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = ("hydra_kg.fusion", "hydra_kg.steps.retrieval", "hydra_kg.steps.verification", "hydra_kg.steps.relevance")
    assert not [name for name in done.stdout.split() if name.startswith(heavy)]
