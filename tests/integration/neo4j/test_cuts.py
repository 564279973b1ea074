"""Cuts by predicate on a server, which come into play where a level is far over its budget: as the reference's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from helpers.samples import graphs
from helpers.samples.graphs import Spec
from helpers.servers import neo4j_stores
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from thorough import examples

from hydra_kg import ids
from hydra_kg.domain import Source, Subgraph
from hydra_kg.fakes import FakeStore
from hydra_kg.stores.neo4j.reads import adjacency_fetch as waves
from hydra_kg.stores.neo4j.reads import cuts
from hydra_kg.stores.neo4j.writes import writer

pytestmark = pytest.mark.server

OPEN = Source("texts", kind="wiki")


def rows(graph: Subgraph) -> list[tuple[object, ...]]:
    columns = (graph.level, graph.ids[graph.src], graph.pred, graph.ids[graph.dst], graph.segment, graph.row)
    return sorted(zip(*(c.tolist() for c in columns), strict=True))


def reached(graph: Subgraph) -> list[tuple[int, int, bool]]:
    at = graph.nodes
    return list(zip(graph.ids[at].tolist(), graph.depth.tolist(), graph.mediator[at].tolist(), strict=True))


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every level over its budget is counted by predicate, in small batches; nodes of three facts are dense."""
    monkeypatch.setattr(cuts, "UNCOUNTED", 0)
    for name, value in (("CHUNK", 6), ("NODES", 2), ("LEAST", 1), ("DENSE", 2)):
        monkeypatch.setattr(waves, name, value)


@st.composite
def loads(draw: st.DrawFn) -> list[Spec]:
    """Two loads and same-as links between them, among mediators too."""
    specs = [draw(graphs.specs(name)) for name in "ab"]
    nodes = st.sampled_from([*graphs.ENTITIES, *graphs.MEDIATORS])
    links = draw(st.lists(st.tuples(nodes, nodes).filter(lambda p: p[0] != p[1]), max_size=2))
    return [*specs, Spec("c", (Source("c"),), same_as=links)]


@settings(
    examples(5),
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(
    specs=loads(),
    topics=st.lists(st.sampled_from(graphs.ENTITIES + graphs.MEDIATORS), min_size=1, max_size=3),
    ranks=st.none() | st.lists(st.sampled_from([0.0, 0.5, 0.25]), min_size=8, max_size=8),
    data=st.data(),
)
def test_by_predicate_as_the_reference(
    neo4j_database: object, small: None, specs: list[Spec], topics: list[str], ranks: Any, data: st.DataObject
) -> None:
    reference = FakeStore()
    with neo4j_stores.empty() as store:
        for spec in specs:
            graphs.put(reference, spec)
            graphs.put(store, spec)
        start = [ids.encode(t) for t in topics]
        with store.snapshot() as ours, reference.snapshot() as theirs:
            rank = None if ranks is None else np.array(ranks[: len(theirs.predicates().ids)], np.float32)
            for _ in range(4):  # making the store takes longest
                how: Any = {
                    "depth": data.draw(st.integers(1, 3)),
                    "budget": data.draw(st.integers(1, 20)),
                    "hops": data.draw(st.sampled_from(["entity", "entity", "paper"])),
                    "hub_cap": data.draw(st.sampled_from([0, 0, 5])),
                }
                got, want = (s.cut(start, rank=rank, **how) for s in (ours, theirs))
                assert rows(got) == rows(want)
                assert reached(got) == reached(want)
                assert got.truncated == want.truncated
                assert 1 <= got.dropped <= want.dropped if got.truncated else got.dropped == 0


def test_a_mediator_that_another_source_names_by_an_id_of_its_own(neo4j_database: object, small: None) -> None:
    """Only one of the two nodes is labelled; its class is a mediator all the same."""
    facts = [("m.0b", "p", "Q1", 0), ("m.0v", "q", "m.0c", 0), ("m.0b", "r", "m.0d", 0), ("m.0b", "r", "m.0f", 0)]
    spec = Spec("a", (Source("a"),), facts, mediators=["m.0v"], same_as=[("m.0v", "Q1")])
    reference = FakeStore()
    with neo4j_stores.empty() as store:
        for one in (store, reference):
            graphs.put(one, spec)
        with store.snapshot() as ours, reference.snapshot() as theirs:
            rank = np.array([key != "r" for key in theirs.predicates().keys], np.float32)
            got, want = (s.cut([ids.encode("m.0b")], depth=1, rank=rank, budget=2) for s in (ours, theirs))
            assert want.truncated
            assert ids.encode("m.0c") in want.ids[want.nodes]
            assert rows(got) == rows(want)
            assert reached(got) == reached(want)


def test_predicates_beyond_the_servers_types_share_one(
    neo4j_database: object, small: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing differs for who asks: cuts, facts, pairs, and dropping a source."""
    monkeypatch.setattr(writer, "OWN_TYPES", 0)
    phrases = ["was born in", "grew up near", "STATES", "`", ""]
    facts = [
        (f"m.0{a}", p, f"m.0{b}", n % 2)
        for n, (a, p, b) in enumerate(
            [
                ("b", phrases[0], "c"),
                ("b", phrases[1], "d"),
                ("c", phrases[2], "d"),
                ("v", phrases[3], "b"),
                ("v", phrases[0], "f"),
                ("c", phrases[4], "f"),
                ("b", "type.object.type", "g"),
            ]
        )
    ]
    spec = Spec("a", (Source("a"), OPEN), facts, mediators=["m.0v"], names=[("m.0g", "name", "City")])
    reference = FakeStore()
    with neo4j_stores.empty() as store:
        for one in (store, reference):
            graphs.put(one, spec)
        with neo4j_stores.opened().session() as session:
            found = session.run("MATCH (:HydraEntity)-[r]->(:HydraEntity) RETURN type(r), count(*)").values()
        assert found == [["STATES", len(facts)]]
        for _ in range(2):
            with store.snapshot() as ours, reference.snapshot() as theirs:
                assert ours.predicates().keys == theirs.predicates().keys
                rank = np.arange(len(ours.predicates().keys), dtype=np.float32)
                for budget in (0, 1, 3, 6):
                    got, want = (s.cut([ids.encode("m.0b")], depth=3, rank=rank, budget=budget) for s in (ours, theirs))
                    assert rows(got) == rows(want)
                    assert ours.facts(want.segment, want.row) == theirs.facts(want.segment, want.row)
                assert ours.relation_pairs().tolist() == theirs.relation_pairs().tolist()
                node = [ids.encode("m.0b")]
                assert ours.entities(node) == theirs.entities(node)
                ends = np.array([ids.encode("m.0b")]), np.array([ids.encode("m.0c")])
                assert ours.between(*ends).pred.tolist() == theirs.between(*ends).pred.tolist()
            for one in (store, reference):
                if any(OPEN in s.sources for s in _manifest(one)):
                    one.drop(OPEN.name)


def _manifest(store: Any) -> Any:
    with store.snapshot() as snapshot:
        return snapshot.manifest()
