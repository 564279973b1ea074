"""Keeps calls a second under a limit, over all threads of the process."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from hydra_kg.domain import Completion
from hydra_kg.models.budget import out_of_time
from hydra_kg.models.request import Failed, Request, Send
from hydra_kg.util import cancelling


class Rate:
    """Limits calls to ``rate`` a second, evenly spaced (0: no limit); ``clock`` and ``sleep`` are injectable."""

    def __init__(
        self,
        rate: float,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = cancelling.wait,
    ) -> None:
        self._clock, self._sleep = clock, sleep
        self._gap = 1 / rate if rate > 0 else 0.0
        self._next = 0.0
        self._lock = threading.Lock()

    def around(self, inner: Send) -> Callable[[Request], Completion]:
        """The middleware. A call whose turn would come after its deadline fails at once and takes no turn."""
        if not self._gap:
            return inner

        def send(request: Request) -> Completion:
            with self._lock:
                turn = max(self._next, self._clock())
                if turn >= request.deadline:
                    raise Failed(out_of_time(), spent="nothing")
                self._next = turn + self._gap
            self._sleep(max(0.0, turn - self._clock()))
            return inner(request)

        return send
