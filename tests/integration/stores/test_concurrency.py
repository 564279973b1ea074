"""Many readers, in threads and in processes, while loads, replacements and drops go on: each sees one ready set."""

from __future__ import annotations

import multiprocessing
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from helpers.samples import asking, graphs

from hydra_kg import ids
from hydra_kg.errors import NotFoundError, StoreError
from hydra_kg.stores.embedded.store import EmbeddedStore


def change(store: EmbeddedStore, rounds: int) -> None:
    """Loads, replacements and drops, one after the other."""
    for edition in range(1, rounds + 1):
        graphs.put(store, asking.spec("b", edition))
        graphs.put(store, asking.spec("a", edition), replace=True)
        store.drop("b")


def test_threads_see_one_ready_set(tmp_path: Path) -> None:
    """Four threads share one store object while a fifth loads and drops."""
    with EmbeddedStore(tmp_path) as store, ThreadPoolExecutor(4) as pool:
        graphs.put(store, asking.spec("a", 0))
        done = threading.Event()
        readers = [pool.submit(asking.ask_until, store, done.is_set, least=10) for _ in range(4)]
        try:
            change(store, 3)
        finally:
            done.set()
        assert all(r.result() >= 10 for r in readers)


def test_processes_ask_while_loads_run(tmp_path: Path) -> None:
    """200 asks from four processes while this one loads, replaces and drops: no error, and nothing half-way."""
    context = multiprocessing.get_context("spawn")
    with EmbeddedStore(tmp_path) as store:
        graphs.put(store, asking.spec("a", 0))
        done, answers, started = context.Event(), context.Queue(), context.Barrier(5)
        readers = [
            context.Process(target=asking.process, args=(tmp_path, started, done, 50, answers)) for _ in range(4)
        ]
        for reader in readers:
            reader.start()
        try:
            started.wait(timeout=60)
            change(store, 3)
        finally:
            done.set()
        asked = [answers.get(timeout=60) for _ in readers]
        for reader in readers:
            reader.join()
        assert all(isinstance(a, int) and a >= 50 for a in asked), asked
        store.drop("a")
        with store.snapshot() as snapshot:
            asking.check(snapshot)


def test_a_reader_keeps_what_was_dropped(tmp_path: Path) -> None:
    """Files of a dropped load stay for the reader that holds them, whichever process drops, and go afterwards."""
    with EmbeddedStore(tmp_path) as store, EmbeddedStore(tmp_path) as other:
        graphs.put(store, asking.spec("a", 0))
        with store.snapshot() as snapshot:
            other.drop("a")
            asking.check(snapshot)
        with store.snapshot() as snapshot:
            assert snapshot.manifest() == ()
        graphs.put(other, asking.spec("b", 0))
        assert [p.name[0] for p in (tmp_path / "loads").iterdir()] == ["b"]


def test_a_forked_child_can_ask_on(tmp_path: Path) -> None:
    """A snapshot taken before a fork answers in both processes: connections are not shared."""
    with EmbeddedStore(tmp_path) as store:
        graphs.put(store, asking.spec("a", 0))
    # In a process of its own: forking one with threads, as this one may be, is not what is tested.
    parent = multiprocessing.get_context("spawn").Process(target=asking.ask_around_a_fork, args=(tmp_path,))
    parent.start()
    parent.join()
    assert parent.exitcode == 0


def test_a_closed_snapshot_says_so(tmp_path: Path) -> None:
    """Using one after its store was closed is an error with a remedy, not a crash."""
    with EmbeddedStore(tmp_path) as store:
        graphs.put(store, asking.spec("a", 0))
        with store.snapshot() as snapshot:
            pass
    with pytest.raises(StoreError, match="closed"):
        snapshot.entities([ids.encode(asking.CITY)])


def test_dropping_twice_says_so(tmp_path: Path) -> None:
    """The second drop finds nothing."""
    with EmbeddedStore(tmp_path) as store:
        graphs.put(store, asking.spec("a", 0))
        store.drop("a")
        with pytest.raises(NotFoundError):
            store.drop("a")
