"""A share of the graph's facts: as many as said, the same in every store, and hidden from every reader."""

from __future__ import annotations

import tempfile
from itertools import pairwise
from math import sqrt

import numpy as np
import pytest
from helpers.samples import graphs
from helpers.samples.alike import edges as rows
from helpers.samples.graphs import Spec
from hypothesis import given
from hypothesis import strategies as st
from thorough import examples

from hydra_kg import ids
from hydra_kg.domain import Source
from hydra_kg.errors import UsageError
from hydra_kg.fakes import FakeSnapshot, FakeStore
from hydra_kg.ports import Snapshot
from hydra_kg.steps.snapshots.kg_sampling import SampledSnapshot, drawn, keep_share
from hydra_kg.stores.embedded.store import EmbeddedStore

SHARES = [0.0, 0.1, 0.3, 0.5, 0.8, 1.0]
ALL = [ids.encode(k) for k in graphs.ENTITIES + graphs.MEDIATORS]


def random_facts(number: int) -> tuple[np.ndarray, ...]:
    """Ids as stores have them: many that differ in a few low bits."""
    random = np.random.default_rng(1)
    subject, obj = (random.integers(0, 2000, number) << 3 for _ in range(2))
    return subject, random.integers(1, 1 << 60, 40)[random.integers(0, 40, number)], obj


def everything(snapshot: Snapshot) -> tuple[set[object], ...]:
    """All that a reader can find: facts of a cut, literal facts, facts between all pairs; each by its id."""
    graph = snapshot.cut(ALL, depth=1)
    values = snapshot.values(ALL)
    known = graph.ids[graph.nodes]
    left, right = (a.ravel() for a in np.meshgrid(known, known))
    links = snapshot.between(left, right)
    handles = [(graph.segment, graph.row), (values.segment, values.row), (links.segment, links.row)]
    return tuple({(f.subject, f.predicate, f.object, f.source.name, f.id) for f in snapshot.facts(*h)} for h in handles)


@pytest.mark.parametrize("share", SHARES)
def test_the_share_is_as_large_as_said(share):
    for seed in (0, 1, -1, 2**70):
        kept = int(drawn(*random_facts(10_000), share=share, seed=seed).sum())
        assert abs(kept - 10_000 * share) <= 3 * sqrt(10_000 * share * (1 - share))


def test_what_stays_at_a_share_stays_at_every_larger_one():
    facts = random_facts(5_000)
    for seed in (0, 7):
        kept = [drawn(*facts, share=share, seed=seed) for share in SHARES]
        assert all((small <= large).all() for small, large in pairwise(kept))


def test_another_seed_draws_others():
    facts = random_facts(10_000)
    one, other = (drawn(*facts, share=0.5, seed=seed) for seed in (0, 1))
    assert 0.47 < (one == other).mean() < 0.53


def test_who_is_subject_and_who_is_object_counts():
    subject, predicate, obj = random_facts(10_000)
    there, back = (drawn(*f, share=0.5, seed=0) for f in ((subject, predicate, obj), (obj, predicate, subject)))
    assert 0.47 < (there == back).mean() < 0.53


def mix(number: int) -> int:
    """SplitMix64 on Python's numbers."""
    number = (number + 0x9E3779B97F4A7C15) % 2**64
    number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    number = (number ^ number >> 27) * 0x94D049BB133111EB % 2**64
    return number ^ number >> 31


@pytest.mark.parametrize("seed", [0, 3, -1])
def test_the_draw_is_the_published_mix_of_ids_and_seed(seed):
    assert mix(0) == 0xE220A8397B1DCDAF
    facts = [*zip(*(column[:300].tolist() for column in random_facts(300)), strict=True), (-8, 2**63 - 1, 0)]
    wanted = [mix(mix(mix(seed % 2**64 ^ s % 2**64) ^ p) ^ o) / 2**64 < 0.3 for s, p, o in facts]
    assert drawn(*np.array(facts, np.int64).T, share=0.3, seed=seed).tolist() == wanted


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan")])
def test_a_share_is_between_none_and_all(share):
    with pytest.raises(UsageError, match="kg_share"):
        SampledSnapshot(FakeSnapshot([]), share=share)


@examples(10)
@given(loads=st.tuples(graphs.specs("a"), graphs.specs("b")), share=st.sampled_from(SHARES), seed=st.integers(0, 3))
def test_the_same_facts_stay_in_every_store(loads, share, seed):
    fake = FakeStore()
    with tempfile.TemporaryDirectory(dir=graphs.MEMORY) as folder, EmbeddedStore(folder) as store:
        for load in loads:
            graphs.put(fake, load)
            graphs.put(store, load)
        with fake.snapshot() as one, store.snapshot() as other:
            kept = [SampledSnapshot(s, share=share, seed=seed) for s in (one, other)]
            assert everything(kept[0]) == everything(kept[1])
            assert rows(kept[0].cut(ALL, depth=2)) == rows(kept[1].cut(ALL, depth=2))


@examples(15)
@given(loads=st.tuples(graphs.specs("a"), graphs.specs("b")), share=st.sampled_from(SHARES))
def test_only_graphs_lose_facts_and_the_order_of_loads_is_the_same_to_them(loads, share):
    snapshots = []
    for order in (loads, loads[::-1]):
        store = FakeStore()
        for load in order:
            graphs.put(store, load)
        with store.snapshot() as snapshot:
            snapshots.append(snapshot)
    whole, (one, other) = everything(snapshots[0]), (everything(SampledSnapshot(s, share=share)) for s in snapshots)
    assert one == other
    graph = {s.name for load in loads for s in load.sources if any(x.kind == "kg" for x in load.sources)}
    for kept, all_ in zip(one, whole, strict=True):
        assert kept <= all_
        assert {f for f in all_ if f[3] not in graph} <= kept
        if share == 0:
            assert not {f for f in kept if f[3] in graph}
        if share == 1:
            assert kept == all_


def test_nodes_stay_and_so_does_what_is_no_fact():
    links = [("m.0b", "p", f"Q{n}", 0) for n in range(1, 200)]
    store = FakeStore()
    graphs.put(
        store,
        Spec(
            "a",
            (Source("a"),),
            links,
            names=[("m.0b", "name", "Paris")],
            passages=[("m.0b", "Paris", "Paris is a city.")],
        ),
    )
    with store.snapshot() as inner:
        kept = SampledSnapshot(inner, share=0.3, seed=1)
        start = [ids.encode("m.0b")]
        graph, whole = kept.cut(start, depth=1), inner.cut(start, depth=1)
        assert 0 < len(graph) < len(whole) == 199
        assert graph.nodes.tolist() == whole.nodes.tolist()
        assert rows(graph) == rows(keep_share(whole, inner.predicates(), 0.3, 1))
        assert kept.manifest() == inner.manifest()
        assert kept.predicates().keys == inner.predicates().keys
        assert kept.find(["paris"]) == inner.find(["paris"]) != [[]]
        assert kept.lookup(["m.0b"]) == inner.lookup(["m.0b"])
        assert kept.entities(start) == inner.entities(start)
        assert kept.passages(start) == inner.passages(start) != []
        assert kept.relation_pairs().tolist() == inner.relation_pairs().tolist()


@pytest.mark.parametrize("kind", ["kg", "derived"])
def test_what_is_hidden_in_one_place_is_hidden_in_the_others(kind):
    ends = [f"Q{n}" for n in range(1, 60)]
    values = [("m.0b", "v", f'"{n}"^^xsd:integer', 0) for n in range(60)] + [(e, "v", '"x"', 0) for e in ends]
    store = FakeStore()
    graphs.put(store, Spec("a", (Source("a", kind),), [("m.0b", "p", e, 0) for e in ends], values))
    with store.snapshot() as inner:
        kept, nodes = SampledSnapshot(inner, share=0.5), [ids.encode(k) for k in ("m.0b", *ends)]
        graph = kept.cut(nodes[:1], depth=1)
        left, right = np.array(nodes[:1] * len(ends)), np.array(nodes[1:])
        ahead, back = kept.between(left, right), kept.between(right, left)
        assert sorted(graph.row.tolist()) == ahead.row.tolist() == back.row.tolist()
        assert 20 <= len(graph) <= 40
        assert ahead.forward.all()
        assert not back.forward.any()
        at_once, one_by_one = kept.values(nodes), [kept.values([n]) for n in reversed(nodes)]
        assert sorted(at_once.row.tolist()) == sorted(r for v in one_by_one for r in v.row.tolist())
        assert 40 <= len(at_once.row) == len(at_once.literal) <= 80
        keys = [f.object for f in kept.facts(at_once.segment, at_once.row)]
        assert keys == list(at_once.literal)
