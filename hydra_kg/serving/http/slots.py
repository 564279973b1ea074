"""Limit how many questions one worker answers at once, with a queue of waiting questions."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress

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
