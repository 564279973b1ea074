"""When a model is asked for a plan, what becomes of it, and what the answer says of one that is not used."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from helpers.samples.agent_samples import ByStep, mention

from hydra_kg.agents.llm import LlmAgent
from hydra_kg.agents.offline import OfflineAgent
from hydra_kg.domain import Analysis, Completion, Mention, Node
from hydra_kg.models.request import count_tokens
from hydra_kg.plan.query_wording import plan_words
from hydra_kg.presets import with_preset
from hydra_kg.settings import Settings

FINLAND = Node(11, "Q33", "Finland")
PLAIN = "How many lakes are in Finland?"
ODD = "Counting lakes in Finland, how many are there?"
STEPS = [{"op": "follow", "of": ["Finland"], "by": "lakes in _"}, {"op": "count", "of": ["#1"], "by": ""}]
READ = "the number of lakes in Finland"


def reply(plan: object) -> str:
    return json.dumps({"parts": [], "skyline": "Finland - lakes - answer", "sources": [], "plan": plan})


Asked = list[tuple[str, list[dict[str, str]]]]


def analysed(
    question: str,
    said: str | Completion,
    settings: Settings | None = None,
    *,
    mentions: Sequence[Mention] | None = None,
) -> tuple[Analysis, Sequence[str], Asked]:
    """The analysis, the agent's notes, and what the model was asked."""
    model = ByStep(lambda step: said)
    agent = LlmAgent(model, OfflineAgent(), settings or Settings())
    found = agent.analyse(question, [mention(question, "Finland", FINLAND)] if mentions is None else mentions, d_max=3)
    return found, agent.notes, model.asked


def wants_plan(asked: Asked) -> bool:
    ((step, chat),) = asked
    assert step == "analyse"
    return '"plan"' in chat[0]["content"]


def test_a_model_is_asked_where_the_grammar_has_no_plan():
    found, notes, asked = analysed(ODD, reply(STEPS))
    assert wants_plan(asked)
    assert found.plan is not None
    assert (plan_words(found.plan), notes) == (f"{READ} (as the model reads it)", ())
    assert found.skyline == "Finland - lakes - answer"


def test_where_the_grammar_has_one_the_model_is_not_asked_and_cannot_change_it():
    found, notes, asked = analysed(PLAIN, reply([{"op": "follow", "of": ["Finland"], "by": "lakes in _"}]))
    assert not wants_plan(asked)
    assert found.plan is not None
    assert (plan_words(found.plan), found.plan.by, notes) == (READ, "grammar", ())


def test_the_models_plan_may_come_first():
    first = Settings().changed(agent={"plan": "first"})
    found, _, asked = analysed(PLAIN, reply(STEPS), first)
    assert wants_plan(asked)
    assert found.plan is not None
    assert found.plan.by == "model"


@pytest.mark.parametrize(
    "settings",
    [
        Settings().changed(agent={"plan": "off"}),
        Settings().changed(answering={"plan": False}),
        with_preset(Settings(), "paper"),
        with_preset(Settings(), "code"),
    ],
)
def test_no_plan_is_asked_for_where_none_is_wanted_or_carried_out(settings):
    found, _, asked = analysed(ODD, reply(STEPS), settings)
    assert not wants_plan(asked)
    assert found.plan is None


def test_without_a_name_that_is_known_there_is_nothing_to_plan():
    assert not wants_plan(analysed("Counting lakes, how many are there?", reply([]), mentions=())[2])


WRONG: Sequence[tuple[Any, str]] = [
    ([{"op": "follow", "of": ["Sweden"], "by": "lakes in _"}, STEPS[1]], "does not name “sweden”"),
    ([{"op": "follow", "of": ["Finland"], "by": "deep lakes in _"}, STEPS[1]], "does not say “deep”"),
    ([{"op": "drop", "of": ["Finland"], "by": "lakes in _"}, STEPS[1]], "is no step"),
    ([STEPS[0], {"op": "count", "of": ["#-1"], "by": ""}], "does not name “#-1”"),
    ([STEPS[0]], "leaves out"),
    (["follow lakes in Finland", "count"], "is no step"),
    ([STEPS[0]] * 9, "is no step"),
    ({"op": "count", "of": {"op": {"op": {"op": [[[["Finland"]]]]}}}}, "is no step"),
    ([{}], "is no step"),
    ([[]], "is no step"),
    (7, "is no step"),
]


@pytest.mark.parametrize("plan, reason", WRONG)
def test_a_wrong_plan_is_not_used_and_the_answer_says_why(plan, reason):
    found, (note,), _ = analysed(ODD, reply(plan))
    assert found.plan is None
    assert note.startswith("analyse: the model's plan is refused, ")
    assert reason.casefold() in note.casefold()
    assert note.endswith("; there is no plan")
    assert found.skyline == "Finland - lakes - answer", "what else it says is used"


def test_a_wrong_plan_falls_back_on_the_grammars():
    first = Settings().changed(agent={"plan": "first"})
    found, (note,), _ = analysed(PLAIN, reply([{"op": "follow", "of": ["Sweden"], "by": "lakes in _"}]), first)
    assert found.plan == OfflineAgent().analyse(PLAIN, [mention(PLAIN, "Finland", FINLAND)], d_max=3).plan
    assert note.endswith("; the plan is the grammar's")


@pytest.mark.parametrize("plan", [[], None, ""])
def test_a_model_may_leave_the_plan_out(plan):
    found, notes, _ = analysed(ODD, reply(plan))
    assert (found.plan, notes) == (None, ())
    assert analysed(ODD, '{"skyline": "Finland - lakes - answer"}')[1] == ()


def test_the_plan_of_a_reply_that_was_cut_is_not_used():
    whole = reply(STEPS)
    cut = Completion(whole[: whole.index(', {"op": "count"')], cut=True)
    found, notes, _ = analysed("What are the lakes in Finland like?", cut)
    assert (found.plan, notes) == (None, ())
    assert found.skyline == "Finland - lakes - answer"


def test_a_plan_adds_few_tokens_to_the_prompt_that_is_kept():
    (_, plain), (_, planned) = (analysed(question, reply([]))[2][0] for question in (PLAIN, ODD))
    assert sum(count_tokens(m["content"]) for m in planned) - sum(count_tokens(m["content"]) for m in plain) <= 200
    assert planned[:-1] == analysed(ODD.replace("lakes", "rivers"), reply([]))[2][0][1][:-1], "the server keeps it"
