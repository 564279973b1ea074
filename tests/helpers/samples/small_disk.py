"""A process whose disk is full, or whose files may not grow: what it does to a store.

``small_disk.py HOW FOLDER``, run by tests/integration/faults/test_disk_full.py, prints what happened in each operation
as JSON; with HOW ``disk`` it wants a name space of mounts of its own (``unshare --mount``).
"""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np

from bench.memory_stage import FactRow, MemoryStage, SimpleLoadPlan
from hydra_kg.domain import Source
from hydra_kg.errors import HydraError
from hydra_kg.ingest.contract.choices import LoadOptions
from hydra_kg.ingest.load import load_files
from hydra_kg.stores.embedded.store import EmbeddedStore
from hydra_kg.stores.published.publish import publish
from hydra_kg.util.package_data import find_content

DISK: Final = 24 << 20
ROOMS: Final = (0, 1 << 14, 1 << 19, 3 << 20)
"""Bytes that are free, or that a file may have, one after the other until the operation can be done."""


def put(store: EmbeddedStore, name: str, edition: int, *, replace: bool = False, links: int = 3000) -> None:
    """A load of two sources."""
    draw = random.Random(f"{name} {edition}")
    keys = [f"Q{n}" for n in range(1, links // 3)]
    rows = [FactRow(draw.choice(keys), f"P{n % 9 + 1}", draw.choice(keys), n, n % 2) for n in range(links)]
    stage = MemoryStage(
        rows,
        names=[(key, "name", f"{name} {key}") for key in keys],
        passages=[(key, key, "", f"{key} is one.", n) for n, key in enumerate(keys[:400])],
    )
    load = store.begin(SimpleLoadPlan(name, (Source(f"{name}0"), Source(f"{name}1")), replace))
    try:
        load.write(stage)
        load.commit({"file": name})
    finally:
        load.release()


def base(store: EmbeddedStore) -> None:
    """What is there before."""
    put(store, "a", 1)
    put(store, "b", 1)


OPERATIONS: Final[Mapping[str, Callable[[EmbeddedStore], Any]]] = {
    "load": lambda store: load_files(store, [find_content("sample", "freebase.nt.gz")], LoadOptions(limit=500)),
    "replace": lambda store: put(store, "a", 2, replace=True),
    "drop": lambda store: store.drop("a"),
    "drop a source of several": lambda store: store.drop("a1"),
    "compact": lambda store: store.compact(more_than=1, everything=True),
    "publish": lambda store: publish(store, str(store.path.parent / "published")),
}


def seen(store: EmbeddedStore) -> list[Any]:
    """What a reader sees."""
    with store.snapshot() as s:
        facts = [
            len(s.facts(np.full(len(x.fdst), n, np.int16), np.arange(len(x.fdst))))
            for n, (_, x) in enumerate(s.pinned.loads)
        ]
        cut = s.cut([n for n in s.lookup(["Q1", "Q7"]) if n is not None], depth=2)
        return [[[i.name, i.checksum, len(i.sources)] for i in s.manifest()], facts, len(cut.src), int(cut.src.sum())]


def attempt(path: Path, operation: str) -> dict[str, Any]:
    """One try: how it ended."""
    try:
        with EmbeddedStore(path) as store:
            OPERATIONS[operation](store)
    except HydraError as e:
        return {"error": type(e).__name__, "text": str(e.args[0]), "remedy": e.remedy}
    return {"error": ""}


def state(path: Path) -> dict[str, Any]:
    """What a new reader sees, and what is wrong on disk."""
    with EmbeddedStore(path) as store:
        found = [f.what for f in store.doctor() if f.level == "error"]
        return {"seen": seen(store), "wrong": found, "merged": (path / "merged").is_dir()}


class Narrow:
    """A store that lies where there is little room; ``with narrow.room(n)`` leaves so many bytes."""

    def __init__(self, how: str, folder: Path) -> None:
        self.how, self.folder = how, folder
        if how == "disk":
            subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", str(folder)], check=True)
        self.ballast = folder / "ballast"
        os.environ["TMPDIR"] = str(folder)

    def leave(self, room: int) -> None:
        """From now on there is so much room."""
        if self.how == "limit":
            resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))
            return
        with self.ballast.open("wb") as file:
            free = os.statvfs(self.folder)
            file.write(bytes(max(0, free.f_bavail * free.f_frsize - room)))

    def widen(self) -> None:
        """From now on there is enough."""
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        self.ballast.unlink(missing_ok=True)


def ask(path: Path) -> dict[str, Any]:
    """A question to the command, in a process of its own, in no room at all."""
    words = ["ask", "What is a Q7?", "--store", str(path), "--no-network"]
    done = subprocess.run([sys.executable, "-m", "hydra_kg", *words], capture_output=True, text=True, check=False)
    return {"code": done.returncode, "out": done.stdout, "err": done.stderr}


def main(how: str, name: str) -> None:
    """See the module."""
    folder = Path(name)
    with EmbeddedStore(folder / "base") as store:
        base(store)
    (folder / "small").mkdir()
    narrow = Narrow(how, folder / "small")
    print(json.dumps({operation: one(folder, narrow, operation) for operation in (*OPERATIONS, "ask")}))


def one(folder: Path, narrow: Narrow, operation: str) -> dict[str, Any]:
    """What an operation does to a store that lies where there is little room, and to one elsewhere."""
    path, elsewhere = folder / "small" / "store", folder / "elsewhere"
    for place in (path, elsewhere):
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(folder / "base", place)
    if operation == "ask":
        narrow.leave(0)
        asked = ask(path)
        narrow.widen()
        return {"ask": asked}
    attempt(elsewhere, operation)
    told: dict[str, Any] = {"before": state(path), "wanted": state(elsewhere)["seen"], "tries": []}
    for room in ROOMS:
        narrow.leave(room)
        end = attempt(path, operation)
        narrow.widen()
        told["tries"].append({"room": room, **end, **state(path)})
        if not end["error"]:
            break
    return told


if __name__ == "__main__":
    main(*sys.argv[1:])
