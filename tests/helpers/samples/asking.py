"""A process or thread that asks a store again and again and checks that every snapshot is of one piece."""

from __future__ import annotations

import os
from collections.abc import Callable
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any

import numpy as np
from helpers.samples import graphs

from hydra_kg import ids
from hydra_kg.domain import Source
from hydra_kg.ports import Snapshot
from hydra_kg.stores.embedded.store import EmbeddedStore

CITY = "m.0b"
SIZE = 40


def spec(name: str, edition: int) -> graphs.Spec:
    """A load that can be told from others by its facts: ``SIZE + edition`` of them, a name, a passage."""
    links = [
        (CITY, f"p.{name}", f"m.0{graphs.ENTITIES[0][3:]}{'bcdfghjklmnpqrstvwxyz'[i % 21]}{i}", 0)
        for i in range(SIZE + edition)
    ]
    return graphs.Spec(
        name,
        (Source(name, version=str(edition)),),
        links,
        names=[(CITY, "alias", f"City {name}")],
        passages=[(CITY, f"City {name}", f"Edition number {edition}.")],
    )


def check(snapshot: Snapshot) -> None:
    """Everything a snapshot says must fit the loads that its manifest names: no more, no less."""
    wanted = {load.name: SIZE + int(load.sources[0].version) for load in snapshot.manifest()}
    for _ in range(2):
        graph = snapshot.cut([ids.encode(CITY)], depth=2)
        facts = snapshot.facts(graph.segment, graph.row)
        found: dict[str, int] = {}
        for fact in facts:
            assert fact.predicate == f"p.{fact.source.name}", fact
            found[fact.source.name] = found.get(fact.source.name, 0) + 1
        assert found == wanted, (found, wanted)
        for name in "abc":
            hits = snapshot.find([f"city {name}"], reach="near")[0]
            assert bool([h for h in hits if h.how == "alias"]) == (name in wanted), (name, wanted, hits)
        assert sorted(p.source.name for p in snapshot.passages([ids.encode(CITY)], query="edition")) == sorted(wanted)
        if wanted:
            entity = snapshot.entities([ids.encode(CITY)])[0]
            assert entity.degree == sum(wanted.values()), (entity.degree, wanted)
            pairs = np.full(len(facts), ids.encode(CITY)), graph.ids[graph.dst]
            assert len(snapshot.between(*pairs).row) >= len(facts)


def ask_until(store: EmbeddedStore, done: Callable[[], bool], *, least: int) -> int:
    """Ask at least ``least`` times and until ``done``; how often it was."""
    asked = 0
    while asked < least or not done():
        with store.snapshot() as snapshot:
            check(snapshot)
        asked += 1
    return asked


def process(path: Path, started: Any, done: Event, least: int, answers: Any) -> None:
    """What each asking process does: puts how often it asked, or the error."""
    try:
        with EmbeddedStore(path) as store:
            started.wait()
            answers.put(ask_until(store, done.is_set, least=least))
    except BaseException as e:
        answers.put(repr(e))


def ask_around_a_fork(path: Path) -> None:
    """Ask, fork, and ask the same snapshot in both processes; ends with status 0 if all went well."""
    with EmbeddedStore(path) as store:
        with store.snapshot() as snapshot:
            check(snapshot)
            child = os.fork()
            if child == 0:
                status = 1
                try:
                    check(snapshot)
                    status = 0
                finally:
                    os._exit(status)
            check(snapshot)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        with store.snapshot() as snapshot:
            check(snapshot)
