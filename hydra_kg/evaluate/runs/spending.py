"""The budget of a whole run for a model, over all of its questions and however often it is resumed."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

from hydra_kg.errors import UsageError
from hydra_kg.settings import Settings
from hydra_kg.util.fast_dataclass import dataclass, field

Record = Mapping[str, Any]


@dataclass(slots=True)
class Spending:
    """The account of a run with limits for ``calls`` and ``money``, 0 for none.

    A question begins only if its largest possible cost fits into what is left. It is charged that cost if it fails
    without reporting its own.
    """

    calls: int = 0
    money: float = 0.0
    spent_calls: int = 0
    spent_tokens: int = 0
    spent_money: float = 0.0
    reserved: dict[int, tuple[int, float]] = field(default_factory=dict)
    booked: set[Hashable] = field(default_factory=set)

    def fits(self, most: tuple[int, float]) -> bool:
        """Return True if a question may begin that costs at most this many calls and this much money."""
        calls = self.spent_calls + sum(h[0] for h in self.reserved.values()) + most[0]
        money = self.spent_money + sum(h[1] for h in self.reserved.values()) + most[1]
        return not (self.calls and calls > self.calls) and not (self.money and money > self.money * (1 + 1e-9))

    def hold(self, number: int, most: tuple[int, float]) -> None:
        """Reserve the largest possible cost of a question that begins."""
        self.reserved[number] = most

    def settle(self, number: int, key: Hashable, record: Record) -> None:
        """Release the reservation of a finished question and book its cost."""
        self.booked.add(key)
        self._book(record, self.reserved.pop(number, (0, 0.0)))

    def book_once(self, key: Hashable, record: Record, most: tuple[int, float]) -> None:
        """Book the cost in an earlier record, unless it was booked before."""
        if key not in self.booked:
            self.booked.add(key)
            self._book(record, most)

    def _book(self, record: Record, most: tuple[int, float]) -> None:
        usage = record.get("usage")
        if usage is None:
            self.spent_calls += most[0]
            self.spent_money += most[1]
            return
        self.spent_calls += int(usage.get("calls") or 0)
        self.spent_tokens += int(usage.get("tokens_in") or 0) + int(usage.get("tokens_out") or 0)
        self.spent_money += float(usage.get("money") or 0.0)

    def needs(self, settings: Settings, agent: str) -> tuple[int, float]:
        """Return the largest possible cost of a question under its own budget. Raises UsageError if it has no bound."""
        if agent != "llm" or not (self.calls or self.money):
            return 0, 0.0
        if self.calls and not settings.budget.calls:
            raise UsageError(
                "A run's limit of calls needs a limit for each question.", remedy="Give --budget-calls too."
            )
        return settings.budget.calls, self._most_money(settings) if self.money else 0.0

    @staticmethod
    def _most_money(settings: Settings) -> float:
        """Return the most money that one question may cost. Raises UsageError if there is no limit."""
        prices = {name: max(a, b) for name, a, b in settings.model.prices}
        bounds = [settings.budget.money] if settings.budget.money else []
        if settings.budget.tokens and settings.model.name in prices:
            bounds.append(settings.budget.tokens * prices[settings.model.name] / 1e6)
        if not bounds or settings.model.name not in prices:
            raise UsageError(
                "A run's limit of money needs the model's price, and a limit for each question.",
                remedy="Name the price in your own hydra.toml under [model.prices]; give --budget-money or "
                "--budget-tokens.",
            )
        return min(bounds)
