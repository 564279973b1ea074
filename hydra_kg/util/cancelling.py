"""Stop a question from outside, or when it has done too much work.

:func:`check`, :func:`wait` and :func:`ending` find the thread's token. :func:`carry_to_thread` takes it into other
threads.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar, copy_context
from typing import Final, ParamSpec, TypeVar

from hydra_kg.errors import StoppedError, TooMuchWorkError

P = ParamSpec("P")
R = TypeVar("R")

MOST_WORK: Final = 1_000_000_000
"""Work units per question: 1 per fact in numpy, `ITEM_WORK` per loop item. The limit ends runaway questions."""
ITEM_WORK: Final = 50


class Cancellation:
    """A token to stop one question. :meth:`cancel` from any thread makes ``ask`` raise StoppedError within 200 ms."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self._lock = threading.Lock()
        self._ends: dict[object, Callable[[], None]] = {}
        self._why = ""
        self.work = 0
        """Work units that the question has used so far."""
        self.counting = True

    def cancel(self, why: str = "The question was stopped.") -> None:
        """Stop the question. Only the first reason counts."""
        with self._lock:
            if self._event.is_set():
                return
            self._why = why
            self._event.set()
            ends, self._ends = list(self._ends.values()), {}
        for end in ends:
            with suppress(Exception):  # one that fails must not keep the others
                end()

    @property
    def cancelled(self) -> bool:
        """Return True if the question was stopped."""
        return self._event.is_set()

    @property
    def error(self) -> StoppedError:
        """Return the error that a stopped question raises."""
        return StoppedError(self._why)

    def check(self, work: int = 0) -> None:
        """Count work units. Raise StoppedError if stopped, TooMuchWorkError at the limit."""
        if self._event.is_set():
            raise self.error
        self.work += work if self.counting else 0
        if self.work > MOST_WORK:
            raise TooMuchWorkError

    def wait(self, seconds: float) -> None:
        """Sleep. Raises StoppedError as soon as the question is stopped."""
        if self._event.wait(seconds):
            raise self.error

    @contextmanager
    def ending(self, end: Callable[[], None]) -> Iterator[None]:
        """Call ``end`` if the question is stopped while the block runs, to end what the block waits for.

        If it was stopped before, ``end`` is called at once.
        """
        key = object()
        with self._lock:
            stopped = self._event.is_set()
            if not stopped:
                self._ends[key] = end
        if stopped:
            raise self.error
        try:
            yield
        finally:
            with self._lock:
                self._ends.pop(key, None)


_CURRENT: Final[ContextVar[Cancellation | None]] = ContextVar("hydra_kg_cancellation", default=None)


@contextmanager
def under(token: Cancellation | None) -> Iterator[None]:
    """Run the block for the question of this token."""
    before = _CURRENT.set(token)
    try:
        yield
    finally:
        _CURRENT.reset(before)


def current() -> Cancellation | None:
    """Return the token of the question that this thread works for."""
    return _CURRENT.get()


def check(work: int = 0) -> None:
    """Count work units for this thread's question. Raise StoppedError if stopped, TooMuchWorkError at the limit."""
    if (token := _CURRENT.get()) is not None:
        token.check(work)


@contextmanager
def pause_counting() -> Iterator[None]:
    """Leave the work of the block uncounted, because it is done once for all questions."""
    token = _CURRENT.get()
    before = token is None or token.counting
    if token is not None:
        token.counting = False
    try:
        yield
    finally:
        if token is not None:
            token.counting = before


def alive(found: R) -> R:
    """Return a result unless the question was stopped meanwhile. Raises StoppedError."""
    check()
    return found


def check_between(items: Iterable[R], every: int = 1_000) -> Iterator[R]:
    """Yield the items, and check the token before each ``every``-th of them as :func:`check` does."""
    for number, item in enumerate(items):
        if number % every == 0:
            check(every * ITEM_WORK if number else 0)
        yield item


def stop_error() -> StoppedError | None:
    """Return the error to raise in place of one that stopping caused, or None."""
    token = _CURRENT.get()
    return token.error if token is not None and token.cancelled else None


def wait(seconds: float) -> None:
    """Sleep, but no longer than the question lives. Raises StoppedError."""
    token = _CURRENT.get()
    if token is None:
        time.sleep(seconds)
    else:
        token.wait(seconds)


@contextmanager
def ending(end: Callable[[], None]) -> Iterator[None]:
    """Run the block as :meth:`Cancellation.ending` does. Without a token it simply runs."""
    if (token := _CURRENT.get()) is None:
        yield
        return
    with token.ending(end):
        yield


def carry_to_thread(function: Callable[P, R]) -> Callable[P, R]:
    """Return the function for another thread, where it works for the same question: with its token and in its span."""
    context = copy_context()

    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        return context.copy().run(function, *args, **kwargs)  # a copy: several threads may call it at once

    return called


def aside(work: Callable[[], R], *, undo: Callable[[R], object] | None = None) -> R:
    """Run uninterruptible ``work`` in a thread.

    If the question stops, the thread is left and ``undo`` gets its result.
    """
    token = _CURRENT.get()
    if token is None:
        return work()
    given: list[R] = []  # whoever pops the result has it: the caller, or one that undoes it
    failed: list[Exception] = []
    done = threading.Event()

    def take_back() -> None:
        if undo is not None:
            with suppress(Exception):
                undo(given.pop())

    def run() -> None:
        try:
            given.append(work())
        except Exception as e:
            failed.append(e)
        finally:
            done.set()
            if token.cancelled:
                take_back()

    with token.ending(done.set):
        threading.Thread(target=run, name="hydra-kg separate", daemon=True).start()
        done.wait()
    if token.cancelled:
        take_back()
        raise token.error
    if failed:
        raise failed[0]
    try:
        return given.pop()
    except IndexError:  # stopped and taken back in this moment
        raise token.error from None
