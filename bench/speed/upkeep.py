"""How fast a store is looked after: a newer dump compared with the one in force, a backup, a copy into a folder.

    python bench/speed/upkeep.py [--links 20000000]

A generated graph: sorted random links, two names a hundred links; the newer load lacks one link in twenty and has as
many others. ``cp -r`` of the same folder stands beside backup and copy. Results go to ``bench/results/upkeep.md``.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.measure import machine, save
from bench.memory_stage import SimpleLoadPlan
from hydra_kg.domain import Source
from hydra_kg.ids import encode
from hydra_kg.stores.copying import copy_store
from hydra_kg.stores.embedded.operations.backup import backup
from hydra_kg.stores.embedded.operations.pending_load import HoldingStore, pending_difference
from hydra_kg.stores.embedded.store import EmbeddedStore

PREDICATES = 500
BATCH = 1 << 20


class Generated:
    """Random links between items, as a stage; ``seed`` draws which twentieth of them is this load's own."""

    def __init__(self, links: int, *, seed: int) -> None:
        kept = np.random.default_rng(0)
        nodes = np.sort(np.array([encode(f"Q{i}") for i in range(1, links // 10 + 1)], np.int64))
        self._preds = np.sort(np.array([encode(f"P{i}") for i in range(1, PREDICATES + 1)], np.int64))
        s, p, o = (kept.choice(x, links) for x in (nodes, self._preds, nodes))
        own, random = kept.random(links) < 0.05, np.random.default_rng(seed)
        o[own] = random.choice(nodes, int(own.sum()))
        order = np.lexsort((o, p, s))
        s, p, o = s[order], p[order], o[order]
        first = np.ones(links, np.bool_)
        first[1:] = (s[1:] != s[:-1]) | (p[1:] != p[:-1]) | (o[1:] != o[:-1])
        self._facts = [c[first] for c in (s, p, o)]
        self._nodes = np.unique(np.concatenate((self._facts[0], self._facts[2])))
        self._seed = seed

    def counts(self) -> Mapping[str, int]:
        """Rows per stream."""
        return {"links": len(self._facts[0]), "nodes": len(self._nodes)}

    def links(self) -> Iterator[Mapping[str, Any]]:
        """All links."""
        for low in range(0, len(self._facts[0]), BATCH):
            s, p, o = (c[low : low + BATCH] for c in self._facts)
            yield {"s": s, "p": p, "o": o, "line": np.arange(low, low + len(s), dtype=np.uint32)}

    def nodes(self) -> Iterator[Any]:
        """All nodes."""
        yield self._nodes

    def names(self) -> Iterator[Sequence[tuple[int, str, str]]]:
        """Two names for every tenth node, one of them this load's own for one in twenty."""
        some = self._nodes[::10].tolist()
        for low in range(0, len(some), BATCH):
            part = some[low : low + BATCH]
            yield [(n, "name", f"item {n}") for n in part]
            yield [(n, "alias", f"alias {n if (n >> 3) % 20 != 1 else (n, self._seed)}") for n in part]

    def predicates(self) -> Sequence[tuple[int, str, str, str]]:
        """All predicates."""
        return [(p, f"P{i}", f"property {i}", "") for i, p in enumerate(self._preds.tolist())]

    def values(self) -> Iterator[Any]:
        """None."""
        return iter(())

    mediators = terms = passages = same_as = details = values


def timed(do: Callable[[], Any]) -> tuple[Any, float]:
    """The result and the seconds."""
    start = time.perf_counter()
    return do(), time.perf_counter() - start


def main() -> None:
    """Make, measure, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--links", type=int, default=20_000_000)
    args = parser.parse_args()
    about, rows = machine("numpy"), []
    with tempfile.TemporaryDirectory() as scratch, EmbeddedStore(Path(scratch) / "store") as store:
        folder = Path(scratch)
        for target, seed in ((store, 1), (HoldingStore(store), 2)):
            writer = target.begin(SimpleLoadPlan("dump", (Source("dump"),)))
            writer.write(Generated(args.links, seed=seed))
            writer.commit({})
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        doc, seconds = timed(lambda: pending_difference(store, "dump"))
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        facts = sum(doc[end]["facts"] for end in ("old", "new"))
        rows.append(
            {
                "what": "difference of two loads",
                "seconds": f"{seconds:.1f}",
                "a second": f"{facts / seconds / 1e6:.2f} M facts of both",
            }
        )
        size = sum(load["bytes"] for load in store.loads() if load["state"] == "ready")
        for what, do in (
            ("cp -r", lambda: subprocess.run(["cp", "-r", store.path, folder / "cp"], check=True)),
            ("backup to a folder, read again", lambda: backup(store, folder / "kept")),
            ("backup to .tar, read again", lambda: backup(store, folder / "kept.tar")),
            ("backup to .tar.zst, read again", lambda: backup(store, folder / "kept.tar.zst")),
            ("copy into a folder", lambda: copy_store(store.path, folder / "copy")),
        ):
            _, seconds = timed(do)
            bytes_ = size * 2 if what == "cp -r" else size
            rows.append({"what": what, "seconds": f"{seconds:.1f}", "a second": f"{bytes_ / seconds / 1e6:.0f} MB"})
        packed = (folder / "kept.tar.zst").stat().st_size
        notes = [
            f"{doc['old']['facts']:,} and {doc['new']['facts']:,} facts: only old {doc['facts']['old_only']:,}, only"
            f" new {doc['facts']['new_only']:,}, both {doc['facts']['common']:,}; names {doc['names']}.",
            f"Peak memory of the process before the comparison {before / 1e6:.2f} GB (the generator), after it"
            f" {after / 1e6:.2f} GB.",
            f"The ready load takes {size / 1e6:.0f} MB, as .tar.zst {packed / 1e6:.0f} MB; cp copies the held one as"
            " well.",
        ]
    save(
        "upkeep",
        title="Looking after a store: difference, backup, copy",
        command="python bench/speed/upkeep.py",
        about=about,
        notes=notes,
        rows=rows,
    )


if __name__ == "__main__":
    main()
