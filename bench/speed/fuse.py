"""Seconds and memory of fusing whole sets: claims read from files, all queries answered; and the same out of a store.

    python bench/speed/fuse.py [--sets movies,flights] [--parts files,store] [--out NAME]

Reads truth/SET of the data pack. Every step is a process of its own. ``files``: what ``eval fusion`` does with the
default method, reading apart. ``store``: ``hydra-kg load`` of the feed as a table, then ``hydra-kg fuse`` of it all.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.measure import data, machine, save
from bench.speed.load import calibration

FILES = """
import json, sys, time
from hydra_kg.evaluate.fusion.method_runs import find_query_groups, judge_set
from hydra_kg.evaluate.fusion.claim_sets import read_set
from hydra_kg.fusion.truth_discovery.methods import method
def clock():
    return time.perf_counter(), time.process_time()
began = clock()
found = read_set(sys.argv[1])
read = clock()
run = judge_set(found, method("default"), find_query_groups(found))
done = clock()
print(json.dumps({"claims": len(found.reading.claims), "queries": len(run.rows) + run.unusable,
                  "steps": [[b - a for a, b in zip(x, y)] for x, y in ((began, read), (read, done))]}))
"""
COLUMNS = {"movies": ("entity", "source", ()), "flights": ("flight", "source", ("date=qualifier",))}


def run(*command: str) -> tuple[str, float, float, int]:
    """Its output, wall seconds, processor seconds, and peak memory in MB."""
    begun = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    output = process.stdout.read() if process.stdout else ""
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(command)[:200]} failed: {status}")
    return output, time.perf_counter() - begun, used.ru_utime + used.ru_stime, used.ru_maxrss // 1024


def row(name: str, what: str, n: str, wall: float, processor: float, peak: int, most: str = "") -> dict[str, Any]:
    """One step."""
    found = {
        "set": name,
        "what": what,
        "n": n,
        "wall s": f"{wall:.1f}",
        "processor s": f"{processor:.1f}",
        "peak MB": f"{peak:,}",
        "must reach": most,
    }
    print(found, file=sys.stderr, flush=True)
    return found


def from_files(name: str) -> list[dict[str, Any]]:
    """Reading, then all queries."""
    output, _, _, peak = run(sys.executable, "-c", FILES, name)
    found = json.loads(output)
    read, asked = found["steps"]
    most = {"movies": ("≤ 20 s", "≤ 5 s"), "flights": ("≤ 60 s, ≤ 2 GB", "≤ 10 s")}[name]
    return [
        row(name, "read and normalise", f"{found['claims']:,} claims", *read, peak, most[0]),
        row(name, "judge, answer all queries", f"{found['queries']:,} queries", *asked, peak, most[1]),
    ]


def from_store(name: str, folder: Path) -> list[dict[str, Any]]:
    """Load, then fuse everything."""
    entity, source, maps = COLUMNS[name]
    feed, store = data() / "truth" / name / "claims.tsv.gz", str(folder / name)
    options = ["--entity", entity, "--source-column", source, *(x for m in maps for x in ("--map", m))]
    program = [sys.executable, "-m", "hydra_kg"]
    _, wall, processor, peak = run(*program, "load", str(feed), "--yes", "--store", store, *options)
    size = sum(f.stat().st_size for f in Path(store).rglob("*") if f.is_file())
    rows = [row(name, "hydra-kg load", f"{size / 1e6:,.0f} MB of store", wall, processor, peak)]
    output, wall, processor, peak = run(*program, "fuse", "--json", "--store", store)
    doc = json.loads(output)
    said = f"{doc['claims']:,} claims, {doc['groups']:,} groups"
    return [*rows, row(name, "hydra-kg fuse", said, wall, processor, peak, "≤ 2 GB")]


def main() -> None:
    """Measure and save."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", default="movies,flights")
    parser.add_argument("--parts", default="files,store")
    parser.add_argument("--out", default="fuse")
    options = parser.parse_args()
    os.environ["HYDRA_DATA"] = str(data())
    before, rows = calibration(), []
    with tempfile.TemporaryDirectory() as folder:
        for name in options.sets.split(","):
            rows += from_files(name) if "files" in options.parts else []
            rows += from_store(name, Path(folder)) if "store" in options.parts else []
    save(
        options.out,
        title="Fusing whole sets",
        command="python bench/speed/fuse.py " + " ".join(sys.argv[1:]),
        about=machine("numpy", "duckdb"),
        notes=[
            f"calibration (processor seconds of a fixed loop): {before:.2f} before, {calibration():.2f} after"
            "; 0.30 where two cores are this machine's own",
            "files: flights without aa, ua and CO, as its queries want it; store: all sources, every attribute of every"
            " entity judged by the default method, a date parts the groups of a flight",
        ],
        rows=rows,
    )


if __name__ == "__main__":
    main()
