"""Bound a process that parses foreign data: no network, and limited memory, time and output."""

from __future__ import annotations

import resource
import socket
from typing import NoReturn


def confine(*, memory: int, files: bool = False) -> None:
    """Irrevocably forbid this process connections, look-ups, over ``memory`` bytes, and writing without ``files``."""
    socket.socket = refuse  # type: ignore[assignment, misc]
    socket.create_connection = refuse
    socket.getaddrinfo = refuse
    if not files:
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))


def allow_seconds(seconds: int) -> None:
    """End this process after ``seconds`` of processor time from now, unless it asks again before."""
    used = int(resource.getrusage(resource.RUSAGE_SELF).ru_utime) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (used + seconds, resource.RLIM_INFINITY))


def refuse(*args: object, **more: object) -> NoReturn:
    """Raise PermissionError in place of a call that a confined process may not make."""
    raise PermissionError("what is read may refer to nothing outside itself")
