"""Limit how many questions one worker answers at once, with a queue in which tenants take turns."""

from __future__ import annotations

import asyncio
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

from hydra_kg.util.cancelling import Cancellation


class RequestSlots:
    """Slots with a bounded queue for one event loop. Tenants take turns and may always queue one question.

    ``count``: number of slots. ``most``: most waiting questions. ``clock``: monotonic seconds.
    """

    def __init__(self, count: int, most: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._free, self._most, self._clock = count, most, clock
        self._queues: dict[str, deque[asyncio.Future[None]]] = {}
        self._last: dict[str, int] = {}  # the number of each tenant's last slot
        self._given = 0
        self._changed = clock()
        self._wanted = False

    def is_full(self, tenant: str) -> bool:
        """Return True if the tenant's next question would find neither a slot nor room in the queue."""
        if self._free or (self._most and tenant not in self._queues):
            return False
        return sum(map(len, self._queues.values())) >= self._most

    def is_stuck(self, seconds: float) -> bool:
        """Return True if a question had to wait over ``seconds`` without a released slot, until one is released."""
        return not self._free and self._wanted and self._clock() - self._changed > seconds

    async def take(self, token: Cancellation, tenant: str) -> None:
        """Wait for a slot. Raise StoppedError when the token is cancelled first."""
        token.check()
        if self._free:
            self._free -= 1
            self._note(tenant)
            return
        self._wanted = True
        loop = asyncio.get_running_loop()
        turn: asyncio.Future[None] = loop.create_future()
        self._queues.setdefault(tenant, deque()).append(turn)

        def leave() -> None:
            loop.call_soon_threadsafe(turn.cancel)

        try:
            with token.ending(leave):
                await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # the slot came in the same moment
                self.release()
            token.check()
            raise
        finally:
            self._remove(tenant, turn)

    def release(self) -> None:
        """Give a slot to the tenant that has waited longest for one, or keep it free."""
        self._changed = self._clock()
        while self._queues:
            tenant = min(self._queues, key=lambda name: self._last.get(name, 0))
            turn = self._queues[tenant][0]
            self._remove(tenant, turn)
            if not turn.done():
                self._note(tenant)
                turn.set_result(None)
                break
        else:
            self._free += 1
        self._wanted = bool(self._queues)

    def _note(self, tenant: str) -> None:
        self._changed = self._clock()
        self._given += 1
        self._last[tenant] = self._given

    def _remove(self, tenant: str, turn: asyncio.Future[None]) -> None:
        queue = self._queues.get(tenant, deque())
        with suppress(ValueError):
            queue.remove(turn)
        if not queue:
            self._queues.pop(tenant, None)


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
