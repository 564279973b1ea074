"""A total time limit on a request, whatever the other side is doing."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable
from typing import Any

from hydra_kg.util import cancelling


class RequestTimer:
    """Total time limit on one HTTP request.

    After ``seconds`` every socket that the request used is shut, which ends every call that waits for it. A read
    timeout would not be enough, because it starts again with every byte. ``timer`` creates the object that calls a
    function after the given number of seconds; tests pass one that they fire by hand.
    """

    def __init__(self, seconds: float, *, timer: Callable[..., threading.Timer] = threading.Timer) -> None:
        self.expired = False
        self.unheard = False
        """Whether the last connection had served an earlier request, and nothing was received on it for this one."""
        self._make_timer = timer
        self._sockets: list[socket.socket] = []
        self._lock = threading.Lock()
        self._timer = self._timer_of(seconds)

    def watch(self, one: socket.socket) -> None:
        """Add a socket of the request, once however often it is passed; shut it at once if the time is already over."""
        with self._lock:
            if one not in self._sockets:
                self._sockets.append(one)
            if self.expired:
                self._shut()

    def shorten(self, seconds: float) -> None:
        """Restart the timer so that the request ends this many seconds from now."""
        self._timer.cancel()
        self._timer = self._timer_of(seconds)
        self._timer.start()

    def _timer_of(self, seconds: float) -> threading.Timer:
        timer = self._make_timer(seconds, self.expire)
        timer.daemon = True
        return timer

    def expire(self) -> None:
        """End the request now: mark it as expired and shut its sockets."""
        with self._lock:
            self.expired = True
            self._shut()

    def _shut(self) -> None:
        for one in self._sockets:
            with contextlib.suppress(OSError):
                # Of the plain socket, also under TLS: a closing handshake would wait for the other side.
                socket.socket.shutdown(one, socket.SHUT_RDWR)

    def __enter__(self) -> RequestTimer:
        self._timer.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._timer.cancel()
        with self._lock:
            self._sockets.clear()


def watch_sockets(client: Any, current: Callable[[], RequestTimer | None]) -> None:
    """Register the sockets of an httpx client with the timer of the request that uses them.

    The network backend of the client's connection pools is replaced for this. ``current`` returns the timer of the
    current request, or None.
    """
    for transport in (client._transport, *client._mounts.values()):
        if (pool := getattr(transport, "_pool", None)) is not None:
            pool._network_backend = _Backend(pool._network_backend, current)


class _Backend:
    """Network backend of a pool (``httpcore.NetworkBackend``) whose connections register with the current timer."""

    def __init__(self, inner: Any, current: Callable[[], RequestTimer | None]) -> None:
        self._inner, self._current = inner, current

    def connect_tcp(self, *place: Any, **options: Any) -> _TimedStream:
        stream = cancelling.aside(lambda: self._inner.connect_tcp(*place, **options), undo=lambda late: late.close())
        return _TimedStream(stream, self._current)

    def connect_unix_socket(self, *place: Any, **options: Any) -> _TimedStream:
        return _TimedStream(self._inner.connect_unix_socket(*place, **options), self._current)

    def sleep(self, seconds: float) -> None:
        self._inner.sleep(seconds)


class _TimedStream:
    """Connection (``httpcore.NetworkStream``) that registers its socket with the timer of the request that uses it."""

    def __init__(self, inner: Any, current: Callable[[], RequestTimer | None]) -> None:
        self._inner, self._current = inner, current
        self._served: RequestTimer | None = None  # the last request that received something here

    def _watched(self) -> Any:
        if (deadline := self._current()) is not None and (one := self._inner.get_extra_info("socket")) is not None:
            deadline.watch(one)
            deadline.unheard = self._served not in (None, deadline)
        return self._inner

    def read(self, *args: Any, **options: Any) -> bytes:
        data: bytes = self._watched().read(*args, **options)
        if data and (deadline := self._current()) is not None:
            self._served, deadline.unheard = deadline, False
        return data

    def write(self, *args: Any, **options: Any) -> None:
        self._watched().write(*args, **options)

    def start_tls(self, *args: Any, **options: Any) -> _TimedStream:
        return _TimedStream(self._watched().start_tls(*args, **options), self._current)

    def close(self) -> None:
        self._inner.close()

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)
