"""Claims that their own words decide: what something is called, where somebody is from, what is so of nothing else."""

from __future__ import annotations

import pytest
from helpers.operator_world import World, assert_decided, named

from hydra_kg.fakes import FakeStore
from hydra_kg.plan import model as m

MORE = {
    "third": [
        ("Cy", "P509", "Stroke"),
        ("Dee", "people.person.parents", "Cy"),
        ("Cy", "P21", "Male"),
        ("Noise", "P136", "Horror"),
        ("Ember", "P136", "Horror"),
        *(("Cy Dee Eve".split()[i], "P102", "Reds") for i in range(3)),
        ("Gil", "P102", "Blues"),
        *((party, "type.object.type", "government.political_party") for party in ("Reds", "Blues")),
        ("North", "P37", "Tongue"),
        ("South", "P37", "Tongue"),
        ("East", "P37", "Speech"),
        ("Cy", "people.person.height_meters", '"1.80"^^xsd:decimal'),
        ("Dee", "P2048", '"152"^^xsd:decimal'),
    ]
}


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    return World(FakeStore(), tmp_path_factory.mktemp("world"), MORE)


def called(name, phrase, noun):
    return m.Some(m.Related(named(name), phrase, noun), named=True)


def did(name, phrase, other, noun=""):
    return m.Among(named(name), m.Related(named(other), phrase, noun))


def height(name):
    return m.Value(named(name), "height; elevation", "number")


DECIDED = {
    "what somebody died of": (called("Cy", "_ died of", "stroke"), "yes"),
    "of a genre": (m.Among(named("Noise"), m.OfKind(named("Noise"), "horror film")), "yes"),
    "a member of a party": (did("Cy", "member of _", "Reds", "member"), "yes"),
    "a member of another party": (did("Gil", "member of _", "Reds", "member"), "no"),
    "the father, of whom there is one": (did("Bo", "father of _", "Dee", "father"), "no"),
    "spoken elsewhere too": (m.Only(did("Tongue", "official language of _", "North")), "no"),
    "taller, in another unit": (m.Holds(height("Cy"), ">", height("Dee")), "yes"),
}


@pytest.mark.parametrize("root, wanted", DECIDED.values(), ids=DECIDED)
def test_a_claim_is_decided_by_what_is_called_so(world, root, wanted):
    assert_decided(world(root), wanted)


OPEN = {
    "that one cause is stated denies no other": called("Cy", "_ died of", "fever"),
    "of another genre besides": m.Among(named("Noise"), m.OfKind(named("Noise"), "comedy film")),
    "that one is stated does not say that there is no other": m.Only(did("Speech", "official language of _", "East")),
    "a citizen of one country may be from another": did("Fay", "from _", "East"),
    "of parents there are two": did("Bo", "parent of _", "Dee", "parent"),
    "who is in no party": did("Hal", "member of _", "Reds", "member"),
}


@pytest.mark.parametrize("root", OPEN.values(), ids=OPEN)
def test_what_is_not_called_so_is_left_open(world, root):
    done = world(root)
    assert done is None or not done.conclusion.answers
