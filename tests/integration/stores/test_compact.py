"""Merging the links of many loads: nothing that can be asked changes, and each load stays one."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.samples.graphs import ENTITIES, MEDIATORS, MEMORY, TEXTS, WORDS, Spec, put, specs, stage
from helpers.samples.whole import everything
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from thorough import examples

from bench.memory_stage import MemoryStage, SimpleLoadPlan
from hydra_kg.domain import Source
from hydra_kg.errors import DiskFullError, StoreCorruptError
from hydra_kg.stores.embedded.store import EmbeddedStore
from hydra_kg.stores.embedded.upkeep import compaction

KEYS, ASKED = [*ENTITIES, *MEDIATORS], [*WORDS, *TEXTS, "Pariz"]


def said(store: EmbeddedStore) -> dict[str, Any]:
    return everything(store, KEYS, ASKED, handles=True)


def small(number: int) -> Spec:
    """A load that every other one shares entities with."""
    a, b, c = (ENTITIES[(number + i) % len(ENTITIES)] for i in (0, 1, 5))
    return Spec(
        f"load {number:02}",
        tuple(Source(f"s{number}-{i}") for i in range(1 + number % 2)),
        links=[(a, "P19", b, 0), (b, "P31", MEDIATORS[0], 0), (MEDIATORS[0], "P19", c, number % 2)],
        values=[(a, "P569", '"1999"^^xsd:gYear', 0)],
        names=[(a, "name", f"Paris {number}")],
        mediators=[MEDIATORS[0]],
        same_as=[("m.0b", "Q1")] if number == 3 else [],
        passages=[(a, "Paris", f"Paris is a city {number}.")],
    )


@pytest.fixture(scope="module")
def nineteen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a store of nineteen small loads, to be copied."""
    folder = tmp_path_factory.mktemp("many") / "store"
    with EmbeddedStore(folder) as store:
        for number in range(19):
            put(store, small(number))
    return folder


@pytest.fixture
def many(nineteen: Path, tmp_path: Path) -> Iterator[EmbeddedStore]:
    """A store of nineteen small loads."""
    with EmbeddedStore(shutil.copytree(nineteen, tmp_path / "many")) as store:
        yield store


@settings(examples(4), suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(data=st.data(), everything_=st.booleans())
def test_random_loads_say_the_same_before_and_after(data: st.DataObject, everything_: bool):
    some = [data.draw(specs(f"l{i}")) for i in range(data.draw(st.integers(2, 4)))]
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder, EmbeddedStore(Path(folder) / "s") as store:
        for spec in some:
            put(store, spec)
        before = said(store)
        store.compact(more_than=0, everything=everything_)
        assert said(store) == before
        loads = store.loads()
        assert [load["name"] for load in loads if load["state"] == "ready"] == [spec.name for spec in some]

        # From here on with another store that was never compacted.
        with EmbeddedStore(Path(folder) / "t") as plain:
            for spec in some:
                put(plain, spec)
            other = data.draw(specs("l0"))
            for one in (store, plain):
                put(one, other, replace=True)
                one.drop(some[-1].sources[0].name)
            assert _undated(said(store)) == _undated(said(plain))
            store.compact(more_than=0, everything=everything_)
            assert _undated(said(store)) == _undated(said(plain))
        assert not [f for f in store.doctor() if f.level != "warning"]


def test_many_loads_are_merged_and_few_are_not(many: EmbeddedStore):
    before = said(many)
    listed = many.loads()
    assert many.compact(more_than=19)["merged"] == 0
    done = many.compact()
    assert (done["merged"], done["before"], done["after"]) == (19, 19, 1)
    assert done["links"] == sum(load["counts"]["links"] for load in listed)
    assert many.loads() == listed
    assert said(many) == before
    assert many.compact()["merged"] == 0, "one place is not many"
    assert [f.name for f in (many.path / "merged").iterdir()] == ["20"]


def test_a_load_of_more_than_half_of_all_links_stays_by_itself(many: EmbeddedStore):
    big = MemoryStage([(f"Q{i}", "P1", f"Q{i + 1}") for i in range(500)])
    writer = many.begin(SimpleLoadPlan("big", (Source("big"),)))
    writer.write(big)
    writer.commit({})
    before = said(many)
    assert many.compact()["after"] == 2
    assert said(many) == before
    assert many.compact(more_than=1, everything=True)["after"] == 1
    assert said(many) == before


def test_a_merge_outlives_drops_until_half_of_it_is_gone(many: EmbeddedStore, nineteen: Path):
    many.compact()
    with EmbeddedStore(shutil.copytree(nineteen, many.path.with_name("plain"))) as plain:
        for number in range(11):
            for store in (many, plain):
                store.drop(f"load {number:02}")
            with many.pin() as pinned:
                assert (pinned.generation.merged is None) == (number > 8)
            if number in {0, 8, 9, 10}:  # the first drop, the last before the merge goes, and those after
                assert _undated(said(many)) == _undated(said(plain))
    assert not (many.path / "merged" / "20").exists()


def test_readers_that_pinned_before_go_on(many: EmbeddedStore):
    with many.snapshot() as old:
        cut = old.cut(list(filter(None, old.lookup(KEYS))), depth=2)
        with EmbeddedStore(many.path) as other:
            other.compact()
            other.drop("load 01")
        again = old.cut(list(filter(None, old.lookup(KEYS))), depth=2)
        assert (again.row.tolist(), again.segment.tolist()) == (cut.row.tolist(), cut.segment.tolist())
        assert len(old.facts(cut.segment, cut.row)) == len(cut)


def test_a_full_disk_changes_nothing(many: EmbeddedStore, monkeypatch: pytest.MonkeyPatch):
    before = said(many)
    monkeypatch.setattr(compaction, "free_bytes", lambda path: 10)
    with pytest.raises(DiskFullError):
        many.compact()
    assert said(many) == before
    assert not (many.path / "merged").exists()


def test_damage_is_found_said_and_healed(many: EmbeddedStore):
    many.compact()
    before = said(many)
    file = many.path / "merged" / "20" / "fdst.npy"
    data = file.read_bytes()
    file.write_bytes(data[:-4])
    with EmbeddedStore(many.path) as store:
        with pytest.raises(StoreCorruptError, match="fdst"), store.snapshot():
            pass
        assert [f.remedy for f in store.doctor() if f.level == "error"] == [compacting_remedy()]
    file.write_bytes(data[:-4] + b"\x07\0\0\0")
    with EmbeddedStore(many.path) as store:
        assert [f.remedy for f in store.doctor() if f.level == "error"] == [compacting_remedy()]
        store.compact(more_than=0)
        assert said(store) == before
        assert not store.doctor()


def compacting_remedy() -> str:
    from hydra_kg.stores.embedded.segments.merged_adjacency import REBUILD

    return REBUILD


DIE = """
import os, signal, sys
from hydra_kg.stores.embedded import store as module
from hydra_kg.stores.embedded.store import EmbeddedStore
name = sys.argv[2]
target = EmbeddedStore if name in ("_tidy",) else module
if name == "flip":
    from hydra_kg.stores.embedded.catalog.catalog import Catalog as target
def die(*args, **more):
    os.kill(os.getpid(), signal.SIGKILL)
setattr(target, name, die)
EmbeddedStore(sys.argv[1]).compact(more_than=0)
"""


def test_what_a_command_that_was_killed_while_tidying_left_goes_with_the_next(many: EmbeddedStore):
    many.compact(more_than=0)
    for place in ("merged/7", "generations/3"):
        (many.path / place).mkdir(parents=True)
    assert many.compact()["merged"] == 0
    assert [f.name for f in (many.path / "merged").iterdir()] == ["20"]
    assert [f.name for f in (many.path / "generations").iterdir()] == ["20"]


@pytest.mark.parametrize("where", ["build_merged", "build_generation", "flip", "_tidy"])
def test_killed_anywhere_leaves_a_whole_store(many: EmbeddedStore, where: str):
    before = said(many)
    done = subprocess.run([sys.executable, "-c", DIE, str(many.path), where], check=False, capture_output=True)
    assert done.returncode == -signal.SIGKILL, done.stderr
    with EmbeddedStore(many.path) as store:
        assert said(store) == before
        assert store.compact(more_than=0)["after"] == 1
        assert said(store) == before
        assert not [f for f in store.doctor() if f.level == "error"]
        assert len(list((store.path / "merged").iterdir())) == 1


KILLED_DROP = """
import os, signal, sys
from hydra_kg.stores.embedded import store as module
def die(*args, **more):
    os.kill(os.getpid(), signal.SIGKILL)
module.finish_load = die
module.EmbeddedStore(sys.argv[1]).drop("s1-1")
"""


def test_what_a_killed_drop_was_writing_is_never_taken_up(many: EmbeddedStore):
    before = said(many)
    done = subprocess.run([sys.executable, "-c", KILLED_DROP, str(many.path)], check=False, capture_output=True)
    assert done.returncode == -signal.SIGKILL, done.stderr
    with EmbeddedStore(many.path) as store:
        assert said(store) == before
        writer = store.begin(SimpleLoadPlan("load 01", (Source("s1-0"),), True))
        assert not writer.resumed
        writer.write(stage(small(1)))
        writer.abort()
        assert store.drop("s1-1")["rewritten"] == 1
        assert [f.remedy for f in store.doctor()] == ["hydra-kg db compact"], "nothing is left of either"


def test_scratch_of_what_is_done_is_removed_and_what_is_nobodys_stays(many: EmbeddedStore):
    ready = many.loads()[0]["id"]
    for place in (f"staging/{ready}", "staging/nobody.7", "loads/nobody.8"):
        (many.path / place).mkdir(parents=True)
    put(many, small(0), replace=True)
    assert (many.path / "loads" / "nobody.8").is_dir()
    assert [folder.name for folder in (many.path / "staging").iterdir()] == ["nobody.7"]


def _undated(doc: dict[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in doc.items() if k != "checksums"}
