"""Middleware that retries passing failures: busy endpoints, their faults, timeouts and cut connections."""

from __future__ import annotations

import random
from collections.abc import Callable

from hydra_kg.domain import Completion
from hydra_kg.models.budget import Budget, out_of_time
from hydra_kg.models.request import Failed, Request, Send
from hydra_kg.util.cancelling import wait as wait_for

FIRST_WAIT, LONGEST_WAIT = 0.5, 60.0
"""Seconds before the first retry, and the most before any. Waits double.

Each wait is drawn from the upper half of its range, so that threads spread. If the endpoint asks for a longer wait,
the call fails.
"""


def retrying(
    inner: Send,
    *,
    retries: int,
    budget: Budget,
    first_wait: float = FIRST_WAIT,
    sleep: Callable[[float], None] = wait_for,
) -> Send:
    """Return middleware that retries up to ``retries`` times after passing failures.

    It raises ModelError, NetworkError or BudgetError.
    """

    def send(request: Request) -> Completion:
        longest = first_wait
        for left in range(retries, -1, -1):
            try:
                return inner(request)
            except Failed as e:
                if not e.passing or not left or e.wait > LONGEST_WAIT:
                    raise e.error from None
                wait = e.wait or random.uniform(longest / 2, longest)
            if wait >= budget.remaining():
                budget.note_late(error := out_of_time())
                raise error
            sleep(wait)
            longest = min(2 * longest, LONGEST_WAIT)
        raise AssertionError("a loop over at least one attempt")

    return send
