"""How fast the embedded store cuts with one big and twenty small loads, before and after `db compact`.

    python bench/speed/compact.py [--kept STORE] [--small 20] [--questions 30] [--repeats 5]

The same graph three ways: one load; four fifths of its links in one load and the rest spread over the small ones; these
compacted, with the big load by itself and merged as well. ``--kept`` as for ``store.py``. Results go to
``bench/results/compact.md``.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.measure import data, machine, save
from bench.memory_stage import SimpleLoadPlan
from bench.speed.store import ONE, Row, Share, cuts, edges, paths, questions, race
from hydra_kg.domain import Source
from hydra_kg.ingest.contract.choices import LoadOptions
from hydra_kg.ingest.load import load_files
from hydra_kg.stores.embedded.segments.format import Segment
from hydra_kg.stores.embedded.store import EmbeddedStore

BIG = 0.8
BEFORE, AFTER, ALL = "one big and the small ones", "compacted", "compacted with --all"


class Part(Share):
    """Some links of a written load as a stage."""

    def __init__(self, segment: Segment, rows: Any) -> None:
        super().__init__(segment, 0, 1)
        self._rows = rows

    def counts(self) -> Mapping[str, int]:
        """Rows per stream."""
        return {**super().counts(), "links": len(self._rows)}

    def links(self) -> Iterator[Mapping[str, Any]]:
        """The links."""
        s, rows = self._s, self._rows
        subject = np.searchsorted(s.foff, rows, "right") - 1
        line = s.lines(rows, subject, literal=False)
        yield {"s": s.nodes[subject], "p": s.preds[s.fpred[rows]], "o": s.nodes[s.fdst[rows]], "line": line}


def fill(store: EmbeddedStore, segment: Segment, small: int) -> None:
    """One big load and the small ones, of links drawn at random."""
    owner = np.random.default_rng(1).random(len(segment.fdst))
    bounds = np.append(0, np.linspace(BIG, 1, small + 1))
    for n in range(small + 1):
        name = f"small {n:02}" if n else "big"
        writer = store.begin(SimpleLoadPlan(name, (Source(name),)))
        writer.write(Part(segment, np.flatnonzero((owner >= bounds[n]) & (owner < bounds[n + 1]))))
        writer.commit({})


def main() -> None:
    """Load what is missing, measure, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kept", type=Path, help="store loaded with --keep-reverse")
    parser.add_argument("--small", type=int, default=20)
    parser.add_argument("--questions", type=int, default=30)
    parser.add_argument("--repeats", type=int, default=5)
    args = parser.parse_args()
    about = machine("numpy")
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        kept = stack.enter_context(EmbeddedStore(args.kept or folder / "kept"))
        if args.kept is None:
            load_files(kept, [data() / "freebase.nt.gz"], LoadOptions(keep_reverse=True))
        before = stack.enter_context(EmbeddedStore(folder / "before"))
        with kept.pin() as pinned:
            segment = pinned.loads[0][1]
            fill(before, segment, args.small)
            notes = []
            stores = {ONE: kept, BEFORE: before}
            for name, everything in ((AFTER, False), (ALL, True)):
                place = folder / name
                shutil.copytree(before.path, place)
                stores[name] = stack.enter_context(EmbeddedStore(place))
                start = time.perf_counter()
                done = stores[name].compact(everything=everything)
                seconds = time.perf_counter() - start
                notes.append(
                    f"{name}: {done['links']:,} links of {done['merged']} loads in {seconds:.1f} s,"
                    f" {done['bytes'] / 1e6:.0f} MB more on disk; places to look in"
                    f" {done['before']} → {done['after']}."
                )
            open_ = {name: stack.enter_context(store.snapshot()) for name, store in stores.items()}
            asked = questions(open_[ONE], args.questions)
            rows: list[Row] = []
            for depth in (2, 3):
                runs = {n: (cuts(s, depth, "entity"), "") for n, s in open_.items()}
                rows += race(f"D = {depth}, default hops", runs, edges, asked, args.repeats)
            rows += race(
                "D = 2, mediators counted",
                {n: (cuts(s, 2, "paper"), "") for n, s in open_.items()},
                edges,
                asked,
                args.repeats,
            )
            rows += race(
                "all simple paths ≤ 3", {n: (paths(s), "") for n, s in open_.items()}, int, asked, args.repeats
            )
            size = (
                f"Graph: {len(segment.fdst):,} links, {len(segment.nodes):,} nodes; 80 % of the links in the big load."
            )
    for row in rows:
        row.pop("must reach")
    save(
        "compact",
        title="The embedded store before and after db compact",
        command="python bench/speed/compact.py",
        about=about,
        notes=[size, *notes],
        rows=rows,
    )


if __name__ == "__main__":
    main()
