"""Two processes that load at once: of different sources both land, of the same one the second is told who has it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from helpers.programs import own_environment
from helpers.samples import small_disk

from hydra_kg.stores.embedded.store import EmbeddedStore

LOADER = """
import sys
from helpers.samples import small_disk
from hydra_kg.errors import StoreBusyError
from hydra_kg.stores.embedded.store import EmbeddedStore

class Waiting(EmbeddedStore):
    def begin(self, load):
        writer = super().begin(load)
        print("begun", flush=True)
        input()
        return writer

with Waiting(sys.argv[1]) as store:
    try:
        small_disk.put(store, sys.argv[2], 1, links=300)
        print("done")
    except StoreBusyError as e:
        print(e.args[0] + " " + e.remedy)
"""


def start(store: Path, name: str) -> subprocess.Popen[str]:
    """A process that begins a load and waits for a word before it goes on."""
    return subprocess.Popen(
        [sys.executable, "-c", LOADER, str(store), name],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=own_environment(drop=()),
    )


def said(process: subprocess.Popen[str]) -> str:
    """Its next line."""
    assert process.stdout is not None
    return process.stdout.readline().strip()


def ends(process: subprocess.Popen[str]) -> str:
    """Let it go on, and what it says last."""
    return process.communicate("go on\n", timeout=60)[0].strip()


def test_loads_of_different_sources_both_land(tmp_path: Path) -> None:
    first, second = (start(tmp_path, name) for name in "ab")
    assert (said(first), said(second)) == ("begun", "begun")
    for process in (first, second):  # both go on at the same moment
        assert process.stdin is not None
        process.stdin.write("go on\n")
        process.stdin.flush()
    assert [ends(first), ends(second)] == ["done", "done"]
    with EmbeddedStore(tmp_path) as store:
        with store.snapshot() as snapshot:
            assert [info.name for info in snapshot.manifest()] == ["a", "b"]
        assert [f for f in store.doctor() if f.level == "error"] == []
        assert [*(tmp_path / "staging").iterdir()] == []
    alone = tmp_path / "alone"
    with EmbeddedStore(alone) as store:
        for name in "ab":
            small_disk.put(store, name, 1, links=300)
    assert small_disk.state(tmp_path)["seen"] == small_disk.state(alone)["seen"]


def test_the_second_load_of_one_source_is_told_who_has_it(tmp_path: Path) -> None:
    first = start(tmp_path, "a")
    assert said(first) == "begun"
    second = start(tmp_path, "a")
    told = said(second)
    second.communicate(timeout=60)
    assert told.startswith(f"a is being loaded by process {first.pid} on ")
    assert "Wait" in told
    assert ends(first) == "done"
    with EmbeddedStore(tmp_path) as store, store.snapshot() as snapshot:
        assert [info.name for info in snapshot.manifest()] == ["a"]
