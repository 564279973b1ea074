"""Flips, kills, full disks and readers: whatever dies when, the old set or the new one is visible, never a mixture."""

from __future__ import annotations

import errno
import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bench.memory_stage import FactRow, MemoryStage, SimpleLoadPlan
from hydra_kg.domain import Source
from hydra_kg.errors import DiskFullError, NotFoundError, StoreBusyError, StoreCorruptError, StoreError
from hydra_kg.stores.embedded.catalog.catalog import FILE, Catalog
from hydra_kg.stores.embedded.segments.array_folder import FileWriter
from hydra_kg.stores.embedded.segments.fact_details import read_details
from hydra_kg.stores.embedded.store import EmbeddedStore
from hydra_kg.stores.embedded.writes.writer import EmbeddedLoadWriter

ROOT = Path(__file__).parents[5]


def stage(name: str, size: int = 50) -> MemoryStage:
    """A small load; what it says depends on its name."""
    links = [(f"Q{i}", "P1", f"Q{(i * 7 + len(name)) % size + 1}", i) for i in range(1, size + 1)]
    return MemoryStage(
        links,
        values=[("Q1", "P2", f'"{name}"@en')],
        names=[("Q1", "name", name)],
        passages=[("Q1", name, "", f"about {name}", 1)],
        batch=10,
    )


def begin(store: EmbeddedStore, name: str, *, replace: bool = False) -> EmbeddedLoadWriter:
    return store.begin(SimpleLoadPlan(name, (Source(name),), replace))


def put(store: EmbeddedStore, name: str, *, replace: bool = False, text: str = "") -> None:
    writer = begin(store, name, replace=replace)
    writer.write(stage(text or name))
    writer.commit({"file": f"{name}.nt", "kept": 50})


def visible(store: EmbeddedStore) -> dict[str, str]:
    """Ready loads as a reader sees them: name and label of Q1 in each."""
    with store.pin() as pinned:
        return {info.name: segment.labels([0])[0] for info, segment in pinned.loads}


def folders(store: EmbeddedStore) -> list[str]:
    """What is on disk beside the SQLite files and the locks."""
    parts = (store.path / p for p in ("loads", "generations", "staging"))
    return sorted(f"{p.name}/{f.name}" for p in parts if p.is_dir() for f in p.iterdir())


@pytest.fixture
def store() -> Iterator[EmbeddedStore]:
    from helpers.samples.graphs import (
        MEMORY,  # here, for the processes below import this module, and hypothesis takes a while
    )

    with tempfile.TemporaryDirectory(dir=MEMORY) as folder, EmbeddedStore(Path(folder) / "store") as opened:
        yield opened


# ------------------------------------------------------------------------------------------------------- life of loads


def test_load_replace_drop(store: EmbeddedStore) -> None:
    assert visible(store) == {}
    put(store, "a")
    put(store, "b")
    assert visible(store) == {"a": "a", "b": "b"}
    with pytest.raises(StoreError, match="a is loaded already") as e:
        put(store, "a")
    assert "--replace" in e.value.remedy
    put(store, "a", replace=True, text="new")
    assert visible(store) == {"a": "new", "b": "b"}
    assert store.drop("b") == {"name": "b", "loads": 1, "rewritten": 0, "unfinished": 0, "facts": 51}
    assert visible(store) == {"a": "new"}
    with pytest.raises(NotFoundError):
        store.drop("b")
    assert folders(store) == ["generations/4", "loads/a.3"]
    states = [(r["name"], r["state"], r["bytes"] > 0) for r in store.loads()]
    assert states == [("a", "dropped", False), ("b", "dropped", False), ("a", "ready", True)]
    last = store.loads()[-1]
    assert (last["facts"], last["details"]["kept"], last["counts"]["links"]) == (51, 50, 50)
    assert store.doctor() == []


def test_replace_of_what_is_not_there_is_a_load(store: EmbeddedStore) -> None:
    put(store, "a", replace=True)
    assert visible(store) == {"a": "a"}


def test_abort_leaves_nothing(store: EmbeddedStore) -> None:
    writer = begin(store, "a")
    (writer.staging / "scratch").write_text("x")
    writer.write(stage("a"))
    writer.abort()
    writer.abort()
    assert folders(store) == []
    assert store.loads() == []
    assert visible(store) == {}
    with pytest.raises(StoreError, match="ended"):
        writer.commit({})


def test_commit_needs_a_write(store: EmbeddedStore) -> None:
    writer = begin(store, "a")
    with pytest.raises(StoreError, match="not written"):
        writer.commit({})
    writer.abort()


def test_any_text_is_a_name(store: EmbeddedStore) -> None:
    for name in ("../../x", "a/b", "", "é" * 300, "x\ny", "Robert'); DROP TABLE load;--"):
        put(store, name)
    assert len(visible(store)) == 6
    store.drop("../../x")
    assert len(visible(store)) == 5
    assert "../../x" not in visible(store)


def test_two_loads_of_one_name_at_once(store: EmbeddedStore) -> None:
    first = begin(store, "a")
    with pytest.raises(StoreBusyError, match=f"process {os.getpid()} on") as e:
        begin(EmbeddedStore(store.path), "a")
    assert e.value.remedy
    with pytest.raises(StoreBusyError):
        store.drop("a")
    second = begin(store, "b")  # another name may be loaded at the same time
    second.write(stage("b"))
    first.write(stage("a"))
    second.commit({})
    first.commit({})
    assert visible(store) == {"a": "a", "b": "b"}


def test_dropping_one_of_several_sources(store: EmbeddedStore) -> None:
    sources = tuple(Source(n) for n in ("x", "y", "z"))
    links = [
        FactRow("Q1", "P1", "Q2", 1, 0),
        FactRow("Q1", "P1", "Q2", 2, 1, qualifiers=(("P3", "Q9"),)),
        FactRow("Q1", "P4", "Q3", 3, 1),
        FactRow("Q1", "P5", "Q3", 4, 2, rank="preferred"),
    ]
    writer = store.begin(SimpleLoadPlan("table", sources, False))
    writer.write(
        MemoryStage(
            links,
            values=[FactRow("Q4", "P2", '"v"@en', 5, 1), FactRow("Q4", "P2", '"w"@en', 6, 2)],
            names=[("Q3", "name", "Three"), ("Q7", "name", "Seven")],
        )
    )
    writer.commit({"file": "t.csv"})
    other = begin(store, "other")
    other.write(MemoryStage([("Q8", "P1", "Q9")]))
    other.commit({})
    assert store.drop("y")["facts"] == 3
    with store.pin() as pinned:
        (_, _), (info, s) = pinned.loads
        assert [x.name for x in info.sources] == ["x", "z"]
        assert info.facts == 3
        assert s.manifest["file"] == "t.csv"
        assert s.line is not None
        assert s.line.tolist() == [1, 4]
        assert s.vline is not None
        assert s.vline.tolist() == [6]
        assert s.source is not None
        assert s.source.tolist() == [0, 1]
        assert s.terms(s.vobj) == ['"w"@en']
        assert read_details(s, np.arange(2)) == {1: (1, "preferred", 1.0, "[]", "")}
        assert len(s.term_id) == 1
        with closing(sqlite3.connect(s.texts)) as db:
            assert db.execute("SELECT key FROM predicate ORDER BY key").fetchall() == [("P1",), ("P2",), ("P5",)]
    store.drop("z")
    with store.pin() as pinned:
        s = pinned.loads[1][1]
        assert (s.source, s.line.tolist(), len(s.vobj)) == (None, [1], 0)
        assert [(n >> 3, t) for n, t in zip(s.nodes.tolist(), s.labels(range(len(s.nodes))), strict=True)] == [
            (1, ""),
            (2, ""),
            (7, "Seven"),
        ]
    store.drop("x")
    assert visible(store) == {"other": ""}
    assert store.doctor() == []


class _Colliding(MemoryStage):
    """A stage in which another term has the hashed id of ``https://e.org/a``."""

    def terms(self) -> Iterator[tuple[Any, list[str]]]:
        for ids, texts in super().terms():
            yield ids, [t.replace("/a", "/b") for t in texts]


def test_two_terms_of_one_hashed_id_are_never_merged(store: EmbeddedStore) -> None:
    for name, kind in (("a", MemoryStage), ("b", _Colliding)):
        writer = begin(store, name)
        writer.write(kind([("https://e.org/a", "P1", "Q1")]))
        if name == "a":
            writer.commit({})
    with pytest.raises(StoreError, match=r"/b' has the same hashed id as 'https://e\.org/a'") as e:
        writer.commit({})
    assert e.value.remedy
    assert visible(store) == {"a": ""}
    writer.abort()


def test_a_forked_reader_opens_the_store_anew(store: EmbeddedStore) -> None:
    put(store, "a")
    with store.snapshot() as before:
        before.find(["a"])
        child = os.fork()
        if not child:
            try:
                with store.snapshot() as s:
                    os._exit(0 if s is not before and s.find(["a"]) else 1)
            finally:
                os._exit(2)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert before.find(["a"])


def test_the_doctor_finds_what_does_not_belong(store: EmbeddedStore) -> None:
    put(store, "a")
    for part in ("loads", "staging"):
        (store.path / part / "foreign").mkdir(parents=True)
    (store.path / "generations" / "7").mkdir()
    found = store.doctor()
    assert [f.level for f in found] == ["warning", "warning", "note"]
    assert all(name in f.what and f.remedy for f, name in zip(found, ("loads", "staging", "generations"), strict=True))
    assert found[0].to_json() == {"level": "warning", "what": found[0].what, "remedy": found[0].remedy}
    with store.pin() as pinned:
        (pinned.generation.path / "degree.npy").write_bytes(b"")
        pinned.loads[0][1].texts.write_bytes(b"x" * pinned.loads[0][1].texts.stat().st_size)
    assert {f.what.split(":")[0] for f in store.doctor() if f.level == "error"} == {"Load a is damaged"}
    store.drop("a")  # needs nothing of what is damaged
    assert visible(store) == {}


# ------------------------------------------------------------------------------------------------------------- readers


def test_a_reader_keeps_what_it_began_with(store: EmbeddedStore) -> None:
    put(store, "a")
    put(store, "b")
    other = EmbeddedStore(store.path)  # as another process would
    with store.pin() as pinned:
        other.drop("b")
        put(other, "a", replace=True, text="new")
        assert visible(other) == {"a": "new"}
        assert [s.labels([0]) for _, s in pinned.loads] == [["a"], ["b"]]
        for _, segment in pinned.loads:  # a file that is opened only now is still there
            with closing(sqlite3.connect(f"{segment.texts.as_uri()}?mode=ro", uri=True)) as db:
                assert db.execute("SELECT count(*) FROM vocabulary").fetchone() == (1,)
        assert len([f for f in folders(store) if f.startswith("loads/")]) == 3
    assert len(folders(store)) == 2  # the last reader removed what only it had needed
    assert visible(store) == {"a": "new"}
    other.close()


@pytest.mark.slow
def test_what_a_killed_reader_held_is_removed_by_the_next_flip(store: EmbeddedStore) -> None:
    put(store, "a")
    reader = _child(store.path, "read", wait=True)
    put(store, "a", replace=True)
    assert len(folders(store)) == 4
    reader.kill()
    reader.communicate()
    put(store, "b")
    assert len(folders(store)) == 3


def test_readers_share_what_is_open(store: EmbeddedStore) -> None:
    put(store, "a")
    with store.pin() as one, store.pin() as two:
        assert one is two
        put(store, "b")
        with store.pin() as three:
            assert three.number == one.number + 1
            assert three.loads[0][1] is one.loads[0][1]  # a load that stayed is not opened again


@pytest.mark.slow
def test_many_threads_read_while_loads_come_and_go(store: EmbeddedStore) -> None:
    put(store, "a")
    put(store, "b")
    seen: set[tuple[str, ...]] = set()
    failures: list[BaseException] = []
    stop = threading.Event()

    def read() -> None:
        try:
            while not stop.is_set():
                seen.add(tuple(sorted(visible(store).values())))
        except BaseException as e:
            failures.append(e)

    threads = [threading.Thread(target=read) for _ in range(4)]
    for t in threads:
        t.start()
    for i in range(6):
        put(store, "b", replace=True, text=f"b{i}")
    stop.set()
    for t in threads:
        t.join()
    assert failures == []
    assert seen <= {("a", "b"), *(("a", f"b{i}") for i in range(6))}
    store.drop("b")
    assert len(folders(store)) == 2


def test_a_store_that_cannot_be_written_can_be_read(store: EmbeddedStore, monkeypatch: pytest.MonkeyPatch) -> None:
    put(store, "a")
    store.close()
    connect = sqlite3.connect

    def read_only(path: Any, *args: Any, uri: bool = False, **kwargs: Any) -> sqlite3.Connection:
        return connect(path if uri else f"{Path(path).as_uri()}?mode=ro", *args, uri=True, **kwargs)

    monkeypatch.setattr(sqlite3, "connect", read_only)
    with EmbeddedStore(store.path) as reader:
        assert visible(reader) == {"a": "a"}


# --------------------------------------------------------------------------------------------------------------- kills

_CHILD = """
import os, resource, signal, sys
sys.path[:0] = [{root!r}, {tests!r}]
from unit.stores.embedded.catalog.test_catalog import EmbeddedStore, Source, SimpleLoadPlan, begin, put, stage
from hydra_kg.errors import HydraError
from hydra_kg.stores.embedded.catalog import catalog
from hydra_kg.stores.embedded.segments import array_folder as folder
from hydra_kg.stores.embedded import store as store_module
store = EmbeddedStore({path!r})
point, _, count = {point!r}.partition(":")

def die(*args, **kwargs):
    os.kill(os.getpid(), signal.SIGKILL)

def at_call(n, function, before=True):
    calls = [0]
    def wrapped(*args, **kwargs):
        calls[0] += 1
        if before and calls[0] == n:
            die()
        result = function(*args, **kwargs)
        if calls[0] == n:
            die()
        return result
    return wrapped

def wait():
    print("ready", flush=True)
    sys.stdin.read()

if point == "read":
    with store.pin():
        wait()
elif point == "begin":
    writer = begin(store, "a")
    wait()
else:
    what = stage("new")
    if point == "links":
        what.links = at_call(1, lambda: (die() if i else b for i, b in enumerate(type(what).links(what))), before=False)
    if point == "texts":
        what.passages = die
    if point == "sync":
        folder.sync = at_call(int(count), folder.sync)
    if point == "remove":
        store_module.remove = at_call(int(count), store_module.remove)
    if point == "drop-flip":
        catalog.Catalog.flip = die
    if point in ("drop-flip", "remove"):
        store.drop("a")
    else:
        writer = begin(store, "a", replace=True)
        (writer.staging / "kept.db").write_text("scratch")
        writer.write(what)
        if point == "written":
            die()
        if point == "flip":
            catalog.Catalog.flip = die
        if point == "inside":
            catalog.Catalog._set_sources = die
        if point == "flipped":
            catalog.Catalog.flip = at_call(1, catalog.Catalog.flip, before=False)
        writer.commit({{"kept": 50}})
"""


def _child(path: Path, point: str, *, wait: bool = False) -> subprocess.Popen[str]:
    code = _CHILD.format(root=str(ROOT), tests=str(ROOT / "tests"), path=str(path), point=point)
    child = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    if wait:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
    else:
        child.communicate()
    return child


SYNCS = 36
"""Files and folders that one load and its flip make durable, at least."""


@pytest.mark.slow
@pytest.mark.parametrize("point", ["links", "texts", "sync:1", f"sync:{SYNCS}", "inside", "flip", "flipped"])
def test_kill_while_replacing_then_go_on(store: EmbeddedStore, point: str) -> None:
    put(store, "a")
    put(store, "b")
    store.close()
    assert _child(store.path, point).returncode == -signal.SIGKILL
    new = point == "flipped"
    assert visible(store) == {"a": "new" if new else "a", "b": "b"}
    assert [f.what for f in store.doctor() if f.level == "error"] == []
    if not new:
        assert any("stopped before" in f.what and f.remedy for f in store.doctor())
        killed = store.loads()[-1]
        assert (killed["state"], killed["running"]) == ("staging", False)
    writer = begin(store, "a", replace=True)
    assert writer.resumed != new
    if writer.resumed:
        assert (writer.staging / "kept.db").read_text() == "scratch"
    writer.write(stage("new"))
    writer.commit({"kept": 50})
    assert visible(store) == {"a": "new", "b": "b"}
    assert len(folders(store)) == 3
    assert store.doctor() == []
    undisturbed = EmbeddedStore(store.path.with_name("undisturbed"))
    put(undisturbed, "a", text="new")
    assert store.loads()[-1]["checksum"] == undisturbed.loads()[-1]["checksum"]
    undisturbed.close()


@pytest.mark.slow
@pytest.mark.parametrize("point, dropped", [("drop-flip", False), ("remove:1", True), ("remove:4", True)])
def test_kill_while_dropping(store: EmbeddedStore, point: str, dropped: bool) -> None:
    put(store, "a")
    put(store, "b")
    store.close()
    assert _child(store.path, point).returncode == -signal.SIGKILL
    assert visible(store) == ({"b": "b"} if dropped else {"a": "a", "b": "b"})
    assert [f for f in store.doctor() if f.level == "error"] == []
    put(store, "c") if dropped else store.drop("a")
    assert len(folders(store)) == 2 + dropped
    assert store.doctor() == []


@pytest.mark.slow
def test_a_killed_load_can_be_dropped(store: EmbeddedStore) -> None:
    put(store, "b")
    assert _child(store.path, "written").returncode == -signal.SIGKILL
    assert store.drop("a") == {"name": "a", "loads": 0, "rewritten": 0, "unfinished": 1, "facts": 0}
    assert len(folders(store)) == 2
    assert store.doctor() == []


@pytest.mark.slow
def test_a_living_process_is_named_and_a_dead_one_taken_over(store: EmbeddedStore) -> None:
    child = _child(store.path, "begin", wait=True)
    with pytest.raises(StoreBusyError, match=f"process {child.pid} on"):
        begin(store, "a")
    assert store.loads()[0]["running"] is True
    child.kill()
    child.communicate()
    assert store.loads()[0]["running"] is False
    writer = begin(store, "a")
    assert writer.resumed
    writer.abort()


@pytest.mark.slow
def test_going_on_after_a_kill_checks_what_is_ready(store: EmbeddedStore) -> None:
    put(store, "b")
    assert _child(store.path, "written").returncode == -signal.SIGKILL
    with store.pin() as pinned:
        file = pinned.loads[0][1].path / "fdst.npy"
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(data)
    with pytest.raises(StoreCorruptError, match=r"fdst\.npy"):
        begin(store, "a")
    assert [(f.level, "Load b is damaged" in f.what) for f in store.doctor()] == [("error", True), ("warning", False)]
    store.drop("b")
    put(store, "a")
    assert store.doctor() == []


# ----------------------------------------------------------------------------------------------------------- full disk


def _no_space(calls: int) -> Any:
    write, left = FileWriter._all, [calls]

    def full(self: FileWriter, data: Any) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        write(self, data)

    return full


@pytest.mark.parametrize("calls", [0, 1, 30, 75])
def test_no_space_at_some_point(store: EmbeddedStore, monkeypatch: pytest.MonkeyPatch, calls: int) -> None:
    put(store, "a")
    writer = begin(store, "b")
    with monkeypatch.context() as patch:
        patch.setattr(FileWriter, "_all", _no_space(calls))
        with pytest.raises(DiskFullError) as e:
            _write_and_commit(writer)
    assert "Free space" in e.value.remedy
    assert visible(store) == {"a": "a"}
    assert len([f for f in folders(store) if f.startswith("generations/")]) == 1
    _write_and_commit(writer)  # the same writer goes on once there is space
    assert visible(store) == {"a": "a", "b": "b"}
    assert store.doctor() == []


def _write_and_commit(writer: EmbeddedLoadWriter) -> None:
    writer.write(stage("b"))
    writer.commit({})


_LIMITED = """
import json, resource, sys
sys.path[:0] = [{root!r}, {tests!r}]
from unit.stores.embedded.catalog.test_catalog import EmbeddedStore, Source, SimpleLoadPlan, begin, stage
from hydra_kg.errors import DiskFullError
store = EmbeddedStore({path!r})
outcomes = []
for limit in {limits!r}:
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    try:
        writer = begin(store, "b")
        try:
            writer.write(stage("b", 3000))
            writer.commit({{}})
        finally:
            writer.release()
        outcomes.append("done")
    except DiskFullError as e:
        outcomes.append("full")
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    with store.pin() as pinned:
        outcomes[-1] += " " + "".join(info.name for info, _ in pinned.loads)
    if outcomes[-1].startswith("done"):
        break
print(json.dumps(outcomes))
"""


@pytest.mark.slow
def test_limits_on_file_sizes(store: EmbeddedStore) -> None:
    put(store, "a")
    store.close()
    limits = [100, 1000, 5000, 9000, 20_000, 30_000, 40_000, 60_000, 80_000, 10_000_000]
    code = _LIMITED.format(root=str(ROOT), tests=str(ROOT / "tests"), path=str(store.path), limits=limits)
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert child.returncode == 0, child.stderr
    outcomes = json.loads(child.stdout)
    assert outcomes[-1] == "done ab"
    assert len(outcomes) > 5
    assert set(outcomes[:-1]) == {"full a"}
    assert visible(store) == {"a": "a", "b": "b"}
    assert store.doctor() == []


# -------------------------------------------------------------------------------------------------------------- catalog


def test_a_foreign_catalog_is_said_to_be_one(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("this is no database, and long enough to be looked at as one" * 20)
    with pytest.raises(StoreCorruptError) as e:
        EmbeddedStore(tmp_path)
    assert e.value.remedy
    with closing(sqlite3.connect(tmp_path / "new.sqlite")):
        pass
    newer = tmp_path / "newer"
    EmbeddedStore(newer).close()
    with closing(sqlite3.connect(newer / FILE)) as db, db:
        db.execute("UPDATE meta SET value = 2 WHERE key = 'version'")
    with pytest.raises(StoreCorruptError, match="version 2"):
        EmbeddedStore(newer)


def test_a_flip_that_comes_too_late_changes_nothing(store: EmbeddedStore) -> None:
    put(store, "a")
    row = store.catalog.begin("b", (Source("b"),))
    with pytest.raises(StoreError, match="changed"):
        store.catalog.flip(1, ready=[row])
    row = store.catalog.begin("a", (Source("a"),))
    with pytest.raises(sqlite3.IntegrityError):  # two ready loads of one name are impossible
        store.catalog.flip(2, ready=[row])
    assert store.catalog.generation() == 1
    assert visible(store) == {"a": "a"}


def test_flips_are_durable_when_they_return(store: EmbeddedStore) -> None:
    put(store, "a")
    assert Catalog(store.path)._open().execute("PRAGMA synchronous").fetchone() == (2,)
    assert Catalog(store.path)._open().execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_sources_keep_what_is_known_of_them(store: EmbeddedStore) -> None:
    source = Source("a", "table", "origin", "CC0", "7", "abc", "https://e.org", 0.25)
    writer = store.begin(SimpleLoadPlan("a", (source,), False))
    writer.write(stage("a"))
    writer.commit({"report": {"kept": 1}})
    with store.pin() as pinned:
        info = pinned.loads[0][0]
    assert info.sources == (source,)
    assert info.sources[0].rho == 0.25
    assert (info.facts, info.checksum) == (51, pinned.loads[0][1].manifest["checksum"])
