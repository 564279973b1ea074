"""Serve MCP over standard input and output, with an error for each line that is no message."""

from __future__ import annotations

import json
from typing import Any

import anyio
from anyio.abc import ObjectReceiveStream
from mcp.server import MCPServer
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp.types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError
from pydantic import ValidationError


def serve_stdio(server: MCPServer[Any]) -> None:
    """Serve until the client closes standard input."""
    anyio.run(_serve, server)


async def _serve(server: MCPServer[Any]) -> None:
    lowlevel = server._lowlevel_server  # its public run_stdio_async drops lines that are no message
    async with stdio_server() as (received, replies):
        answered = AnsweredStream(received, replies)
        await lowlevel.run(answered, replies, lowlevel.create_initialization_options())


class AnsweredStream(ObjectReceiveStream[SessionMessage]):
    """The messages of a stream. Lines that could not be read are answered with an error and left out."""

    def __init__(self, received: Any, replies: Any) -> None:
        self._received, self._replies = received, replies

    async def receive(self) -> SessionMessage:
        """Return the next message."""
        while isinstance(item := await self._received.receive(), Exception):
            if error := describe_unreadable(item):
                await self._replies.send(SessionMessage(error))
        assert isinstance(item, SessionMessage)
        return item

    async def aclose(self) -> None:
        """Close the stream."""
        await self._received.aclose()


def describe_unreadable(error: Exception) -> JSONRPCError | None:
    """Return the JSON-RPC error for a line that is no message, None for an empty line.

    The error has the id of the request where it can be read, so that the client does not wait.
    """
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
