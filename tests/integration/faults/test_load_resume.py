"""Killed loads: whatever moment the process dies in, running it again gives the store of an undisturbed load."""

from __future__ import annotations

import gzip
import itertools
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from helpers.samples.loading import fact

from hydra_kg.errors import LoadError, StoreBusyError
from hydra_kg.events import Event
from hydra_kg.ingest.contract import lines
from hydra_kg.ingest.contract.choices import LoadOptions
from hydra_kg.ingest.contract.loader import loaders
from hydra_kg.ingest.contract.work import Work
from hydra_kg.ingest.load import load_files
from hydra_kg.ingest.report import LoadResult
from hydra_kg.stores.embedded.store import EmbeddedStore
from hydra_kg.util.package_data import find_content

SAMPLE = find_content("sample", "freebase.nt.gz")
# Runs one load and kills itself without warning at the n-th event whose kind and stream fit. Every event is told: how
# many there are does not depend on how fast the machine is.
VICTIM = """
import os, signal, sys
from pathlib import Path
from hydra_kg.events.progress import Throttle
from hydra_kg.ingest.load import load_files
from hydra_kg.stores.embedded.store import EmbeddedStore
Throttle.due = lambda self, *, finished=False: True
store, file, kind, stream, when = sys.argv[1:]
left = int(when)
def listen(event):
    global left
    if event.kind == kind and event.data.get("stream", "") == stream:
        left -= 1
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)
with EmbeddedStore(store) as s:
    load_files(s, [Path(file)], listener=listen)
"""
POINTS = [
    ("load.read", "", 1),
    ("load.sort", "names", 1),
    ("load.write", "", 1),
    ("load.write", "", 2),
    ("load.flip", "", 1),
    ("load.flip", "", 2),
]


def kill_at(store: Path, file: Path, kind: str, stream: str, when: int) -> None:
    """A load that dies at that moment."""
    command = [sys.executable, "-c", VICTIM, str(store), str(file), kind, stream, str(when)]
    done = subprocess.run(command, capture_output=True, check=False, timeout=120)
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()


def checksum(store: EmbeddedStore) -> str:
    """What the one ready load holds."""
    with store.snapshot() as snapshot:
        (info,) = snapshot.manifest()
        return info.checksum


@pytest.fixture(scope="module")
def part(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tenth of the sample."""
    file = tmp_path_factory.mktemp("part") / "freebase.nt.gz"
    with gzip.open(SAMPLE) as lines:
        file.write_bytes(gzip.compress(b"".join(itertools.islice(lines, 9_000)), 1))
    return file


@pytest.fixture(scope="module")
def undisturbed(part: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, LoadResult]]:
    """Checksum and result of a load that nobody kills."""
    with EmbeddedStore(tmp_path_factory.mktemp("resume") / "store") as store:
        report = load_files(store, [part])
        yield checksum(store), report.loads[0]


@pytest.mark.parametrize("kind,stream,when", POINTS)
def test_killed_and_run_again(
    tmp_path: Path, part: Path, undisturbed: tuple[str, LoadResult], kind: str, stream: str, when: int
) -> None:
    wanted, full = undisturbed
    kill_at(tmp_path / "store", part, kind, stream, when)
    with EmbeddedStore(tmp_path / "store") as store:
        ready = [row for row in store.loads() if row["state"] == "ready"]
        if (kind, when) == ("load.flip", 2):  # it died after the flip: everything is there already
            assert len(ready) == 1
            assert load_files(store, [part]).loads[0].already
        else:
            assert ready == []
            (result,) = load_files(store, [part]).loads
            assert (result.kept, result.duplicates, result.dropped) == (full.kept, full.duplicates, full.dropped)
            assert ("read" in result.resumed) == (kind != "load.read")
        assert checksum(store) == wanted
        assert not [f for f in store.doctor() if f.level != "note"]
        assert list((store.path / "staging").iterdir()) == []


def test_stopped_after_every_step(
    tmp_path: Path, part: Path, undisturbed: tuple[str, LoadResult], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Begun again after each of its steps, which are done once each: what an undisturbed load leaves."""
    done: list[str] = []
    run = Work._run

    def one(work: Work, name: str, *arguments: Any) -> Any:
        if len(done) > before:
            raise LoadError("stopped")
        result = run(work, name, *arguments)
        done.append(name)
        return result

    monkeypatch.setattr(Work, "_run", one)
    with EmbeddedStore(tmp_path / "store") as store:
        while True:
            before = len(done)
            with suppress(LoadError):
                (result,) = load_files(store, [part], LoadOptions(threads=1)).loads
                break
            assert len(done) == before + 1
        assert len(done) > 8
        assert len(done) == len(set(done))
        assert set(result.resumed) == set(done[:-1])
        assert (result.kept, result.duplicates, result.dropped) == (
            undisturbed[1].kept,
            undisturbed[1].duplicates,
            undisturbed[1].dropped,
        )
        assert checksum(store) == undisturbed[0]


def test_killed_twice(tmp_path: Path, part: Path, undisturbed: tuple[str, LoadResult]) -> None:
    for kind, stream in (("load.sort", "values"), ("load.sort", "nodes")):
        kill_at(tmp_path / "store", part, kind, stream, 1)
    with EmbeddedStore(tmp_path / "store") as store:
        (result,) = load_files(store, [part]).loads
        assert {"read", "clean", "sort links", "sort terms"} <= set(result.resumed)
        assert checksum(store) == undisturbed[0]


def test_other_choices_or_another_file_begin_anew(tmp_path: Path, part: Path) -> None:
    kill_at(tmp_path / "store", part, "load.sort", "values", 1)
    with EmbeddedStore(tmp_path / "store") as store:
        (result,) = load_files(store, [part], LoadOptions(keep_reverse=True)).loads
        assert result.resumed == ()
        assert result.notes["turned"] == 0
    kill_at(tmp_path / "other", part, "load.sort", "values", 1)
    copy = tmp_path / "copy.nt.gz"
    copy.write_bytes(part.read_bytes())
    with EmbeddedStore(tmp_path / "other") as store:
        assert load_files(store, [copy]).loads[0].resumed == ()


def test_an_error_in_the_middle_leaves_nothing_visible_and_the_rest_is_done_later(
    tmp_path: Path, part: Path, undisturbed: tuple[str, LoadResult]
) -> None:
    def fail(event: Event) -> None:
        if event.kind == "load.sort" and event.data["stream"] == "names":
            raise LoadError("the listener had enough")

    with EmbeddedStore(tmp_path / "store") as store:
        with pytest.raises(LoadError, match="had enough"):
            load_files(store, [part], listener=fail)
        with store.snapshot() as snapshot:
            assert snapshot.manifest() == ()
        (result,) = load_files(store, [part]).loads
        assert "sort values" in result.resumed
        assert checksum(store) == undisturbed[0]


def test_rejects_of_an_interrupted_reading_are_not_doubled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.nt"
    file.write_text(fact("m.0b1", "a.b.c", "m.0b2") + "\njunk\n")
    loaders()  # all are imported, with the number in constants of their own
    with EmbeddedStore(tmp_path / "store") as store:
        with monkeypatch.context() as patch:
            patch.setattr(lines, "FIRST_KIND", "no number")  # the reading stops after the rejects were noted
            with pytest.raises(LoadError):
                load_files(store, [file])
        (result,) = load_files(store, [file]).loads
        assert (result.read, result.rejected, result.resumed) == (2, {"subject": 1}, ())


def test_two_loads_of_one_name_at_once(tmp_path: Path, part: Path) -> None:
    with EmbeddedStore(tmp_path / "store") as first, EmbeddedStore(tmp_path / "store") as second:

        def listen(event: Event) -> None:
            if event.kind == "load.sort" and event.data["stream"] == "links":
                with pytest.raises(StoreBusyError, match=f"process {os.getpid()}"):
                    load_files(second, [part])

        load_files(first, [part], listener=listen)
        assert len(first.loads()) == 1


def test_a_full_disk_is_said_and_the_load_goes_on_later(
    tmp_path: Path, part: Path, undisturbed: tuple[str, LoadResult]
) -> None:
    limited = VICTIM.replace("store, file", "import resource\nstore, file").replace(
        "left = int(when)",
        "left = int(when)\nsignal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (700_000, 700_000))",
    )
    command = [sys.executable, "-c", limited, str(tmp_path / "store"), str(part), "none", "", "1"]
    done = subprocess.run(command, capture_output=True, check=False, timeout=120)
    assert done.returncode == 1
    assert b"DiskFullError" in done.stderr
    with EmbeddedStore(tmp_path / "store") as store:
        with store.snapshot() as snapshot:
            assert snapshot.manifest() == ()
        load_files(store, [part])
        assert checksum(store) == undisturbed[0]


@pytest.mark.usefixtures("heeds_interrupts")
def test_interrupted_from_the_keyboard(tmp_path: Path, part: Path, undisturbed: tuple[str, LoadResult]) -> None:
    command = [
        sys.executable,
        "-c",
        VICTIM.replace("SIGKILL", "SIGINT"),
        str(tmp_path / "store"),
        str(part),
        "load.sort",
        "links",
        "1",
    ]
    done = subprocess.run(command, capture_output=True, check=False, timeout=120)
    assert b"KeyboardInterrupt" in done.stderr
    with EmbeddedStore(tmp_path / "store") as store:
        load_files(store, [part])
        assert checksum(store) == undisturbed[0]
