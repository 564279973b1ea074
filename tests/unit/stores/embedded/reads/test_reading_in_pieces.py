"""The embedded store looks at edges in bounded pieces, forgets early what a budget leaves out, and takes other ways
where there is much of something: what it answers may not change."""

from __future__ import annotations

import tempfile
from unittest import mock

import numpy as np
from helpers.samples import graphs
from hypothesis import given
from hypothesis import strategies as st
from thorough import examples

from hydra_kg import ids
from hydra_kg.fakes import FakeStore
from hydra_kg.stores.common import passages
from hydra_kg.stores.embedded.reads import cuts, entities, snapshot_graph
from hydra_kg.stores.embedded.reads import edge_budget as budget_module
from hydra_kg.stores.embedded.store import EmbeddedStore


@examples(20)
@given(
    loads=st.tuples(graphs.specs("a"), graphs.specs("b")),
    topics=st.lists(st.sampled_from(graphs.ENTITIES), min_size=1, max_size=3),
    hops=st.sampled_from(["entity", "paper"]),
    ranks=st.lists(st.sampled_from([0.0, 0.5]), min_size=8, max_size=8),
    budget=st.integers(0, 20),
    chunk=st.integers(1, 6),
)
def test_pieces_do_not_show(loads, topics, hops, ranks, budget, chunk) -> None:  # type: ignore[no-untyped-def]
    """The same edges, and between() and paths too, whatever the size of a piece."""
    with tempfile.TemporaryDirectory(dir=graphs.MEMORY) as folder, EmbeddedStore(folder) as store:
        for load in loads:
            graphs.put(store, load)
        with store.snapshot() as snapshot:
            start = [ids.encode(t) for t in topics]
            rank = np.array(ranks[: len(snapshot.predicates().ids)], np.float32)
            known = np.array([ids.encode(k) for k in graphs.ENTITIES], np.int64)

            def everything() -> list[object]:
                graph = snapshot.cut(start, depth=3, hops=hops, rank=rank, budget=budget)
                edges = zip(graph.level.tolist(), graph.segment.tolist(), graph.row.tolist(), strict=True)
                links = snapshot.between(known, known[::-1].copy())
                paths = [p.tolist() for p in snapshot.simple_paths(int(known[0]), int(known[1]))]
                shown = snapshot.entities(known.tolist())
                return [shown, sorted(edges), graph.nodes.tolist(), graph.truncated, links.row.tolist(), paths]

            whole = everything()
            with mock.patch.object(snapshot_graph, "CHUNK", chunk), mock.patch.object(budget_module, "SLACK", 0):
                assert everything() == whole
            with mock.patch.object(entities, "FEW", 0):
                assert everything() == whole


def test_scratch_is_clean_after_an_error(tmp_path) -> None:  # type: ignore[no-untyped-def]
    """A cut that fails half-way does not disturb the next."""
    with EmbeddedStore(tmp_path) as store:
        graphs.put(store, graphs.Spec("a", (graphs.Source("a"),), [("m.0b", "p", "m.0c", 0), ("m.0c", "p", "m.0d", 0)]))
        with store.snapshot() as snapshot:
            topic = [ids.encode("m.0b")]
            first = len(snapshot.cut(topic, depth=2))
            with mock.patch.object(cuts, "distinct", side_effect=[np.array([0], np.int32), MemoryError]):
                try:
                    snapshot.cut(topic, depth=2)
                except MemoryError:
                    pass
                else:
                    raise AssertionError("the fault did not happen")
            assert len(snapshot.cut(topic, depth=2)) == first == 2


def test_common_words_are_searched_last(tmp_path) -> None:  # type: ignore[no-untyped-def]
    """Where a word is in very many passages, the rarer ones decide; where all are, some passages come all the same."""
    texts = [("", "Page", f"common words and number{i}") for i in range(30)]
    with EmbeddedStore(tmp_path) as store:
        graphs.put(store, graphs.Spec("a", (graphs.Source("a"),), passages=texts))
        with store.snapshot() as snapshot, mock.patch.object(passages, "MATCHES", 5):
            assert [p.text for p in snapshot.passages([], query="common number7?")] == ["common words and number7"]
            with mock.patch.object(passages, "UNRANKED", 5):
                assert len(snapshot.passages([], query="common words", limit=4)) == 4


@examples(20)
@given(loads=st.tuples(graphs.specs("a"), graphs.specs("b")))
def test_simple_paths(loads) -> None:  # type: ignore[no-untyped-def]
    """All paths of one to three edges, each once, between every two classes: as a walk over sets finds them."""
    reference = FakeStore()
    with tempfile.TemporaryDirectory(dir=graphs.MEMORY) as folder, EmbeddedStore(folder) as store:
        for load in loads:
            graphs.put(store, load)
            graphs.put(reference, load)
        with store.snapshot() as snapshot, reference.snapshot() as known:
            near: dict[int, set[int]] = {c: set() for c in known.classes}
            for edge in known.edges:
                near[edge.src].add(edge.dst)
                near[edge.dst].add(edge.src)
            for a in known.classes[:4]:
                walks = [[a]]
                for hops in (1, 2, 3):
                    walks = [[*walk, c] for walk in walks for c in near[walk[-1]] if c not in walk]
                    for b in known.classes[:4]:
                        found = [p.tolist() for p in snapshot.simple_paths(a, b) if p.shape[1] == hops + 1]
                        assert [row for rows in found for row in rows] == sorted(w for w in walks if w[-1] == b)
