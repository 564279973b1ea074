"""Misspelt names on a Neo4j server: the index kept beside us against fuzzy words of the server's own full-text index.

    python bench/speed/server/neo4j_names.py [--names 200000]

Starts a server of its own, writes generated names of one load as a load does, makes the index, and looks up names that
are misspelt or written as one word. Writes bench/results/neo4j_names.json and .md.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from bench.measure import machine, quantile, save
from bench.speed.name_index import misspelt, names
from bench.speed.server.neo4j_store import open_server
from hydra_kg.domain import LoadInfo
from hydra_kg.events import ignore
from hydra_kg.index.name_vectors import name_vectors, spelt_alike
from hydra_kg.stores.neo4j.reads import like_names
from hydra_kg.stores.neo4j.reads.reading import ReadyLoad

ASKED, ROWS, LOAD = 100, 10_000, 1
Found = Callable[[str], Sequence[str]]


def main() -> None:
    """Write, index, look up, write what came out."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--names", type=int, default=200_000)
    number = parser.parse_args().names
    random.seed(11)
    texts = names(number)
    load = ReadyLoad(LOAD, LoadInfo("made", (), 0, "made", ""), "", ROWS, {})
    with open_server("") as store, tempfile.TemporaryDirectory() as folder:
        for low in range(0, number, ROWS):
            rows = [[n, 0, t, t, t, 0] for n, t in enumerate(texts[low : low + ROWS], low)]
            store.db.write(lambda tx, rows=rows: tx.run("write_names", {"load": LOAD, "rows": rows}))
        begun, busy = time.perf_counter(), time.process_time()
        like_names.make(store.db, Path(folder), load, listener=ignore)
        made = f"{time.perf_counter() - begun:.1f} s, of them {time.process_time() - busy:.1f} of our processor"
        size = sum(f.stat().st_size for f in Path(folder).rglob("*") if f.is_file()) / 1e6
        index = like_names.opened(Path(folder), load)
        if index is None:
            raise SystemExit("The index was not made.")

        def by_index(said: str) -> list[str]:
            near = [node for node, _ in index.near(name_vectors([said]))[0]]
            found = [row[2] for row in store.db.read("names_alike", {"load": LOAD, "ids": near})]
            return [found[i] for i in np.argsort(-spelt_alike(said, found), kind="stable")[:20]]

        def by_words(edits: str) -> Found:
            def find(said: str) -> list[str]:
                query = " AND ".join(f"{word}{edits}" for word in said.split())
                return [t for *_, t in store.db.read("names_containing", {"query": query, "load": LOAD, "limit": 20})]

            return find

        ways = {"index of names": by_index, "full text, ~1": by_words("~1"), "full text, ~2": by_words("~2")}
        wanted = random.sample([t for t in texts if " " in t], ASKED)
        wrongs = {"two letters wrong": misspelt, "as one word": lambda name: name.replace(" ", "")}
        rows_: list[dict[str, Any]] = []
        for wrong, change in wrongs.items():
            said = [(name, change(name)) for name in wanted]
            rows_ += [{"the name is": wrong, "way": way, **_measured(find, said)} for way, find in ways.items()]
    save(
        "neo4j_names",
        title="Misspelt names on a Neo4j server",
        command=f"python bench/speed/server/neo4j_names.py --names {number}",
        about=machine("neo4j"),
        notes=[f"{number:,} names: made in {made}; {size:.0f} MB.", "Right: the name is among the first 20 proposed."],
        rows=rows_,
    )


def _measured(find: Found, said: Sequence[tuple[str, str]]) -> dict[str, Any]:
    times, right = [], 0
    for name, text in said:
        begun = time.perf_counter()
        right += name in find(text)
        times.append(1e3 * (time.perf_counter() - begun))
    return {
        "n": len(said),
        "right": right,
        "p50 ms": round(quantile(times, 0.5), 1),
        "p95 ms": round(quantile(times, 0.95), 1),
    }


if __name__ == "__main__":
    main()
