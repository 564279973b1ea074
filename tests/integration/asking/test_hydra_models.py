"""Whole questions with models behind real sockets: phases with a small real one, and one that often fails."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from helpers.servers.model_server import ModelServer
from helpers.servers.small_model import SmallModel
from helpers.time_limits import time_limits
from thorough import THOROUGH

from hydra_kg import Hydra, Settings
from hydra_kg.agents.llm import LlmAgent
from hydra_kg.domain import UNSEARCHED, Analysis, Evidence, Judgement, SearchState
from hydra_kg.events import Event
from hydra_kg.events.question import Found
from hydra_kg.models.middleware.retry import retrying
from hydra_kg.runtime import Judge, Tools

SAMPLE = Path(__file__).parents[3] / "hydra_kg" / "sample" / "questions.jsonl"
QUESTIONS = [json.loads(line)["question"] for line in SAMPLE.read_text("utf-8").splitlines()]
REPLIES = {
    "enough": {"facts": "", "parts": [], "enough": "no", "answers": [], "missing": "it"},
    "best": {"best": [{"n": 1, "score": 9}]},
    "sources": {"parts": [], "skyline": "a - b - answer", "sources": ["kg", "wiki"]},
    "predictions": {"predictions": [{"name": "Salzburg", "skyline": "a - b - Salzburg"}]},
}


class Unsure(LlmAgent):
    """Asks its model everything, and is never sure: so every exploration runs."""

    def judge(
        self, analysis: Analysis, evidence: Sequence[Evidence], *, refined: str = "", state: SearchState = UNSEARCHED
    ) -> Judgement:
        """What the model says, but not enough."""
        return replace(super().judge(analysis, evidence, refined=refined, state=state), sufficient=False)


class UnsureTools(Tools):
    """Makes that agent."""

    def judge(self) -> Judge:
        """As always, with the class changed."""
        made = super().judge()
        made.agent.__class__ = Unsure
        return made


def test_phases_run_with_a_small_real_model_and_the_account_adds_up(
    sample: Hydra, small_model: SmallModel, tmp_path: Path
) -> None:
    """The phases that five calls pay for; all of them, with twelve calls, where HYDRA_THOROUGH is above 1."""
    events: list[Event] = []
    calls, least = (12, 9) if THOROUGH > 1 else (5, 5)
    shown = {"graph_first": 1, "prompt_paths": 2, "prompt_chars": 300, "choice_chars": 200, "options": 4, "excerpts": 1}
    settings = Settings(
        model={"name": small_model.name, "base_url": small_model.url, "reply_tokens": 16},
        budget={"calls": calls},
        retrieval={"edge_budget": 20_000, "kinds": "kg"},
        **{f"agent.{name}": n for name, n in shown.items()},
    )
    with Hydra(store=sample.store, settings=settings, agent="llm") as hydra:
        hydra.reasoner.tools = UnsureTools(settings, "llm", tmp_path)
        answer = hydra.reasoner.ask("where was mozart born?", listener=events.append)
    # The budget is spent before a judgement is enough, so the answer is the one without a model.
    phases = ["initial", "refined"] if THOROUGH > 1 else ["initial"]
    assert [e.data["phase"] for e in events if e.kind == Found.kind][:2] == phases
    steps = answer.usage.steps
    later = {"follow_up", "predict", "answer"} if THOROUGH > 1 else set()
    assert {"analyse", "select_paths", "judge", *later} <= set(steps)
    assert least <= answer.usage.calls <= calls
    assert answer.usage.calls == sum(s.calls for s in steps.values())
    assert answer.usage.tokens_in == sum(s.tokens_in for s in steps.values()) > 1_000
    assert (answer.agent, answer.manifest["model"]) == ("llm", small_model.name)


def replies(body: Mapping[str, Any]) -> str:
    """What the form of the reply asks for."""
    form = json.dumps(body.get("response_format") or "")
    return next((json.dumps(r) for key, r in REPLIES.items() if f'"{key}"' in form), '{"question": "", "paths": []}')


@pytest.mark.parametrize("seed", range(3))
def test_every_question_ends_whatever_the_endpoint_does(
    sample: Hydra, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """429, 500, hangs, cuts, garbage at 30 %: an answer or none, within the budget, and what failed is said."""
    monkeypatch.setitem(retrying.__kwdefaults__, "first_wait", 0.01)  # seconds
    kinds = ("429", "500", "hang", "cut", "garbage", "reset")
    with (
        time_limits() as limits,
        ModelServer(replies, faults=0.3, seed=seed, kinds=kinds, silent=limits.run_out) as server,
    ):
        settings = Settings(
            model={"name": "m", "base_url": server.url, "retries": 1, "reply_cache": False}, budget={"calls": 12}
        ).changed(agent={"graph_first": 1})
        with Hydra(store=sample.store, settings=settings, agent="llm") as hydra:
            for question in QUESTIONS[:3]:
                before = len(server.bodies)
                answer = hydra.ask(question, keep=False)
                # A call whose time was over before it was sent is one all the same.
                assert 0 < len(server.bodies) - before <= answer.usage.calls <= 12
                assert answer.abstained == (not answer.answers)
                assert all(e.path.hops or e.path.passage for e in answer.evidence)
        assert server.failed
