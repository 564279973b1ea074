"""Rivals as prompts: what each does in which order, how many calls it may make, and what it survives."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from helpers.samples.agent_samples import ODD, ByStep
from helpers.samples.scripted import NO, QUESTION, YES, asked, pick
from helpers.small_country import country_store  # noqa: F401  fixtures

from hydra_kg import Hydra
from hydra_kg.domain import Judgement
from hydra_kg.errors import BudgetError, UsageError
from hydra_kg.fakes import FakeEmbedder
from hydra_kg.ports import Embedder, Store
from hydra_kg.reasoner import Reasoner
from hydra_kg.runtime import Tools
from hydra_kg.settings import Settings
from hydra_kg.stores.embedded.store import EmbeddedStore
from hydra_kg.strategies.registry import REFUSED, make_strategy
from hydra_kg.strategies.rivals.rq_rag import RQRag

RIVALS = ("ircot", "rq-rag", "metarag", "mdqa", "graphrag", "chatkbqa", "cok", "fidelis")
WRITTEN: Mapping[str, Any] = {
    "compose_thought": lambda lines, prompt: {"lines": [f"Thought {len(lines)} of Rufus Firefly."]},
    "compose_rewrite": {"lines": ["leader of Freedonia"]},
    "compose_decompose": {"lines": ["Who leads Freedonia?", "Who pays the bills of Rufus Firefly?"]},
    "compose_disambiguate": {"lines": ["patron of Rufus Firefly"]},
    "compose_evidence": {"lines": ["Gloria Teasdale pays the bills."]},
    "compose_query": {"lines": ["leader patron", "who pays the bills of Rufus Firefly"]},
    "compose_critique": {"lines": ["The patron is asked for, not the leader."]},
}
LEADER = "Rufus Firefly: Rufus Firefly is the leader of Freedonia."


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return FakeEmbedder()


def ask(store: Store, embedder: Embedder, strategy: str, says: Mapping[str, Any] | None = None, **more: Any) -> Any:
    more = {"settings": Settings(model={"alone": True}), **more}
    return asked(store, embedder, strategy, {**WRITTEN, **(says or {})}, **more)


def test_ircot_searches_by_what_it_reasoned_and_ends_where_the_answer_is_said(store, embedder):
    thoughts = [
        {"lines": ["Rufus Firefly is the leader of Freedonia."]},
        {"lines": ["So the answer is: Gloria Teasdale."]},
    ]
    answer, script = ask(store, embedder, "ircot", {"compose_thought": thoughts})
    assert script.steps == ["compose_thought", "compose_thought", "answer"]
    first, second = script.lines("compose_thought")
    assert len(first) <= 4 < len(second) <= 8, "the second search adds what the first sentence names"
    assert "Rufus Firefly: He tells jokes." in second
    assert "So far: Rufus Firefly is the leader of Freedonia." in script.prompts[1]
    assert "Summary: Rufus Firefly is the leader" in script.prompts[2]
    assert [a.name for a in answer.answers] == ["Gloria Teasdale"]


def test_rq_rag_tries_three_ways_and_takes_what_most_of_them_give(store, embedder):
    answers = [{"why": "", "answers": [name]} for name in ("Rufus Firefly", "Gloria Teasdale", "Gloria Teasdale")]
    answer, script = ask(store, embedder, "rq-rag+depth=1", {"answer": answers})
    ways = ["compose_rewrite", "compose_decompose", "compose_disambiguate"]
    assert script.steps == [step for way in ways for step in (way, "answer")]
    assert [a.name for a in answer.answers] == ["Gloria Teasdale"]
    assert [x.phase for x in answer.explorations] == ["rewrite 1", "decompose 1", "disambiguate 1"]
    assert answer.explorations[1].counts["queries"] == 2


def test_rq_rag_takes_the_surest_where_that_is_asked_for_and_refuses_likelihoods():
    tried = [
        (Judgement(True, 0.3, answers=("a",)), ()),
        (Judgement(True, 0.5, answers=("b",)), ()),
        (Judgement(True, 0.3, answers=("A",)), ()),
        (Judgement(False, 0.9, "unknown"), ()),
    ]
    assert RQRag().chosen(tried)[0].answers == ("a",)
    assert RQRag(selection="confidence").chosen(tried)[0].answers == ("b",)
    with pytest.raises(UsageError, match="weights are not here"):
        make_strategy("rq-rag+selection=ppl")


def test_metarag_is_content_where_the_expert_says_the_same(store, embedder):
    answer, script = ask(store, embedder, "metarag")
    assert script.steps == ["answer", "know"]
    assert [a.name for a in answer.answers] == ["Gloria Teasdale"]


def test_metarag_searches_where_texts_fall_short_and_criticises_where_they_do_not(store, embedder):
    says = {
        "know": {"why": "", "answers": ["Nobody Else"]},
        "judge": [NO, {**NO, "enough": "yes", "answers": ["Gloria Teasdale"]}],
        "answer": [{"why": "", "answers": ["Rufus Firefly"]}, {"why": "", "answers": ["Gloria Teasdale"]}],
    }
    answer, script = ask(store, embedder, "metarag+rounds=2", says)
    assert script.steps == [
        "answer",
        "know",
        "judge",
        "compose_decompose",
        "answer",
        "judge",
        "compose_critique",
        "answer",
    ]
    assert len(script.lines("answer")[1]) > len(script.lines("answer")[0])
    assert "Summary: The patron is asked for, not the leader." in script.prompts[-1]
    assert [a.name for a in answer.answers] == ["Gloria Teasdale"]


def test_mdqa_walks_to_passages_that_the_model_wants(store, embedder):
    answer, script = ask(store, embedder, "mdqa+width=1+hops=2")
    assert script.steps == ["compose_evidence", "compose_evidence", "answer"]
    one, two = script.lines("compose_evidence")
    assert len(one) == 1 < len(two)
    assert any(line.startswith("Gloria Teasdale:") for line in two), "a neighbour by the name that was wanted"
    assert {*two} <= {*script.lines("answer")[0]}
    assert [a.name for a in answer.answers] == ["Gloria Teasdale"]


def test_graphrag_shows_relations_and_texts_in_one_prompt(store, embedder):
    answer, script = ask(store, embedder, "graphrag+relations=3+texts=2")
    assert script.steps == ["answer"]
    (shown,) = script.lines("answer")
    assert len([line for line in shown if " → " in line]) == 3
    assert len([line for line in shown if " → " not in line]) == 2
    assert answer.explorations[0].counts["relations"] >= 5


def test_graphrag_without_a_model_answers_by_vectors(store, embedder):
    tools = Tools(Settings(), "offline")
    answer = Reasoner(store, strategy="graphrag", embedder=embedder, tools=tools).ask("Who is the leader of Freedonia?")
    assert [a.name for a in answer.answers] == ["Rufus Firefly"]


def test_fidelis_judges_each_path_alone_and_answers_from_those_that_are_complete(store, embedder):
    def judge(lines, prompt):
        return YES if any("Gloria Teasdale" in line for line in lines) else NO

    says = {"select_paths": pick({"leader of": 9, "patron": 8, "Gloria Teasdale": 9}), "judge": judge}
    answer, script = ask(store, embedder, "fidelis+width=2", says)
    assert all(len(lines) == 1 for lines in script.lines("judge")), "one path at a time"
    (shown,) = script.lines("answer")
    assert shown, "complete paths are shown"
    assert all("Gloria Teasdale" in line for line in shown), "a path that proves nothing does not reach the answer"
    assert [a.name for a in answer.answers] == ["Gloria Teasdale"]
    assert answer.explorations[-1].counts["complete"] == len(shown)


def test_fidelis_without_a_model_judges_by_rules(store, embedder):
    tools = Tools(Settings(), "offline")
    answer = Reasoner(store, strategy="fidelis", embedder=embedder, tools=tools).ask("Who is the leader of Freedonia?")
    assert [a.name for a in answer.answers] == ["Rufus Firefly"]


def test_chatkbqa_carries_out_the_form_that_the_model_writes_and_explores_nothing(store, embedder):
    form = [
        {"op": "follow", "of": ["Freedonia"], "by": "leader of _"},
        {"op": "follow", "of": ["#1"], "by": "patron of _"},
    ]
    analysis = {"parts": [], "skyline": "Freedonia - leader - patron - answer", "sources": [], "plan": form}
    answer, script = ask(store, embedder, "chatkbqa", {"analyse": analysis})
    assert script.steps == ["analyse"]
    assert [a.name for a in answer.answers] == ["Gloria Teasdale"]
    answer, script = ask(
        store, embedder, "chatkbqa", {"analyse": {**analysis, "plan": []}}, question="Is Freedonia big?"
    )
    assert (script.steps, answer.answers) == (["analyse"], ())


def test_names_of_a_logical_form_are_looked_up_whatever_the_question_calls_them(store, embedder):
    """As ChatKBQA prints it; a plan of the model in other strategies keeps to the words of the question."""
    form = [{"op": "follow", "of": ["Freedonia"], "by": "leader of _"}]
    says = {"analyse": {"parts": [], "skyline": "Freedonia - leader - answer", "sources": [], "plan": form}}
    asked_so = "What is the boss of Freedonia?"
    answer, _ = ask(store, embedder, "chatkbqa", says, question=asked_so)
    assert [a.name for a in answer.answers] == ["Rufus Firefly"]
    assert not any("refused" in note for note in answer.notes)


@pytest.mark.parametrize("name", ["ircot", "mdqa", "rq-rag", "metarag"])
def test_a_number_in_a_name_is_no_condition_of_the_answer(name, tmp_path, embedder):
    (tmp_path / "pages.jsonl").write_text(
        json.dumps({"title": "Apollo 13", "text": "Apollo 13 was directed by Ron Howard."})
        + "\n"
        + json.dumps({"title": "Ron Howard", "text": "Ron Howard directed the film about the thirteenth flight."})
        + "\n"
    )
    (tmp_path / "films.tsv").write_text("source\tentity\tattribute\tvalue\na\tApollo 13\tdirector\tRon Howard\n")
    with Hydra(store=tmp_path / "store", settings=Settings()) as hydra:
        hydra.load(tmp_path / "films.tsv", source="films")
        hydra.load(tmp_path / "pages.jsonl", source="pages")
    says = {"answer": {"why": "", "answers": ["Ron Howard"]}, "know": {"why": "", "answers": ["Ron Howard"]}}
    with EmbeddedStore(tmp_path / "store") as made:
        answer, _ = ask(made, embedder, name, says, question="Who directed Apollo 13?")
    assert [a.name for a in answer.answers] == ["Ron Howard"]
    assert not answer.unchecked


def test_cok_looks_for_what_the_model_writes_for_facts_and_for_text(store, embedder):
    draws = [{"why": "", "answers": [f"Place {n}"]} for n in range(5)]
    _, script = ask(store, embedder, "cok", {"know": draws})
    assert script.steps.count("compose_query") == 1, "one rationale"
    assert script.steps.index("compose_query") < script.steps.index("refine")
    assert any("→ leader →" in line for line in script.lines("refine")[0])
    without = ask(store, embedder, "cok+queries=false", {"know": draws})[1]
    assert "compose_query" not in without.steps


BOUNDS = {
    "ircot": 8 + 1,
    "ircot+steps=2": 2 + 1,
    "rq-rag": 3 * 3,
    "rq-rag+depth=1": 3 * 2,
    "metarag": 2 + 4 * 5,
    "metarag+rounds=1": 2 + 4,
    "mdqa": 3 * 2 + 1,
    "mdqa+width=2+hops=1": 2 + 1,
    "graphrag": 1,
    "fidelis": (1 + 3) * 3 + 1,
    "fidelis+width=2+depth=1": (1 + 2) + 1,
    "chatkbqa": 1,
    "cok": 5 + 2 + 2 * 3 + 1,
}


@pytest.mark.parametrize("strategy", BOUNDS)
def test_no_rival_makes_more_calls_than_it_says(store, embedder, strategy):
    """By a model that is never content, whose every reply is new."""
    number = iter(range(1000))

    def new(lines: Any, prompt: str) -> Mapping[str, Any]:
        n = next(number)
        return {"lines": [f"Citizen {n} of Freedonia", f"Rufus {n}"], "answers": [f"X{n}"], "why": "", "facts": ""}

    says = dict.fromkeys((*WRITTEN, "know", "answer", "refine"), new)
    _, script = ask(store, embedder, strategy, says)
    assert 0 < len(script.steps) <= BOUNDS[strategy]


@pytest.mark.parametrize("strategy", RIVALS)
def test_a_rival_survives_what_models_say_and_a_spent_budget(store, embedder, strategy):
    replies = iter([*ODD, *[BudgetError("The budget is spent.")] * 500] * 9)
    for _ in range(3):
        tools = Tools(Settings(model={"name": "odd"}), "llm", model=ByStep(lambda step: next(replies)))
        answer = Reasoner(store, strategy=strategy, embedder=embedder, tools=tools).ask(QUESTION)
        assert answer.strategy == strategy
        assert "Zog" not in [a.name for a in answer.answers if a.node]


@pytest.mark.parametrize("strategy", RIVALS)
def test_a_spent_budget_ends_a_rival_and_is_said(store, embedder, strategy):
    """After the second call there is no third try, whatever is left to do."""
    good = '{"lines": ["Who leads Freedonia?"], "answers": [], "why": "", "facts": "x", "enough": "no"}'
    replies = iter([good, good])
    model = ByStep(lambda step: next(replies, BudgetError("The budget of 2 calls is spent.")))
    tools = Tools(Settings(model={"name": "m"}), "llm", model=model)
    answer = Reasoner(store, strategy=strategy, embedder=embedder, tools=tools).ask(QUESTION)
    assert len(model.asked) <= 3
    assert len(model.asked) < 3 or any("budget of 2 calls" in note for note in answer.notes)


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_what_needs_weights_is_refused_in_one_line(name):
    with pytest.raises(UsageError) as raised:
        make_strategy(name)
    said, remedy = str(raised.value).split("\n")
    assert said.startswith(f"{name} cannot be run: ")
    assert remedy.startswith("Strategies: ")
