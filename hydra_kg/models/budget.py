"""Limits on what a question or a whole run may spend on a model, and the record of what was spent.

Calls, tokens, money and seconds are counted.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import Final, Protocol, Self

from hydra_kg.domain import Usage
from hydra_kg.errors import BudgetError
from hydra_kg.settings import Settings

_FLAGS = {
    "calls": "--budget-calls",
    "tokens": "--budget-tokens",
    "money": "--budget-money",
    "seconds": "--budget-seconds",
}


class Account(Protocol):
    """Payer of questions that other processes may share, such as the key of a service."""

    def take(self, most: Usage) -> str:
        """Book the largest possible cost of an attempt and return "", or book nothing and return why it is too much."""

    def settle(self, most: Usage, used: Usage) -> None:
        """Replace the booked largest cost by the actual cost."""


_PAYING: Final[ContextVar[Account | None]] = ContextVar("hydra_kg_account", default=None)


@contextmanager
def paid_by(account: Account | None) -> Iterator[None]:
    """Charge the budgets that are created in the ``with`` block to an account as well."""
    before = _PAYING.set(account)
    try:
        yield
    finally:
        _PAYING.reset(before)


class Budget:
    """Limits that raise before they are exceeded, and the record of what each step spent. Safe for threads.

    An attempt *reserves* its largest possible cost before it is made and settles the actual cost afterwards, so 16
    threads under a limit of 10 calls make 10 attempts. A limit of 0 means no limit. ``seconds`` count from the creation
    of the budget. With ``within`` (the budget of a run) each reservation is made in both budgets or in neither.
    ``owner`` names the budget in messages. ``account`` pays for it and may refuse as well.
    """

    def __init__(
        self,
        *,
        calls: int = 0,
        tokens: int = 0,
        money: float = 0.0,
        seconds: float = 0.0,
        within: Budget | None = None,
        owner: str = "this question",
        clock: Callable[[], float] = time.monotonic,
        account: Account | None = None,
    ) -> None:
        self._account = account
        self._limits: dict[str, float] = {"calls": calls, "tokens": tokens, "money": money}
        self._seconds = seconds
        self._clock = clock
        self._begun = clock()
        self._within = within
        self._owner = owner
        self._lock: threading.Lock = within._lock if within else threading.Lock()
        self._reserved = dict.fromkeys(self._limits, 0.0)
        self._steps: dict[str, Usage] = {}
        self._stopped = ""
        self._late = False

    @classmethod
    def of(cls, settings: Settings, *, within: Budget | None = None) -> Self:
        """Return the budget of one question from the settings, charged to the current account (see :func:`paid_by`)."""
        return cls(
            calls=settings.budget.calls,
            tokens=settings.budget.tokens,
            money=settings.budget.money,
            seconds=settings.budget.seconds,
            within=within,
            account=_PAYING.get(),
        )

    @property
    def stopped(self) -> str:
        """The first refusal as one sentence for the answer to show, or "" if nothing was refused."""
        return self._stopped

    @property
    def late(self) -> bool:
        """Whether the time limit cut anything short, so that the same question may get another answer next time."""
        return self._late

    @property
    def usage(self) -> Usage:
        """The amount spent so far, the steps in the order of their first call, with the seconds of the attempts."""
        with self._lock:
            steps = dict(self._steps)
        return replace(_sum(list(steps.values())), steps=steps)

    def remaining(self) -> float:
        """Return the seconds that are left: 0 or less when the time is over, infinity without a time limit."""
        own = self._begun + self._seconds - self._clock() if self._seconds else float("inf")
        return min(own, self._within.remaining()) if self._within else own

    def reserve(self, most: Usage) -> None:
        """Reserve the largest possible cost of one attempt.

        Raises BudgetError, which names the limit, and then reserves nothing.
        """
        with self._lock:
            chain = self._chain()
            for budget in chain:
                if error := budget._refusal(most):
                    for one in chain:
                        one._stopped = one._stopped or _sentence(error)
                        one._late = one._late or budget._over()
                    raise error
            if self._account is not None and (why := self._account.take(most)):
                self._stopped = self._stopped or why
                raise BudgetError(why, remedy="Wait, or ask the operator of the service for more.")
            for budget in chain:
                budget._hold(most, 1)

    def settle(self, most: Usage, used: Usage, *, step: str = "") -> None:
        """Release a reservation and book the actual cost."""
        with self._lock:
            if self._account is not None:
                self._account.settle(most, used)
            for budget in self._chain():
                budget._hold(most, -1)
                budget._book(used, step)

    def charge(self, used: Usage, *, step: str = "", refused: BudgetError | None = None) -> None:
        """Book the original cost of a replayed call, without checking any limit.

        ``refused`` is the refusal that was recorded with the call, if any. It is noted again as the reason for
        stopping.
        """
        with self._lock:
            for budget in self._chain():
                if used.calls:
                    budget._book(used, step)
                if refused:
                    budget._stopped = budget._stopped or _sentence(refused)

    def note_late(self, error: BudgetError | None = None) -> None:
        """Record that the time limit cut a reply short, which no reservation notices.

        ``error`` is given if the time of the question, not that of the request, had ended.
        """
        with self._lock:
            self._late = True
            if error:
                self._stopped = self._stopped or _sentence(error)

    def _chain(self) -> list[Budget]:
        return [self] + (self._within._chain() if self._within else [])

    def _refusal(self, most: Usage) -> BudgetError | None:
        """Return the error for a call that would exceed the budget, or None."""
        if self._over():
            return self._error("seconds", f"the limit of {self._seconds:g} seconds is over")
        spent = _sum(list(self._steps.values()))
        used = {"calls": spent.calls, "tokens": spent.tokens_in + spent.tokens_out, "money": spent.money}
        wanted = {"calls": most.calls, "tokens": most.tokens_in + most.tokens_out, "money": most.money}
        for name, limit in self._limits.items():
            so_far = used[name] + self._reserved[name]
            if limit and so_far + wanted[name] > limit * (1 + 1e-9):
                more = f", and the next call may take {wanted[name]:,.6g}" if so_far < limit else ""
                return self._error(name, f"{so_far:,.6g} of {limit:,.6g} {name} are spent{more}")
        return None

    def _over(self) -> bool:
        return self._seconds > 0 and self._clock() >= self._begun + self._seconds

    def _error(self, limit: str, message: str) -> BudgetError:
        remedy = f"Raise budget_{limit} ({_FLAGS[limit]}; 0 is no limit)."
        if self._owner != "this question":
            remedy = f"Raise the limit of {limit} of {self._owner}."
        return BudgetError(f"The budget of {self._owner} ends: {message}.", remedy=remedy)

    def _hold(self, most: Usage, sign: int) -> None:
        self._reserved["calls"] += sign * most.calls
        self._reserved["tokens"] += sign * (most.tokens_in + most.tokens_out)
        self._reserved["money"] += sign * most.money

    def _book(self, used: Usage, step: str) -> None:
        self._steps[step or "other"] = _sum([self._steps.get(step or "other", Usage()), used])


def out_of_time() -> BudgetError:
    """Return the error for a call that the time of its question does not allow."""
    return BudgetError(
        "The time of this question ended before the model's reply.",
        remedy="Raise budget.seconds (--budget-seconds; 0 is no limit).",
    )


def _sentence(error: BudgetError) -> str:
    return str(error).partition("\n")[0]


def _sum(parts: list[Usage]) -> Usage:
    return Usage(
        sum(p.calls for p in parts),
        sum(p.tokens_in for p in parts),
        sum(p.tokens_out for p in parts),
        sum(p.money for p in parts),
        sum(p.seconds for p in parts),
    )
