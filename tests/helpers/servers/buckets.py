"""A real S3 server on loopback (moto's), and what obstore needs to know to speak to it."""

from __future__ import annotations

import logging
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

BUCKET = "stores"


@contextmanager
def s3_server() -> Iterator[int]:
    """Its port; it holds one empty bucket."""
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        port = int(server.get_host_and_port()[1])
        order = urllib.request.Request(f"http://127.0.0.1:{port}/{BUCKET}", method="PUT")
        urllib.request.urlopen(order, timeout=10).close()
        yield port
    finally:
        server.stop()


def speak_to(monkeypatch: pytest.MonkeyPatch, port: int) -> None:
    """Say in the environment where the object store is."""
    for name, value in {
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
        "AWS_ACCESS_KEY_ID": "reader",
        "AWS_SECRET_ACCESS_KEY": "nothing",
        "AWS_REGION": "us-east-1",
    }.items():
        monkeypatch.setenv(name, value)
