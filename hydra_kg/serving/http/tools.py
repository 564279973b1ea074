"""Serve the eight MCP tools at ``/mcp``: one server per store, started by its first client."""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import Any, Final

from mcp.server.transport_security import TransportSecuritySettings
from mcp.types import INVALID_REQUEST, JSONRPCMessage, JSONRPCRequest, jsonrpc_message_adapter
from pydantic import ValidationError
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hydra_kg.errors import HydraError, NoStoreError, NotFoundError
from hydra_kg.models.budget import paid_by
from hydra_kg.serving.http.desk import READING, Desk
from hydra_kg.serving.http.gate.problems import problem_of, unforeseen
from hydra_kg.serving.mcp import McpTools, server
from hydra_kg.util.cancelling import under
from hydra_kg.util.fast_dataclass import dataclass, field

INVALID: Final = {
    "jsonrpc": "2.0",
    "id": None,
    "error": {"code": INVALID_REQUEST, "message": "The body is not one JSON-RPC 2.0 message."},
}
ASKING: Final = frozenset({"ask", "verify_claim", "check_text"})
"""Tools that answer questions: a call takes a slot, and budgets count it. The others only read."""


@dataclass(slots=True)
class McpDoor:
    """An ASGI application for POST. It is stateless: any worker answers any request."""

    desk: Desk
    _apps: dict[str, ASGIApp] = field(default_factory=dict)
    _tasks: list[asyncio.Task[Any]] = field(default_factory=list)
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one message with the server of the key's store. Raise ProblemError (429, 503) if there is no slot."""
        key = scope["state"]["key"]
        async with self._lock:
            if key.store not in self._apps:
                self._apps[key.store] = await self._start(key)
        app, first = self._apps[key.store], await receive()
        try:
            message = jsonrpc_message_adapter.validate_json(first.get("body", b""), by_name=False)
        except ValidationError:
            await JSONResponse(INVALID, HTTPStatus.BAD_REQUEST)(scope, receive, send)
            return
        place = {**scope, "path": "/mcp", "raw_path": b"/mcp", "root_path": ""}
        given = False

        async def replay() -> Message:
            nonlocal given
            if given:
                return await receive()
            given = True
            return first

        if not is_question(message):
            with self.desk.token(READING) as token, under(token):
                await app(place, replay, send)
            return
        reply: list[Message] = []  # sent when the slot is free again, as the client may be slow to read

        async def store(part: Message) -> None:
            reply.append(part)

        async with self.desk.question(key, receive, seconds=self.desk.options.seconds) as (token, account):
            with under(token), paid_by(account):  # the tasks and threads of the tool are made in this context
                await app(place, replay, store)
        for part in reply:
            await send(part)

    async def close(self) -> None:
        """End the servers."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _start(self, key: Any) -> ASGIApp:
        """Return the MCP application of a key's store."""
        hydra = self.desk.hydra(key).hydra
        made = server(McpTools(lambda: hydra, shared=True), _describe_error)
        app = made.streamable_http_app(
            json_response=True,
            stateless_http=True,
            max_request_body_size=self.desk.options.body,
            transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        )
        started = asyncio.Event()

        async def live() -> None:
            async with made.session_manager.run():
                started.set()
                await asyncio.Event().wait()

        self._tasks.append(asyncio.create_task(live()))
        await started.wait()
        return app


def is_question(message: JSONRPCMessage) -> bool:
    """Return True if the message calls a tool that answers questions."""
    return (
        isinstance(message, JSONRPCRequest)
        and message.method == "tools/call"
        and (message.params or {}).get("name") in ASKING
    )


def _describe_error(error: Exception) -> str:
    """Return the text of a tool's error for clients, which discloses nothing about the machine."""
    if isinstance(error, NotFoundError) and not isinstance(error, NoStoreError):
        return " ".join(str(error).split())  # its remedy says how to look for a name or an id
    return problem_of(error).detail if isinstance(error, HydraError) else unforeseen(error).detail
