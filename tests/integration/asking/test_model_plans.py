"""A plan that a model writes, carried out over a store: the answer, what it cost, and what is said of a wrong one."""

from __future__ import annotations

from helpers.samples.scripted import ALWAYS, CITIZENS, asked
from helpers.small_country import cached_embedder, country_store  # noqa: F401  fixtures

from hydra_kg.serialise import answer_json
from hydra_kg.settings import Settings

QUESTION = "Counting the citizens of Freedonia, how many are there?"
STEPS = [{"op": "follow", "of": ["Freedonia"], "by": "citizens of _"}, {"op": "count", "of": ["#1"], "by": ""}]


def says(*steps: dict[str, object]) -> dict[str, object]:
    return {"analyse": {**ALWAYS["analyse"], "plan": list(steps)}}


def test_a_question_that_only_the_model_understands_is_carried_out(store, embedder):
    answer, script = asked(store, embedder, "hydra", says(*STEPS), question=QUESTION)
    assert [a.name for a in answer.answers] == [str(len(CITIZENS))]
    assert script.steps == ["analyse"], "no further call"
    doc = answer_json(answer)
    assert doc["plan"]["by"] == "model"
    assert [s["operator"] for s in doc["steps"]] == ["related", "count"]
    assert "notes" not in doc


def test_a_wrong_plan_leaves_the_question_to_the_search_and_is_said(store, embedder):
    invented = {**STEPS[0], "of": ["Ruritania"]}
    replies = {**says(invented, STEPS[1]), "write_paths": {"paths": []}}
    answer, script = asked(store, embedder, "hydra", replies, question=QUESTION)
    assert answer.plan is None
    assert len(script.steps) > 1
    note = "analyse: the model's plan is refused, the question does not name “Ruritania”; there is no plan"
    assert note in answer_json(answer)["notes"]


def test_what_the_grammar_understands_needs_no_model(store, embedder):
    question = "How many citizens does Freedonia have?"
    answer, _ = asked(store, embedder, "hydra", says({**STEPS[0], "of": ["Ruritania"]}), question=question)
    assert [a.name for a in answer.answers] == [str(len(CITIZENS))]
    assert answer.plan is not None
    assert (answer.plan.by, answer.notes) == ("grammar", ())
    first = Settings().changed(agent={"plan": "first"})
    answer, _ = asked(
        store, embedder, "hydra", says({**STEPS[0], "of": ["Ruritania"]}), question=question, settings=first
    )
    assert [a.name for a in answer.answers] == [str(len(CITIZENS))]
    assert answer.notes[0].endswith("; the plan is the grammar's")
