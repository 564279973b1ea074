"""What decides a claim: kinds, several things, times and places; and what leaves it open."""

from __future__ import annotations

import pytest
from helpers.operator_world import World, assert_decided, named

from hydra_kg.fakes import FakeStore
from hydra_kg.plan import model as m

TODAY = m.Condition("exists", "date", words="today")


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    return World(FakeStore(), tmp_path_factory.mktemp("world"))


def is_a(name, noun):
    return m.Among(named(name), m.OfKind(named(name), noun))


def did(name, phrase, other, noun=""):
    return m.Among(named(name), m.Related(named(other), phrase, noun))


def some(name, phrase, noun, least):
    return m.Some(m.Related(named(name), phrase, noun), least)


def when(low, high):
    return m.Condition("in", "date", low, high, words="then")


def born(op):
    return m.Among(named("Cy"), m.Where(named("Cy"), "date of birth", op))


DECIDED = {
    "of a kind": (is_a("Oslo", "city"), "yes"),
    "of a kind by another word": (is_a("Noise", "movie"), "yes"),
    "of a kind that no person is of": (is_a("Cy", "river"), "no"),
    "nor a film": (is_a("Noise", "country"), "no"),
    "no mountain, whatever country": (did("Cy", "mountain in _", "North", "mountain"), "no"),
    "several of them": (some("Ada", "_ directed", "films", 3), "yes"),
    "so once, but not today": (m.Among(named("Cy"), m.Related(named("Band"), "members of _"), today=True), "no"),
    "born in another decade": (born(when(1960, 1970)), "no"),
    "of a kind and of a country": (
        m.Every((is_a("Cy", "person"), did("South", "nationality of _", "Cy"))),
        "yes",
    ),
    "of the kind, but of another country": (
        m.Every((is_a("Cy", "person"), did("East", "nationality of _", "Cy"))),
        "no",
    ),
    "not what it is": (m.Untrue(is_a("Oslo", "city")), "no"),
    "not what it cannot be": (m.Untrue(is_a("Cy", "river")), "yes"),
}


@pytest.mark.parametrize("root, wanted", DECIDED.values(), ids=DECIDED)
def test_a_claim_is_decided_by_what_is_stated(world, root, wanted):
    assert_decided(world(root), wanted)


OPEN = {
    "fewer than said may be all that is stated": some("Ada", "_ directed", "films", 40),
    "what somebody does besides is not known": is_a("Cy", "lawyer"),
    "a river may be in several countries": did("Brook", "located in _", "South"),
    "a band and a country may be one": is_a("Band", "country"),
    "the opposite of what is not known": m.Untrue(is_a("Cy", "lawyer")),
    "one of two is not known": m.Every((is_a("Cy", "lawyer"), did("South", "nationality of _", "Cy"))),
    "no verb that needs both at one time": did("Dee", "admired _", "War"),
}


@pytest.mark.parametrize("root", OPEN.values(), ids=OPEN)
def test_what_the_sources_do_not_decide_is_left_open(world, root):
    done = world(root)
    assert done is None or not done.conclusion.answers
