"""A newer load beside the old one: unseen, compared fact by fact with a naive count, then taken or not."""

from __future__ import annotations

import resource
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from helpers.programs import own_environment
from helpers.samples.graphs import ENTITIES, MEDIATORS, MEMORY, WORDS, Spec, put, specs
from helpers.samples.whole import everything
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from thorough import examples

from bench.memory_stage import FactRow, MemoryStage, SimpleLoadPlan
from hydra_kg.domain import Source
from hydra_kg.errors import AlreadyDoneError, DiskFullError, NotFoundError, StoreBusyError, StoreError
from hydra_kg.stores.embedded.catalog.locks import take_load
from hydra_kg.stores.embedded.operations import load_difference as module
from hydra_kg.stores.embedded.operations.pending_load import (
    HoldingStore,
    discard_pending,
    flip_pending,
    pending_difference,
)
from hydra_kg.stores.embedded.store import EmbeddedStore

KEYS = [*ENTITIES, *MEDIATORS]


def said(store: EmbeddedStore) -> dict[str, Any]:
    return everything(store, KEYS, WORDS, handles=True)


def hold(store: EmbeddedStore, spec: Spec) -> None:
    put(HoldingStore(store), spec)


def facts(spec: Spec) -> Counter[tuple[str, str, str, str]]:
    return Counter((s, p, o, spec.sources[n].name) for s, p, o, n in (*spec.links, *spec.values))


def three(old: Counter[Any], new: Counter[Any]) -> dict[str, int]:
    return {"old_only": (old - new).total(), "new_only": (new - old).total(), "common": (old & new).total()}


@settings(examples(8), suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(old=specs("l"), new=specs("l"), block=st.sampled_from([1, 3, 1 << 21]))
def test_the_difference_is_what_a_naive_count_says(old: Spec, new: Spec, block: int):
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder, EmbeddedStore(Path(folder) / "s") as store:
        put(store, old)
        hold(store, new)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, "BLOCK", block)
            patch.setattr(module, "NAMES", block)
            doc = pending_difference(store, "l")
        assert doc["facts"] == three(facts(old), facts(new))
        own = [Counter(row for row in spec.names if row[1] != "description") for spec in (old, new)]
        assert doc["names"] == three(*own)
        assert doc["passages"] == three(Counter(old.passages), Counter(new.passages))
        assert doc["same_as"] == three(Counter(old.same_as), Counter(new.same_as))
        by_predicate = [Counter(p for _, p, _, _ in (*spec.links, *spec.values)) for spec in (old, new)]
        for row in doc["predicates"]:
            p = row["predicate"]
            assert row["old_only"] + row["common"] == by_predicate[0][p]
            assert row["new_only"] + row["common"] == by_predicate[1][p]
        nodes = [set(_entities(spec)) for spec in (old, new)]
        entities = doc["entities"]
        assert [entities[k] for k in ("old_only", "new_only", "common")] == [
            len(nodes[0] - nodes[1]),
            len(nodes[1] - nodes[0]),
            len(nodes[0] & nodes[1]),
        ]
        assert {e["id"] for e in entities["new"]} <= nodes[1] - nodes[0]


def _entities(spec: Spec) -> set[str]:
    every = {n for s, _, o, _ in spec.links for n in (s, o)} | {s for s, _, _, _ in spec.values}
    every |= {n for n, _, _ in spec.names} | {n for pair in spec.same_as for n in pair}
    return (every | {n for n, _, _ in spec.passages if n}) - set(spec.mediators)


OLD = Spec("l", (Source("l"),), links=[("Q1", "P19", "Q2", 0), ("Q1", "P31", "Q5", 0)], names=[("Q1", "name", "Paris")])
NEW = Spec(
    "l",
    (Source("l"),),
    links=[("Q1", "P19", "Q2", 0), ("Q1", "P19", "m.0b", 0)],
    names=[("Q1", "name", "Paris"), ("m.0b", "name", "Hilton")],
)


@pytest.fixture
def store(tmp_path: Path) -> EmbeddedStore:
    with EmbeddedStore(tmp_path / "store") as store:
        put(store, OLD)
        yield store


def test_a_held_load_is_unseen_until_it_is_taken(store: EmbeddedStore):
    before = said(store)
    hold(store, NEW)
    assert said(store) == before
    assert [(x["state"], x["held"], x["running"]) for x in store.loads()] == [
        ("ready", False, False),
        ("staging", True, False),
    ]
    assert [f.level for f in store.doctor()] == ["note"]
    doc = pending_difference(store, "l")
    assert doc["facts"] == {"old_only": 1, "new_only": 1, "common": 1}
    assert doc["predicates"][0]["new_example"] == "Q1 → m.0b"
    assert doc["entities"]["new"] == [{"id": "m.0b", "name": "Hilton", "facts": 1}]
    assert [e["id"] for e in doc["entities"]["gone"]] == ["Q5"]
    assert flip_pending(store, "l")["facts"] == 2
    with EmbeddedStore(store.path.with_name("other")) as other:
        put(other, NEW)
        assert _plain(said(store)) == _plain(said(other))
    assert not store.doctor()
    with pytest.raises(NotFoundError, match="waiting"):
        flip_pending(store, "l")


def test_without_room_discarding_is_a_clear_error_and_done_later(store: EmbeddedStore):
    hold(store, NEW)
    before = said(store)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, limits[1]))
    try:
        with pytest.raises(DiskFullError, match="discarding l"):
            discard_pending(store, "l")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert said(store) == before
    assert [f.level for f in store.doctor()] == ["note"]  # the load is still held, and whole
    discard_pending(store, "l")
    assert store.doctor() == []
    with pytest.raises(AlreadyDoneError):
        discard_pending(store, "l")
    with pytest.raises(NotFoundError, match="waiting"):
        flip_pending(store, "l")


KILLED = """
import os, shutil, signal, sys
from pathlib import Path
from hydra_kg.stores.embedded.operations.pending_load import discard_pending
from hydra_kg.stores.embedded.store import EmbeddedStore

real, after = os.unlink, int(sys.argv[2])

def unlink(path, *more, **options):
    global after
    if "loads" in str(os.readlink(f"/proc/self/fd/{options['dir_fd']}") if options.get("dir_fd") else path):
        if not after:
            os.kill(os.getpid(), signal.SIGKILL)
        after -= 1
    return real(path, *more, **options)

os.unlink = unlink
with EmbeddedStore(Path(sys.argv[1])) as store:
    discard_pending(store, "l")
"""


@pytest.mark.slow
@pytest.mark.parametrize("files", [0, 1, 5])
def test_a_killed_discard_has_discarded_all_or_nothing(store: EmbeddedStore, files: int):
    hold(store, NEW)
    before = said(store)
    command = [sys.executable, "-c", KILLED, str(store.path), str(files)]
    done = subprocess.run(command, check=False, env=own_environment(drop=()))
    assert done.returncode == -signal.SIGKILL
    assert said(store) == before
    assert store.doctor() == []
    assert [load["held"] for load in store.loads() if load["state"] != "dropped"] == [False]
    with pytest.raises(AlreadyDoneError):
        discard_pending(store, "l")
    assert [f.name for f in (store.path / "loads").iterdir()] == ["l.1"]


def test_a_load_goes_on_after_a_killed_discard(store: EmbeddedStore):
    hold(store, NEW)
    (row,) = store.catalog.loads("l", state="staging")
    store.catalog.discard(row)  # and there it was killed
    put(store, Spec("m", (Source("m"),), links=[("Q2", "P31", "Q5", 0)]))
    assert {f.name for f in (store.path / "loads").iterdir()} == {"l.1", "m.3"}
    hold(store, NEW)
    flip_pending(store, "l")
    with pytest.raises(AlreadyDoneError, match="in force"):
        flip_pending(store, "l")
    with pytest.raises(NotFoundError):
        discard_pending(store, "l")


def test_a_discarded_one_leaves_nothing(store: EmbeddedStore):
    before = said(store)
    hold(store, NEW)
    discard_pending(store, "l")
    assert said(store) == before
    assert not store.doctor()


def test_others_load_drop_and_compact_beside_a_held_one(store: EmbeddedStore):
    hold(store, NEW)
    put(store, Spec("m", (Source("m"),), links=[("Q2", "P31", "Q5", 0)]))
    store.compact(more_than=0)
    with pytest.raises(StoreError, match="waiting") as caught:
        store.begin(SimpleLoadPlan("l", (Source("l"),), True))
    assert "sources flip l" in str(caught.value)
    store.drop("l")
    with pytest.raises(NotFoundError) as gone:
        store.drop("l")
    assert "sources discard l" in str(gone.value)
    assert pending_difference(store, "l")["old"] is None
    flip_pending(store, "l")
    with store.snapshot() as s:
        assert [i.name for i in s.manifest()] == ["l", "m"]


def test_nobody_flips_while_somebody_loads_that_name(store: EmbeddedStore):
    hold(store, NEW)
    with take_load(store.path, "l"), pytest.raises(StoreBusyError):
        flip_pending(store, "l")


def test_a_fact_that_is_stated_more_often_counts(store: EmbeddedStore):
    rows = [("Q1", "P19", "Q2"), ("Q1", "P31", "Q5")]
    many = MemoryStage([*rows, FactRow("Q1", "P31", "Q5", qualifiers=(("P580", '"1999"'),))])
    writer = HoldingStore(store).begin(SimpleLoadPlan("l", (Source("l"),)))
    writer.write(many)
    writer.commit({})
    assert pending_difference(store, "l")["facts"] == {"old_only": 0, "new_only": 1, "common": 2}


def _plain(doc: dict[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in doc.items() if k != "checksums"}
