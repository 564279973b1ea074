"""What cannot be called off is taken back when its question was stopped, in whichever moment that was."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from hydra_kg.errors import StoppedError, TooMuchWorkError
from hydra_kg.util import cancelling
from hydra_kg.util.cancelling import ITEM_WORK, Cancellation, aside, check, check_between, pause_counting, under


class StoppedAfterwards(Cancellation):
    """A token that is cancelled when the work is done, before its result is looked at."""

    @contextmanager
    def ending(self, end: Callable[[], None]) -> Iterator[None]:
        with super().ending(end):
            yield
        for thread in threading.enumerate():
            if thread.name == "hydra-kg separate":
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


def test_work_is_counted_for_the_question_of_a_thread():
    token = Cancellation()
    check(10)
    with under(token):
        check(3)
        check()
        assert list(check_between(range(25), every=10)) == list(range(25))
    assert token.work == 3 + 20 * ITEM_WORK


def test_few_items_are_no_work():
    token = Cancellation()
    with under(token):
        for _ in range(1_000):
            list(check_between(range(3)))
    assert token.work == 0


def test_a_question_ends_at_its_limit_of_work(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(cancelling, "MOST_WORK", 100 * ITEM_WORK)
    taken: list[int] = []
    with under(Cancellation()), pytest.raises(TooMuchWorkError, match="Name the relation"):
        taken.extend(check_between(range(1_000), every=10))
    assert len(taken) <= 110


def test_a_stop_comes_before_the_limit(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(cancelling, "MOST_WORK", 1)
    token = Cancellation()
    token.cancel()
    with under(token), pytest.raises(StoppedError):
        check(2)


def test_work_for_all_questions_is_not_counted_for_the_first_one():
    token = Cancellation()
    with pause_counting():
        pass
    with under(token):
        with pause_counting(), pause_counting():
            check(7)
        check(5)
        token.cancel()
        with pytest.raises(StoppedError), pause_counting():
            check()
    assert token.work == 5
