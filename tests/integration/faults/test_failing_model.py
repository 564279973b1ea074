"""A language model that fails, or has no time or budget left, never improves a verdict."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from helpers.servers.model_server import Body, Decline, ModelServer, Reply, Say

from hydra_kg import Hydra, Settings
from hydra_kg.domain import AnswerData
from hydra_kg.presets import with_preset
from hydra_kg.reasoner import Reasoner

QUESTION = "What is the national bird of Wakanda?"
JUDGED_NO = {"facts": "", "parts": [], "enough": "no", "answers": [], "missing": "the bird"}
REPLIES = {
    "judge": JUDGED_NO,
    "select_paths": {"best": [{"n": 1, "score": 9}]},
    "analyse": {"parts": [], "skyline": "Wakanda - national bird - answer", "sources": ["kg", "wiki"]},
    "write_paths": {"paths": []},
    "follow_up": {"question": "", "skyline": ""},
    "predict": {"predictions": []},
    "topics": {"names": ["Wakanda", "bird"]},
}
FAILING: dict[str, tuple[Callable[[Body], Reply], list[str]]] = {
    kind: (lambda _: "{}", [kind] * 200)
    for kind in ("500", "503", "reset", "cut", "garbage", "empty", "page", "hang", "stall")
}
FAILING["redirecting"] = (lambda _: Decline(302, "", {"Location": "http://127.0.0.1:9/v1"}), [])
FAILING["endless"] = (lambda _: Say('{"facts": "' + "and so on " * 3_000, finish="length"), [])
FAILING["not JSON"] = (lambda _: "I would rather talk about birds.", [])


def settings_of(server: ModelServer | None = None, preset: str = "default", **changes: Any) -> Settings:
    settings = with_preset(Settings(), preset)
    if server is not None:
        model = {"name": "m", "base_url": server.url, "timeout": 0.3, "retries": 0, "reply_cache": False}
        settings = settings.changed(model=model)
    return settings.changed(**changes)


def ask(sample: Hydra, settings: Settings, strategy: str = "hydra", *, agent: str = "llm") -> AnswerData:
    reasoner = Reasoner(
        sample.store, settings=settings, strategy=strategy, agent=agent, embedder=sample.reasoner.embedder
    )
    return reasoner.ask(QUESTION)


def told(answer: AnswerData) -> tuple[object, ...]:
    """What a reader goes by."""
    names = [a.name for a in answer.answers]
    return names, answer.verdict, answer.confidence, answer.unchecked, answer.label


def scripted(body: Body) -> Reply:
    """The reply to a step, by the fields that its schema asks for."""
    fields = json.dumps(body.get("response_format") or {})
    for word, step in (
        ("enough", "judge"),
        ("best", "select_paths"),
        ("paths", "write_paths"),
        ("predictions", "predict"),
        ("names", "topics"),
        ("sources", "analyse"),
        ("question", "follow_up"),
    ):
        if f'"{word}"' in fields:
            return json.dumps(REPLIES[step])
    return "{}"


def test_without_a_model_an_unknown_name_leaves_no_answer(sample):
    answer = ask(sample, settings_of(), agent="offline")
    assert not answer.answers
    assert "Wakanda" in answer.missing


@pytest.mark.parametrize("how", FAILING)
def test_a_failing_model_gives_the_answer_that_there_is_without_it(sample, how):
    script, faults = FAILING[how]
    with ModelServer(script, faults=faults) as server:
        answer = ask(sample, settings_of(server))
    assert server.bodies
    assert told(answer) == told(ask(sample, settings_of(), agent="offline"))
    assert any("without the model" in note for note in answer.notes)


@pytest.mark.slow
@pytest.mark.parametrize("strategy", ["hydra", "tog-2", "pog", "multirag", "tog", "text-rag"])
@pytest.mark.parametrize("preset", ["default", "paper"])
def test_so_it_is_with_every_strategy_and_preset(sample, preset, strategy):
    with ModelServer(lambda _: "{}", faults=["500"] * 400) as server:
        answer = ask(sample, settings_of(server, preset), strategy)
    assert told(answer) == told(ask(sample, settings_of(preset=preset), strategy, agent="offline"))


@pytest.mark.parametrize("budget", [{"seconds": 0.001}, {"calls": 1}, {"tokens": 10}], ids=["time", "calls", "tokens"])
def test_a_spent_budget_gives_the_answer_that_there_is_without_a_model(sample, budget):
    with ModelServer(scripted) as server:
        answer = ask(sample, settings_of(server, budget=budget))
    assert told(answer) == told(ask(sample, settings_of(), agent="offline"))


@pytest.mark.parametrize("calls", [1, 2, 3, 4])
def test_a_model_that_fails_after_some_calls_improves_nothing(sample, calls):
    always = {"agent": {"graph_first": 1.0}}
    with ModelServer(scripted, faults=[""] * calls + ["500"] * 200) as server:
        answer = ask(sample, settings_of(server, **always))
    offline = ask(sample, settings_of(**always), agent="offline")
    assert answer.confidence <= offline.confidence
    assert not answer.answers or told(answer) == told(offline)


@pytest.mark.slow
def test_a_strategy_that_needs_a_model_has_no_answer_without_it(sample):
    with ModelServer(lambda _: "{}", faults=["500"] * 200) as server:
        answer = ask(sample, settings_of(server), "cot")
    assert (answer.answers, answer.verdict, answer.confidence) == ((), "unsupported", 0.0)
