"""Asking in separate processes: a process that fails or dies costs its question and nothing else."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Any

from hydra_kg.util.fast_dataclass import dataclass

Ask = Callable[[str, tuple[str, ...]], Mapping[str, Any]]
"""Function from question text and topic ids to an answer in ``ask --json`` form.

It gets nothing else, and above all no gold.
"""


@dataclass(frozen=True, slots=True)
class Task:
    """One unit of work for a worker process. ``setup`` is the index of the asker in ``makes``."""

    number: int
    text: str
    topics: tuple[str, ...]
    setup: int = 0


Take = Callable[[], "Task | None"]
"""Function that returns the next question, or None if there is none now; there may be one after another is done."""

Makes = tuple[Callable[[], Ask], ...]
"""Functions that make each asker, so that each process opens its own store; picklable if processes are used."""


def ask_all(
    take: Take, makes: Makes, *, jobs: int = 1, isolate: bool = False
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield (number, answer) as they arrive, with ``error`` for failed questions.

    A process reuses its last asker. An error while making an asker ends the run. ``isolate`` uses a process even for
    one job.
    """
    if jobs <= 1 and not isolate:
        asker = _Asker(makes)
        while (task := take()) is not None:
            yield task.number, asker.ask(task)
        return
    yield from _run_processes(take, makes, jobs)


class _Asker:
    """Cache of the asker of the most recent setup in a worker process."""

    def __init__(self, makes: Makes) -> None:
        self._makes = makes
        self._setup = -1
        self._ask: Ask | None = None

    def make(self, setup: int) -> None:
        if self._ask is None or self._setup != setup:
            self._ask = None  # what the last one holds goes before the next is made
            self._ask, self._setup = self._makes[setup](), setup

    def ask(self, task: Task) -> Mapping[str, Any]:
        self.make(task.setup)
        assert self._ask is not None
        try:
            return self._ask(task.text, task.topics)
        except Exception as e:  # whatever it is, it belongs to this question's line
            return {"error": f"{type(e).__name__}: {e}"}


def _work(connection: Connection, makes: Makes) -> None:
    """Ask the questions that arrive and send the answers, until None arrives."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends its workers
    asker = _Asker(makes)
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):  # the parent was killed
        while (task := connection.recv()) is not None:
            try:
                asker.make(task.setup)
            except Exception as e:
                connection.send(e)
                return
            connection.send(_MADE)
            connection.send(asker.ask(task))


_MADE = "made"


class _Worker:
    def __init__(self, makes: Makes) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.task: Task | None = None
        self.made = False
        self.process: SpawnProcess = context.Process(target=_work, args=(theirs, makes), daemon=True)
        self.process.start()
        theirs.close()

    def give(self, task: Task) -> None:
        self.task, self.made = task, False
        with suppress(OSError):  # it died: what it was given fails when its reply is awaited
            self.connection.send(task)

    def stop(self) -> None:
        self.process.terminate()
        self.process.join()
        self.connection.close()


def _run_processes(take: Take, makes: Makes, jobs: int) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the result of each task from ``jobs`` worker processes."""
    idle = [_Worker(makes) for _ in range(jobs)]
    busy: list[_Worker] = []
    try:
        while True:
            while idle and (task := take()) is not None:
                busy.append(idle.pop(0))
                busy[-1].give(task)
            if not busy:
                return
            for connection in wait([w.connection for w in busy]):
                worker = next(w for w in busy if w.connection is connection)
                assert worker.task is not None
                number = worker.task.number
                try:
                    message = worker.connection.recv()
                except (EOFError, OSError):
                    busy.remove(worker)
                    worker.stop()
                    if not worker.made:
                        raise RuntimeError("a worker process ended before its store was open") from None
                    idle.append(_Worker(makes))
                    yield number, {"error": f"the process that answered it died (exit code {worker.process.exitcode})"}
                    continue
                if isinstance(message, Exception):
                    raise message
                if message == _MADE:
                    worker.made = True
                    continue
                busy.remove(worker)
                idle.append(worker)
                yield number, message
    finally:
        for worker in (*idle, *busy):
            worker.stop()
