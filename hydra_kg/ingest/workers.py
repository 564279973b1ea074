"""Send pieces of a file through worker processes, to use every core for work that Python does line by line."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Final

from hydra_kg.errors import LoadError

_LONGEST: Final = 1 << 20

Handle = Callable[[Path, Path, int], str]
"""Makes an output file of a piece with the given first line number. Returns its counts as one line of text."""


def run_workers(
    pieces: Iterator[tuple[Path, int]], *, command: list[str], workers: int, folder: Path
) -> Iterator[tuple[Path, str]]:
    """Yield (output file, answer) for each piece, in order.

    A piece is (file, number of its first line). Each of the ``workers`` processes runs ``command``, which calls
    :func:`serve`. At most ``workers`` + 1 pieces exist at a time. Raises LoadError if a process dies.
    """
    # Threads of numpy's own spin for a while before they find that there is nothing to do.
    env = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(p for p in sys.path if p),
        "PYTHONHASHSEED": "0",
        "OPENBLAS_NUM_THREADS": "1",
    }

    def start() -> subprocess.Popen[bytes]:
        return subprocess.Popen([sys.executable, *command], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    running = [start()]  # while the first piece is made
    waiting: deque[tuple[int, Path, Path]] = deque()
    try:
        for number, (piece, first) in enumerate(pieces):
            # Names of this process: what a worker of a killed load is still writing must not be taken for ours.
            own, made = (folder / f"{kind}-{os.getpid()}-{number}" for kind in ("work", "made"))
            piece.rename(own)
            if number and len(running) < workers:
                running.append(start())
            done = _next_result(running, waiting) if len(waiting) == workers else None
            worker = number % workers
            _tell(running[worker], f"{first}\t{own}\t{made}")
            waiting.append((worker, own, made))
            if done is not None:
                yield done
                done[0].unlink(missing_ok=True)
        while waiting:
            done = _next_result(running, waiting)
            yield done
            done[0].unlink(missing_ok=True)
    finally:
        _end(running)
        for left in (*folder.glob("work-*"), *folder.glob("made-*")):
            left.unlink(missing_ok=True)


def serve(handle: Handle, *, stdin: IO[Any] | None = None, stdout: IO[Any] | None = None) -> None:
    """Answer the requests of :func:`run_workers` in a worker process.

    A request is a line ``first TAB piece TAB output``, and an answer is one line. It ends with the input.
    """
    answers = stdout or sys.stdout
    for line in stdin or sys.stdin:
        first, piece, made = line.rstrip("\n").split("\t")
        answers.write(handle(Path(piece), Path(made), int(first)).replace("\n", " ") + "\n")
        answers.flush()


def _next_result(running: list[subprocess.Popen[bytes]], waiting: deque[tuple[int, Path, Path]]) -> tuple[Path, str]:
    """Return the output of the piece that has waited longest, and its answer."""
    worker, own, made = waiting.popleft()
    out = running[worker].stdout
    answer = out.readline(_LONGEST) if out is not None else b""
    if not answer.endswith(b"\n"):
        code = running[worker].wait()
        raise LoadError(
            f"A worker process ended with status {code} in {own.name}.",
            remedy="If memory was short, use fewer threads; run the same command again.",
        )
    own.unlink(missing_ok=True)
    return made, answer.decode().rstrip("\n")


def _tell(process: subprocess.Popen[bytes], line: str) -> None:
    if process.stdin is not None:
        try:
            process.stdin.write(line.encode() + b"\n")
            process.stdin.flush()
        except BrokenPipeError:
            return  # it has died, which is said where its answer is read


def _end(processes: list[subprocess.Popen[bytes]]) -> None:
    """Close the input of all workers at once, which ends them. Stop those that do not end."""
    for process in processes:
        close_pipes(process)
    for process in processes:
        try:
            process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def close_pipes(process: subprocess.Popen[Any]) -> None:
    """Close the pipes of a worker process. Unread input of a dead process is discarded."""
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(BrokenPipeError):
                pipe.close()
