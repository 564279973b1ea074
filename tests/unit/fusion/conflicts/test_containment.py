"""What lies in a place that another source names is no contradiction, nor is another name of the same thing."""

from __future__ import annotations

from functools import partial

import pytest
from helpers.samples import graphs
from helpers.samples.graphs import Spec

from hydra_kg import ids
from hydra_kg.domain import Fact, Locator, Node, Source
from hydra_kg.fakes import FakeStore
from hydra_kg.fusion.conflicts.conflict import find_contested_values, holders, is_less_specific
from hydra_kg.fusion.conflicts.fuse import fuse
from hydra_kg.fusion.gathering.store_claims import ClaimStatement
from hydra_kg.fusion.truth_discovery.vote import Vote

TOWN, COUNTY, LAND, OTHER = "m.0b", "m.0c", "m.0d", "m.0f"
NAMES = {TOWN: "Salem", COUNTY: "Essex", LAND: "Freedonia", OTHER: "Boston"}


@pytest.fixture
def store():
    store = FakeStore()
    edges = [(TOWN, "location.location.containedby", COUNTY, 0), (COUNTY, "location.location.containedby", LAND, 0)]
    edges += [(OTHER, "twin town", TOWN, 0)]
    names = [(key, "name", name) for key, name in NAMES.items()] + [(LAND, "alias", "the Free Land")]
    graphs.put(store, Spec("t", (Source("t"),), names=names, links=edges))
    return store


def says(source, key):
    node = Node(ids.encode(key), key, NAMES[key])
    fact = Fact(ids.fact_id("m.0g", "born in", key, source), "m.0g", "born in", key, Source(source), Locator())
    return ClaimStatement(ids.encode("m.0g"), "born in", (), node, fact)


def fused(store, *stated):
    with store.snapshot() as snapshot:
        return next(fuse(stated, Vote(), holders=holders(snapshot, find_contested_values(stated))).groups())


@pytest.mark.parametrize("broad", [COUNTY, LAND])
def test_one_place_lies_in_the_other(store, broad):
    for stated in ((says("a", TOWN), says("b", broad)), (says("a", broad), says("b", TOWN))):
        group = fused(store, *stated)
        assert group.conflict.kind == "granularity"
        assert [v.text for v in group.answer] == ["Salem"], "the more specific one is believed"


def test_places_that_are_only_linked_contradict(store):
    assert fused(store, says("a", TOWN), says("b", OTHER)).conflict.kind == "value"


def test_values_that_one_source_lists_do_not_contradict(store):
    group = fused(store, says("a", TOWN), says("a", OTHER), says("b", OTHER))
    assert group.conflict is None
    assert len(group.values) == 2


def test_another_name_says_no_less(store):
    with store.snapshot() as snapshot:
        general = partial(is_less_specific, containers=holders(snapshot, [ids.encode(LAND)]))
    assert general("the free land", "Freedonia")
    assert general("Freedonia", "the Free Land")
    assert not general("Salem", "Freedonia")


def test_only_groups_that_name_several_things_are_looked_up(store):
    assert find_contested_values([says("a", TOWN), says("b", TOWN)]) == []
    with store.snapshot() as snapshot:
        assert holders(snapshot, []) == {}
