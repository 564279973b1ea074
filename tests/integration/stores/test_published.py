"""Readers answer from a verified copy of what was published, whatever the network, the disk or another publisher do."""

from __future__ import annotations

import hashlib
import json
import re
import resource
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from helpers.samples.graphs import ENTITIES, MEDIATORS, WORDS, Spec, put
from helpers.samples.whole import everything
from helpers.servers.buckets import BUCKET, s3_server, speak_to
from helpers.servers.proxy import Proxy

from hydra_kg.cli.main import main
from hydra_kg.client import Hydra
from hydra_kg.domain import Source
from hydra_kg.errors import (
    DiskFullError,
    NotFoundError,
    StoreBusyError,
    StoreCorruptError,
    StoreError,
    UsageError,
)
from hydra_kg.settings import ReaderSettings, Settings
from hydra_kg.stores import open_store, store_path
from hydra_kg.stores.embedded.operations.backup import backup
from hydra_kg.stores.embedded.store import EmbeddedStore
from hydra_kg.stores.published import copy as copies
from hydra_kg.stores.published.publication_places import PublishedPlace, open_place
from hydra_kg.stores.published.publish import publish
from hydra_kg.stores.published.store import PublishedStore

KEYS = [*ENTITIES, *MEDIATORS]


def spec(name: str, to: str = "Q2") -> Spec:
    return Spec(
        name,
        (Source(name),),
        links=[("Q1", "P19", to, 0), ("m.0b", "P31", "Q5", 0)],
        names=[("Q1", "name", "Paris")],
        passages=[("Q1", "Paris", "Paris is a city.")],
    )


def said(store: EmbeddedStore) -> object:
    return everything(store, KEYS, WORDS, handles=True)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store, and where it is published."""
    folder = tmp_path_factory.mktemp("made")
    with EmbeddedStore(folder / "own") as store:
        put(store, spec("a"))
        put(store, spec("b", "Q3"))
        store.compact(more_than=0)
        shutil.copytree(folder / "own", folder / "unpublished")
        publish(store, str(folder / "published"))
    return folder


@pytest.fixture
def store(made: Path, tmp_path: Path) -> Iterator[EmbeddedStore]:
    """Never published."""
    shutil.copytree(made / "unpublished", tmp_path / "own")
    with EmbeddedStore(tmp_path / "own") as store:
        yield store


@pytest.fixture
def published(made: Path, tmp_path: Path) -> Path:
    shutil.copytree(made / "published", tmp_path / "published")
    return tmp_path / "published"


@pytest.fixture(scope="module")
def server() -> Iterator[int]:
    with s3_server() as port:
        yield port


@pytest.fixture
def proxy(server: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[Proxy]:
    """An S3 server behind a network with faults."""
    with Proxy("127.0.0.1", server) as proxy:
        speak_to(monkeypatch, proxy.port)
        yield proxy


@pytest.fixture(params=["file", "s3"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where to publish."""
    if request.param == "file":
        return f"file://{tmp_path}/published"
    request.getfixturevalue("proxy")
    return f"s3://{BUCKET}/{tmp_path.name}"


@pytest.fixture
def bucket(proxy: Proxy, tmp_path: Path) -> str:
    return f"s3://{BUCKET}/{tmp_path.name}"


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Callable[..., PublishedStore]]:
    opened: list[PublishedStore] = []

    def made(address: str, *, poll: float = 0, name: str = "copy") -> PublishedStore:
        opened.append(PublishedStore(address, ReaderSettings(copy_folder=str(tmp_path / name), poll=poll)))
        return opened[-1]

    yield made
    for one in opened:
        one.close()


def names(folder: Path) -> set[str]:
    return {
        f"{f.parent.name}/{f.name}" for f in folder.glob("*/*") if f.parent.name in ("loads", "generations", "merged")
    }


def test_a_reader_says_what_the_store_says_and_takes_what_is_newer(
    store: EmbeddedStore, place: str, reader: Callable[..., PublishedStore]
) -> None:
    first = publish(store, place)
    assert first["new"]
    assert first["files"] > 30
    copy = reader(place)
    assert said(copy) == said(store)
    assert copy.doctor() == []
    before = said(copy)
    with copy.snapshot() as held:  # a question that began with the older one keeps it
        put(store, spec("a", "Q4"), replace=True)
        done = publish(store, place)
        assert 0 < done["files"] < first["files"]
        assert copy.update()
        assert {i.name for i in held.manifest()} == {"a", "b"}
        assert len(list((copy.path / "generations").iterdir())) == 2
    assert (copy.path / "generations" / str(done["generation"]) / "pairs.npy").is_file()  # before a question asked
    assert said(copy) == said(store) != before
    assert names(copy.path) == {f"generations/{done['generation']}", "loads/a.3", "loads/b.2"} | {
        f"merged/{f.name}" for f in (store.path / "merged").glob("*")
    }
    assert not copy.update()


def test_nothing_is_written_twice_and_a_killed_publication_goes_on(
    store: EmbeddedStore, bucket: str, proxy: Proxy
) -> None:
    sent: list[bytes] = []

    def count(data: bytes, number: int) -> Any:
        if data.startswith(b"PUT "):
            sent.append(data.split(b" ")[1])
            if len(sent) == 9:
                proxy.refusing = True
                return "reset"
        return data

    proxy.up = count
    with pytest.raises(StoreError):
        publish(store, bucket)
    assert open_place(bucket).__class__.__name__ == "Bucket"
    proxy.refusing, proxy.up = False, lambda data, number: data
    with pytest.raises(NotFoundError):  # nothing of it is published
        open_place(bucket).read("CURRENT", limit=100)
    whole = sum(1 for folder in ("loads", "generations", "merged") for _ in (store.path / folder).glob("*/*"))
    assert publish(store, bucket)["files"] == whole - 8
    assert publish(store, bucket) | {"bytes": 0} == publish(store, bucket) | {"bytes": 0, "files": 0, "uploaded": 0}


def test_what_was_damaged_there_is_found_and_mended(
    store: EmbeddedStore, tmp_path: Path, reader: Callable[..., PublishedStore]
) -> None:
    place = f"file://{tmp_path}/published"
    publish(store, place)
    file = next((tmp_path / "published" / "loads").glob("b.2-*/foff.npy"))
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(data)
    with pytest.raises(StoreCorruptError, match=r"foff\.npy is not what was published"):
        reader(place)
    assert publish(store, place)["files"] == 0
    assert publish(store, place, check=True)["files"] == 1
    assert said(reader(place)) == said(store)


def test_an_older_store_does_not_replace_what_is_newer(store: EmbeddedStore, place: str, tmp_path: Path) -> None:
    backup(store, tmp_path / "old")
    put(store, spec("c"))
    publish(store, place)
    # It was copied before the store was ever published.
    with EmbeddedStore(tmp_path / "old") as old, pytest.raises(UsageError, match="Another store"):
        publish(old, place)
    backup(store, tmp_path / "later")
    put(store, spec("d"))
    publish(store, place)
    with EmbeddedStore(tmp_path / "later") as later:
        with pytest.raises(StoreError, match="newer"):
            publish(later, place)
        put(later, spec("e"))
        with pytest.raises(UsageError, match="same beginnings"):
            publish(later, place)


def test_of_two_publishers_at_once_the_pointer_is_one(store: EmbeddedStore, place: str) -> None:
    publish(store, place)
    where = open_place(place)
    data, tag = where.read("CURRENT", limit=4096)
    where.swap("CURRENT", data + b" ", tag)
    for stale in (tag, ""):
        with pytest.raises(StoreBusyError):
            where.swap("CURRENT", data, stale)
    assert where.read("CURRENT", limit=4096)[0] == data + b" "


def test_cut_connections_are_taken_up_where_they_were_cut(
    store: EmbeddedStore, bucket: str, proxy: Proxy, reader: Callable[..., PublishedStore]
) -> None:
    publish(store, bucket)
    cuts = iter(range(40))

    def cut(data: bytes, number: int) -> Any:
        return "reset" if number % 3 and len(data) > 900 and next(cuts, None) is not None else data

    proxy.down = cut
    proxy.cut()
    assert said(reader(bucket)) == said(store)
    assert next(cuts) > 2


def test_a_network_that_is_gone_leaves_the_earlier_copy_in_force(
    store: EmbeddedStore,
    bucket: str,
    proxy: Proxy,
    reader: Callable[..., PublishedStore],
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    publish(store, bucket)
    reader(bucket).close()
    monkeypatch.setattr("hydra_kg.stores.published.bucket._RETRIES", 0)
    proxy.refusing = True
    proxy.cut()
    assert said(reader(bucket)) == said(store)
    assert "answered from the earlier copy" in caplog.text
    with pytest.raises(StoreError):
        reader(bucket, name="other")


def test_wrong_bytes_are_never_answered_from(
    store: EmbeddedStore, bucket: str, proxy: Proxy, reader: Callable[..., PublishedStore]
) -> None:
    publish(store, bucket)
    copy = reader(bucket)
    before = said(copy)
    put(store, spec("a", "Q4"), replace=True)
    publish(store, bucket)

    def turn(data: bytes, number: int) -> bytes:  # the last bytes of what follows the pointer
        return data[:-1] + bytes([data[-1] ^ 1]) if b"hydra-kg pointer" not in data else data

    proxy.down = turn
    proxy.cut()
    with pytest.raises(StoreError):
        copy.update()
    assert said(copy) == before
    proxy.down = lambda data, number: data
    assert copy.update()
    assert said(copy) == said(store)


def test_a_pointer_that_comes_first_is_waited_for(
    store: EmbeddedStore, tmp_path: Path, reader: Callable[..., PublishedStore]
) -> None:
    place, folder = f"file://{tmp_path}/published", tmp_path / "published"
    publish(store, place)
    copy = reader(place)
    before = said(copy)
    put(store, spec("c"))
    publish(store, place)
    for late in (folder / "publications", next((folder / "loads").glob("c.*"))):
        late.rename(tmp_path / "late")
        with pytest.raises(NotFoundError):
            copy.update()
        assert said(copy) == before
        (tmp_path / "late").rename(late)
    copy._poll = 0.05
    deadline = time.monotonic() + 60
    while said(copy) == before:  # by itself, in its thread
        assert time.monotonic() < deadline
        time.sleep(0.02)
    assert said(copy) == said(store)


def test_a_full_disk_leaves_the_earlier_copy_in_force(
    store: EmbeddedStore, tmp_path: Path, reader: Callable[..., PublishedStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    place = f"file://{tmp_path}/published"
    publish(store, place)
    copy = reader(place)
    before = said(copy)
    put(store, Spec("big", (Source("big"),), passages=[("Q1", "Paris", f"{n} {'x' * 50}") for n in range(3_000)]))
    publish(store, place)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, limits[1]))
    try:
        with pytest.raises(DiskFullError):
            copy.update()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert said(copy) == before
    assert not (copy.path / ".incoming").exists()
    with monkeypatch.context() as patch:
        patch.setattr(copies, "free_bytes", lambda path: 1 << 20)
        with pytest.raises(DiskFullError, match="What is new takes"):
            copy.update()
    assert copy.update()
    assert said(copy) == said(store)


def test_what_was_fetched_before_a_kill_is_not_fetched_again(
    store: EmbeddedStore, tmp_path: Path, reader: Callable[..., PublishedStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    place = f"file://{tmp_path}/published"
    publish(store, place)
    asked: list[str] = []
    real = PublishedPlace.block

    def block(self: PublishedPlace, name: str, start: int, end: int) -> bytes:
        if "-" in name and name.count("/") == 2:
            asked.append(name)
            if len(asked) == 12:
                raise KeyboardInterrupt
        return real(self, name, start, end)

    monkeypatch.setattr(PublishedPlace, "block", block)
    with pytest.raises(KeyboardInterrupt):
        reader(place)
    assert said(reader(place)) == said(store)
    assert len(asked) - len(set(asked)) == 1


Doc = dict[str, Any]


def hostile(doc: Doc, how: str) -> None:
    folder = next(f for f in doc["folders"] if f["path"].startswith("loads/"))
    if how == "file":
        folder["files"]["../../../escaped"] = folder["files"].pop("foff.npy")
    elif how == "folder":
        folder["path"] = "loads/../../escaped.1"
    elif how == "where":
        folder["at"] = "loads/../../a-0123456789abcdef"
    elif how == "id":
        doc["loads"][0]["id"] = "../a.1"
    elif how == "size":
        folder["files"]["foff.npy"]["bytes"] = 1 << 60
    elif how == "longer":
        folder["files"]["foff.npy"]["bytes"] += 1 << 20
    elif how == "more":
        folder["files"]["catalog.sqlite"] = folder["files"]["foff.npy"]
    elif how == "generation":
        doc["generation"] += 5
    elif how == "one name":
        doc["loads"][0]["name"] = doc["loads"][1]["name"]
    elif how == "kind":
        folder["path"] = "locks/builder"
    elif how == "source":
        doc["loads"][0]["sources"][0]["surprise"] = "x"
    else:
        doc["loads"] = "x" * 100


HOSTILE = [
    "file",
    "folder",
    "where",
    "id",
    "size",
    "longer",
    "more",
    "generation",
    "one name",
    "kind",
    "source",
    "type",
]


@pytest.mark.parametrize("how", HOSTILE)
def test_a_hostile_publication_writes_nothing_outside_and_is_not_put_in_force(
    published: Path, tmp_path: Path, reader: Callable[..., PublishedStore], how: str
) -> None:
    place, folder = f"file://{published}", published
    pointer = json.loads((folder / "CURRENT").read_text())
    doc = json.loads((folder / pointer["publication"]).read_text())
    hostile(doc, how)
    data = json.dumps(doc).encode()
    pointer |= {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    (folder / pointer["publication"]).write_bytes(data)
    (folder / "CURRENT").write_text(json.dumps(pointer))
    with pytest.raises((StoreError, NotFoundError)):
        reader(place)
    assert not list(tmp_path.rglob("*escaped*"))
    with EmbeddedStore(tmp_path / "copy") as copy:
        assert copy.loads() == []


@pytest.mark.parametrize(
    "pointer",
    [
        b"",
        b"[]",
        b"\xff",
        b"[" * 3000,
        b'{"magic": "hydra-kg pointer"}',
        b"x" * 5000,
        {"publication": "publications/../../secret"},
        {"bytes": 1 << 40},
        {"bytes": "7"},
        {"lineage": -1},
    ],
)
def test_a_hostile_pointer_is_refused(
    published: Path, tmp_path: Path, reader: Callable[..., PublishedStore], pointer: bytes | Doc
) -> None:
    file = published / "CURRENT"
    if isinstance(pointer, dict):
        pointer = json.dumps(json.loads(file.read_text()) | pointer).encode()
    file.write_bytes(pointer)
    with pytest.raises(StoreError):
        reader(f"file://{published}")


def test_a_folder_that_is_no_copy_is_left_alone(store: EmbeddedStore, tmp_path: Path) -> None:
    publish(store, f"file://{tmp_path}/published")
    before = said(store)
    with pytest.raises(UsageError, match="something else than a copy"):
        PublishedStore(f"file://{tmp_path}/published", ReaderSettings(copy_folder=str(store.path)))
    assert said(store) == before
    PublishedStore(f"file://{tmp_path}/published", ReaderSettings(copy_folder=str(tmp_path / "copy"))).close()
    shutil.copytree(tmp_path / "published", tmp_path / "elsewhere")
    with pytest.raises(UsageError, match="is the copy of"):
        PublishedStore(f"file://{tmp_path}/elsewhere", ReaderSettings(copy_folder=str(tmp_path / "copy")))


def test_another_store_at_the_address_is_not_taken(
    store: EmbeddedStore, tmp_path: Path, reader: Callable[..., PublishedStore]
) -> None:
    place = f"file://{tmp_path}/published"
    publish(store, place)
    copy = reader(place)
    before = said(copy)
    shutil.rmtree(tmp_path / "published")
    with EmbeddedStore(tmp_path / "another") as another:
        for n in range(4):
            put(another, spec("a", f"Q{n + 2}"), replace=True)
        publish(another, place)
    with pytest.raises(StoreError, match="Another store"):
        copy.update()
    assert said(copy) == before


def gone_back(store: EmbeddedStore, place: str, tmp_path: Path) -> EmbeddedStore:
    """Publish a newer generation, lose the store, and publish its backup in its place, as an administrator would."""
    publish(store, place)
    backup(store, tmp_path / "backup")
    put(store, spec("c", "Q7"))
    publish(store, place)
    return EmbeddedStore(tmp_path / "backup")


def test_a_reader_says_that_the_publisher_went_back_and_follows_when_told_to(
    store: EmbeddedStore, tmp_path: Path, reader: Callable[..., PublishedStore], caplog: pytest.LogCaptureFixture
) -> None:
    place = f"file://{tmp_path}/published"
    with gone_back(store, place, tmp_path) as restored:
        copy = reader(place)
        newer, number = said(copy), copy.catalog.generation()
        with pytest.raises(StoreError, match="remove CURRENT"):
            publish(restored, place)
        (tmp_path / "published" / "CURRENT").unlink()
        publish(restored, place)
        for _ in range(2):
            with pytest.raises(StoreError, match=f"generation {number - 1} is published") as caught:
                copy.update()
            assert "db follow" in str(caught.value)
        assert said(copy) == newer
        copy._try()
        assert f"db follow {place} --back" in caplog.text
        with copy.snapshot() as held:  # a question that began before keeps what it began with
            follow = ["db", "follow", place, "--back", "--copy", str(copy.path), "--json"]
            done = json.loads(CliRunner().invoke(main, follow).stdout)
            assert {i.name for i in held.manifest()} == {"a", "b", "c"}
        assert (done["before"], done["generation"], done["loads"]) == (number, number - 1, ["a", "b"])
        assert said(copy) == said(restored)
        # The same number again, with other content: what was open of it before must not be answered from.
        put(restored, spec("c", "Q9"))
        publish(restored, place)
        assert copy.update()
        assert copy.catalog.generation() == number
        assert said(copy) == said(restored) != newer
        assert copy.doctor() == []


def test_another_state_of_the_same_generation_is_not_taken_silently(
    store: EmbeddedStore, tmp_path: Path, reader: Callable[..., PublishedStore]
) -> None:
    place = f"file://{tmp_path}/published"
    with gone_back(store, place, tmp_path) as restored:
        copy = reader(place)
        before = said(copy)
        (tmp_path / "published" / "CURRENT").unlink()
        put(restored, spec("c", "Q9"))
        publish(restored, place)
        with pytest.raises(StoreError, match="is not the generation"):
            copy.update(back=True)
        assert said(copy) == before


def forge(published: Path, generation: int) -> None:
    """Make what is published claim another generation, with every checksum right."""
    pointer = json.loads((published / "CURRENT").read_bytes())
    publication = json.loads((published / pointer["publication"]).read_bytes()) | {"generation": generation}
    for folder in publication["folders"]:
        folder["path"] = re.sub("^generations/.*", f"generations/{generation}", folder["path"])
    data = json.dumps(publication).encode()
    name = f"publications/{generation:012d}-{'0' * 16}.json"
    (published / name).write_bytes(data)
    checks = {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    (published / "CURRENT").write_text(json.dumps(pointer | checks | {"generation": generation, "publication": name}))


def test_a_generation_far_ahead_is_refused_and_keeps_no_reader(
    published: Path, tmp_path: Path, reader: Callable[..., PublishedStore]
) -> None:
    place, good = f"file://{published}", (published / "CURRENT").read_bytes()
    copy = reader(place, name="known")
    number, before = copy.catalog.generation(), said(copy)
    forge(published, 1 << 40)
    with pytest.raises(StoreError, match="damaged or forged"):
        copy.update()
    with pytest.raises(StoreError, match="damaged or forged"):
        reader(place, name="new")
    forge(published, number + copies.FAR)  # one that could be honest
    assert copy.update()
    (published / "CURRENT").write_bytes(good)
    with pytest.raises(StoreError, match="went back"):
        copy.update()
    assert copy.update(back=True)
    assert (copy.catalog.generation(), said(copy)) == (number, before)


def test_an_update_that_was_killed_before_it_took_force_is_no_damage(
    store: EmbeddedStore, tmp_path: Path, reader: Callable[..., PublishedStore]
) -> None:
    place = f"file://{tmp_path}/published"
    publish(store, place)
    copy = reader(place)
    put(store, spec("c"))
    publish(store, place)
    shutil.copytree(store.path / "loads" / "c.3", copy.path / "loads" / "c.3")  # moved there, and killed then
    assert [f for f in copy.doctor() if f.level == "error"] == []
    assert copy.update()
    assert said(copy) == said(store)
    assert copy.doctor() == []


def test_nothing_can_be_loaded_into_a_copy(
    store: EmbeddedStore, tmp_path: Path, reader: Callable[..., PublishedStore]
) -> None:
    publish(store, f"file://{tmp_path}/published")
    copy = reader(f"file://{tmp_path}/published")
    for change in (lambda: put(copy, spec("z")), lambda: copy.drop("a"), copy.compact):
        with pytest.raises(UsageError, match="only read"):
            change()
    with pytest.raises(UsageError, match="only read"):
        open_store(f"file://{tmp_path}/published", create=True)
    with pytest.raises(UsageError, match="is the copy of"):
        open_store(copy.path, create=True)
    with pytest.raises(UsageError, match="is a store itself"):
        publish(store, str(store.path))


def test_older_publications_go_when_they_are_to(
    store: EmbeddedStore, place: str, reader: Callable[..., PublishedStore]
) -> None:
    for to in ("Q4", "Q5", "Q6"):
        put(store, spec("a", to), replace=True)
        done = publish(store, place, keep=2)
    assert done["removed"] > 10
    left = open_place(place).sizes("publications/")
    assert len(left) == 2
    assert len({name.split("/")[1] for name in open_place(place).sizes("loads/") if "/a." in name}) == 2
    assert said(reader(place)) == said(store)


def test_answers_of_a_reader_are_kept_in_a_folder_of_its_own(
    sample_store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    shutil.copytree(sample_store, tmp_path / "own")
    place = f"file://{tmp_path}/published"
    with EmbeddedStore(tmp_path / "own") as store:
        publish(store, place)
    settings = Settings(readers={"copy_folder": str(tmp_path / "copy"), "poll": 0})
    with Hydra(store=place, settings=settings) as hydra:
        answer = hydra.ask("where was mozart born?")
        assert answer.answer_text == "Salzburg"
        assert hydra.show()["id"] == answer.id
    assert store_path(place).parent == tmp_path / "data" / "hydra-kg" / "readers"
    assert (store_path(place) / "traces.sqlite").is_file()
    assert not (tmp_path / "copy" / "traces.sqlite").exists()
    assert {f.name.split("/")[0] for f in (tmp_path / "published").iterdir()} <= {
        "CURRENT",
        ".lock",
        "generations",
        "loads",
        "publications",
    }


def test_no_question_fails_while_updates_arrive(
    store: EmbeddedStore, tmp_path: Path, reader: Callable[..., PublishedStore]
) -> None:
    place = f"file://{tmp_path}/published"
    publish(store, place)
    copy = reader(place, poll=0.01)
    faults: list[BaseException] = []
    asked, stop = [0], threading.Event()

    def ask() -> None:
        while not stop.is_set():
            try:
                with copy.snapshot() as snapshot:
                    assert {i.name for i in snapshot.manifest()} == {"a", "b"}
                    snapshot.find(["paris"], reach="exact")
                asked[0] += 1
            except BaseException as e:
                faults.append(e)

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for one in threads:
        one.start()
    try:
        for to in ("Q4", "Q5", "Q6"):
            put(store, spec("a", to), replace=True)
            publish(store, place, keep=1)
        deadline = time.monotonic() + 60
        while copy.catalog.generation() != store.catalog.generation():
            assert time.monotonic() < deadline
            time.sleep(0.01)
    finally:
        stop.set()
        for one in threads:
            one.join()
    assert faults == []
    assert asked[0] > 10
    assert said(copy) == said(store)
    while len(list((copy.path / "generations").iterdir())) > 1:  # whoever follows may still be about it
        assert time.monotonic() < deadline
        time.sleep(0.01)
