"""Report how far a question or a load is, as values that a progress bar or a test reads."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, Final

from hydra_kg.events.question import QuestionEvent, data_of
from hydra_kg.util.fast_dataclass import dataclass, field

EVERY: Final = 0.1
"""Seconds between two events of one progress."""


@dataclass(frozen=True, slots=True)
class Event:
    """A progress event.

    Attributes:
        kind: a dotted name (``ask.link``, ``load.read``).
        data: values that JSON can represent.
        seconds: seconds since the start.
        what: typed value of what a question found (:mod:`hydra_kg.events.question`), None for phases.
    """

    kind: str
    data: Mapping[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    what: QuestionEvent | None = None

    @classmethod
    def of(cls, what: QuestionEvent, seconds: float) -> Event:
        """Return the event for a typed value."""
        return cls(what.kind, data_of(what), seconds, what)

    def to_json(self) -> dict[str, Any]:
        """Return the event as one JSON object."""
        return {"kind": self.kind, "seconds": round(self.seconds, 4), **self.data}


Listener = Callable[[Event], None]


def ignore(event: Event) -> None:
    """Ignore the event: this listener does nothing."""


class Throttle:
    """A timer that says when to report again: ``seconds`` after the last report.

    With ``at_once``, the first report is due immediately.
    """

    def __init__(self, seconds: float = EVERY, *, at_once: bool = False) -> None:
        self._seconds = seconds
        self._last = time.monotonic() - (seconds if at_once else 0.0)

    def due(self, *, finished: bool = False) -> bool:
        """Return whether a report is due, and start the next wait if so. It is always due for ``finished`` work."""
        now = time.monotonic()
        if now - self._last < self._seconds and not finished:
            return False
        self._last = now
        return True


class Progress:
    """Reports progress to a listener now and then, and at the end; thread-safe.

    Args:
        total: amount of work in all, None if unknown.
        start: monotonic time of the start.
        rate, eta: whether to add these, not counting what was ``done`` before.
        more: further data.
    """

    def __init__(
        self,
        kind: str,
        *,
        total: int | None,
        unit: str,
        listener: Listener,
        start: float | None = None,
        done: int = 0,
        rate: bool = True,
        eta: bool = False,
        at_once: bool = False,
        more: Mapping[str, Any] | None = None,
    ) -> None:
        self._kind, self._total, self._unit, self._listener = kind, total, unit, listener
        self._begun = time.monotonic()
        self._start = self._begun if start is None else start
        self._before = self._done = done
        self._rate, self._eta, self._more = rate, eta, dict(more or {})
        self._throttle = Throttle(at_once=at_once)
        self._lock = threading.Lock()

    def add(self, amount: int) -> None:
        """Add an amount to what is done."""
        with self._lock:
            self._reach(self._done + amount, {})

    def reach(self, done: int, **more: Any) -> None:
        """Set the amount that is done in all."""
        with self._lock:
            self._reach(done, more)

    def _reach(self, done: int, more: Mapping[str, Any]) -> None:
        """Send a progress event if one is due, with rate and time left."""
        total = self._total
        self._done = done if total is None else min(done, total)
        if not self._throttle.due(finished=total is not None and done >= total):
            return
        now = time.monotonic()
        spent, new = max(now - self._begun, 1e-9), self._done - self._before
        data = {**self._more, "done": self._done, "total": total or 0, "unit": self._unit, **more}
        if self._rate:
            data["rate"] = round(new / spent)
        if self._eta:
            data["eta"] = round(spent * ((total or 0) - self._done) / max(new, 1), 1)
        self._listener(Event(self._kind, data, now - self._start))
