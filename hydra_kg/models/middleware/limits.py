"""Limits of a model: calls per second, and the budget that its attempts spend."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace

from hydra_kg.domain import Completion, Usage
from hydra_kg.errors import BudgetError
from hydra_kg.models.budget import Budget, out_of_time
from hydra_kg.models.request import Failed, Request, Send, most_prompt_tokens
from hydra_kg.util import cancelling


class Rate:
    """Limit of ``rate`` calls per second, evenly spaced; 0 is no limit. ``clock`` and ``sleep`` are injectable."""

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
        """Return the middleware. A call whose turn would come after its deadline fails at once and takes no turn."""
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


Price = tuple[float, float]
"""Money for a million tokens of the prompt and of the reply."""


def spending(inner: Send, budget: Budget, *, price: Price = (0.0, 0.0)) -> Send:
    """Return middleware that charges each attempt to ``budget``. It raises BudgetError.

    A declined attempt is charged as a call, a lost reply at its largest possible cost, and any other as reported.
    """

    def send(request: Request) -> Completion:
        most = cost(price, most_prompt_tokens(request), request.max_tokens)
        budget.reserve(most)
        used, begun = most, time.monotonic()
        try:
            reply = inner(replace(request, deadline=time.monotonic() + budget.remaining()))
            used = cost(price, reply.tokens_in, reply.tokens_out)
            if reply.late:
                budget.note_late(out_of_time() if budget.remaining() <= 0 else None)
            return reply
        except Failed as e:
            if e.spent != "all":
                used = Usage(1 if e.spent == "call" else 0)
            if isinstance(e.error, BudgetError):
                budget.note_late(e.error)
            raise
        finally:
            used = replace(used, seconds=time.monotonic() - begun)
            budget.settle(most, used, step=request.step)
            request.spent.append(used)

    return send


def cost(price: Price, tokens_in: int, tokens_out: int) -> Usage:
    """Return the cost of one call with these numbers of tokens."""
    return Usage(1, tokens_in, tokens_out, (tokens_in * price[0] + tokens_out * price[1]) / 1_000_000)
