"""A backup is what was ready at one moment, byte for byte checked, and a store again."""

from __future__ import annotations

import gc
import io
import random
import resource
import tarfile
import threading
from pathlib import Path

import pytest
from helpers.samples.answers import answer
from helpers.samples.graphs import ENTITIES, MEDIATORS, WORDS, Spec, put, stage
from helpers.samples.whole import everything

from bench.memory_stage import SimpleLoadPlan
from hydra_kg.domain import Source
from hydra_kg.errors import DiskFullError, StoreCorruptError, UsageError
from hydra_kg.events import Event
from hydra_kg.serialise import answer_json
from hydra_kg.stores.embedded.operations import backup_places
from hydra_kg.stores.embedded.operations.backup import backup, restore
from hydra_kg.stores.embedded.segments.disk_full import disk_errors
from hydra_kg.stores.embedded.store import EmbeddedStore
from hydra_kg.stores.embedded.traces import SqliteTraces

KEYS = [*ENTITIES, *MEDIATORS]


def spec(name: str, to: str = "Q2") -> Spec:
    return Spec(
        name,
        (Source(name),),
        links=[("Q1", "P19", to, 0), ("m.0b", "P31", "Q5", 0)],
        values=[("Q1", "P569", '"1999"^^xsd:gYear', 0)],
        names=[("Q1", "name", "Paris")],
        passages=[("Q1", "Paris", "Paris is a city.")],
    )


def said(store: EmbeddedStore) -> object:
    return everything(store, KEYS, WORDS, handles=True)


@pytest.fixture
def store(tmp_path: Path) -> EmbeddedStore:
    with EmbeddedStore(tmp_path / "store") as store:
        for name in ("a", "b", "c"):
            put(store, spec(name))
        store.compact(more_than=0)
        rejects = tmp_path / "rejects.tsv.gz"
        rejects.write_bytes(b"rejected")
        writer = store.begin(SimpleLoadPlan("d", (Source("d"),)))
        writer.write(stage(spec("d")))
        writer.attach(rejects)
        writer.commit({"rejects": rejects.name})
        SqliteTraces(store.path / "traces.sqlite").save(answer_json(answer()))
        yield store


@pytest.mark.parametrize("name", ["kept", "kept.tar", "kept.tar.zst"])
def test_a_backup_is_the_store_again(store: EmbeddedStore, tmp_path: Path, name: str):
    before = said(store)
    told = []
    done = backup(store, tmp_path / name, listener=told.append)
    assert (done["loads"], done["generation"]) == (4, 5)
    assert {e.kind for e in told} == {"store.backup", "store.verify"}
    restored = tmp_path / name
    if name != "kept":
        assert restore(tmp_path / name, tmp_path / "new")["loads"] == 4
        restored = tmp_path / "new"
    with EmbeddedStore(restored) as other:
        assert said(other) == before
        assert other.doctor() == []
        assert [(x["id"], x["name"], x["facts"], x["created"], x["flipped"]) for x in other.loads()] == [
            (x["id"], x["name"], x["facts"], x["created"], x["flipped"]) for x in store.loads()
        ]
        assert (other.path / "loads" / "d.4" / "rejects.tsv.gz").read_bytes() == b"rejected"
        assert SqliteTraces(other.path / "traces.sqlite").get("a1b2c3d4")["question"] == answer().question
        put(other, spec("e"))
        other.drop("a")
    assert said(store) == before


def test_what_was_backed_up_can_be_copied_as_a_store(store: EmbeddedStore, tmp_path: Path):
    backup(store, tmp_path / "kept")
    assert restore(tmp_path / "kept", tmp_path / "new")["loads"] == 4
    with EmbeddedStore(tmp_path / "new") as other:
        assert said(other) == said(store)


def test_it_is_one_moment_while_loads_land(store: EmbeddedStore, tmp_path: Path):
    stop = threading.Event()

    def replace() -> None:
        with EmbeddedStore(store.path) as own:
            n = 0
            while not stop.is_set():
                n += 1
                for name in ("a", "b"):
                    put(own, spec(name, f"Q{n}"), replace=True)

    thread = threading.Thread(target=replace)
    thread.start()
    try:
        for n in range(3):
            backup(store, tmp_path / f"kept{n}")
            with EmbeddedStore(tmp_path / f"kept{n}") as other:
                assert not [f for f in other.doctor() if f.level == "error"]
                said(other)
    finally:
        stop.set()
        thread.join()


def test_a_damaged_store_is_not_backed_up(store: EmbeddedStore, tmp_path: Path):
    file = store.path / "loads" / "a.1" / "texts.sqlite"
    data = bytearray(file.read_bytes())
    data[5000] ^= 1
    file.write_bytes(data)
    with pytest.raises(StoreCorruptError, match=r"texts\.sqlite"):
        backup(store, tmp_path / "kept")
    assert not list(tmp_path.glob("kept*"))


def test_what_is_there_is_not_overwritten(store: EmbeddedStore, tmp_path: Path):
    (tmp_path / "kept.tar").write_text("mine")
    with pytest.raises(UsageError, match="is there already"):
        backup(store, tmp_path / "kept.tar")
    backup(store, tmp_path / "good.tar")
    with pytest.raises(UsageError, match="is there already"):
        restore(tmp_path / "good.tar", store.path)


@pytest.mark.parametrize("damage", ["flip", "cut", "none"])
def test_damaged_archives_make_no_store(store: EmbeddedStore, tmp_path: Path, damage: str):
    file = tmp_path / "kept.tar"
    backup(store, file)
    data = bytearray(file.read_bytes())
    data = {
        "flip": data[:700] + bytes([data[700] ^ 1]) + data[701:],
        "cut": data[: len(data) // 2],
        "none": b"x" * 4096,
    }[damage]
    file.write_bytes(data)
    with pytest.raises((StoreCorruptError, UsageError)):
        restore(file, tmp_path / "new")
    assert not list(tmp_path.glob("new*"))


@pytest.mark.parametrize("name", ["../evil", "/evil", "loads/../evil", "loads/a/b/evil", ".evil", "loads/..", "link"])
def test_archives_with_other_things_in_them_are_refused(tmp_path: Path, name: str):
    file = tmp_path / "kept.tar"
    with tarfile.open(file, "w") as tar:
        info = tarfile.TarInfo(name)
        if name == "link":
            info.type, info.linkname = tarfile.SYMTYPE, "/etc/passwd"
        else:
            info.size = 4
        tar.addfile(info, io.BytesIO(b"evil"))
    with pytest.raises(UsageError, match="no place"):
        restore(file, tmp_path / "new")
    assert sorted(f.name for f in tmp_path.iterdir()) == ["kept.tar"]


@pytest.mark.parametrize("name", ["copy", "copy.tar", "copy.tar.zst"])
def test_only_its_owner_reads_a_backup(tmp_path, name):
    with EmbeddedStore(tmp_path / "store") as store:
        backup(store, tmp_path / name)
    assert (tmp_path / name).stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("name", ["kept.tar", "kept.tar.zst"])
@pytest.mark.filterwarnings("error::pytest.PytestUnraisableExceptionWarning")
def test_without_room_an_archive_is_a_clear_error_and_nothing_else(tmp_path: Path, name: str):
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    place = backup_places.TarPlace(tmp_path / name)
    big = tmp_path / "big"
    big.write_bytes(random.Random(1).randbytes(1 << 20))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, limits[1]))
    try:
        with pytest.raises(DiskFullError), disk_errors(tmp_path, "writing the backup"), place as opened:
            opened.put("big", big, 1 << 20)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    del opened, place
    gc.collect()  # an unfinished stream says so only now


@pytest.mark.parametrize("name", ["kept", "kept.tar"])
def test_what_others_finished_meanwhile_is_never_replaced(store: EmbeddedStore, tmp_path: Path, name: str):
    target = tmp_path / name

    def another(event: Event) -> None:
        if event.kind == "store.verify" and not target.exists():
            if name == "kept":
                target.mkdir()
                (target / "theirs").write_bytes(b"theirs")
            else:
                target.write_bytes(b"theirs")

    with pytest.raises(UsageError, match="is there already"):
        backup(store, target, listener=another)
    assert (target / "theirs" if name == "kept" else target).read_bytes() == b"theirs"
    assert not list(tmp_path.glob("*.part.*"))
