"""The six MCP tools at ``/mcp``: one server a store, started by the first client that may ask it."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from typing import Any, Final

from mcp.server.transport_security import TransportSecuritySettings
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hydra_kg.models.budget import paid_by
from hydra_kg.serving.http.desk import Desk
from hydra_kg.serving.mcp import McpTools, server
from hydra_kg.util.cancelling import Cancellation, under

ASKING: Final = frozenset({"ask", "verify_claim"})
"""Tools that answer questions."""


@dataclass(slots=True)
class McpDoor:
    """An ASGI application. Stateless, so that any worker answers any request; host and origin were checked before."""

    desk: Desk
    _apps: dict[str, ASGIApp] = field(default_factory=dict)
    _tasks: list[asyncio.Task[Any]] = field(default_factory=list)
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request, to the server of its key's store; it waits for its turn as questions do."""
        key = scope["state"]["key"]
        async with self._lock:
            if key.store not in self._apps:
                self._apps[key.store] = await self._started(key)
        place = {**scope, "path": "/mcp", "raw_path": b"/mcp", "root_path": ""}
        whole = [await receive()]
        turn = self.desk.question(key) if asks(whole[0].get("body", b"")) else self.desk.turn()
        async with turn as account:

            async def replayed() -> Message:
                return whole.pop() if whole else await receive()

            # The tasks and threads of the tool are made in this context.
            with self.desk.token(self.desk.options.seconds) as token, under(token), paid_by(account):
                leaving = asyncio.create_task(_left(receive, token))
                try:
                    await self._apps[key.store](place, replayed, send)
                finally:
                    leaving.cancel()

    async def close(self) -> None:
        """End the servers."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _started(self, key: Any) -> ASGIApp:
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


def asks(body: bytes) -> bool:
    """Whether a message calls a tool that answers questions, which budgets count."""
    try:
        message = json.loads(body)
    except ValueError:
        return False
    some = message if isinstance(message, list) else [message]
    calls = [one.get("params") for one in some if isinstance(one, dict) and one.get("method") == "tools/call"]
    return any(isinstance(call, dict) and call.get("name") in ASKING for call in calls)


async def _left(receive: Receive, token: Cancellation) -> None:
    """A client that leaves stops its question."""
    while (await receive())["type"] != "http.disconnect":
        pass
    token.cancel("The client left.")
