"""Seconds of steps: each without the steps inside it, and of several threads together."""

from __future__ import annotations

import time
from threading import Thread

import pytest

from hydra_kg.util.recording import StepSeconds


def test_a_step_is_timed_without_those_inside_it() -> None:
    steps, begun = StepSeconds(), time.perf_counter()
    with steps("explore"):
        time.sleep(0.02)
        with steps("cut"):
            time.sleep(0.05)
        with pytest.raises(KeyError), steps("cut"):
            raise KeyError
    assert steps.taken["cut"] >= 0.05
    assert steps.taken["explore"] >= 0.02
    assert sum(steps.taken.values()) <= time.perf_counter() - begun  # nothing twice


def test_threads_do_not_count_as_inside_one_another() -> None:
    steps = StepSeconds()

    def work() -> None:
        with steps("read"):
            time.sleep(0.03)

    with steps("explore"):
        others = [Thread(target=work) for _ in range(2)]
        for one in others:
            one.start()
        for one in others:
            one.join()
    assert steps.taken["read"] >= 0.06
    assert steps.taken["explore"] >= 0.03
