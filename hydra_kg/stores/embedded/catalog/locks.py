"""Lock files (flock): one writer per load name, one builder of generations, and the readers of a generation."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
import socket
import time
from contextlib import suppress
from pathlib import Path

from hydra_kg.errors import StoreBusyError


class Lock:
    """One lock file. The operating system releases the lock when the process ends for any reason."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._fd = -1

    @property
    def owned(self) -> bool:
        """Return True if this object has the lock."""
        return self._fd >= 0

    def exclusive(self, *, wait: bool = False) -> bool:
        """Take the lock exclusively and write our process into the file.

        Without ``wait``, return False if another process has the lock.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        fd = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        if not _flock(fd, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB)):
            return False
        self._fd = fd
        with suppress(OSError):  # a full disk: the lock is held whatever its file says
            os.ftruncate(fd, 0)
            os.pwrite(fd, json.dumps({"pid": os.getpid(), "host": socket.gethostname()}).encode(), 0)
        return True

    def shared(self) -> bool:
        """Take the lock together with other readers. Return False if it is taken exclusively or has no file."""
        try:
            fd = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
        except FileNotFoundError:
            return False
        if not _flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB):
            return False
        self._fd = fd
        return True

    def release(self) -> None:
        """Release the lock. Safe to call twice."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def __enter__(self) -> Lock:
        return self

    def __exit__(self, *error: object) -> None:
        self.release()

    def holder(self) -> str:
        """Return which process wrote the file last, for messages: ``process 123 on host``."""
        try:
            who = json.loads(self.path.read_text("utf-8"))
            return f"process {who['pid']} on {who['host']}"
        except (OSError, ValueError, KeyError, TypeError):
            return "another process"


def load_lock(store: Path, name: str) -> Lock:
    """Return the lock for writers of one load name; any text is a legal name."""
    plain = "".join(c if c.isascii() and c.isalnum() else "_" for c in name)[:40]
    return Lock(store / "locks" / f"load-{plain}-{hashlib.sha256(name.encode()).hexdigest()[:8]}")


def take_load(store: Path, name: str) -> Lock:
    """Take and return the lock of a load name. Raise StoreBusyError, naming the process that has it."""
    lock = load_lock(store, name)
    for wait in (0.0, 0.01, 0.1):  # somebody may just be looking whether the lock is free
        time.sleep(wait)
        if lock.exclusive():
            return lock
    raise StoreBusyError(
        f"{name} is being loaded by {lock.holder()}.",
        remedy="Wait until it has finished, or stop it, and run the command again.",
    )


def is_loading(store: Path, name: str) -> bool:
    """Return True if a live process is writing a load of that name."""
    lock = load_lock(store, name)
    if not lock.path.exists():
        return False
    with lock:
        return not lock.shared()


def builder_lock(store: Path) -> Lock:
    """Return the lock of the process that builds and flips a generation."""
    return Lock(store / "locks" / "builder")


def generation_lock(store: Path, number: int) -> Lock:
    """Return the lock that readers of a generation share and that is taken exclusively to remove it."""
    return Lock(store / "locks" / f"generation-{number}")


def _flock(fd: int, how: int) -> bool:
    try:
        fcntl.flock(fd, how)
    except OSError as e:
        os.close(fd)
        if e.errno in (errno.EWOULDBLOCK, errno.EACCES):
            return False
        raise
    return True
