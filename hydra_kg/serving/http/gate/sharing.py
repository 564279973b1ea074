"""Balance connections between workers on one socket: one with more leaves the next to others (docs/adr/0054)."""

from __future__ import annotations

import asyncio
import fcntl
import mmap
import os
import socket
import struct
import time
from pathlib import Path
from typing import Any, Final

VARIABLE: Final = "HYDRA_KG_CONNECTIONS"
"""The environment variable with the file in which workers count connections; unset with one worker."""

LEFT: Final = 0.1
"""Seconds for which a connection is left to workers with fewer, in case these hang."""

LOOK: Final = 0.001
"""Seconds between two checks whether another worker took it."""

_ROW: Final = struct.Struct("@qq")
"""Row of one worker: process id (0 for none) and number of connections."""


class Connections:
    """Connections of all workers in a mapped file. This process takes the first row without a living owner."""

    def __init__(self, file: Path) -> None:
        with file.open("r+b") as opened:
            fcntl.flock(opened, fcntl.LOCK_EX)
            self._rows = mmap.mmap(opened.fileno(), 0)
            self._places = range(0, len(self._rows), _ROW.size)
            self._mine = next(at for at in self._places if not _lives(self._row(at)[0]))
            self.add(-self._row(self._mine)[1])
            fcntl.flock(opened, fcntl.LOCK_UN)  # the map keeps the file open, and with it the lock

    @staticmethod
    def write(file: Path, workers: int) -> None:
        """Write a file with rows for so many workers, and for those that replace them."""
        file.write_bytes(_ROW.pack(0, 0) * 2 * workers)

    def add(self, n: int) -> None:
        """Add ``n`` to the number of this process's connections."""
        _ROW.pack_into(self._rows, self._mine, os.getpid(), self._row(self._mine)[1] + n)

    def more_than_others(self) -> bool:
        """Return whether a living worker has fewer connections than this process."""
        own = self._row(self._mine)[1]
        others = (self._row(at) for at in self._places if at != self._mine)
        return any(count < own and _lives(process) for process, count in others)

    def _row(self, at: int) -> tuple[int, int]:
        process, count = _ROW.unpack_from(self._rows, at)
        return process, count


class SharingSocket(socket.socket):
    """A listening socket that several processes share."""

    _looked = _since = 0.0

    def accept(self) -> tuple[socket.socket, Any]:
        """Return the next connection. Raise BlockingIOError while workers with fewer should take it."""
        connections = _connections()
        if connections.more_than_others():
            now = time.monotonic()
            if now - self._looked > LEFT:  # another connection than was looked at last
                self._since = now
            self._looked = now
            if now - self._since < LEFT:
                time.sleep(LOOK)  # the loop would come back at once
                raise BlockingIOError
        found = super().accept()
        connections.add(1)
        self._looked = 0.0
        return found


class SharingLoop(asyncio.SelectorEventLoop):
    """The event loop of a worker that shares its socket with others."""

    async def create_server(self, *args: Any, sock: Any = None, **options: Any) -> Any:
        """Create the server as usual, but with shared connections.

        The given socket stays open in addition to the one that is made from it.
        """
        _connections()  # from now on others leave it some
        shared = SharingSocket(sock.family, sock.type, sock.proto, fileno=os.dup(sock.fileno()))
        return await super().create_server(*args, sock=shared, **options)


_OWN: list[Connections] = []


def left() -> None:
    """Record that a connection of this process ended."""
    if _OWN:
        _OWN[0].add(-1)


def _connections() -> Connections:
    """Return the connections of this process."""
    if not _OWN:
        _OWN.append(Connections(Path(os.environ[VARIABLE])))
    return _OWN[0]


def _lives(process: int) -> bool:
    if not process:
        return False
    try:
        os.kill(process, 0)
    except OSError:  # none, or one of somebody else that has its number since
        return False
    return True
