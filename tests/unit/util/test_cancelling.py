"""What cannot be called off is taken back when its question was stopped, in whichever moment that was."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from hydra_kg.errors import StoppedError
from hydra_kg.util.cancelling import Cancellation, aside, under


class StoppedAfterwards(Cancellation):
    """A token that is cancelled when the work is done, before its result is looked at."""

    @contextmanager
    def ending(self, end: Callable[[], None]) -> Iterator[None]:
        with super().ending(end):
            yield
        for thread in threading.enumerate():
            if thread.name == "hydra-kg aside":
                thread.join()
        self.cancel()


def test_a_result_that_comes_when_its_question_is_just_stopped_is_taken_back():
    undone: list[str] = []
    with under(StoppedAfterwards()), pytest.raises(StoppedError):
        aside(lambda: "connection", undo=undone.append)
    assert undone == ["connection"]


def test_a_result_that_comes_too_late_is_taken_back():
    token, go, undone = Cancellation(), threading.Event(), threading.Event()

    def work() -> str:
        token.cancel()
        assert go.wait(60)
        return "connection"

    with under(token), pytest.raises(StoppedError):
        aside(work, undo=lambda _: undone.set())
    assert not undone.is_set()
    go.set()
    assert undone.wait(60)


def test_a_result_that_was_taken_stays():
    token, undone = Cancellation(), list[str]()
    with under(token):
        assert aside(lambda: "connection", undo=undone.append) == "connection"
    token.cancel()
    assert undone == []


def test_an_error_of_the_work_is_raised_where_it_was_wanted():
    with under(Cancellation()), pytest.raises(OSError, match="nobody there"):
        aside(lambda: (_ for _ in ()).throw(OSError("nobody there")))
