"""The six MCP tools at ``/mcp``: one server a store, started by the first client that may ask it."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from typing import Any, Final

from mcp.server.transport_security import TransportSecuritySettings
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hydra_kg.models.budget import paid_by
from hydra_kg.serving.http.desk import READING, Desk
from hydra_kg.serving.mcp import McpTools, server
from hydra_kg.util.cancelling import under

ASKING: Final = frozenset({"ask", "verify_claim"})
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
        place = {**scope, "path": "/mcp", "raw_path": b"/mcp", "root_path": ""}

        async def replay() -> Message:
            nonlocal first
            if first["type"] != "http.request":
                return await receive()
            message, first = first, {"type": "given"}
            return message

        if not is_question(first.get("body", b"")):
            with self.desk.token(READING) as token, under(token):
                await app(place, replay, send)
            return
        reply: list[Message] = []  # sent when the slot is free again, as the client may be slow to read

        async def store(message: Message) -> None:
            reply.append(message)

        async with self.desk.question(key, receive, seconds=self.desk.options.seconds) as (token, account):
            with under(token), paid_by(account):  # the tasks and threads of the tool are made in this context
                await app(place, replay, store)
        for message in reply:
            await send(message)

    async def close(self) -> None:
        """End the servers."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _start(self, key: Any) -> ASGIApp:
        hydra = self.desk.hydra(key).hydra
        made = server(McpTools(lambda: hydra))
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


def is_question(body: bytes) -> bool:
    """Return True if the message calls a tool that answers questions."""
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        return False
    if not isinstance(message, dict) or message.get("method") != "tools/call" or "id" not in message:
        return False
    call = message.get("params")
    return isinstance(call, dict) and call.get("name") in ASKING
