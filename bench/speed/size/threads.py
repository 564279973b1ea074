"""Questions a second over one store with 1, 2 and 4 threads of one process, and with 1 and 2 processes.

    python bench/speed/size/threads.py STORE [--questions 60]

Needs a quiet machine and takes about two minutes. Each process first answers all questions once, so that all are warm.
The questions are those of asking_memory.py. Writes bench/results/threads.md and .json.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from bench.measure import machine, save
from bench.speed.size.asking_memory import questions
from hydra_kg import Hydra

SHAPES = ((1, 1), (1, 2), (1, 4), (2, 1))
"""Numbers of processes, and of threads of each."""


def answer(store: str, threads: int, number: int) -> None:
    """Answer all questions, print a line, wait for one, answer them again, and print the seconds of processors."""
    asked = questions(number)
    with Hydra(store=store, agent="offline") as hydra, ThreadPoolExecutor(threads) as pool:

        def ask(question: str) -> None:
            hydra.ask(question, keep=False)

        for question in asked:
            ask(question)
        print("warm", flush=True)
        sys.stdin.readline()
        begun = time.process_time()
        list(pool.map(ask, asked))
        print(time.process_time() - begun, flush=True)


def measure(store: str, processes: int, threads: int, number: int) -> dict[str, str]:
    """Return the row of one shape: each process answers all questions at the same time."""
    command = [sys.executable, __file__, store, "--questions", str(number), "--threads", str(threads)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    running = [subprocess.Popen(command, **pipes) for _ in range(processes)]  # type: ignore[call-overload]
    for one in running:
        one.stdout.readline()
    begun = time.perf_counter()
    for one in running:
        one.stdin.write("go\n")
        one.stdin.flush()
    processor = sum(float(one.stdout.readline()) for one in running)
    seconds = time.perf_counter() - begun
    for one in running:
        one.communicate()
    answered = number * processes
    return {
        "processes": str(processes),
        "threads of each": str(threads),
        "questions/s": f"{answered / seconds:.2f}",
        "processor ms a question": f"{1e3 * processor / answered:.0f}",
    }


def main() -> None:
    """Measure all shapes and write the results, or answer as one of the processes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store")
    parser.add_argument("--questions", type=int, default=60)
    parser.add_argument("--threads", type=int, default=0, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.threads:
        return answer(options.store, options.threads, options.questions)
    rows = [measure(options.store, *shape, options.questions) for shape in SHAPES]
    return save(
        "threads",
        title="Threads and processes: questions a second",
        command="python bench/speed/size/threads.py STORE",
        about=machine("numpy", "onnxruntime"),
        notes=["Every question was asked once before. Only a run on a quiet machine says how far threads scale."],
        rows=rows,
    )


if __name__ == "__main__":
    main()
