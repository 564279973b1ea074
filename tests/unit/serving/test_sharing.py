"""How workers of a service share connections: counted in one file, the dead left out."""

from __future__ import annotations

import os
import socket
import struct
from pathlib import Path

import pytest

from hydra_kg.serving.http.gate import sharing
from hydra_kg.serving.http.gate.sharing import Connections, SharingSocket


@pytest.fixture
def file(tmp_path: Path) -> Path:
    Connections.write(tmp_path / "counts", 2)
    return tmp_path / "counts"


def test_whoever_has_more_leaves_the_next(file: Path):
    one, two = Connections(file), Connections(file)
    assert not one.more_than_others()
    one.add(1)
    assert one.more_than_others()
    assert not two.more_than_others()
    two.add(2)
    assert two.more_than_others()


def test_the_dead_are_left_nothing_and_their_row_is_free(file: Path):
    child = os.fork()
    if not child:
        os._exit(0)
    os.waitpid(child, 0)
    file.write_bytes(struct.pack("@qq", child, 7) + file.read_bytes()[16:])
    one = Connections(file)
    one.add(1)
    assert not one.more_than_others()
    assert struct.unpack_from("@qq", file.read_bytes()) == (os.getpid(), 1)


def test_a_connection_that_nobody_else_takes_is_taken(file: Path, monkeypatch: pytest.MonkeyPatch):
    one, _ = Connections(file), Connections(file)
    one.add(1)
    monkeypatch.setattr(sharing, "_OWN", [one])
    with socket.create_server(("127.0.0.1", 0)) as plain, socket.create_connection(plain.getsockname()):
        shared = SharingSocket(fileno=os.dup(plain.fileno()))
        left = 0
        while True:
            try:
                shared.accept()[0].close()
                break
            except BlockingIOError:
                left += 1
        assert left > 1
        shared.close()
    assert struct.unpack_from("@qq", file.read_bytes()) == (os.getpid(), 2)
