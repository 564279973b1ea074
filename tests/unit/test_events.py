"""How far some work is: what a listener hears of it, and how often."""

from __future__ import annotations

import threading
import time

import pytest

from hydra_kg.events import Event, Progress, Throttle


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time that the progress sees; a test sets it."""
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    return now


def test_a_listener_hears_ten_times_a_second_and_at_the_end(clock: list[float]) -> None:
    heard: list[Event] = []
    progress = Progress("load.read", total=1000, unit="rows", listener=heard.append, eta=True, more={"name": "l"})
    for _ in range(100):
        clock[0] += 0.01
        progress.add(10)
    assert 9 <= len(heard) <= 11
    assert heard[-1].data == {"name": "l", "done": 1000, "total": 1000, "unit": "rows", "rate": 1000, "eta": 0.0}
    assert heard[4].data["eta"] == pytest.approx(0.5, abs=0.1)
    assert heard[-1].seconds == pytest.approx(1.0)


def test_what_was_done_before_makes_no_rate(clock: list[float]) -> None:
    heard: list[Event] = []
    progress = Progress("load.around", total=1000, unit="bytes", listener=heard.append, done=500, eta=True)
    clock[0] += 1.0
    progress.reach(600, lines=7)
    assert heard[0].data == {"done": 600, "total": 1000, "unit": "bytes", "lines": 7, "rate": 100, "eta": 4.0}


def test_work_of_unknown_length_never_ends_by_itself(clock: list[float]) -> None:
    heard: list[Event] = []
    progress = Progress("store.restore", total=None, unit="bytes", listener=heard.append, rate=False)
    progress.add(5)
    clock[0] += 0.2
    progress.add(5)
    assert [event.data for event in heard] == [{"done": 10, "total": 0, "unit": "bytes"}]


def test_the_first_word_may_come_at_once(clock: list[float]) -> None:
    assert not Throttle(5).due()
    at_once = Throttle(5, at_once=True)
    assert at_once.due()
    assert not at_once.due()
    assert at_once.due(finished=True)


def test_no_row_of_two_threads_is_lost() -> None:
    heard: list[Event] = []
    progress = Progress("load.write", total=20_000, unit="rows", listener=heard.append)

    def work() -> None:
        for _ in range(10_000):
            progress.add(1)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert heard[-1].data["done"] == 20_000
