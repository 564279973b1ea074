"""A network between client and server that can be cut, held up or changed: real sockets, one pair per connection."""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
from collections.abc import Callable
from typing import Literal

How = Literal["reset", "close", "half", "silence"]

COMMIT = b"\x00\x02\xb0\x12\x00\x00"  # Bolt: a chunk of two bytes, the message COMMIT without fields, the end
PULL = b"\xb1\x3f"


class Proxy:
    """Forwards to a server. Every connection asks ``up`` and ``down`` what to do with each piece of data.

    ``up`` (to the server), ``down`` (to the client): take the data and the number of the connection; return the data to
    forward, or how to end the connection: "reset" (as a cut does), "close", "half" (only this direction), "silence"
    (neither end hears anything any more).
    """

    def __init__(self, host: str, port: int) -> None:
        self._server = (host, port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self.up: Callable[[bytes, int], bytes | How] = lambda data, _: data
        self.down: Callable[[bytes, int], bytes | How] = lambda data, _: data
        self.refusing = False
        self.connections = 0
        self._open: set[socket.socket] = set()
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        """The address for a client."""
        return f"bolt://127.0.0.1:{self.port}"

    def __enter__(self) -> Proxy:
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.cut()

    def cut(self) -> None:
        """End all connections now."""
        for one in list(self._open):
            _reset(one)

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            if self.refusing:
                _reset(client)
                continue
            server = socket.create_connection(self._server)
            self.connections += 1
            self._open |= {client, server}
            for one in (client, server):  # what is passed on in pieces waits for nobody's acknowledgement
                one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for one, other, decide in ((client, server, "up"), (server, client, "down")):
                threading.Thread(target=self._pump, args=(one, other, decide, self.connections), daemon=True).start()

    def _pump(self, source: socket.socket, sink: socket.socket, which: str, number: int) -> None:
        silent = False
        try:
            while data := source.recv(1 << 16):
                what = getattr(self, which)(data, number)
                if isinstance(what, bytes):
                    if not silent:
                        sink.sendall(what)
                elif what == "silence":
                    silent = True
                elif what == "half":
                    sink.shutdown(socket.SHUT_WR)
                    return
                else:
                    for one in (source, sink):
                        (_reset if what == "reset" else _close)(one)
                    return
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            _close(source)
            _close(sink)


def _reset(one: socket.socket) -> None:
    with contextlib.suppress(OSError):
        one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        one.shutdown(socket.SHUT_RDWR)
    one.close()


def _close(one: socket.socket) -> None:
    with contextlib.suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)
    one.close()
