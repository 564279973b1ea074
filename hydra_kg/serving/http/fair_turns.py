"""Give several tenants turns in one event loop: each in its turn, and never more at once than allowed."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class FairTurns:
    """Grants turns round-robin among tenants: ``total`` at once, ``each`` per tenant."""

    def __init__(self, total: int, *, each: int = 1) -> None:
        self._total, self._each = total, each
        self._running: Counter[str] = Counter()
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}
        self._last: dict[str, int] = {}  # the number of each tenant's last turn
        self._granted = 0

    @asynccontextmanager
    async def turn(self, tenant: str) -> AsyncIterator[None]:
        """Wait for a turn of ``tenant`` and keep it for the block. Cancelling the wait leaves the queue."""
        granted: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(tenant, deque()).append(granted)
        self._grant()
        try:
            await granted
            yield
        finally:
            if granted.done() and not granted.cancelled():
                self._running[tenant] -= 1
            else:
                self._leave(tenant, granted)
            self._grant()

    def _leave(self, tenant: str, granted: asyncio.Future[None]) -> None:
        queue = self._waiting.get(tenant, deque())
        if granted in queue:
            queue.remove(granted)
        if not queue:
            self._waiting.pop(tenant, None)

    def _grant(self) -> None:
        """Give every free turn to the next tenant that may have one."""
        while self._running.total() < self._total:
            free = (tenant for tenant in self._waiting if self._running[tenant] < self._each)
            tenant = min(free, key=lambda name: self._last.get(name, 0), default=None)  # who waits longest for a turn
            if tenant is None:
                return
            granted = self._waiting[tenant].popleft()
            if not self._waiting[tenant]:
                del self._waiting[tenant]
            if not granted.cancelled():
                self._granted += 1
                self._last[tenant] = self._granted
                self._running[tenant] += 1
                granted.set_result(None)
