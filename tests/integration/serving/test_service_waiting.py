"""Services with one slot: what waits for it, what does not, and who may not hold it."""

from __future__ import annotations

import json
import select
import socket
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
from helpers.servers.service import Service, service
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import TextContent

import hydra_kg

QUESTION = {"question": "where was Steve Jobs born?"}
MCP = {"Accept": "application/json, text/event-stream"}
JSON, EVENTS = {"Accept": "application/json"}, {"Accept": "text/event-stream"}


def message(method: str, **params: Any) -> dict[str, Any]:
    """A request of MCP."""
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


ASK = message("tools/call", name="ask", arguments=QUESTION)
WAYS = [("/v1/answers", QUESTION, JSON), ("/v1/answers", QUESTION, EVENTS), ("/mcp", ASK, MCP)]
NAMES = ["json", "events", "mcp"]


@pytest.fixture(scope="module")
def busy(sample_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service with one slot, one place in the queue and 2 seconds for a question."""
    with socket.create_server(("127.0.0.1", 0)) as model:  # it takes calls and never answers
        at = f"http://127.0.0.1:{model.getsockname()[1]}/v1"
        environment = {
            "HYDRA_MODEL_NAME": "m",
            "OPENAI_BASE_URL": at,
            "OPENAI_API_KEY": "none",
            "HYDRA_AGENT_GRAPH_FIRST": "1",
        }
        bounds = ("--threads", "1", "--queue", "1", "--seconds", "2", "--patience", "1", "--grace", "1")
        folder = tmp_path_factory.mktemp("busy")
        with service(sample_store, folder, *bounds, "--agent", "llm", environment=environment) as one:
            one.wait()
            yield one


@pytest.fixture
def job(busy: Service) -> Iterator[str]:
    """The job that has the only slot: where it is."""
    with busy.client() as client:
        place = client.post("/v1/answers", json=QUESTION, headers={"Prefer": "respond-async"}).headers["location"]
        until(lambda: client.get(place).json()["state"] == "running" and count(busy, "hydra_kg_waiting") == 0)
        yield place
        client.delete(place)
        until(lambda: client.get(place).status_code == 410 and client.get("/readyz").status_code == 200)


def until(holds: Any) -> None:
    """Wait until something holds."""
    last = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < last
        time.sleep(0.05)


def count(busy: Service, name: str) -> float:
    """A number of the service's metrics, 0 if it was not counted yet."""
    with busy.client() as client:
        rows = [line.rpartition(" ") for line in client.get("/metrics").text.splitlines()]
    return sum(float(value) for row, _, value in rows if row == name)


def post(busy: Service, path: str, body: dict[str, Any], headers: dict[str, str]) -> socket.socket:
    """Send a request, and do not wait for the reply."""
    data = json.dumps(body).encode()
    head = (
        f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: {headers['Accept']}\r\n"
    )
    one = socket.create_connection(("127.0.0.1", busy.port))
    one.sendall(f"{head}Content-Length: {len(data)}\r\n\r\n".encode() + data)
    return one


@pytest.mark.parametrize("method", ["GET", "DELETE", "HEAD"])
def test_mcp_has_no_streams_and_no_sessions(busy: Service, method: str):
    with busy.client() as client:
        reply = client.request(method, "/mcp", headers=MCP, timeout=10)
    assert (reply.status_code, reply.headers["allow"]) == (405, "POST")
    assert reply.headers["content-type"] == "application/problem+json"


def test_an_mcp_client_may_not_listen_for_ever(busy: Service):
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    listen = message("subscriptions/listen", _meta=meta, notifications={"toolsListChanged": True})
    headers = {**MCP, "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "subscriptions/listen"}
    with busy.client() as client:
        reply = client.post("/mcp", json=listen, headers=headers, timeout=10)
    assert reply.json()["error"]["message"] == "Method not found"


@pytest.mark.usefixtures("job")
@pytest.mark.parametrize("path, body, headers", WAYS, ids=NAMES)
def test_a_question_that_gets_no_slot_in_time_is_told(
    busy: Service, path: str, body: dict[str, Any], headers: dict[str, str]
):
    late = count(busy, 'hydra_kg_stopped_total{why="late"}')
    with busy.client() as client:
        reply = client.post(path, json=body, headers=headers)
    assert reply.status_code == 503
    assert reply.json()["detail"].startswith("The question took longer than 2 seconds. It was not begun")
    assert int(reply.headers["retry-after"]) >= 1
    assert count(busy, 'hydra_kg_stopped_total{why="late"}') == late + 1


@pytest.mark.usefixtures("job")
@pytest.mark.parametrize("path, body, headers", WAYS, ids=NAMES)
def test_a_client_that_leaves_makes_room_in_the_queue(
    busy: Service, path: str, body: dict[str, Any], headers: dict[str, str]
):
    left = count(busy, 'hydra_kg_stopped_total{why="left"}')
    one = post(busy, path, body, headers)
    until(lambda: count(busy, "hydra_kg_waiting") == 1)
    one.close()
    until(lambda: count(busy, "hydra_kg_waiting") == 0)
    assert count(busy, 'hydra_kg_stopped_total{why="left"}') == left + 1


@pytest.mark.usefixtures("job")
def test_what_does_not_ask_needs_no_slot(busy: Service):
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    with busy.client() as client:
        for asked in (
            message("initialize", **hello),
            message("tools/list"),
            message("tools/call", name="find_entity", arguments={"name": "Steve Jobs"}),
            message("tools/call", name="sources", arguments={}),
        ):
            reply = client.post("/mcp", json=asked, headers=MCP, timeout=30)
            assert not reply.json()["result"].get("isError"), asked


def test_a_service_whose_slots_hang_is_not_ready(busy: Service, job: str):
    with busy.client() as client:
        assert client.post("/v1/answers", json=QUESTION).status_code == 503
        ready = client.get("/readyz")
        assert ready.status_code == 503
        assert "no other question has ended for more than 2 seconds" in ready.json()["detail"]
        assert client.get("/livez").status_code == 200
        client.delete(job)
        until(lambda: client.get("/readyz").status_code == 200)


_GRAPH_PAGE = next((Path(hydra_kg.__file__).parent / "serving/web/built/assets").glob("Explore-*.js")).name
GET_GRAPH_PAGE = f"GET /assets/{_GRAPH_PAGE} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
"""A request for the largest file of the application, of more than 300,000 bytes."""


def test_a_connection_whose_replies_are_not_read_is_closed(busy: Service):
    with socket.socket() as one:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        one.connect(("127.0.0.1", busy.port))
        one.sendall(GET_GRAPH_PAGE * 40)
        look = select.poll()
        look.register(one, select.POLLERR | select.POLLHUP)
        assert look.poll(30_000)
    with busy.client() as client:
        assert client.get("/livez").status_code == 200


def test_a_connection_that_is_read_slowly_is_not_closed(busy: Service):
    wanted = 8
    with socket.socket() as one:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65_536)
        one.connect(("127.0.0.1", busy.port))
        one.sendall(GET_GRAPH_PAGE * wanted)
        got, paused = bytearray(), 0
        while got.count(b"HTTP/1.1 200") < wanted or len(got) < wanted * 300_000:
            piece = one.recv(262_144)
            assert piece
            got += piece
            if paused < 12:  # more than a second in all, which is the limit for reading nothing
                paused += 1
                time.sleep(0.15)


def test_events_that_are_left_at_once_leave_no_traceback(busy: Service):
    for _ in range(5):
        post(busy, "/v1/answers", QUESTION, EVENTS).close()
    with busy.client() as client:
        for _ in range(3):
            with pytest.raises(httpx.ReadTimeout):
                client.post("/v1/answers", json=QUESTION, headers=EVENTS, timeout=0.2)
        until(lambda: client.post("/v1/answers", json={**QUESTION, "seconds": 0.1}).status_code == 504)
    assert "Traceback" not in busy.log.read_text()


@pytest.fixture(scope="module")
def small(sample_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service that answers one question at a time."""
    with service(sample_store, tmp_path_factory.mktemp("small"), "--threads", "1") as one:
        one.wait()
        yield one


async def ask(client: Client) -> str:
    """The answer that an MCP client gets."""
    (content,) = (await client.call_tool("ask", QUESTION)).content
    assert isinstance(content, TextContent)
    return str(json.loads(content.text)["answer"])


def test_connected_clients_leave_the_service_to_others(small: Service):
    url = f"{small.url}/mcp"

    async def talk() -> None:
        async with AsyncExitStack() as stack:
            clients = [
                await stack.enter_async_context(Client(streamable_http_client(url), mode=mode))
                for mode in ("legacy", "auto")
            ]
            http = await stack.enter_async_context(httpx.AsyncClient(base_url=small.url, trust_env=False, timeout=30))
            listening = await stack.enter_async_context(
                http.stream("GET", url, headers={"Accept": "text/event-stream"})
            )
            assert listening.status_code == 405
            for client in clients:
                assert await ask(client) == "San Francisco"
            for _ in range(5):
                reply = await http.post("/v1/answers", json=QUESTION)
                assert (reply.status_code, reply.json()["answer_text"]) == (200, "San Francisco")
                assert (await http.get("/readyz")).status_code == 200
            for client in clients:
                assert await ask(client) == "San Francisco"

    anyio.run(talk)
