"""What is in doubt of counts, orders and negations over lists that may lack some, over a small world of two sources."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace

import numpy as np
import pytest
from helpers.operator_world import World, named

from bench.memory_stage import FactRow, MemoryStage, SimpleLoadPlan
from hydra_kg import ids
from hydra_kg.agents.offline import OfflineAgent
from hydra_kg.domain import Source
from hydra_kg.fakes import FakeStore, FakeVectorIndex
from hydra_kg.plan import model as m
from hydra_kg.runtime import make_cached_embedder
from hydra_kg.settings import Settings
from hydra_kg.steps.context import Context, Services
from hydra_kg.steps.graph.question_graph import QuestionGraph
from hydra_kg.steps.graph.relation_space import RelationSpace
from hydra_kg.steps.operators import execute, whole_lists
from hydra_kg.steps.operators.results.found_entities import Hopped, ThingSet
from hydra_kg.steps.operators.results.literal_intervals import Span
from hydra_kg.steps.operators.scalars import _of_others
from hydra_kg.steps.operators.values.attributes import _both_state
from hydra_kg.steps.operators.whole_lists import without_parts

RELEASED = "release date; publication date"
BORN = "date of birth"
NO_OTHERS = "whether there are others (4 are stated)"


def related(name, phrase, noun):
    return m.Related(named(name), phrase, noun)


FILMS = related("Ada", "directed by _", "films")
MEMBERS = related("Band", "members of _", "members")
NEIGHBOURS = related("North", "border _", "countries")


def when(op, low, high=None):
    return m.Condition(op, "date", low, low if high is None else high)


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    return World(FakeStore(), tmp_path_factory.mktemp("world"))


def names(done):
    return sorted(a.name for a in done.conclusion.answers)


IN_DOUBT = {
    "one film without a date changes little": (m.Where(FILMS, RELEASED, when("in", 1986, 1987)), ()),
    "where most of those with a date count": (
        m.Where(FILMS, RELEASED, when("<", 1992)),
        ("1 of 4 without a stated publication date",),
    ),
    "who lives has no date of death": (m.Where(MEMBERS, "date of death", when("in", 1990, 1991)), ()),
    "one birthplace is not known": (
        m.Both((MEMBERS, related("South", "born in _", "members"))),
        ("1 of 3 without a stated place",),
    ),
    "nor of those who were not born there": (
        m.Without(MEMBERS, related("South", "born in _", "members")),
        ("1 of 3 without a stated place",),
    ),
    "who lives died nowhere": (m.Without(MEMBERS, related("Oslo", "died in _", "members")), ()),
    "works are never all listed": (m.Count(FILMS), ("whether these are all (4 are stated)",)),
    "countries are": (m.Count(NEIGHBOURS), ()),
    "the first of works": (
        m.Extreme(FILMS, RELEASED, "date", "min"),
        ("1 of 4 without a stated publication date", NO_OTHERS),
    ),
    "the next": (m.Adjacent(FILMS, named("Noise"), RELEASED, 1, "films"), (NO_OTHERS,)),
    "who made more": (
        m.Compare((named("Ada"), named("Bo")), "", "number", "max", "films directed by _"),
        ("whether these are all",),
    ),
    "whether one made more": (
        m.Holds(m.Count(FILMS), ">", m.Count(related("Bo", "directed by _", "films"))),
        ("whether these are all (4 are stated)", "whether these are all (2 are stated)"),
    ),
    "the largest country of several": (m.Extreme(NEIGHBOURS, "area", "number", "max"), ()),
}


@pytest.mark.parametrize("root, doubt", IN_DOUBT.values(), ids=IN_DOUBT)
def test_what_is_in_doubt_of_a_list(world, root, doubt):
    done = world(root)
    assert done.conclusion.answers
    assert not done.unmet
    assert [d for d in done.in_doubt if d in doubt] == list(doubt)
    assert bool(done.in_doubt) == bool(doubt)


def test_one_graph_alone_is_what_is_meant(world):
    with world.context() as context:
        alone = execute(replace(context, allowed=frozenset({"second"})), m.Plan(m.Count(FILMS)))
    assert (names(alone), alone.in_doubt) == (["4"], ())


def age(event, person="Cy"):
    return m.Difference(m.Value(event, RELEASED, "date"), m.Value(named(person), BORN, "date"))


def several(*others):
    return m.Named("Noise", named("Ember").node, tuple(named(o).node for o in others))


def test_nobody_has_an_age_after_his_death(world):
    """Cy died in 1990; Orbit came out in 1999."""
    done = world(age(named("Orbit")))
    assert names(done) == []
    assert done.reason.startswith("not alive then: died 1990-03-01")


@pytest.mark.parametrize(
    "event, doubt",
    [(several("Noise"), ()), (several("Noise", "Harbour"), ("which “Noise” is meant (2 have that name)",))],
    ids=["one that he plays in", "two that he plays in"],
)
def test_of_several_works_of_a_name_that_of_the_person_is_meant(world, event, doubt):
    """Ember, the first reading, has nothing to do with him."""
    done = world(age(event))
    assert (names(done), done.in_doubt) == (["36"], doubt)


def span(*numbers):
    return [Span(float(n), float(n)) for n in numbers]


@pytest.mark.parametrize(
    "one, other, series, same",
    [
        (span(581_737), span(581_737), False, True),
        (span(581_737, 600_370), span(*range(500_000, 600_000, 2_000)), False, False),
        (span(581_737, 600_370), span(*range(500_000, 600_000, 2_000)), True, True),
        ([Span(1986.5, 1986.6)], [Span(float(y), y + 1.0) for y in range(1980, 1990)], False, True),
        (span(1), span(2), True, False),
    ],
    ids=["equal", "one of many by chance", "a series", "dates", "nothing in common"],
)
def test_one_equal_number_among_many_is_chance(one, other, series, same):
    assert _both_state(one, other, series=series) is same


@pytest.fixture(scope="module")
def court(tmp_path_factory):
    """A queen of whom one graph states one child and the other two."""
    keys = {"Queen": "Q1", "Bertie": "Q2", "Arthur": "Q3", "King": "Q4", "Ann": "Q5"}
    named_facts = {
        "one": [("Queen", "P40", "Bertie"), ("King", "P40", "Ann")],
        "two": [("Queen", "people.person.children", "Bertie"), ("Queen", "people.person.children", "Arthur")],
    }
    texts = {"P40": ("child", ""), "people.person.children": ("person children", "")}
    store = FakeStore()
    for name, facts in named_facts.items():
        rows = [
            FactRow(keys[s], p, keys[o], i, 0) for i, (s, p, o) in enumerate(sorted(facts, key=lambda f: keys[f[0]]), 1)
        ]
        writer = store.begin(SimpleLoadPlan(name, (Source(name),)))
        own = {p: texts[p] for _, p, _ in facts}
        writer.write(MemoryStage(rows, names=[(k, "name", n) for n, k in keys.items()], predicates=own))
        writer.commit({})
    with store.snapshot() as snapshot:
        space = RelationSpace(snapshot.predicates(), make_cached_embedder(tmp_path_factory.mktemp("court"), Settings()))
        graph = QuestionGraph(snapshot, space)
        yield Context("?", graph, Settings(), OfflineAgent(), lambda name: nullcontext({}), Services(FakeVectorIndex))


@pytest.mark.parametrize(
    "person, said",
    [
        ("Q1", "whether these are all (2 are stated, by two 2 and one 1)"),
        ("Q4", "whether these are all (1 is stated)"),
    ],
)
def test_what_graphs_show_of_a_list_that_is_short_is_said(court, person, said):
    children = m.Related(m.Named("?", ids.encode(person)), "children of _", "children")
    assert execute(court, m.Plan(m.Count(children))).in_doubt == (said,)


def test_a_list_of_works_is_not_in_doubt_as_long_as_nothing_is_counted(world):
    done = world(m.Both((FILMS, related("Cy", "star _", "films"))))
    assert names(done) == ["Harbour", "Noise"]
    assert done.in_doubt == ()


@pytest.mark.parametrize(
    "asked, said, others",
    [
        ("number of siblings", "Ada number of children 4", True),
        ("number of episodes", "Tide number of episodes 62", False),
        ("population", "South population 5000", False),
    ],
)
def test_a_stated_number_of_other_things_is_none_of_these(asked, said, others):
    assert _of_others(asked, said) is others


def test_a_condition_of_which_nothing_is_stated_is_not_denied(world):
    """No writer of Quiet is stated, the only film that Ada is not known to have written."""
    assert names(world(m.Without(FILMS, related("Ada", "written by _", "films")))) == []


@pytest.mark.parametrize("in_part, left", [(False, ["Ember", "Quiet"]), (True, [])])
def test_where_lists_are_known_in_part_nothing_stated_is_unknown(world, monkeypatch, in_part, left):
    """Nothing is stated of who plays in Ember and Quiet; Cy plays in Noise and Harbour."""
    monkeypatch.setattr(whole_lists, "_perhaps_others", lambda context, less: in_part)
    assert names(world(m.Without(FILMS, related("Cy", "with the cast member _", "films")))) == left


def test_for_the_largest_another_reading_of_a_name_gives_no_part_of_the_first_ones():
    """Four countries of the European Union are part of those in Europe, which are meant by "country in Europe"."""

    def reading(subject, *ends):
        end = np.array(ends, np.int64)
        start, none = np.full(len(end), subject, np.int64), np.full(len(end), -1, np.int64)
        small = none.astype(np.int16)
        hops = Hopped(start, start, none, end, (small, small), (none, none), (1,))
        return ThingSet(end, (hops,))

    europe, union = 1, 2
    op = m.Related(m.Named("Europe", europe, (union,)), "country in _", "country")
    whole, part, other = reading(europe, 5, 6, 7), reading(union, 5, 6), reading(union, 5, 9)
    assert without_parts(op, [part, other, whole]) == [other, whole]
    part, whole = reading(europe, 5, 6), reading(union, 5, 6, 7)
    assert without_parts(op, [part, whole]) == [part, whole]
    whole = reading(europe, 5, 6, 7)
    assert without_parts(op, [part, whole]) == [part, whole]
