"""The slots in which one worker answers questions, and the queue of questions that wait for one."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress

from hydra_kg.util.cancelling import Cancellation


class Slots:
    """A number of slots with a bounded queue. Use it from one event loop only.

    ``count``: slots in all · ``most``: questions that may wait · ``clock``: seconds that only grow.
    """

    def __init__(self, count: int, most: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._free, self._most, self._clock = count, most, clock
        self._queue: deque[asyncio.Future[None]] = deque()
        self._changed = clock()
        self._wanted = False

    @property
    def is_full(self) -> bool:
        """Return True if the next question would find neither a slot nor room in the queue."""
        return not self._free and len(self._queue) >= self._most

    def is_stuck(self, seconds: float) -> bool:
        """Return True if a question had to wait and no slot was released for longer than ``seconds``.

        It stays True until a slot is released, also when the questions that waited have given up.
        """
        return not self._free and self._wanted and self._clock() - self._changed > seconds

    async def take(self, token: Cancellation) -> None:
        """Wait for a slot, first come first served. Raise StoppedError when the token is cancelled first."""
        token.check()
        if self._free:
            self._free -= 1
            self._changed = self._clock()
            return
        self._wanted = True
        loop = asyncio.get_running_loop()
        turn: asyncio.Future[None] = loop.create_future()
        self._queue.append(turn)

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
            with suppress(ValueError):
                self._queue.remove(turn)

    def release(self) -> None:
        """Give a slot to the question that has waited longest, or keep it free."""
        self._changed = self._clock()
        while self._queue:
            turn = self._queue.popleft()
            if not turn.done():
                turn.set_result(None)
                break
        else:
            self._free += 1
        self._wanted = bool(self._queue)
