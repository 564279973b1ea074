"""A large table: one CSV of six columns from file to ready store, against DuckDB that sorts the same file into Parquet.

    python bench/speed/size/table_load.py [--rows 300000,1000000] [--runs 2] [--folder DIR]

Each row has a code, a name, a category, an amount, a date and a reference to another row: four facts and two names.
Each load is a process of its own; seconds include the start of Python. The index of names by letters is made after the
load has landed, and is timed apart. Prints a table and, of the last run, the wall seconds of each step.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

LOAD = """
import json, sys
from pathlib import Path
from hydra_kg.ingest.contract.choices import LoadOptions
from hydra_kg.ingest.load import load_files
from hydra_kg.stores.embedded.store import EmbeddedStore
with EmbeddedStore(sys.argv[1]) as store:
    report = load_files(store, [Path(sys.argv[2])], LoadOptions())
print(json.dumps(report.to_json()["loads"][0]["seconds"]))
"""
INDEX = """
import sys
from hydra_kg.stores.embedded.store import EmbeddedStore
with EmbeddedStore(sys.argv[1]) as store:
    store.index_names()
"""
DUCKDB = """
import sys, duckdb
db = duckdb.connect()
db.execute("SET threads = 2")
db.execute(f"COPY (FROM read_csv('{sys.argv[2]}') ORDER BY code) TO '{sys.argv[1]}.parquet'")
"""


def table(path: Path, rows: int) -> None:
    """Write the CSV; the same for the same number of rows."""
    draw = random.Random(1)
    syllables = [c + v for c in "bcdfghklmnprstvw" for v in "aeiou"]
    words = ["".join(draw.choices(syllables, k=draw.randint(2, 4))) for _ in range(20_000)]
    with path.open("w", encoding="utf-8", newline="") as out:
        out.write("code,name,category,amount,date,parent_code\n")
        for row in range(rows):
            date = f"20{draw.randint(10, 25)}-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}"
            out.write(
                f"C{row:08},{' '.join(draw.choices(words, k=3))},cat{draw.randrange(200)},"
                f"{draw.randint(1, 10**6) / 100:.2f},{date},C{draw.randrange(rows):08}\n"
            )


def run(code: str, *arguments: Path) -> tuple[float, float, str]:
    """Wall seconds and seconds of processors of a process, and what it printed."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)], check=True, capture_output=True, text=True
    )
    after, seconds = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - begun
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def measure(folder: Path, rows: int, runs: int) -> None:
    """The lines of one size."""
    file = folder / f"rows{rows}.csv"
    table(file, rows)
    times: dict[str, list[tuple[float, float]]] = {"load": [], "index of names": [], "DuckDB": []}
    steps = ""
    for turn in range(runs):
        store = folder / f"store{rows}-{turn}"
        for name, code in (("load", LOAD), ("index of names", INDEX), ("DuckDB", DUCKDB)):
            seconds, processor, said = run(code, store, file)
            times[name].append((seconds, processor))
            steps = said if name == "load" else steps
    for name, found in times.items():
        wall, processor = (statistics.median(column) for column in zip(*found, strict=True))
        print(f"| {rows:,} | {name} | {wall:.2f} | {processor:.2f} | {rows / wall:,.0f} | {rows / processor:,.0f} |")
    print({name: seconds for name, seconds in json.loads(steps).items() if seconds >= 0.05}, flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", default="300000,1000000")
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--folder", type=Path, help="where files and stores are kept; default: a temporary folder")
    chosen = parser.parse_args(arguments)
    print(f"{os.cpu_count()} cores, load average {os.getloadavg()[0]:.1f}")
    print("| rows | what | s | processor s | rows/s | rows/processor s |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory(dir=chosen.folder) as scratch:
        for rows in map(int, chosen.rows.split(",")):
            measure(Path(scratch), rows, chosen.runs)


if __name__ == "__main__":
    main()
