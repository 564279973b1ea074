"""A path and the plan's relations are two readings of one question: what they agree in is surer, what they differ in is
given by the surer one."""

from __future__ import annotations

from dataclasses import replace

import pytest
from helpers.operator_world import KEYS, World, named

from hydra_kg import ids
from hydra_kg.agents.offline import OfflineAgent
from hydra_kg.domain import AnswerValue, Judgement, Node
from hydra_kg.fakes import FakeStore
from hydra_kg.plan import model as m
from hydra_kg.questions import plan_comparison
from hydra_kg.questions.plan_comparison import compare_with_plan
from hydra_kg.steps.answering.results import NOTHING
from hydra_kg.strategies.base import Outcome

FILMS = m.Plan(m.Related(named("Ada"), "directed by _", "films"), "films")
MAKER = m.Plan(m.Related(named("Orbit"), "directed _"), "", "person")


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    return World(FakeStore(), tmp_path_factory.mktemp("world"))


def read(world, plan, answers, confidence, *, sufficient=True):
    """What becomes of a path that leads to some answers."""
    analysis = replace(OfflineAgent().analyse("?", (), d_max=3), plan=plan)
    found = tuple(AnswerValue(n, Node(ids.encode(KEYS[n]), n, KEYS[n]), None, (KEYS[n],), 1.0) for n in answers)
    with world.context() as context:
        outcome = Outcome((), analysis, replace(NOTHING, answers=found), Judgement(sufficient, confidence, ""), ())
        return compare_with_plan(context, outcome)


def names(outcome):
    return [a.name for a in outcome.conclusion.answers]


def test_what_both_say_is_surer(world):
    same, alone = read(world, MAKER, ["Bo"], 0.5), read(world, None, ["Bo"], 0.5)
    assert names(same) == names(alone) == ["Bo"]
    assert same.judgement.confidence > 0.7
    assert alone.judgement.confidence < 0.5


def test_a_list_is_completed_from_all_sources(world):
    """The path leads to two of the four films."""
    assert names(read(world, FILMS, ["Harbour", "Noise"], 0.5))[:2] == ["Harbour", "Noise"]
    assert sorted(names(read(world, FILMS, ["Harbour", "Noise"], 0.5))) == ["Ember", "Harbour", "Noise", "Quiet"]


def test_paths_of_the_plan_are_shown_where_both_lead_to_the_same(world):
    """A path by hand has no evidence: what is shown is how the plan came to it."""
    (evidence,) = read(world, MAKER, ["Bo"], 0.5).conclusion.evidence
    assert [h.object.name for h in evidence.path.hops] == ["Bo"]


def test_an_unsure_path_gives_way_to_a_relation_that_says_what_is_asked(world):
    given = read(world, MAKER, ["Cy"], 0.4)
    assert names(given) == ["Bo"]
    assert given.judgement.confidence <= 0.6
    assert given.steps


@pytest.mark.parametrize("plan, answers, given", [(MAKER, ["Bo"], True), (MAKER, ["Ada"], False)])
def test_what_both_say_is_given_where_the_path_alone_is_not_enough(world, monkeypatch, plan, answers, given):
    monkeypatch.setattr(plan_comparison, "_says", lambda *_: False)
    assert read(world, plan, answers, 0.1, sufficient=False).judgement.sufficient is given


def test_a_sure_path_stands(world):
    assert names(read(world, MAKER, ["Cy"], 0.9)) == ["Cy"]
