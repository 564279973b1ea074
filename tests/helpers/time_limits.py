"""Time that runs out when a test says so: in place of ``threading.Timer`` under the time limit of a model's reply."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from unittest.mock import patch

from hydra_kg.models.deadline import RequestTimer


class TimeLimits:
    """Makes timers that only :meth:`run_out` ends. ``seconds``: what each that was started would have had."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self._running: list[_Timer] = []
        self._lock = threading.Lock()

    def __call__(self, seconds: float, end: Callable[[], None]) -> _Timer:
        """Make a timer, as ``threading.Timer`` is made."""
        return _Timer(self, seconds, end)

    def run_out(self) -> None:
        """End the time of everything that is timed now."""
        with self._lock:
            running = list(self._running)
        for timer in running:
            timer.end()

    def begin(self, timer: _Timer) -> None:
        """Take a timer that was started."""
        with self._lock:
            self.seconds.append(timer.seconds)
            self._running.append(timer)

    def leave(self, timer: _Timer) -> None:
        """Forget a timer that was cancelled."""
        with self._lock:
            if timer in self._running:
                self._running.remove(timer)


class _Timer:
    daemon = False

    def __init__(self, owner: TimeLimits, seconds: float, end: Callable[[], None]) -> None:
        self.seconds, self.end = seconds, end
        self._owner = owner

    def start(self) -> None:
        self._owner.begin(self)

    def cancel(self) -> None:
        self._owner.leave(self)


@contextmanager
def time_limits() -> Iterator[TimeLimits]:
    """Put time limits of model replies into the hands of the block."""
    limits = TimeLimits()
    options = RequestTimer.__init__.__kwdefaults__
    assert options is not None
    with patch.dict(options, timer=limits):
        yield limits
