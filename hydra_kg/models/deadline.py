"""Ends a request when its time is up, whatever the other side is doing."""

from __future__ import annotations

import contextlib
import socket
import threading
from types import TracebackType
from typing import Any


class Deadline:
    """A timer over one request: ``watch`` the response when its headers are there, and when ``seconds`` are over its
    socket is shut, which ends a read that waits. Timeouts of a read alone begin anew with every byte."""

    def __init__(self, seconds: float) -> None:
        self.expired = False
        self._sockets: list[socket.socket] = []
        self._lock = threading.Lock()
        self._timer = self._timer_of(seconds)

    def watch(self, response: Any) -> None:
        """Take the socket of an httpx response."""
        stream = response.extensions.get("network_stream")
        one = stream.get_extra_info("socket") if stream is not None else None
        with self._lock:
            if one is not None:
                self._sockets.append(one)
            if self.expired:
                self._shut()

    def shorten(self, seconds: float) -> None:
        """Leave so many seconds from now."""
        self._timer.cancel()
        self._timer = self._timer_of(seconds)
        self._timer.start()

    def _timer_of(self, seconds: float) -> threading.Timer:
        timer = threading.Timer(seconds, self._expire)
        timer.daemon = True
        return timer

    def _expire(self) -> None:
        with self._lock:
            self.expired = True
            self._shut()

    def _shut(self) -> None:
        for one in self._sockets:
            with contextlib.suppress(OSError):
                # Of the plain socket, also under TLS: a closing handshake would wait for the other side.
                socket.socket.shutdown(one, socket.SHUT_RDWR)

    def __enter__(self) -> Deadline:
        self._timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._timer.cancel()
        with self._lock:
            self._sockets.clear()
