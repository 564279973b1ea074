"""Who decides where there is a model: what is sure without it, and what it leaves open, is as there is none."""

from __future__ import annotations

import pytest
from helpers.samples.scripted import ALWAYS, NO, Script, asked
from helpers.small_country import cached_embedder, country_store  # noqa: F401  fixtures

from hydra_kg.events import Event
from hydra_kg.reasoner import Reasoner
from hydra_kg.runtime import Tools
from hydra_kg.settings import Settings

CAPITAL = "What is the capital of Freedonia?"
KNOWS_NOTHING = {"judge": NO, "answer": {"why": "", "answers": []}, "write_paths": {"paths": []}}


def ask(store, embedder, question, graph_first, **says):
    return asked(store, embedder, "hydra", says, question=question, graph_first=graph_first)


def test_what_is_sure_is_asked_of_no_model(store, embedder):
    answer, script = ask(store, embedder, CAPITAL, 0.6)
    alone = Reasoner(store, embedder=embedder).ask(CAPITAL)
    assert [a.name for a in answer.answers] == ["Fredville"]
    assert (answer.confidence, answer.verdict, answer.evidence) == (alone.confidence, alone.verdict, alone.evidence)
    assert (answer.agent, answer.usage.calls, script.steps) == ("llm", 0, [])


def test_what_is_not_is_asked_of_the_model_whose_answer_counts(store, embedder):
    says = {"judge": {**NO, "enough": "yes", "answers": ["Sylvania"]}, "write_paths": {"paths": []}}
    answer, script = ask(store, embedder, CAPITAL, 0.999, **says)
    assert "judge" in script.steps
    assert [a.name for a in answer.answers] != ["Sylvania"], "its path says so little of a capital"
    says["judge"] = {**NO, "enough": "yes", "answers": ["Fredville"]}
    answer, _ = ask(store, embedder, CAPITAL, 0.999, **says)
    assert [a.name for a in answer.answers] == ["Fredville"]


def test_what_the_model_leaves_open_is_what_there_is_without_it(store, embedder):
    answer, script = ask(store, embedder, CAPITAL, 0.999, **KNOWS_NOTHING)
    assert "answer" in script.steps
    assert [a.name for a in answer.answers] == ["Fredville"]
    alone, _ = ask(store, embedder, CAPITAL, 1.0, **KNOWS_NOTHING)
    assert alone.answers == (), "where the model is always asked, its word is the last"


def test_nobody_is_asked_about_names_that_no_source_knows(store, embedder):
    for question in ("What is 17 times 23?", "Tell me a joke."):
        answer, script = ask(store, embedder, question, 0.6)
        assert (answer.answers, script.steps) == ((), [])
    answer, script = ask(store, embedder, "Who is the leader of Ruritania Magna?", 0.6)
    assert (answer.answers, script.steps) == ((), [])
    assert answer.missing == "no source knows the name “Ruritania Magna”"


def test_a_question_in_a_language_of_no_table_goes_to_the_model(store, embedder):
    _, script = ask(store, embedder, "Фредонияның астанасы қандай?", 0.6, **KNOWS_NOTHING)
    assert "analyse" in script.steps


@pytest.mark.parametrize("graph_first", [0.6, 0.999])
def test_what_is_found_is_told_once(store, embedder, graph_first):
    settings = Settings(model={"name": "script"}, agent={"graph_first": graph_first})
    events: list[Event] = []
    tools = Tools(settings, "llm", model=Script({**ALWAYS, **KNOWS_NOTHING}))
    Reasoner(store, settings=settings, embedder=embedder, tools=tools).ask(CAPITAL, listener=events.append)
    assert sum(e.kind == "ask.linked" for e in events) == 1


def test_a_fact_is_held_against_the_question_as_it_was_asked(store, embedder):
    asked_itself = {
        "follow_up": {"question": "What is the anthem of Freedonia?", "skyline": "Freedonia - anthem - answer"},
        "judge": [NO, {**NO, "enough": "yes", "answers": ["Hail Hymn"]}],
        "write_paths": {"paths": []},
    }
    how = {"question": "Which rivers flow through Freedonia?", "settings": Settings().changed(agent={"doubt": 0.3})}
    always, _ = asked(store, embedder, "hydra", asked_itself, **how, graph_first=1.0)
    answer, script = asked(store, embedder, "hydra", asked_itself, **how, graph_first=0.6)
    assert [a.name for a in always.answers] == ["Hail Hymn"]
    assert script.steps.count("judge") == 2
    assert answer.answers == ()
