"""The guard answers requests that nothing understands, and errors that nothing expects, with its own headers."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hydra_kg.serving.http.gate.guard import HEADERS, Guard
from hydra_kg.serving.http.gate.options import ServeOptions
from hydra_kg.serving.http.gate.watch import Watch

OWN = {"host": "localhost"}


def asked(app: ASGIApp, headers: dict[str, str], *, method: str = "GET") -> list[Message]:
    """What the guard sends for a request as a server hands it over."""
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    raw = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
    scope = {"type": "http", "method": method, "path": "/v1/sources", "headers": raw, "state": {}}
    asyncio.run(Guard(app, ServeOptions(), Watch())(scope, receive, send))
    return sent


def problem(sent: list[Message]) -> dict[str, Any]:
    """The body of a refusal, which has the headers of every reply."""
    start, body = sent
    headers = {name.decode().lower(): value.decode() for name, value in start["headers"]}
    assert headers["content-type"] == "application/problem+json"
    assert {name.lower(): value for name, value in HEADERS.items()}.items() <= headers.items()
    doc: dict[str, Any] = json.loads(body["body"])
    assert doc["status"] == start["status"]
    return doc


async def reached(scope: Scope, receive: Receive, send: Send) -> None:
    """An application that no request of these tests may reach."""
    raise AssertionError("the guard let it through")


@pytest.mark.parametrize("origin", ["http://[::1", "http://]", "http://[x]:1", "http://a\u00bdb", "//", "\xff", "null"])
def test_a_malformed_origin_is_refused_as_another_site(origin: str):
    doc = problem(asked(reached, {**OWN, "origin": origin}))
    assert (doc["status"], doc["detail"]) == (403, "Pages of other sites may not ask here.")


@pytest.mark.parametrize("host", ["localhost:\xb2", "[::1", "localhost:80:80", "[::1]:\xb9", "localhost:" + "9" * 5000])
def test_a_malformed_host_is_refused_as_another_host(host: str):
    status = problem(asked(reached, {"host": host}))["status"]
    assert status == 421


@pytest.mark.parametrize("length", ["\xb2", "-1", "+1", "1e3", " ", "9" * 5000])
def test_a_malformed_length_is_refused_as_too_large(length: str):
    assert problem(asked(reached, {**OWN, "content-length": length}))["status"] == 413


@pytest.mark.parametrize("method", ["TRACE", "CONNECT", "PROPFIND", "get", "X" * 300])
def test_a_method_that_no_address_knows_is_refused(method: str):
    sent = asked(reached, OWN, method=method)
    assert problem(sent)["status"] == 405
    assert (b"allow", b"DELETE, GET, HEAD, POST") in sent[0]["headers"]


def test_an_error_that_nothing_expects_is_a_fault_in_the_log(capsys: pytest.CaptureFixture[str]):
    async def failing(scope: Scope, receive: Receive, send: Send) -> None:
        raise ValueError("no such thing")

    assert problem(asked(failing, OWN))["detail"] == "This is a fault of hydra-kg."
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    (fault,) = [line for line in lines if line["kind"] == "fault"]
    assert (fault["error"], fault["text"]) == ("ValueError", "no such thing")
    assert fault["frames"][-1].endswith(" failing")


@pytest.mark.parametrize("whole", [True, False])
def test_an_error_after_the_reply_hangs_up_only_on_half_a_reply(whole: bool):
    async def failing(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"x", "more_body": not whole})
        raise ValueError("too late")

    if whole:
        assert [message["type"] for message in asked(failing, OWN)] == ["http.response.start", "http.response.body"]
    else:
        with pytest.raises(ValueError, match="too late"):
            asked(failing, OWN)
