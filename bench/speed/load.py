"""Loading: the slice and generated dumps, from compressed file to ready store, in processes of their own.

    python bench/speed/load.py [--lines 2000000,20000000] [--runs 3] [--rdflib] [--folder DIR]

Seconds include the start of Python and its imports. Every time is the median of the runs (generated dumps: of one).
The rivals read the same file in the same session, and neither clean nor keep where a fact stands.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.generate.freebase_dump import generate
from bench.measure import data, machine, save

LOAD = """
import json, sys
from pathlib import Path
from hydra_kg.ingest.contract.choices import LoadOptions
from hydra_kg.ingest.load import load_files
from hydra_kg.stores.embedded.store import EmbeddedStore
with EmbeddedStore(sys.argv[1]) as store:
    report = load_files(store, [Path(sys.argv[2])], LoadOptions(memory=sys.argv[3]))
print(json.dumps(report.to_json()["loads"][0]))
"""
OXIGRAPH = """
import gzip, sys
from pyoxigraph import RdfFormat, Store
store = Store(sys.argv[1])
with gzip.open(sys.argv[2]) as file:
    store.bulk_load(input=file, format=RdfFormat.N_TRIPLES)
print(len(store))
"""
RDFLIB = """
import gzip, sys
from rdflib import Graph
with gzip.open(sys.argv[2]) as file:
    print(len(Graph().parse(file, format="nt")))
"""
LINK_ARRAYS = (
    "nodes",
    "mediator",
    "preds",
    "pcount",
    "foff",
    "fpred",
    "fdst",
    "line",
    "roff",
    "rpred",
    "rsrc",
    "rfact",
)


@dataclass(frozen=True)
class Run:
    """One process: wall and processor seconds, peak memory in MB, its last line of output."""

    seconds: float
    processor: float
    memory: int
    output: str


def calibration() -> float:
    """Processor seconds of a fixed loop, the least of three: how fast the machine is just now."""
    took = []
    for _ in range(3):
        begun, total = time.process_time(), 0
        for i in range(10_000_000):
            total += i & 3
        took.append(time.process_time() - begun)
    return min(took)


def run(code: str, *arguments: Path | str) -> Run:
    """Run code in a fresh Python and measure it."""
    begun = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-c", code, *map(str, arguments)], stdout=subprocess.PIPE, text=True)
    output = process.stdout.read() if process.stdout else ""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"A run failed with status {process.returncode}.")
    return Run(
        time.perf_counter() - begun,
        usage.ru_utime + usage.ru_stime,
        usage.ru_maxrss // 1024,
        output.strip().splitlines()[-1],
    )


def loads(file: Path, folder: Path, *, name: str, runs: int, memory: str, target: str) -> dict[str, Any]:
    """A row for loading one file with us."""
    done, result, store = [], {}, folder
    for _ in range(runs):
        shutil.rmtree(folder / "store", ignore_errors=True)
        store = folder / "store"
        done.append(run(LOAD, store, file, memory))
        result = json.loads(done[-1].output)
        total = sum(sum(result[part].values()) for part in ("kept", "dropped", "rejected", "duplicates"))
        if total != result["read"]:
            raise SystemExit("The lines are not all accounted for.")
    row = summed(name, "hydra-kg", done, int(result["read"]), target)
    (segment,) = (store / "loads").iterdir()
    size = sum((segment / f"{array}.npy").stat().st_size for array in LINK_ARRAYS)
    seconds = {name: s for name, s in result["seconds"].items() if s >= 0.05}
    return {
        **row,
        "links": f"{result['links']:,}",
        "bytes a link": f"{size / result['links']:.1f}",
        "steps (s)": ", ".join(f"{step.removeprefix('sort ')} {s:.1f}" for step, s in seconds.items()),
    }


def rival(file: Path, folder: Path, *, name: str, code: str, runs: int, lines: int, target: str = "") -> dict[str, Any]:
    """A row for loading one file with somebody else."""
    done = []
    for _ in range(runs):
        shutil.rmtree(folder / name, ignore_errors=True)
        done.append(run(code, folder / name, file))
    return {**summed(file.name, name, done, lines, target), "links": "", "bytes a link": "", "steps (s)": ""}


def summed(what: str, who: str, done: Sequence[Run], lines: int, target: str) -> dict[str, Any]:
    """The columns that all rows have."""
    seconds = statistics.median(r.seconds for r in done)
    return {
        "file": what,
        "with": who,
        "lines": f"{lines:,}",
        "s": f"{seconds:.2f}",
        "processor s": f"{statistics.median(r.processor for r in done):.1f}",
        "lines/s": f"{lines / seconds:,.0f}",
        "peak MB": max(r.memory for r in done),
        "target": target,
    }


def main() -> None:
    """All rows."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--lines", default="2000000,20000000", help="sizes of generated dumps (default %(default)s)")
    parser.add_argument("--runs", type=int, default=3, help="runs of the slice (default %(default)s)")
    parser.add_argument("--rdflib", action="store_true", help="measure rdflib too, which takes half a minute")
    parser.add_argument("--folder", type=Path, help="where to put the files, kept then (default: a temporary folder)")
    args = parser.parse_args()
    about = machine("duckdb", "numpy", "pyoxigraph", "rdflib")
    slice_ = data() / "freebase.nt.gz"
    with ExitStack() as stack:
        folder = args.folder or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.mkdir(parents=True, exist_ok=True)
        rows = [loads(slice_, folder, name=slice_.name, runs=args.runs, memory="1GB", target="≤ 5 s, ≤ 1,000 MB")]
        lines = int(rows[0]["lines"].replace(",", ""))
        rows.append(rival(slice_, folder, name="pyoxigraph", code=OXIGRAPH, runs=args.runs, lines=lines))
        if args.rdflib:
            rows.append(rival(slice_, folder, name="rdflib", code=RDFLIB, runs=1, lines=lines))
        for size in (int(s) for s in args.lines.split(",") if s):
            file = folder / f"generated-{size // 1_000_000}m.nt.gz"
            if not file.exists():
                generate(file, lines=size, seed=1, bad_share=0.02)
            rows.append(
                loads(
                    file,
                    folder,
                    name=f"generated, {size // 1_000_000} M",
                    runs=1,
                    memory="1GB",
                    target="≥ 400,000 lines/s, ≤ 2,000 MB",
                )
            )
    notes = [
        "Ours cleans (every rule on), keeps the line of every fact, builds names, full text and both directions.",
        "bytes a link: arrays of nodes, both directions, predicates, lines; without names, values and texts.",
        "Generated dumps: bench/generate/freebase_dump.py, seed 1, 2 % bad lines of nine kinds; DuckDB may use 1 GB.",
        f"Load of the machine: {about['load']} at the start, {os.getloadavg()[0]:.1f} at the end (below 2 with nobody"
        " else at work); processor seconds hardly depend on it.",
    ]
    save(
        "load",
        title="Loading: compressed file to ready store",
        command="python bench/speed/load.py",
        about=about,
        notes=notes,
        rows=rows,
    )


if __name__ == "__main__":
    main()
