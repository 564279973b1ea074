"""The index of names on generated ones: how many are found, how long a search takes, what it weighs.

    python bench/speed/name_index.py [--names 1000000]
    python bench/speed/name_index.py --load 10000000

Names of two or three made-up words; 400 of them with two wrong letters are looked up. ``exact`` looks at all vectors,
the cells (``Shard.made(…, exact=False)``) at some of them; recall is of what ``exact`` finds. ``--load`` indexes a
load of so many names as ``hydra-kg load`` does, shard by shard, in a process of its own that says its peak memory.
It prints a table, which ``docs/results/name-index.md`` has.
"""

from __future__ import annotations

import argparse
import random
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from hydra_kg.domain import Floats
from hydra_kg.index.shard import PROPOSED, Shard, name_vectors
from hydra_kg.stores import shard_folder
from hydra_kg.stores.embedded.reads.name_index import make_shards

BATCH, ASKED, FOUND = 50_000, 400, 50
ONSETS = "b br c ch d dr f g gr h j k kr l m n p r s sh st t tr v w z".split()
VOWELS, ENDS = "a e i o u ai ea ou ie y".split(), ["", "", "n", "r", "l", "s", "m", "t", "nd", "ck", "rt", "ng"]


def names(number: int) -> list[str]:
    """So many names."""

    def syllable() -> str:
        return random.choice(ONSETS) + random.choice(VOWELS) + random.choice(ENDS)

    words = ["".join(syllable() for _ in range(random.choice((2, 2, 3)))) for _ in range(60_000)]
    return [" ".join(random.choices(words, k=random.choice((1, 2, 2, 2, 3)))) for _ in range(number)]


def misspelt(name: str) -> str:
    """The name with two letters wrong."""
    letters = list(name)
    for _ in range(2):
        at = random.randrange(1, len(letters))
        letters[at : at + random.randrange(2)] = random.choice("abcdefghijklmnopqrstuvwxyz")
    return "".join(letters)


def main(number: int) -> None:
    """See the module."""
    random.seed(11)
    texts = names(number)
    wanted = random.sample(range(number), ASKED)
    asked = name_vectors([misspelt(texts[i]) for i in wanted])

    def parts() -> Iterator[Floats]:
        for at in range(0, number, BATCH):
            yield name_vectors(texts[at : at + BATCH])

    exact = np.empty(0)
    print("| index | processor s to make | MB | ms a search | first found | of 50 found | right among 50 |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for kind, probes in (("exact", 0), *(("cells", p) for p in (32, 64, 128, 256))):
            if kind == "exact" or probes == 32:
                begun = time.process_time()
                made = Shard.made(parts(), rows=number, exact=kind == "exact")
                took = time.process_time() - begun
                noted = made.write(Path(folder, kind))
                shard = Shard.read(Path(folder, kind), noted)
            begun = time.process_time()
            rows, _ = shard.search(asked, FOUND, **({"probes": probes} if probes else {}))
            each = 1000 * (time.process_time() - begun) / ASKED
            exact = rows if kind == "exact" else exact
            first = np.mean(rows[:, 0] == exact[:, 0])
            some = np.mean([len(set(a) & set(b)) / FOUND for a, b in zip(rows.tolist(), exact.tolist(), strict=True)])
            right = np.mean(
                [texts[i] in {texts[r] for r in own if r >= 0} for i, own in zip(wanted, rows, strict=True)]
            )
            title = kind if not probes else f"{probes} of {round(number**0.5)} cells"
            size = noted["bytes"] / 1e6
            print(
                f"| {title} | {took:.1f} | {size:.0f} | {each:.2f} | {first:.3f} | {some:.3f} | {right:.3f} |",
                flush=True,
            )
    print(f"peak memory of this process {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024:,} MB")


@dataclass
class Texts:
    """The texts of a load, as far as the index reads them."""

    texts: Path
    id: str = "made.1"
    label_off: bytes = b""  # as in a store whose names are in SQLite

    def open_texts(self) -> sqlite3.Connection:
        """A new connection."""
        return sqlite3.connect(self.texts)


def load(number: int) -> None:
    """Write the names of a load, then index and search them in another process."""
    with tempfile.TemporaryDirectory() as folder:
        texts = Path(folder, "texts.sqlite")
        with sqlite3.connect(texts) as db:
            db.execute("CREATE TABLE name (id INTEGER PRIMARY KEY, node, kind, text TEXT)")
            for low in range(0, number, 500_000):
                random.seed(low)
                some = names(min(500_000, number - low))
                db.executemany("INSERT INTO name VALUES (?, 0, 0, ?)", enumerate(some, low + 1))
        subprocess.run([sys.executable, __file__, "--indexed", folder, "--load", str(number)], check=True)


def indexed(folder: Path, number: int) -> None:
    """What making the index of a load takes, and what a lookup in it."""
    info = SimpleNamespace(name="made")
    segment, where = Texts(folder / "texts.sqlite"), shard_folder.index_folder(folder, "made.1")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begun, wall = time.process_time(), time.perf_counter()
    made = make_shards(info, segment, listener=lambda event: None)  # type: ignore[arg-type]
    shard_folder.make(where, "made", made, dict)
    took, wall = time.process_time() - begun, time.perf_counter() - wall
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found = shard_folder.open_shards(where, "made")
    if found is None:
        raise SystemExit("The index was not made.")
    shards, _ = found
    with segment.open_texts() as db:
        wanted = random.Random(7).sample(range(1, number + 1), ASKED)
        texts = [db.execute("SELECT text FROM name WHERE id = ?", (i,)).fetchone()[0] for i in wanted]
        random.seed(5)
        asked = name_vectors([misspelt(t) for t in texts])
        for warm in (True, False):
            begun, right = time.process_time(), 0
            for vector, text in zip(asked, texts, strict=True):
                start, rows = 1, list[int]()
                for shard in shards:
                    near = shard.search(vector[None, :], PROPOSED)[0][0]
                    rows += (near[near >= 0] + start).tolist()
                    start += len(shard)
                right += not warm and text in {
                    db.execute("SELECT text FROM name WHERE id = ?", (r,)).fetchone()[0] for r in rows
                }
            each = 1000 * (time.process_time() - begun) / ASKED
    size = sum(f.stat().st_size for f in where.iterdir()) / 1e6
    print(
        f"{number:,} names: {len(shards)} shards, {took:.0f} s of a processor ({wall:.0f} s), {size:,.0f} MB on disk; "
        f"peak memory {peak // 1024:,} MB ({before // 1024:,} before); a lookup {each:.0f} ms with its names; "
        f"{right / ASKED:.3f} of the names with two wrong letters are proposed"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--names", type=int, default=1_000_000)
    parser.add_argument("--load", type=int, default=0)
    parser.add_argument("--indexed", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.indexed:
        indexed(options.indexed, options.load)
    elif options.load:
        load(options.load)
    else:
        main(options.names)
