"""Writes independent parts of a load in threads: arrays are written while SQLite indexes texts."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Protocol, TypeVar, runtime_checkable

from hydra_kg.ports import Stage

T = TypeVar("T")


@runtime_checkable
class Parting(Stage, Protocol):
    """Optional capability of a stage: independent readers for several threads."""

    def apart(self, with_each: Callable[[], None]) -> Parting:
        """Return the same streams for another thread. ``with_each`` is called with each batch, and may raise."""

    def close(self) -> None:
        """Close a stage that ``apart`` returned, when it is not read any more."""


class ParallelJobs:
    """Runs write jobs in two threads if the stage allows parallel reads, else inline, in order.

    Leaving the block waits for the jobs. An error stops them at their next batch.
    """

    def __init__(self, stage: Stage) -> None:
        self._stop = threading.Event()
        self._stage = stage
        self._pool = ThreadPoolExecutor(2, "hydra-kg write")
        self._apart: list[Parting] = []

    def start(self, job: Callable[[Stage], T]) -> Callable[[], T]:
        """Start a job, which may wait for earlier ones. Return a function that waits for it and returns its result.

        The function raises the error of the job if it failed.
        """
        if isinstance(self._stage, Parting):
            self._apart.append(self._stage.apart(self._check))
            return self._pool.submit(job, self._apart[-1]).result
        done: Future[T] = Future()
        done.set_result(job(self._stage))
        return done.result

    def __enter__(self) -> ParallelJobs:
        return self

    def __exit__(self, *error: object) -> None:
        if error[0] is not None:
            self._stop.set()
        self._pool.shutdown(cancel_futures=True)
        for apart in self._apart:
            apart.close()

    def _check(self) -> None:
        if self._stop.is_set():
            raise InterruptedError("the load is given up")
