"""What a reader remembers from one question to the next is bounded, and what was asked for last stays."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from hydra_kg.domain import Entity, Node
from hydra_kg.stores.embedded.reads.pinned_generation import EntityCache


def entity(n: int) -> Entity:
    return Entity(Node(n, f"Q{n}", f"name {n}"))


def test_what_was_asked_for_longest_ago_is_forgotten():
    recent = EntityCache(most=3)
    recent.keep({n: entity(n) for n in (1, 2, 3)})
    assert recent.known([1, 9]) == {1: entity(1)}
    recent.keep({4: entity(4)})
    assert set(recent.known(range(9))) == {1, 3, 4}


def test_many_threads_may_remember_at_once():
    recent = EntityCache(most=5)

    def work(n: int) -> bool:
        recent.keep({n: entity(n)})
        return all(e.node.id == c for c, e in recent.known(range(50)).items())

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(work, list(range(50)) * 10))
    assert len(recent.known(range(50))) <= 5
