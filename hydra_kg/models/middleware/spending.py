"""Reserves what an attempt costs at most before it is made, and settles what it did cost after it."""

from __future__ import annotations

import time
from dataclasses import replace

from hydra_kg.domain import Completion, Usage
from hydra_kg.errors import BudgetError
from hydra_kg.models.budget import Budget, out_of_time
from hydra_kg.models.request import Failed, Request, Send, most_prompt_tokens

Price = tuple[float, float]
"""Money for a million tokens of prompt, and of reply."""


def spending(inner: Send, budget: Budget, *, price: Price = (0.0, 0.0)) -> Send:
    """Charge each attempt: a declined one as a call, a lost reply in full, else as reported. Raises BudgetError."""

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
    """One call of so many tokens."""
    return Usage(1, tokens_in, tokens_out, (tokens_in * price[0] + tokens_out * price[1]) / 1_000_000)
