"""The README's times: each command as a user types it, in a new process, from start to exit.

    python bench/speed/commands.py [--runs 3] [--rows 1000000] [--folder DIR]

Reads the slices of the data pack (HYDRA_DATA). pyoxigraph loads the same Freebase file into a store of its own in the
same run, without cleaning, as a comparison. Writes bench/results/commands.md and .json.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.measure import data, machine, save
from bench.speed.load import OXIGRAPH
from bench.speed.size.load_rivals import write_table

SLICES = ("freebase.nt.gz", "wikidata.nt.gz", "fb2w.nt.gz", "wikipedia.jsonl.gz")
QUESTIONS = ("who directed inception?", "where was mozart born?", "How many of the Beatles were born in Liverpool?")
ANSWERED = {0, 3}
"""Exit statuses of ``ask``: an answer, or none in these sources."""


def measured(
    shown: str, command: Sequence[str], runs: int, before: Callable[[], object] = lambda: None
) -> dict[str, Any]:
    """Run a command in a process of its own. Return its row: median seconds, processor seconds and peak memory."""
    walls, processors, peaks = [], [], []
    for _ in range(runs):
        before()
        begun = time.perf_counter()
        silent = subprocess.DEVNULL
        process = subprocess.Popen(command, stdin=silent, stdout=silent, stderr=silent)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        walls.append(time.perf_counter() - begun)
        if process.returncode not in ANSWERED:
            raise SystemExit(f"{shown} ended with status {process.returncode}.")
        processors.append(usage.ru_utime + usage.ru_stime)
        peaks.append(usage.ru_maxrss // 1024)
    return {
        "command": f"`{shown}`",
        "s": f"{statistics.median(walls):.2f}",
        "processor s": f"{statistics.median(processors):.2f}",
        "peak MB": max(peaks),
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure all commands and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows of the generated CSV (default %(default)s)")
    parser.add_argument("--folder", type=Path, help="where stores are kept meanwhile; default: a temporary folder")
    chosen = parser.parse_args(arguments)
    program = [sys.executable, "-m", "hydra_kg"]
    with tempfile.TemporaryDirectory(dir=chosen.folder) as scratch:
        store, other, csv = Path(scratch) / "store", Path(scratch) / "oxigraph", Path(scratch) / "rows.csv"
        write_table(csv, chosen.rows)

        def load(shown: str, *files: Path) -> dict[str, Any]:
            command = [*program, "load", *map(str, files), "--yes", "--store", str(store)]
            return measured(f"hydra-kg load {shown}", command, chosen.runs, lambda: shutil.rmtree(store, True))

        slice_ = data() / SLICES[0]
        rows = [
            load(f"{SLICES[0]} (1,537,554 lines)", slice_),
            measured(
                "pyoxigraph, the same file",
                [sys.executable, "-c", OXIGRAPH, str(other), str(slice_)],
                chosen.runs,
                lambda: shutil.rmtree(other, True),
            ),
            load(f"rows.csv ({chosen.rows:,} rows of seven columns)", csv),
            load(" ".join(SLICES), *(data() / name for name in SLICES)),
        ]
        for question in QUESTIONS:
            command = [*program, "ask", question, "--store", str(store)]
            rows.append(measured(f'hydra-kg ask "{question}"', command, chosen.runs))
    save(
        "commands",
        title="What a user types, and how long it takes",
        command="python bench/speed/commands.py",
        about=machine("duckdb", "numpy", "pyoxigraph"),
        notes=["Each command is a new process, from start to exit; medians. Questions are asked of all four slices."],
        rows=rows,
    )


if __name__ == "__main__":
    main()
