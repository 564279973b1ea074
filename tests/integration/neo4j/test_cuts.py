"""Cuts by predicate on a server, which come into play where a level is far over its budget: as the reference's."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, get_args

import numpy as np
import pytest
from helpers.samples import graphs
from helpers.samples.graphs import Spec
from helpers.servers import neo4j_stores
from helpers.servers.neo4j_server import Server
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from thorough import examples

from hydra_kg import ids
from hydra_kg.domain import Source, Subgraph
from hydra_kg.fakes import FakeEmbedder, FakeStore
from hydra_kg.ports import ServerCut
from hydra_kg.reasoner import Reasoner
from hydra_kg.settings import Settings
from hydra_kg.stores.neo4j.connection.queries import query_text
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
    examples(3),
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


@settings(
    examples(3),
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(
    specs=loads(),
    topics=st.lists(st.sampled_from(graphs.ENTITIES + graphs.MEDIATORS), min_size=1, max_size=3),
    most=st.sampled_from([cuts.MOST, 3]),
    data=st.data(),
)
def test_every_way_to_ask_for_a_cut_gives_the_cut_by_level(
    neo4j_database: Server, specs: list[Spec], topics: list[str], most: int, data: st.DataObject
) -> None:
    """By a pattern of variable length and by two procedures of APOC; also where nodes are left to the levels."""
    with neo4j_stores.empty() as store, pytest.MonkeyPatch.context() as patch:
        patch.setattr(cuts, "MOST", most)
        for spec in specs:
            graphs.put(store, spec)
        start = [ids.encode(t) for t in topics]
        with store.snapshot() as levels:
            for _ in range(2):
                how: Any = {
                    "depth": data.draw(st.integers(0, 3)),
                    "budget": data.draw(st.sampled_from([0, 0, 5])),
                    "hops": data.draw(st.sampled_from(["entity", "paper"])),
                    "hub_cap": data.draw(st.sampled_from([0, 0, 5])),
                }
                want = levels.cut(start, **how)
                for way in get_args(ServerCut):
                    if way in {"subgraph", "spanning-tree"} and not _apoc():
                        continue
                    got = levels.cutting(way).cut(start, **how)
                    assert rows(got) == rows(want), way
                    assert reached(got) == reached(want), way
                    assert (got.truncated, got.skipped_hubs) == (want.truncated, want.skipped_hubs), way


def test_a_way_asks_once_for_what_levels_ask_for_several_times(neo4j_database: Server) -> None:
    chain = [(f"m.0{a}", "next", f"m.0{b}", 0) for a, b in pairwise("bcdfg")]
    with neo4j_stores.empty() as store:
        graphs.put(store, Spec("a", (Source("a"),), chain))
        with store.snapshot() as levels:
            asked: list[str] = []
            read = store.db.read

            def counted(query: str, *args: Any, **more: Any) -> Any:
                asked.append(query)
                return read(query, *args, **more)

            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(store.db, "read", counted)
                cut = levels.cutting("pattern").cut([ids.encode("m.0b")], depth=3)
                assert [q for q in asked if q in {"cut_pattern", "expand"}] == ["cut_pattern"]
                asked.clear()
                levels.cut([ids.encode("m.0b")], depth=3)
                assert [q for q in asked if q == "expand"] == ["expand"] * 3
            assert len(cut.src) == 3


def test_a_reasoner_cuts_in_the_way_of_its_settings(neo4j_database: Server) -> None:
    ways: list[str] = []
    with neo4j_stores.empty() as store, pytest.MonkeyPatch.context() as patch:
        graphs.put(store, Spec("a", (Source("a"),), [("m.0b", "leader", "m.0c", 0)], names=[("m.0b", "name", "Orle")]))
        make = cuts.region

        def noted(*args: Any, way: ServerCut, **more: Any) -> Any:
            ways.append(way)
            return make(*args, way=way, **more)

        patch.setattr(cuts, "region", noted)
        for way in ("levels", "pattern"):
            chosen = Settings().changed(retrieval={"server_cut": way})
            Reasoner(store, settings=chosen, embedder=FakeEmbedder()).ask("Who is the leader of Orle?")
    assert set(ways) == {"pattern"}


def _apoc() -> bool:
    with neo4j_stores.opened().session() as session:
        return bool(session.run(query_text("server_apoc")).single()[0])
