"""The index of names on generated ones: how many are found, how long a search takes, what it weighs.

    python bench/speed/name_index.py [--names 1000000]

Names of two or three made-up words; 400 of them with two wrong letters are looked up. ``exact`` looks at all vectors,
the cells (``Shard.made(…, exact=False)``) at some of them; recall is of what ``exact`` finds. It prints a table, which
``docs/results/name-index.md`` has.
"""

from __future__ import annotations

import argparse
import random
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from hydra_kg.domain import Floats
from hydra_kg.index.name_vectors import name_vectors
from hydra_kg.index.shard import Shard

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


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--names", type=int, default=1_000_000)
    main(parser.parse_args().names)
