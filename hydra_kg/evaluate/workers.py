"""Asks questions in processes of their own: one that fails, or dies, costs its question and nothing else."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Any

Ask = Callable[[str, tuple[str, ...]], Mapping[str, Any]]
"""Question text and topic ids to an answer in ``ask --json`` form. Nothing else, above all no gold, goes in."""


@dataclass(frozen=True, slots=True)
class Task:
    """What a worker gets of a question."""

    number: int
    text: str
    topics: tuple[str, ...]


def ask_all(
    tasks: Iterable[Task], make: Callable[[], Ask], *, jobs: int = 1
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """(number, answer) as they come; an answer with ``error`` where the question failed.

    ``make`` is called once in each process (so that each opens its own store) and must be picklable for ``jobs`` > 1.
    What it raises ends the run: a store that does not open fails every question alike.
    """
    if jobs <= 1:
        ask = make()
        for task in tasks:
            yield task.number, _asked(ask, task)
        return
    yield from _in_processes(tasks, make, jobs)


def _asked(ask: Ask, task: Task) -> Mapping[str, Any]:
    try:
        return ask(task.text, task.topics)
    except Exception as e:  # whatever it is, it belongs to this question's line
        return {"error": f"{type(e).__name__}: {e}"}


def _work(connection: Connection, make: Callable[[], Ask]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends its workers
    try:
        ask = make()
    except Exception as e:
        connection.send(e)
        return
    connection.send(None)
    while (task := connection.recv()) is not None:
        connection.send(_asked(ask, task))


class _Worker:
    def __init__(self, make: Callable[[], Ask]) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.task: Task | None = None
        self.ready = False
        self.process: SpawnProcess = context.Process(target=_work, args=(theirs, make), daemon=True)
        self.process.start()
        theirs.close()

    def stop(self) -> None:
        self.process.terminate()
        self.process.join()
        self.connection.close()


def _in_processes(tasks: Iterable[Task], make: Callable[[], Ask], jobs: int) -> Iterator[tuple[int, Mapping[str, Any]]]:
    waiting = iter(tasks)
    workers = [_Worker(make) for _ in range(jobs)]
    try:
        while workers:
            for connection in wait([w.connection for w in workers]):
                worker = next(w for w in workers if w.connection is connection)
                try:
                    said = worker.connection.recv()
                except (EOFError, OSError):
                    if not worker.ready:
                        raise RuntimeError("a worker process ended before its store was open") from None
                    worker.stop()
                    workers.remove(worker)
                    said = {"error": f"the process that answered it died (exit code {worker.process.exitcode})"}
                    if worker.task is not None:
                        workers.append(_Worker(make))
                        yield worker.task.number, said
                    continue
                if not worker.ready:
                    if isinstance(said, BaseException):
                        raise said
                    worker.ready = True
                elif worker.task is not None:
                    number, worker.task = worker.task.number, None
                    yield number, said
                worker.task = next(waiting, None)
                worker.connection.send(worker.task)
                if worker.task is None:
                    worker.process.join()
                    worker.connection.close()
                    workers.remove(worker)
    finally:
        for worker in workers:
            worker.stop()
