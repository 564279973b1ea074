"""A disagreement is flagged where there is one, and not where several values, times or wordings are all there is."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from helpers.samples import graphs
from helpers.samples.graphs import Spec

from hydra_kg import ids
from hydra_kg.domain import Evidence, Fact, Hop, Locator, Node, Path, Scores, Source
from hydra_kg.fakes import FakeStore
from hydra_kg.fusion.conflicts.conflict import Side
from hydra_kg.fusion.gathering.several_values import takes_several_values
from hydra_kg.settings import Settings
from hydra_kg.steps.answering.disagreement import NONE, contested, disagreement
from hydra_kg.steps.answering.relation_answers import _of_another

SUBJECT = Node(8, "m.0b", "Aurora")
SOURCES = {name: Source(name, "table") for name in "abc"} | {"kg": Source("kg")}


def says(value, *sources, when=""):
    facts = tuple(
        Fact(
            ids.fact_id("m.0b", "pier", value, s),
            "m.0b",
            "pier",
            f'"{value}"',
            SOURCES[s],
            Locator(),
            qualifiers=(("date", f'"{when}"'),) if when else (),
        )
        for s in sources
    )
    end = Node(ids.encode(value), f'"{value}"', value)
    return Evidence(
        Path((Hop(SUBJECT, "pier", "pier", end, True, None, facts),)), Scores(0.5), "x", True, answers=(end,)
    )


def asked(values):
    store = FakeStore()
    graphs.put(store, Spec("t", (Source("t", "table"),), values=values))
    with store.snapshot() as snapshot:
        return SimpleNamespace(snapshot=snapshot, settings=Settings())


@pytest.fixture
def context():
    return asked([(f"m.0{c}", "pier", f'"{c}"', 0) for c in "bcdfgh"])


def test_two_values_of_an_attribute_that_has_one(context):
    found = disagreement(context, [says("Pier 3", "a", "b"), says("Pier 5", "c")])
    assert found.opposing == {"c": 0.8}
    assert found.dissent == ("c says Pier 5",)
    assert found.sentence == "Sources disagree: a and b say Pier 3; c says Pier 5."


def test_a_clear_majority_is_no_conflict_in_the_answer_and_is_said_beside_it(context):
    found = disagreement(context, [says("Pier 3", "a", "b", "kg"), says("Pier 5", "c")])
    assert found.sentence == "", "agreement is over a half"
    assert found.dissent == ("c says Pier 5",)


@pytest.mark.parametrize(
    "evidence",
    [
        [says("Pier 3", "a", "b")],
        [says("Pier 3", "a"), says("Pier 5", "a")],
        [says("Ann Lee, Bob Day", "a"), says("Ann Lee", "b")],
        [says("2026-05-02", "a"), says("2026-05", "b")],
        [says("2026-05-02T09:30:00", "a"), says("May 2, 2026 9:30 AM", "b")],
    ],
    ids=["one value", "one source states both", "a list and one of it", "one says less", "one time, two wordings"],
)
def test_no_conflict(context, evidence):
    assert disagreement(context, evidence) == NONE


def test_two_times_are_said_and_oppose_nothing(context):
    found = disagreement(context, [says("Pier 3", "a", when="Monday"), says("Pier 5", "b", when="Tuesday")])
    assert (found.opposing, found.dissent) == ({}, ())
    assert found.sentence.startswith("Different at different times: ")


def test_an_attribute_of_many_values_is_not_contested():
    several = asked([("m.0c", "pier", f'"{n}"', 0) for n in range(3)] + [("m.0d", "pier", '"1"', 0)])
    assert takes_several_values(several.snapshot, "pier")
    assert not takes_several_values(several.snapshot, "never stated")
    assert disagreement(several, [says("Pier 3", "a"), says("Pier 5", "b")]) == NONE


def test_like_paths_that_differ():
    ours, theirs = [says("Pier 3", "a")], [Side("Pier 5", ("b",), weight=0.8)]
    assert contested(ours, theirs, {"a": 0.8}, {"b": 0.8}).sentence == "Sources disagree: a says Pier 3; b says Pier 5."
    assert contested(ours, theirs, {"a": 0.8, "c": 1.0, "d": 1.0}, {"b": 0.8}).sentence == ""


def test_whoever_is_heard_first(context):
    one = disagreement(context, [says("Pier 3", "a"), says("Pier 5", "b")])
    other = disagreement(context, [says("Pier 5", "b"), says("Pier 3", "a")])
    assert one.sentence == other.sentence != ""


def test_where_an_actor_was_born_is_no_other_value_of_where_the_director_was():
    film, director, actor, town = (Node(n, f"Q{n}", name) for n, name in enumerate(("Film", "Ida", "Bo", "Oslo"), 1))

    def through(person):
        return Path((Hop(film, "with", "with", person), Hop(person, "born", "born", town)))

    assert _of_another(through(director), through(actor))
    assert not _of_another(through(director), through(director))
    assert not _of_another(Path((Hop(film, "made in", "made in", town),)), through(actor))
