"""A Neo4j cluster for the driver: several addresses before one real server, with routing tables and a leader by script.

Every member speaks Bolt with the driver and hands on what it says, message by message, to the one server that is there;
ROUTE is answered here, a write that comes to a member which does not lead is refused as such a member refuses it, and
who was asked what with which bookmarks is noted. All members have the same state at once: that a secondary lags is not
played, only that a reader names what it must have seen.
"""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

_HELLO, _ROUTE, _BEGIN, _RUN, _COMMIT, _ROLLBACK, _RESET, _GOODBYE = 0x01, 0x66, 0x11, 0x10, 0x12, 0x13, 0x0F, 0x02
_SUCCESS, _IGNORED, _FAILURE = 0x70, 0x7E, 0x7F
_SUMMARIES = {_SUCCESS, _IGNORED, _FAILURE}
_END = b"\0\0"
_PASSES_ON = b"ssr.enabled\xc3"
"""A hint at the greeting: members pass writes on to the leader. These do not."""

_CODE = "Neo.ClientError.Cluster.NotALeader"
_NOT_A_LEADER = {
    "code": _CODE,
    "neo4j_code": _CODE,  # from Bolt 5.7 on
    "message": "No longer the leader.",
    "gql_status": "50N42",
    "description": "error: general processing exception - unexpected error",
}


@dataclass(frozen=True)
class Asked:
    """A transaction that a member was asked for: ``write`` or not, and the bookmarks that came with it."""

    member: int
    write: bool
    bookmarks: frozenset[str]
    after: str
    """The bookmark of the last commit before."""


class Cluster:
    """``members`` addresses before the server at ``host``:``port``. The first one leads; the others are read from.

    ``leader``: None while there is none · ``down``: members that refuse connections · ``before_commit``: called with
    the number of each commit before it is done; the leader may change there.
    """

    def __init__(self, host: str, port: int, *, members: int = 3) -> None:
        self._server = (host, port)
        self.leader: int | None = 0
        self.down: set[int] = set()
        self.before_commit: Callable[[int], None] = lambda _: None
        self.asked: list[Asked] = []
        self.refused = self.commits = self.tables = 0
        self._last = ""
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        self._listeners = [socket.create_server(("127.0.0.1", 0)) for _ in range(members)]
        self.addresses = [f"127.0.0.1:{one.getsockname()[1]}" for one in self._listeners]
        for number in range(members):
            threading.Thread(target=self._accept, args=(number,), daemon=True).start()

    @property
    def url(self) -> str:
        """The address for a client: that of the last member."""
        return f"neo4j://{self.addresses[-1]}"

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *_: object) -> None:
        for one in [*self._listeners, *self._open]:
            _close(one)

    def lead(self, member: int | None) -> None:
        """Who leads from now on; the one who did stays, and refuses writes."""
        self.leader = member

    def stop(self, member: int) -> None:
        """A member goes away, with its connections."""
        self.down.add(member)
        port = self._listeners[member].getsockname()[1]
        for one in list(self._open):
            with contextlib.suppress(OSError):
                if one.getsockname()[1] == port:
                    _close(one)

    def _accept(self, member: int) -> None:
        while True:
            try:
                client, _ = self._listeners[member].accept()
            except OSError:
                return
            if member in self.down:
                _close(client)
                continue
            threading.Thread(target=self._serve, args=(member, client), daemon=True).start()

    def _serve(self, member: int, client: socket.socket) -> None:
        with contextlib.suppress(OSError, EOFError), socket.create_connection(self._server) as server, client:
            self._open |= {client, server}
            hello = _exactly(client, 20)
            server.sendall(hello[:4] + bytes(4) + hello[8:])  # no choice from a list of versions: four bytes answer
            client.sendall(_exactly(server, 4))
            failed = False
            while message := _message(client):
                tag = message[1]
                if failed and tag != _RESET:
                    _send(client, _IGNORED, {})
                    continue
                failed = False
                if tag == _ROUTE:
                    self.tables += 1
                    _send(client, _SUCCESS, {"rt": self._table()})
                elif tag in {_BEGIN, _RUN} and self._refuses(member, message):
                    failed = True
                    _send(client, _FAILURE, _NOT_A_LEADER)
                elif tag == _COMMIT and not self._commits(member):
                    failed = True
                    _answer(server, bytes((0xB0, _ROLLBACK)))
                    _send(client, _FAILURE, _NOT_A_LEADER)
                elif tag == _GOODBYE:
                    return
                else:
                    for answer in _answer(server, message):
                        if tag == _COMMIT and answer[1] == _SUCCESS:
                            self._last = _fields(answer)[0].get("bookmark", self._last)
                        _raw(client, answer.replace(_PASSES_ON, _PASSES_ON[:-1] + b"\xc2"))

    def _table(self) -> dict[str, Any]:
        live = [a for n, a in enumerate(self.addresses) if n not in self.down]
        readers = [a for n, a in enumerate(self.addresses) if n not in self.down | {self.leader}]
        writers = [self.addresses[self.leader]] if self.leader is not None else []
        roles = {"ROUTE": live, "READ": readers, "WRITE": writers}
        return {"ttl": 300, "db": "neo4j", "servers": [{"addresses": a, "role": r} for r, a in roles.items()]}

    def _refuses(self, member: int, message: bytes) -> bool:
        """Notes who was asked; whether a write came to one who does not lead. Within a transaction RUN says nothing."""
        fields = _fields(message)
        extra = fields[0] if message[1] == _BEGIN else fields[2]
        if message[1] == _RUN and not extra:
            return False
        write = extra.get("mode", "w") == "w"
        with self._lock:
            self.asked.append(Asked(member, write, frozenset(extra.get("bookmarks", ())), self._last))
        if write and member != self.leader:
            self.refused += 1
            return True
        return False

    def _commits(self, member: int) -> bool:
        """Whether a transaction may be committed: reads always."""
        with self._lock:
            write = next(one.write for one in reversed(self.asked) if one.member == member)
            if not write:
                return True
            self.commits += 1
            number = self.commits
        self.before_commit(number)
        if member != self.leader:
            self.refused += 1
            return False
        return True


def _answer(server: socket.socket, message: bytes) -> Iterator[bytes] | list[bytes]:
    _raw(server, message)
    found = []
    while not found or found[-1][1] not in _SUMMARIES:
        found.append(_message(server))
        if not found[-1]:
            raise EOFError
    return found


def _exactly(one: socket.socket, count: int) -> bytes:
    data = b""
    while len(data) < count:
        if not (more := one.recv(count - len(data))):
            raise EOFError
        data += more
    return data


def _message(one: socket.socket) -> bytes:
    """The next message, its chunks joined; empty chunks before it keep the connection alive."""
    data = b""
    while True:
        size = struct.unpack(">H", _exactly(one, 2))[0]
        if size:
            data += _exactly(one, size)
        elif data:
            return data


def _raw(one: socket.socket, message: bytes) -> None:
    chunks = [message[at : at + 0xFFFF] for at in range(0, len(message), 0xFFFF)]
    one.sendall(b"".join(struct.pack(">H", len(chunk)) + chunk for chunk in chunks) + _END)


def _send(one: socket.socket, tag: int, metadata: dict[str, Any]) -> None:
    _raw(one, bytes((0xB1 if tag != _IGNORED else 0xB0, tag)) + (_packed(metadata) if tag != _IGNORED else b""))


def _packed(value: Any) -> bytes:
    """A value in PackStream: maps, lists, texts and small integers."""
    if isinstance(value, dict):
        return bytes((0xA0 + len(value),)) + b"".join(_packed(k) + _packed(v) for k, v in value.items())
    if isinstance(value, list):
        return bytes((0x90 + len(value),)) + b"".join(map(_packed, value))
    if isinstance(value, int):
        return b"\xc9" + struct.pack(">h", value)
    data = str(value).encode()
    return b"\xd0" + bytes((len(data),)) + data


def _fields(message: bytes) -> list[Any]:
    """The fields of a message."""
    found, at = [], 2
    for _ in range(message[0] & 0x0F):
        value, at = _unpacked(message, at)
        found.append(value)
    return found


def _unpacked(data: bytes, at: int) -> tuple[Any, int]:
    """A value of PackStream, and where the next one is."""
    mark, at = data[at], at + 1
    if mark < 0x80 or mark >= 0xF0:
        return mark - 256 * (mark >= 0xF0), at
    if mark in {0xC0, 0xC2, 0xC3}:
        return {0xC0: None, 0xC2: False, 0xC3: True}[mark], at
    if mark in {0xC8, 0xC9, 0xCA, 0xCB, 0xC1}:
        form, size = {0xC8: ("b", 1), 0xC9: ("h", 2), 0xCA: ("i", 4), 0xCB: ("q", 8), 0xC1: ("d", 8)}[mark]
        return struct.unpack_from(f">{form}", data, at)[0], at + size
    if mark < 0xC0:
        kind, size = mark & 0xF0, mark & 0x0F
    else:
        kind, width = {
            **{0xD0 + n: (0x80, 1 << n) for n in range(3)},
            **{0xD4 + n: (0x90, 1 << n) for n in range(3)},
            **{0xD8 + n: (0xA0, 1 << n) for n in range(3)},
            **{0xCC + n: (0xCC, 1 << n) for n in range(3)},
        }[mark]
        size, at = int.from_bytes(data[at : at + width], "big"), at + width
    if kind in {0x80, 0xCC}:
        found = data[at : at + size]
        return (found.decode() if kind == 0x80 else found), at + size
    if kind == 0xB0:
        at += 1
    values: list[Any] = []
    for _ in range(size * (1 + (kind == 0xA0))):
        value, at = _unpacked(data, at)
        values.append(value)
    return (dict(zip(values[::2], values[1::2], strict=True)) if kind == 0xA0 else values), at


def _close(one: socket.socket) -> None:
    with contextlib.suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)
    one.close()
