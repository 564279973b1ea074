"""Serve MCP over standard input and output, with an error for each line that is no message."""

from __future__ import annotations

import json
from typing import Any

import anyio
from anyio.abc import ObjectReceiveStream, ObjectSendStream
from mcp.server import MCPServer
from mcp.server.stdio import stdio_server
from mcp.shared.jsonrpc_dispatcher import cancelled_request_id_from_params
from mcp.shared.message import SessionMessage
from mcp.types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
)
from pydantic import ValidationError

SECONDS_AFTER_THE_END = 10.0  # for requests that are being answered when the client closes standard input


def serve_stdio(server: MCPServer[Any]) -> None:
    """Serve until the client closes standard input."""
    anyio.run(_serve, server)


async def _serve(server: MCPServer[Any]) -> None:
    lowlevel = server._lowlevel_server  # its public run_stdio_async drops lines that are no message
    async with stdio_server() as (received, replies):
        pending = PendingRequests()
        answered = AnsweredStream(received, replies, pending)
        await lowlevel.run(answered, RepliesStream(replies, pending), lowlevel.create_initialization_options())


class PendingRequests:
    """The ids of requests without a reply."""

    def __init__(self) -> None:
        self._ids: set[str | int] = set()
        self._none = anyio.Event()
        self._none.set()

    def receive(self, message: Any) -> None:
        """Add a request, or remove the one that is cancelled: it gets no reply."""
        if isinstance(message, JSONRPCRequest):
            self._ids.add(message.id)
            self._none = anyio.Event()
        elif isinstance(message, JSONRPCNotification) and message.method == "notifications/cancelled":
            self._remove(cancelled_request_id_from_params(message.params))

    def reply(self, message: Any) -> None:
        """Remove the request that a reply answers."""
        if isinstance(message, JSONRPCResponse | JSONRPCError):
            self._remove(message.id)

    def _remove(self, identity: str | int | None) -> None:
        self._ids -= {identity}
        if not self._ids:
            self._none.set()

    async def wait(self, seconds: float) -> None:
        """Wait until every request has its reply, at most ``seconds``."""
        with anyio.move_on_after(seconds):
            await self._none.wait()


class AnsweredStream(ObjectReceiveStream[SessionMessage]):
    """The messages of a stream. Unreadable lines are answered with an error and left out.

    When the client closes its end, the stream ends only after the pending requests have their replies.
    """

    def __init__(self, received: Any, replies: Any, pending: PendingRequests) -> None:
        self._received, self._replies, self._pending = received, replies, pending

    async def receive(self) -> SessionMessage:
        """Return the next message."""
        try:
            while isinstance(item := await self._received.receive(), Exception):
                if error := describe_unreadable(item):
                    await self._replies.send(SessionMessage(error))
        except anyio.EndOfStream:
            await self._pending.wait(SECONDS_AFTER_THE_END)
            raise
        assert isinstance(item, SessionMessage)
        self._pending.receive(item.message)
        return item

    async def aclose(self) -> None:
        """Close the stream."""
        await self._received.aclose()


class RepliesStream(ObjectSendStream[SessionMessage]):
    """The replies of a server; it records which requests they answer."""

    def __init__(self, replies: Any, pending: PendingRequests) -> None:
        self._replies, self._pending = replies, pending

    async def send(self, item: SessionMessage) -> None:
        """Send a message."""
        await self._replies.send(item)
        self._pending.reply(item.message)

    async def aclose(self) -> None:
        """Close the stream."""
        await self._replies.aclose()


def describe_unreadable(error: Exception) -> JSONRPCError | None:
    """Return the JSON-RPC error, with the request's id if readable, for an invalid line, None for an empty one."""
    first = error.errors()[0] if isinstance(error, ValidationError) else None
    if first is None or first["type"] != "json_invalid":
        return _error(None, INVALID_REQUEST, "The line is no JSON-RPC 2.0 message.")
    line = str(first["input"])
    if not line.strip():
        return None
    try:
        document = json.loads(line)  # takes the lone surrogates that pydantic refuses
    except (ValueError, RecursionError):
        return _error(None, PARSE_ERROR, "The line is no JSON.")
    identity = document.get("id") if isinstance(document, dict) else None
    known = (type(identity) is int and abs(identity) < 2**53) or (
        type(identity) is str and identity == identity.encode("utf-8", "replace").decode()
    )
    message = "The line contains a lone surrogate (half a character such as \\ud800)."
    return _error(identity if known else None, PARSE_ERROR, message)


def _error(identity: str | int | None, code: int, message: str) -> JSONRPCError:
    return JSONRPCError(jsonrpc="2.0", id=identity, error=ErrorData(code=code, message=message))
