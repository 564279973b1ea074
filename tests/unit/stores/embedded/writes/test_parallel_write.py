"""Two threads that write a load: together, or one after the other, and what happens when either fails."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from bench.memory_stage import FactRow, MemoryStage
from hydra_kg.ports import Stage
from hydra_kg.stores.embedded.writes.writer import ParallelJobs


class Parted(MemoryStage):
    """A stage that may be read by two threads."""

    closed = False
    with_each: Callable[[], None] | None = None

    def apart(self, with_each: Callable[[], None]) -> Parted:
        """See :class:`hydra_kg.stores.embedded.writes.writer.Parting`."""
        self.with_each = with_each
        return self

    def close(self) -> None:
        """See :class:`hydra_kg.stores.embedded.writes.writer.Parting`."""
        self.closed = True


def thread(_: Stage) -> str:
    """Who runs a job."""
    return threading.current_thread().name


def test_a_thread_only_where_the_stage_may_be_read_by_two() -> None:
    """Other stages are read by the caller's thread, at once."""
    stage = Parted([FactRow("Q1", "P1", "Q2")])
    with ParallelJobs(stage) as beside, ParallelJobs(MemoryStage([])) as alone:
        assert beside.start(thread)() != threading.current_thread().name
        assert alone.start(thread)() == threading.current_thread().name
    assert stage.closed


def test_an_error_of_a_job_is_raised_where_its_result_is_taken() -> None:
    """And not before."""

    def fails(_: Stage) -> None:
        raise OSError("full")

    with ParallelJobs(Parted([])) as beside:
        wait = beside.start(fails)
        beside.start(thread)()
        with pytest.raises(OSError, match="full"):
            wait()


def test_an_error_of_the_caller_stops_the_job_at_its_next_batch() -> None:
    """And the block is not left before the thread has ended."""
    stage, begun, ended = Parted([]), threading.Event(), threading.Event()

    def endless(_: Stage) -> None:
        begun.set()
        try:
            while stage.with_each is not None:
                stage.with_each()
        finally:
            ended.set()

    def interrupted() -> None:
        with ParallelJobs(stage) as beside:
            beside.start(endless)
            assert begun.wait(60)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert ended.is_set()
    assert stage.closed
