"""Turns bits of a store's files, one at a time: which ones `db doctor` finds, and how a question over the rest ends.

``python bench/faults/turned_bits.py [--bits 500] [--seed 1] [--ask 40] [--only '*.sqlite'] [--store DIR]``: bits are
drawn over all files, each file as likely as any other, of a copy of a store (without ``--store``: of the demo, asked a
question, with one load held). ``--ask``: of so many of the bits, whether a question says something else than before,
or ends unforeseen.

``--lies N``: instead, N arrays of loads, merges and generations get wrong values with every checksum made right, as a
hostile store has them: whether a question ends with an answer or a clear error, and doctor finds it.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import tempfile
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from hydra_kg import Hydra
from hydra_kg.cli.setup.demo import FILES
from hydra_kg.domain import Locator, Passage, Source
from hydra_kg.errors import HydraError
from hydra_kg.ingest.contract.choices import LoadOptions
from hydra_kg.ingest.load import load_files
from hydra_kg.stores.embedded.operations.pending_load import HoldingStore
from hydra_kg.stores.embedded.reads.links import FILE as PAIRS
from hydra_kg.stores.embedded.segments.array_folder import HEADER, MANIFEST, write_manifest
from hydra_kg.stores.embedded.store import EmbeddedStore
from hydra_kg.stores.page_cache import SqlitePageCache
from hydra_kg.util.package_data import find_content

QUESTION = "When was Steve Jobs born?"
VOLATILE = ("-wal", "-shm")  # of a process that has the file open; SQLite makes them anew


def main() -> None:
    """Print found and missed bits by the name of the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bits", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--ask", type=int, default=0)
    parser.add_argument("--only", default="*")
    parser.add_argument("--store", type=Path)
    parser.add_argument("--lies", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        store = Path(scratch) / "store"
        if options.store:
            shutil.copytree(options.store, store)
        else:
            fill(store)
        if options.lies:
            for (end, told), count in lie(store, lies=options.lies, seed=options.seed).most_common():
                print(f"{count:4} {end:40} {'doctor finds it' if told else 'doctor does not find it'}")
            return
        found, missed, ends = turn(store, bits=options.bits, seed=options.seed, only=options.only, asked=options.ask)
    for name in sorted({*found, *missed}):
        print(f"{name:24} found {found[name]:4}   missed {missed[name]:4}")
    print(f"{'all':24} found {found.total():4}   missed {missed.total():4}")
    for end, count in ends.most_common():
        print(f"asked: {count:4} {end}")


def fill(store: Path) -> None:
    """The demo's data, one load held, one answer and one page kept."""
    with EmbeddedStore(store) as opened:
        for name in FILES:
            load_files(opened, [find_content("sample", name)])
        load_files(opened, [find_content("sample", "harbour.csv")], LoadOptions(extra={"entity": "ferry"}))
        load_files(
            HoldingStore(opened), [find_content("sample", "tourbook.csv")], LoadOptions(extra={"entity": "ferry"})
        )
    with Hydra(store=store) as hydra:
        hydra.ask(QUESTION)
    source = Source("example.org", "web", url="https://example.org/")
    page = Passage("w1", "Steve Jobs", "He was born in 1955.", source, Locator(page="Steve Jobs"), 0, 1.0)
    SqlitePageCache(store / "web.sqlite").keep([page], now=datetime.now(UTC), days=30)


def turn(
    store: Path, *, bits: int, seed: int, only: str = "*", asked: int = 0
) -> tuple[Counter[str], Counter[str], Counter[str]]:
    """Bits found and missed by name of the file, and how questions over ``asked`` of them ended."""
    draw = random.Random(seed)
    there = [f for f in sorted(store.rglob(only)) if f.is_file() and f.stat().st_size]
    files = [f for f in there if {"locks", "staging"}.isdisjoint(f.parts) and not f.name.endswith(VOLATILE)]
    before, right = findings(store), answer(store) if asked else ""
    found: Counter[str] = Counter()
    missed: Counter[str] = Counter()
    ends: Counter[str] = Counter()
    for number in range(bits):
        file = draw.choice(files)
        place, bit = draw.randrange(file.stat().st_size), draw.randrange(8)
        with kept(store):
            flip(file, place, bit)
            now = findings(store)
        new = [text for text in now if text not in before]
        (found if new else missed)[file.name] += 1
        if number < asked:
            with kept(store):
                flip(file, place, bit)
                end = answer(store)
            ends["the same answer" if end == right else end] += 1
    return found, missed, ends


def lie(store: Path, *, lies: int, seed: int) -> Counter[tuple[str, bool]]:
    """How questions end over arrays with wrong values and right checksums, and whether doctor finds these."""
    draw = random.Random(seed)
    parts = ("loads", "merged", "generations")
    arrays = sorted(f for part in parts for f in store.glob(f"{part}/*/*.npy") if f.name != PAIRS)
    right, ends = answer(store), Counter[tuple[str, bool]]()
    for _ in range(lies):
        file = draw.choice(arrays)
        with kept(store):
            if not falsify(file, draw):
                continue
            told = any("contradicts itself" in text or "array" in text for text in findings(store))
            end = answer(store)
        ends["the same answer" if end == right else end, told] += 1
    return ends


def falsify(file: Path, draw: random.Random) -> bool:
    """Set a few values of an array to extreme or random ones and make the checksums right; False for an empty one."""
    manifest = json.loads((file.parent / MANIFEST).read_text("utf-8"))
    manifest.pop("crc32", None)
    entry = manifest["arrays"][file.stem]
    if not (size := int(np.prod(entry["shape"]))):
        return False
    data = bytearray(file.read_bytes())
    values = np.frombuffer(data, np.dtype(entry["dtype"]), size, HEADER)
    limits = np.iinfo(values.dtype)
    for _ in range(draw.choice((1, 3, size))):
        extremes = (limits.min, limits.max, limits.max // 2, draw.randint(int(limits.min), int(limits.max)))
        values[draw.randrange(size)] = draw.choice(extremes)
    file.write_bytes(data)
    entry["crc32"] = f"{zlib.crc32(data[HEADER:]):08x}"
    write_manifest(file.parent, manifest)
    return True


def flip(file: Path, place: int, bit: int) -> None:
    """Turn one bit."""
    data = bytearray(file.read_bytes())
    data[place] ^= 1 << bit
    file.write_bytes(data)


@contextmanager
def kept(store: Path) -> Iterator[None]:
    """Put everything back that the block changes in files that are not huge."""
    copy = {f: f.read_bytes() for f in store.rglob("*") if f.is_file()}
    try:
        yield
    finally:
        for f in store.rglob("*"):
            if f.is_file() and f not in copy:
                f.unlink()
        for f, data in copy.items():
            if not f.is_file() or f.read_bytes() != data:
                f.write_bytes(data)


def findings(store: Path) -> Sequence[str]:
    """What doctor says, an error that it ends with included."""
    try:
        with EmbeddedStore(store) as opened:
            return [finding.what for finding in opened.doctor()]
    except HydraError as e:
        return [str(e)]


def answer(store: Path) -> str:
    """What a question says, or how it ends."""
    try:
        with Hydra(store=store) as hydra:
            said = hydra.ask(QUESTION, keep=False)
    except HydraError as e:
        return "a clear error" if e.remedy else f"an error without a remedy: {e}"
    except Exception as e:
        return f"unforeseen {type(e).__name__}: {str(e)[:80]}"
    return f"another answer: {said.answer_text!r}" if hasattr(said, "answer_text") else str(said)


if __name__ == "__main__":
    main()
