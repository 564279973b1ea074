"""What a question remembers: each thing asked of the store once, and always what the store itself would have said."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from helpers.samples.subgraphs import PREDICATES, nets
from hypothesis import given
from hypothesis import strategies as st

from hydra_kg.domain import Entity, Node
from hydra_kg.steps.graph.cut_hops import HopGraph, Inside
from hydra_kg.steps.snapshots.caching_snapshot import CUTS, CachingSnapshot, Memory
from hydra_kg.steps.snapshots.snapshot_proxy import SnapshotProxy


class Counted(SnapshotProxy):
    """A snapshot of nothing that counts what it is asked; cuts are as truncated as they are said to be."""

    def __init__(self, *, truncated: bool = False) -> None:
        self.asked: Counter[object] = Counter()
        self.truncated = truncated

    def cut(self, topics, *, depth, hops="entity", rank=None, budget=0, hub_cap=0):
        self.asked["cut", tuple(topics), depth, hops, budget, hub_cap] += 1
        return Cut(self.truncated)

    def facts(self, segment, row):
        handles = list(zip(segment.tolist(), row.tolist(), strict=True))
        self.asked.update(handles)
        return [f"fact {s}.{r}" for s, r in handles]

    def entities(self, nodes):
        self.asked.update(nodes)
        return [Entity(Node(n, f"Q{n}", f"name {n}")) for n in nodes]

    def find(self, names, *, limit=50, reach="exact"):
        self.asked.update((n, limit, reach) for n in names)
        return [[f"{n} {limit} {reach}"] for n in names]

    def passages(self, nodes, *, query="", limit=20):
        self.asked[query] += 1
        return [f"about {n}: {query}" for n in nodes]


class Cut:
    """All that remembering looks at."""

    def __init__(self, truncated: bool) -> None:
        self.truncated = truncated


RANK, OTHER = np.array([0.5, 0.1], np.float32), np.array([0.1, 0.5], np.float32)


def test_the_same_cut_is_made_once_whatever_the_rank():
    below = Counted()
    snapshot = CachingSnapshot(below)
    first = snapshot.cut([7, 3], depth=3, rank=RANK, budget=10, hub_cap=5)
    assert snapshot.cut([3, 7, 7], depth=3, rank=OTHER, budget=10, hub_cap=5) is first
    assert sum(below.asked.values()) == 1


def test_what_a_budget_cut_by_rank_serves_that_rank_only():
    below = Counted(truncated=True)
    snapshot = CachingSnapshot(below)
    first = snapshot.cut([3], depth=3, rank=RANK, budget=10)
    assert snapshot.cut([3], depth=3, rank=RANK.copy(), budget=10) is first
    assert snapshot.cut([3], depth=3, rank=OTHER, budget=10) is not first
    assert snapshot.cut([3], depth=3, budget=10) is not first
    assert sum(below.asked.values()) == 3


def test_other_cuts_are_made_and_only_a_few_are_kept():
    below = Counted()
    snapshot = CachingSnapshot(below)
    asked = [
        {"depth": 2},
        {"depth": 3},
        {"depth": 2, "hops": "paper"},
        {"depth": 2, "budget": 1},
        {"depth": 2, "hub_cap": 1},
    ]
    for how in asked:
        snapshot.cut([3], **how)
    assert len(below.asked) == sum(below.asked.values()) == len(asked) > CUTS
    snapshot.cut([3], **asked[0])
    assert sum(below.asked.values()) == len(asked) + 1


@given(st.lists(st.lists(st.tuples(st.integers(0, 3), st.integers(-2, 3)), max_size=6), max_size=4))
def test_facts_entities_and_names_are_asked_for_once_and_come_in_order(calls):
    below = Counted()
    snapshot = CachingSnapshot(below)
    for handles in calls:
        segment, row = (np.array([h[k] for h in handles], t) for k, t in ((0, np.int16), (1, np.int64)))
        assert snapshot.facts(segment, row) == [f"fact {s}.{r}" for s, r in handles]
        nodes = [r for _, r in handles]
        assert [e.node.id for e in snapshot.entities(nodes)] == nodes
        assert snapshot.find([f"{n}" for n in nodes], limit=2) == [[f"{n} 2 exact"] for n in nodes]
        assert snapshot.find([f"{n}" for n in nodes], reach="near") == [[f"{n} 50 near"] for n in nodes]
    assert not below.asked or max(below.asked.values()) == 1


def test_what_is_given_can_be_changed_without_harm():
    below = Counted()
    snapshot = CachingSnapshot(below)
    snapshot.find(["a"])[0].append("b")
    assert snapshot.find(["a"]) == [["a 50 exact"]]
    snapshot.passages([1], query="a").append("b")
    assert snapshot.passages([1], query="a") == ["about 1: a"]
    assert snapshot.passages([1], query="b") == ["about 1: b"]
    assert below.asked["a"] == below.asked["b"] == 1


def test_memory_makes_once_forgets_the_oldest_and_keeps_no_failure():
    memory, made = Memory(2), Counter()

    def make(key):
        made[key] += 1
        return key * 2

    for key in ("a", "b", "a", "c", "a", "b"):
        assert memory.get(key, lambda key=key: make(key)) == key * 2
    assert made == {"a": 1, "b": 2, "c": 1}
    with pytest.raises(ZeroDivisionError):
        memory.get("bad", lambda: 1 // 0)
    assert memory.get("bad", lambda: 5) == 5


def test_memory_gives_every_thread_what_belongs_to_its_key():
    memory = Memory(4)
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda n: memory.get(n % 9, lambda: n % 9), range(900))) == [n % 9 for n in range(900)]


@given(nets(), st.sets(st.integers(900, 903), max_size=2))
def test_a_cut_knows_its_classes_without_a_set_of_them(net, more):
    graph = HopGraph(net.subgraph(), predicates=PREDICATES)
    inside, members = Inside(graph), set(graph.ids.tolist())
    wider = inside | more
    everything = [*members, *range(-3, 12), *range(898, 906)]
    assert [n in inside for n in everything] == [n in members for n in everything]
    assert [n in wider for n in everything] == [n in members | more for n in everything]
    assert set(wider) == members | more
    assert len(wider) == len(members | more)
    assert "Q1" not in inside
