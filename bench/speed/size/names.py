"""Millions of names: how long they take to load, and how long the worst lookups among them take.

    python bench/speed/size/names.py [--names 10000000] [--folder DIR] [--keep]

The names are made (seed 1) and loaded as Freebase lines: a tenth of them hold the commonest word, the others fall off
as words do in texts (Zipf); every fifth entity has a link, so that some are more popular than others. ``--keep`` takes
the file and the store that are in the folder already.
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import json
import os
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from bench.measure import machine, quantile, save
from bench.speed.load import LOAD, calibration, run
from hydra_kg import Hydra
from hydra_kg.ids import decode
from hydra_kg.settings import Settings
from hydra_kg.stores.embedded.reads.snapshot import EmbeddedSnapshot
from hydra_kg.stores.embedded.store import EmbeddedStore

COMMON: Final = "John"
SHARE: Final = 0.1
SECOND: Final = "Great"
"""The first word of another tenth, which never stands beside COMMON: together they are the worst that can be asked."""

_GIVEN, _FAMILY, _BLOCK = 20_000, 1_000_000, 200_000
_SYLLABLES: Final = [a + b for a in "b c d f g h j k l m n p r s t v w z br ch kr st tr sh".split() for b in "aeiou"]


def words(count: int) -> list[bytes]:
    """Distinct words of two to five syllables: the shorter, the sooner."""
    made = (p for size in range(2, 6) for p in itertools.product(_SYLLABLES, repeat=size))
    # Every 13th, so that words of one beginning do not follow one another.
    return ["".join(p).capitalize().encode() for p in itertools.islice(made, 0, 13 * count, 13)]


def lines(count: int) -> Iterator[bytes]:
    """The file in pieces."""
    rng, family = np.random.default_rng(1), words(_FAMILY)
    given = family[:_GIVEN]
    ns, name = b"<http://rdf.freebase.com/ns/", b'\t<http://rdf.freebase.com/ns/type.object.name>\t"'
    link = b"\t<http://rdf.freebase.com/ns/people.person.nationality>\t" + ns
    for start in range(0, count, _BLOCK):
        size = min(_BLOCK, count - start)
        first = _zipf(rng, size, _GIVEN)
        share = rng.random(size)
        second, third = _zipf(rng, size, _FAMILY), _zipf(rng, size, _FAMILY)
        three, country = rng.random(size) < 0.3, rng.integers(1, 200, size)
        out = []
        for i in range(size):
            head = COMMON.encode() if share[i] < SHARE else SECOND.encode() if share[i] < 2 * SHARE else given[first[i]]
            text = head + b" " + family[second[i]] + (b" " + family[third[i]] if three[i] else b"")
            key = ns + str(decode((start + i + 100_000) << 3)).encode() + b">"
            out.append(key + name + text + b'"@en\t.\n')
            if i % 5 == 0:
                out.append(key + link + str(decode(int(country[i]) << 3)).encode() + b">\t.\n")
        yield b"".join(out)


def _zipf(rng: np.random.Generator, size: int, count: int) -> list[int]:
    """Ranks below ``count``, the n-th as often as 1 / n."""
    ranks: list[int] = np.minimum(np.exp(rng.random(size) * np.log(count)), count - 1).astype(np.int64).tolist()
    return ranks


def timed(what: str, target: str, asks: Sequence[Callable[[], Any]]) -> dict[str, Any]:
    """A row: each is asked once to warm up and once for the time; processor time is of this process."""
    wall, processor, found = [], [], []
    for ask in asks:
        ask()
        start, begun = time.perf_counter(), time.process_time()
        found.append(ask())
        processor.append((time.process_time() - begun) * 1e3)
        wall.append((time.perf_counter() - start) * 1e3)
    row: dict[str, Any] = {"what": what, "n": len(wall)}
    for name, times in (("ms", wall), ("processor ms", processor)):
        row |= {f"p50 {name}": f"{quantile(times, 0.5):.2f}", f"p95 {name}": f"{quantile(times, 0.95):.2f}"}
    row |= {"hits p50": "", "must reach": target}
    if isinstance(found[0], list):
        row["hits p50"] = f"{quantile([len(hits[0]) for hits in found], 0.5):.0f}"
    print(row)
    return row


def lookups(snapshot: EmbeddedSnapshot, some: Sequence[str]) -> list[dict[str, Any]]:
    """Rows of ``find``. ``some``: names that are there."""

    def find(names: Sequence[str], **more: Any) -> list[Callable[[], Any]]:
        return [partial(snapshot.find, [name], **more) for name in names]

    families = [name.split()[1] for name in some]
    target = "p95 ≤ 20"
    return [
        timed("whole name", target, find(some, reach="exact")),
        timed("commonest word", target, find([COMMON] * 100, reach="tokens")),
        timed(
            "commonest word and a second one", target, find([f"{name} {COMMON}" for name in families], reach="tokens")
        ),
        timed("the two commonest words, which never meet", target, find([f"{SECOND} {COMMON}"] * 20, reach="tokens")),
        timed("commonest word misspelt", target, find(["Jhon", "Joohn", "Johhn", "Jhn", "Johm"] * 20, reach="near")),
        timed(
            "commonest word, a second one misspelt",
            target,
            find([f"{COMMON} {n[:2]}{n[3:]}" for n in families], reach="near"),
        ),
        timed("name with a letter missing", target, find([f"{n[:2]}{n[3:]}" for n in some], reach="near")),
    ]


def questions(store: Path, some: Sequence[str]) -> list[dict[str, Any]]:
    """Rows of a whole ``ask`` (offline agent)."""
    with Hydra(store=store, settings=Settings()) as hydra:

        def ask(names: Sequence[str]) -> list[Callable[[], Any]]:
            return [partial(hydra.ask, f"what is the nationality of {name}?", keep=False) for name in names]

        return [
            timed("ask, naming somebody", "", ask(some[:50])),
            timed("ask, naming only the commonest word", "", ask([COMMON] * 20)),
        ]


def main() -> None:
    """All rows."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--names", type=int, default=10_000_000)
    parser.add_argument("--folder", type=Path, help="where to put file and store (default: a temporary folder)")
    parser.add_argument("--keep", action="store_true", help="take the store that is there")
    args = parser.parse_args()
    with ExitStack() as stack:
        folder = args.folder or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.mkdir(parents=True, exist_ok=True)
        file, store, about = folder / "names.nt.gz", folder / "names-store", machine("duckdb")
        before = calibration()
        if not (args.keep and file.exists()):
            with gzip.open(file, "wb", 1) as out:
                for piece in lines(args.names):
                    out.write(piece)
        if not (args.keep and (folder / "built.json").exists()):
            shutil.rmtree(store, ignore_errors=True)
            done = run(LOAD, store, file, "1GB")
            result = json.loads(done.output)
            built = {
                "s": done.seconds,
                "processor": done.processor,
                "memory": done.memory,
                "names": result["names"],
                "steps": {k: round(s, 1) for k, s in result["seconds"].items() if s >= 0.05},
            }
            (folder / "built.json").write_text(json.dumps(built))
        built = json.loads((folder / "built.json").read_text())
        size = sum(f.stat().st_size for f in store.rglob("*") if f.is_file())
        rng = np.random.default_rng(2)
        with EmbeddedStore(store) as opened, opened.snapshot() as snapshot:
            segment = snapshot.pinned.loads[0][1]
            some = [n for n in segment.labels(rng.integers(0, len(segment.nodes), 300)) if n][:100]
            start = time.perf_counter()
            snapshot.find(["Zzyzxx"], reach="near")
            first = time.perf_counter() - start
            rows = lookups(snapshot, some)
        rows += questions(store, some)
        steps = ", ".join(f"{step.removeprefix('sort ')} {s}" for step, s in built["steps"].items())
        notes = [
            f"Build: {built['names']:,} names from compressed file to ready store in {built['s']:.0f} s (must reach"
            f" 300), {built['processor']:.0f} processor seconds, {built['memory']:,} MB peak; {size / 1e6:,.0f} MB on"
            f" disk, {file.stat().st_size / 1e6:,.0f} MB compressed input; steps: {steps}.",
            f"{COMMON}: in {SHARE:.0%} of the names; {SECOND}: in another {SHARE:.0%}, never beside it. At most"
            " 50 hits a lookup.",
            f"The first typo of a process, when the words are read: {1e3 * first:,.0f} ms.",
            f"This process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024:,} MB. Load of the machine"
            f" {about['load']} at the start, {os.getloadavg()[0]:.1f} at the end; calibration {before:.2f} s and"
            f" {calibration():.2f} s (a fixed loop; the same machine when quiet: 0.30 s).",
        ]
    command = "python bench/speed/size/names.py"
    save("names", title="Ten million names", command=command, about=about, notes=notes, rows=rows)


if __name__ == "__main__":
    main()
