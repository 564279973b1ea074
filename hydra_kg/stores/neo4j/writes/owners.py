"""Identifies the process that writes a load: its machine and process id, whether it is alive, and its heartbeat."""

from __future__ import annotations

import functools
import os
import socket
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from hydra_kg.errors import HydraError
from hydra_kg.stores.neo4j.connection.queries import Database

BEAT: Final = 20.0  # seconds between two signs of life
LOST: Final = 3 * 60 * 1000  # ms by the server's clock without one, after which a load elsewhere counts as killed

_writing: set[str] = set()
"""Names under which this process is writing loads."""


def new_owner() -> str:
    """Return a new name for this process, as a load in the graph stores it.

    The name consists of the machine, the process id, the start time of the process, the place in which the process id
    is valid (one start of one machine, seen from within one container), and a random part.
    """
    pid = os.getpid()
    owner = f"{socket.gethostname() or '?'} {pid} {_begun(pid) or 0} {_place()} {uuid.uuid4().hex}"
    _writing.add(owner)
    return owner


def forget_owner(owner: str) -> None:
    """Record that this process no longer writes under that name."""
    _writing.discard(owner)


def is_ours(owner: str) -> bool:
    """Return True if this process writes under that name."""
    return owner in _writing


def is_alive(owner: str, *, idle: int) -> bool:
    """Return True if the process that writes a load is alive.

    A process on another machine counts as alive if its last heartbeat is less than LOST ms ago. ``idle`` is the time
    since that heartbeat in ms.
    """
    if not owner or owner in _writing:
        return bool(owner)
    _, pid, begun, place, *_ = (*owner.split(" "), "", "", "")
    if place != _place() or not pid.isdigit():
        return idle < LOST
    return int(pid) != os.getpid() and _begun(int(pid)) == int(begun)


def owner_text(owner: str) -> str:
    """Return a description of the owner for a person."""
    host, pid, *_ = (*owner.split(" "), "?")
    return f"process {pid} on {host}"


@contextmanager
def beating(db: Database, load: int, owner: str) -> Iterator[None]:
    """Send heartbeats for a load until the end of the block. Heartbeats that fail are skipped."""
    stop = pulse(db, load, owner)
    try:
        yield
    finally:
        stop.set()


def pulse(db: Database, load: int, owner: str) -> threading.Event:
    """Send heartbeats until the returned event is set, or this process no longer writes as that owner."""
    stop = threading.Event()

    def beat() -> None:
        while not stop.wait(BEAT) and owner in _writing:
            with suppress(HydraError):
                db.write_once(lambda tx: tx.run("load_beat", {"id": load, "owner": owner}))

    threading.Thread(target=beat, name=f"load {load}", daemon=True).start()
    return stop


@functools.cache
def _place() -> str:
    """Return the place in which process ids are valid: this start of this machine, and this container of it."""
    with suppress(OSError):
        boot = Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
        return f"{boot}/{os.stat('/proc/self/ns/pid').st_ino}"  # noqa: PTH116  Path.stat on a link of /proc is the same
    return f"{socket.gethostname()}/-"


def _begun(pid: int) -> int | None:
    """Return when a process began, in ticks since the machine's start, or None if it has ended.

    The start time is needed because a process id may later be used again.
    """
    try:
        state, *rest = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()
        return None if state in "ZX" else int(rest[18])
    except OSError:
        pass
    if Path("/proc/self/stat").exists():
        return None
    try:  # no such file system here
        os.kill(pid, 0)
    except ProcessLookupError:
        return None
    except PermissionError:
        pass
    return 0
