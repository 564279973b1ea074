"""Bounds for a process that parses what comes from outside: no network, and only so much memory, time and output."""

from __future__ import annotations

import resource
import socket
from typing import NoReturn


def confine(*, memory: int, files: bool = False) -> None:
    """Irrevocably forbid this process connections, look-ups, over ``memory`` bytes, and without ``files`` writing."""
    socket.socket = refuse  # type: ignore[assignment, misc]
    socket.create_connection = refuse
    socket.getaddrinfo = refuse
    if not files:
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))


def allow_seconds(seconds: int) -> None:
    """End this process unless it asks again within ``seconds`` of processor time from now."""
    used = int(resource.getrusage(resource.RUSAGE_SELF).ru_utime) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (used + seconds, resource.RLIM_INFINITY))


def refuse(*args: object, **more: object) -> NoReturn:
    """In place of what a confined process may not call. Raises PermissionError."""
    raise PermissionError("what is read may refer to nothing outside itself")
