"""Questions that hang: a client that leaves ends its own, deadlines end all, overload is told, SIGTERM ends quickly."""

from __future__ import annotations

import json
import signal
import socket
import time
from contextlib import suppress

import httpx
import pytest

from .conftest import Stuck

QUESTION = {"question": "where was Steve Jobs born?"}
PATIENCE = 40
"""Seconds for what must happen: a loaded machine needs some, and by themselves questions end after 120."""


def taken(stuck: Stuck) -> socket.socket:
    """The call of the model, which is not answered."""
    stuck.model.settimeout(PATIENCE)
    one, _ = stuck.model.accept()
    one.settimeout(PATIENCE)
    while b"\r\n\r\n" not in one.recv(65536):
        pass
    return one


def ended(call: socket.socket) -> None:
    """Wait until the other side hangs up, which it would not do by itself in this time."""
    with call, suppress(ConnectionError):
        while call.recv(65536):
            pass


def forget_calls(stuck: Stuck) -> None:
    """Hang up on the calls of questions that have ended."""
    stuck.model.settimeout(0)
    with suppress(BlockingIOError):
        while True:
            stuck.model.accept()[0].close()


def post(stuck: Stuck, body: bytes = b'{"question": "where was Steve Jobs born?"}', **headers: str) -> socket.socket:
    """A request whose reply is not waited for."""
    place = "/mcp" if b"jsonrpc" in body else "/v1/answers"
    more = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    head = f"POST {place} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n{more}"
    one = socket.create_connection(("127.0.0.1", stuck.service.port))
    one.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
    return one


@pytest.mark.parametrize("accept", ["application/json", "text/event-stream"])
def test_a_client_that_leaves_stops_its_question(stuck: Stuck, accept: str):
    client = post(stuck, Accept=accept)
    call = taken(stuck)
    client.close()
    ended(call)


def test_a_client_of_mcp_that_leaves_stops_its_question(stuck: Stuck):
    call = {"name": "ask", "arguments": QUESTION}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}).encode()
    client = post(stuck, body, Accept="application/json, text/event-stream")
    asked = taken(stuck)
    client.close()
    ended(asked)


def test_a_deadline_stops_a_question(stuck: Stuck):
    with stuck.service.client() as client:
        reply = client.post("/v1/answers", json={**QUESTION, "seconds": 0.5})
        assert (reply.status_code, reply.json()["detail"]) == (504, "The question took longer than 0.5 seconds.")
    forget_calls(stuck)


def test_overload_is_told_and_over_when_it_is_over(stuck: Stuck):
    first = post(stuck)
    call = taken(stuck)
    second = post(stuck)  # waits
    with stuck.service.client() as client:
        last = time.monotonic() + PATIENCE
        while (reply := client.post("/v1/answers", json={**QUESTION, "seconds": 0.2})).status_code != 503:
            assert time.monotonic() < last
        assert int(reply.headers["retry-after"]) >= 1
        assert client.get("/v1/sources").status_code == 200  # reading goes on
        first.close()
        second.close()
        ended(call)
        last = time.monotonic() + PATIENCE
        while client.post("/v1/answers", json={**QUESTION, "seconds": 0.2}).status_code != 504:
            assert time.monotonic() < last
            time.sleep(0.1)
    forget_calls(stuck)


def test_a_job_is_stopped_and_says_so(stuck: Stuck):
    with stuck.service.client() as client:
        begun = client.post("/v1/answers", json=QUESTION, headers={"Prefer": "respond-async"})
        call = taken(stuck)
        job = client.get(begun.headers["location"])
        assert (job.status_code, job.json()["state"]) == (202, "running")
        assert client.delete(begun.headers["location"]).status_code == 202
        ended(call)
        last = time.monotonic() + PATIENCE
        while (over := client.get(begun.headers["location"])).status_code == 202 and time.monotonic() < last:
            time.sleep(0.05)
        assert (over.status_code, over.json()["state"]) == (410, "stopped")
        assert client.delete(begun.headers["location"]).status_code == 409


def test_a_job_that_waits_is_stopped_at_once(stuck: Stuck):
    with stuck.service.client() as client:
        first = client.post("/v1/answers", json=QUESTION, headers={"Prefer": "respond-async"})
        call = taken(stuck)
        second = client.post("/v1/answers", json=QUESTION, headers={"Prefer": "respond-async"})
        assert client.get(second.headers["location"]).json()["state"] == "waiting"
        assert client.delete(second.headers["location"]).status_code == 202
        over = client.get(second.headers["location"])
        assert (over.status_code, over.json()["state"]) == (410, "stopped")
        assert client.delete(first.headers["location"]).status_code == 202
        ended(call)
        assert client.get(second.headers["location"]).json()["state"] == "stopped"


@pytest.mark.late
def test_the_service_ends_in_time_whatever_hangs(stuck: Stuck):
    client = post(stuck)
    call = taken(stuck)
    stuck.service.process.send_signal(signal.SIGTERM)
    assert stuck.service.process.wait(PATIENCE) in {0, -signal.SIGTERM}
    ended(call)
    client.close()
    with pytest.raises(httpx.ConnectError):
        stuck.service.client().get("/livez")
