"""What grows as its input grows: a generated dump of one size loaded and asked, and the exponents over all sizes.

    python bench/speed/size/growth.py freebase 10000000 [--folder DIR]
    python bench/speed/size/growth.py wikidata 100000
    python bench/speed/size/growth.py fit

``freebase``: so many lines as bench/generate/freebase_dump.py writes them · ``wikidata``: so many entities of 14 KB,
the pack's sample under other ids. Each run has a process for the load and one for the questions, measures both,
replaces the row of its size in ``bench/results/growth.json`` and writes ``growth.md`` anew; ``fit`` only writes. N
lines of Freebase take some 50 bytes of disk each, input and all, and are removed unless a folder is named. The check
before a load asks for 64 bytes a line: 10⁹ lines begin only where 74 GB are free.
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, Final

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from bench.generate.freebase_dump import generate
from bench.measure import ROOT, commit, machine, quantile, save
from bench.speed.large import questions
from bench.speed.load import LOAD, calibration
from bench.speed.loaders import entities, filled, moved
from hydra_kg import Hydra
from hydra_kg.ids import decode
from hydra_kg.settings import Settings
from hydra_kg.stores.embedded.store import EmbeddedStore

RESULTS: Final = ROOT / "bench" / "results" / "growth.json"
MEASURED: Final = {
    "processor s": "processor seconds of the load",
    "peak MB": "peak memory of the load",
    "scratch and store GB": "disk at its fullest",
    "store MB": "disk at the end",
    "first ask processor s": "a first question's processor seconds",
    "ask p50 processor ms": "a question's processor time, p50",
    "cut p50 processor ms": "that of a cut D = 2, p50",
}
_STUDENT: Final = {1: 12.71, 2: 4.30, 3: 3.18, 4: 2.78, 5: 2.57}
"""Of 95 % by degrees of freedom."""

WIKIDATA: Final = ("who is {} married to?", "where was {} born?", "what is the occupation of {}?")
Question = tuple[str, str]


def main() -> None:
    """One size, or the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("what", choices=["freebase", "wikidata", "fit", "ask"])
    parser.add_argument("size", type=int, nargs="?", default=0, help="lines or entities")
    parser.add_argument("--folder", type=Path, help="where to put file and store, kept then (default: temporary)")
    given = parser.parse_args()
    if given.what == "ask":
        print(json.dumps(asked(given.folder)))
        return
    row: dict[str, Any] = {}
    if given.what != "fit":
        if not given.size:
            parser.error("a size is needed")
        with ExitStack() as stack:
            folder = given.folder or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="hydra-kg-")))
            folder.mkdir(parents=True, exist_ok=True)
            row = measured(given.what, given.size, folder)
        print(json.dumps(row), flush=True)
    rows = json.loads(RESULTS.read_text())["rows"] if RESULTS.exists() else []
    if row:
        rows = [old for old in rows if (old["input"], old["size"]) != (row["input"], row["size"])] + [row]
    written(sorted(rows, key=lambda row: (row["input"], row["size"])))


def measured(what: str, size: int, folder: Path) -> dict[str, Any]:
    """The row of one size."""
    file = folder / (f"freebase-{size}.nt.gz" if what == "freebase" else f"wikidata-{size}.json.gz")
    if not file.exists():
        begun = time.perf_counter()
        part = file.with_suffix(".part.gz")
        {"freebase": freebase, "wikidata": wikidata}[what](part, size)
        part.rename(file)
        print(f"{file.name}: {file.stat().st_size:,} bytes in {time.perf_counter() - begun:.0f} s", flush=True)
    shutil.rmtree(folder / "store", ignore_errors=True)
    before = calibration()
    load = Watched([sys.executable, "-c", LOAD, str(folder / "store"), str(file), "1GB"], folder / "store")
    result = json.loads(load.output)
    store = _bytes(folder / "store")
    print(f"loaded in {load.seconds:.0f} s", flush=True)
    first = Watched([sys.executable, "-c", FIRST, str(folder / "store")], folder / "store")
    ask = Watched([sys.executable, __file__, "ask", "--folder", str(folder)], folder / "store")
    return {
        "input": what,
        "size": size,
        "s": round(load.seconds, 1),
        "processor s": round(load.processor, 1),
        "peak MB": load.memory,
        "scratch and store GB": round(load.disk / 1e9, 3),
        "store MB": round(store / 1e6, 1),
        "store bytes each": round(store / size, 1),
        "facts": result["links"] + result["values"],
        "nodes": result["nodes"],
        "first ask s": round(first.seconds, 2),
        "first ask processor s": round(first.processor, 2),
        **json.loads(ask.output),
        "calibration": f"{before:.2f}, {calibration():.2f}",
        "load": round(os.getloadavg()[0], 1),
        "commit": commit(),
        "steps (s)": ", ".join(f"{n.removeprefix('sort ')} {s:.1f}" for n, s in result["seconds"].items() if s >= 0.05),
    }


FIRST: Final = """
import sys
from hydra_kg import Hydra
with Hydra(store=sys.argv[1]) as hydra:
    hydra.ask("where was mozart born?", keep=False)
print("asked")
"""


class Watched:
    """A process that has run: ``seconds``, ``processor`` seconds, peak ``memory`` in MB, its last line of ``output``,
    and the most bytes that a folder held, looked at twice a second."""

    def __init__(self, command: Sequence[str], folder: Path) -> None:
        begun, self.disk = time.perf_counter(), 0
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        over = threading.Event()

        def look() -> None:
            while not over.wait(0.5):
                self.disk = max(self.disk, _bytes(folder))

        watching = threading.Thread(target=look)
        watching.start()
        output = process.stdout.read() if process.stdout else ""
        _, status, usage = os.wait4(process.pid, 0)
        over.set()
        watching.join()
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"A run failed with status {process.returncode}.")
        self.seconds = time.perf_counter() - begun
        self.processor = usage.ru_utime + usage.ru_stime
        self.memory = usage.ru_maxrss // 1024
        self.output = output.strip().splitlines()[-1]


def _bytes(folder: Path) -> int:
    """Bytes that the files of a folder take, which may go while they are counted."""
    total = 0
    for place, _, files in os.walk(folder):
        for name in files:
            with suppress(OSError):
                total += Path(place, name).stat().st_blocks * 512
    return total


def freebase(file: Path, lines: int) -> None:
    """See bench/generate/freebase_dump.py."""
    generate(file, lines=lines, seed=1, bad_share=0.02)


def wikidata(file: Path, count: int) -> None:
    """Entities of 14 KB: the sample with texts in 40 languages, again and again under other ids."""
    sample = [filled(line, n) for n, line in enumerate(entities())]
    with gzip.open(file, "wb", 1) as out:
        out.write(b"[\n")
        for n in range(count):
            out.write(moved(sample[n % len(sample)], n // len(sample)) + b",\n")
        out.write(b"]\n")


def asked(folder: Path) -> dict[str, Any]:
    """Milliseconds of cuts and of questions on a store, in this process."""
    rng = np.random.default_rng(3)
    with EmbeddedStore(folder / "store") as store, store.snapshot() as snapshot:
        g = snapshot.pinned.generation
        some = g.classes[rng.choice(np.flatnonzero((g.mediator == 0) & (g.degree > 0)), 200, replace=False)].tolist()
        cuts, edges = Timed(), []
        for topic in some:
            snapshot.cut([topic], depth=2)
            with cuts:
                edges.append(len(snapshot.cut([topic], depth=2).src))
        if next(folder.glob("freebase-*.nt.gz"), None):
            ask: list[Question] = [(text, topic) for text, topic, _ in questions(snapshot, 20)]
        else:
            keys = [str(decode(topic)) for topic in some[:40]]
            ask = [(text.format("this"), key) for text, key in zip(itertools.cycle(WIKIDATA), keys, strict=False)]
    asks = Timed()
    with Hydra(store=folder / "store", settings=Settings()) as hydra:
        for text, topic in ask:
            with asks:
                hydra.ask(text, topics=[topic], keep=False)
    return {**asks.columns("ask"), **cuts.columns("cut"), "edges p50": int(quantile(edges, 0.5))}


class Timed:
    """Milliseconds of the blocks that ran in it, on the wall and of this process."""

    def __init__(self) -> None:
        self.wall: list[float] = []
        self.processor: list[float] = []

    def __enter__(self) -> None:
        self._begun = time.perf_counter(), time.process_time()

    def __exit__(self, *error: object) -> None:
        self.wall.append((time.perf_counter() - self._begun[0]) * 1e3)
        self.processor.append((time.process_time() - self._begun[1]) * 1e3)

    def columns(self, name: str) -> dict[str, float]:
        """Quantiles as columns of a row."""
        return {
            f"{name} p50 ms": round(quantile(self.wall, 0.5), 2),
            f"{name} p95 ms": round(quantile(self.wall, 0.95), 1),
            f"{name} p50 processor ms": round(quantile(self.processor, 0.5), 2),
        }


def exponent(sizes: Sequence[float], values: Sequence[float]) -> str:
    """The power of the size by which a value grows, by least squares of the logarithms, with its interval of 95 % where
    three sizes or more give one."""
    x, y = np.log(np.array(sizes)), np.log(np.array(values))
    slope, intercept = np.polyfit(x, y, 1)
    free = len(x) - 2
    if free < 1:
        return f"{slope:.2f}"
    error = math.sqrt(float(((y - slope * x - intercept) ** 2).sum()) / free / float(((x - x.mean()) ** 2).sum()))
    return f"{slope:.2f} ± {_STUDENT.get(free, 2.5) * error:.2f}"


def written(rows: Sequence[dict[str, Any]]) -> None:
    """The table, and the exponents as notes."""
    notes = [
        "first ask: a process from its start to its end, which loads all modules · asks: 100 questions about random"
        " facts with their topic given (40 of Wikidata), first times included · cuts: 200 random entities, warm ·"
        " processor: of this process; on a machine that others use, only that can be compared.",
        "scratch and store: the store's folder at its fullest while it was loaded, without the input.",
    ]
    for what in sorted({row["input"] for row in rows}):
        own = [row for row in rows if row["input"] == what]
        for name, text in MEASURED.items() if len(own) > 1 else ():
            rows_of = [row for row in own if row[name] is not None]
            sizes = [row["size"] for row in rows_of]
            notes.append(f"{what}: {text} grows as size ^ {exponent(sizes, [row[name] for row in rows_of])}.")
    save(
        "growth",
        title="What grows as its input grows",
        command="python bench/speed/size/growth.py freebase 10000000",
        about=machine("duckdb", "numpy"),
        notes=notes,
        rows=rows,
    )


if __name__ == "__main__":
    main()
