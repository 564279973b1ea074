"""Clean the pieces of a dump in several processes, and return the results in the order of the file."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Final

from hydra_kg.errors import LoadError
from hydra_kg.ingest.contract.choices import SHARED_DISK, Engine
from hydra_kg.ingest.workers import close_pipes
from hydra_kg_loaders.wikipedia.worker import TABLES, Done, Job, clean_piece

_AHEAD: Final = 3
"""Number of finished pieces per process that may wait, which bounds the scratch files."""


def clean_jobs(jobs: Iterator[Job], *, processes: int) -> Iterator[tuple[Job, Done]]:
    """Yield each job with its result in order. Its files exist until the next one is requested.

    With fewer than two ``processes`` this process does the work. Raises LoadError, OSError.
    """
    made: Iterator[tuple[Job, Done]] = ((job, clean_piece(job)) for job in jobs)
    if processes > 1:
        made = _parallel(jobs, processes)
    try:
        for job, done in made:
            yield job, done
            for table in TABLES:
                Path(f"{job.out}.{table}").unlink(missing_ok=True)
    finally:
        getattr(made, "close", lambda: None)()


def elsewhere(jobs: Sequence[Job], engine: Engine) -> Iterator[tuple[Job, Done]]:
    """Yield the same as :func:`clean_jobs`, made by an engine that reads the files itself. Raises LoadError."""
    for job, made in zip(jobs, engine.run(_clean_in_worker, jobs), strict=True):
        done, tables, error = made
        if done is None:
            raise LoadError(error[0], remedy=error[1])
        for table, data in zip(TABLES, tables, strict=True):
            Path(f"{job.out}.{table}").write_bytes(data)
        yield job, done
        for table in TABLES:
            Path(f"{job.out}.{table}").unlink()


def _clean_in_worker(job: Job) -> Iterator[tuple[Done | None, list[bytes], tuple[str, str]]]:
    """Yield the result of one piece and the rows of its tables."""
    with tempfile.TemporaryDirectory(prefix="hydra-kg-") as scratch:
        own = replace(job, out=str(Path(scratch) / "piece"))
        try:
            done = clean_piece(own)
            yield done, [Path(f"{own.out}.{table}").read_bytes() for table in TABLES], ("", "")
        except LoadError as e:
            yield None, [], (str(e.args[0]), e.remedy)
        except OSError as e:
            yield None, [], (f"An executor cannot read {job.piece.path}: {e.strerror}.", SHARED_DISK)


def _parallel(jobs: Iterator[Job], processes: int) -> Iterator[tuple[Job, Done]]:
    """Yield each job with its result, in order, from several processes."""
    idle: queue.SimpleQueue[subprocess.Popen[str]] = queue.SimpleQueue()
    started: list[subprocess.Popen[str]] = []

    def run(job: Job) -> Done:
        worker = idle.get()
        try:
            return _ask(worker, job)
        finally:
            idle.put(worker)

    waiting: deque[tuple[Job, Future[Done]]] = deque()
    with ThreadPoolExecutor(processes, "hydra-kg wikipedia") as threads:
        try:
            for _ in range(processes):
                started.append(_start())
                idle.put(started[-1])
            for job in jobs:
                waiting.append((job, threads.submit(run, job)))
                if len(waiting) > _AHEAD * processes:
                    first, done = waiting.popleft()
                    yield first, done.result()
            while waiting:
                first, done = waiting.popleft()
                yield first, done.result()
        finally:
            for _, left in waiting:
                left.cancel()
            for worker in started:
                worker.kill()  # idle, or its work is not wanted any more
            threads.shutdown(wait=True, cancel_futures=True)
            for worker in started:
                worker.wait()
                close_pipes(worker)


def _start() -> subprocess.Popen[str]:
    # -P: never a module from the folder that the person happens to be in
    command = [sys.executable, "-P", "-m", "hydra_kg_loaders.wikipedia.worker"]
    found = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    return subprocess.Popen(
        command, env=found, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
    )


def _ask(worker: subprocess.Popen[str], job: Job) -> Done:
    """Give a job to a process and return its reply. Raises LoadError."""
    assert worker.stdin is not None
    assert worker.stdout is not None
    try:
        worker.stdin.write(json.dumps(asdict(job)) + "\n")
        worker.stdin.flush()
        line = worker.stdout.readline()
    except (OSError, ValueError):
        line = ""
    if not line:
        raise LoadError(
            "A process that cleans pages has ended.",
            remedy="If memory ran out, give it less to do at once (--threads 1); then run the same command again.",
        )
    answer: dict[str, Any] = json.loads(line)
    if "errno" in answer:
        raise OSError(answer["errno"], answer["error"])
    if "error" in answer:
        raise LoadError(answer["error"], remedy=answer["remedy"])
    return Done(answer["pages"], answer["plain"], tuple(tuple(row) for row in answer["rejected"]))
