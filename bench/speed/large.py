"""A large generated dump in one run, and what asking on it takes: cuts, whole questions, and what the real dump needs.

    python bench/speed/large.py [--lines 100000000] [--folder DIR] [--keep]

``--keep`` takes the file and the store that are in the folder already.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.generate.freebase_dump import generate
from bench.measure import machine, quantile, save
from bench.speed.load import calibration, loads
from hydra_kg import Hydra
from hydra_kg.domain import Hops
from hydra_kg.ids import decode
from hydra_kg.settings import Settings
from hydra_kg.stores.embedded.reads.snapshot import EmbeddedSnapshot
from hydra_kg.stores.embedded.store import EmbeddedStore

ASKED: Final = {
    "people.person.place_of_birth": "where was {} born?",
    "film.film.directed_by": "who directed {}?",
    "organization.organization.founders": "who founded {}?",
    "people.person.profession": "what is the profession of {}?",
    "people.person.nationality": "what is the nationality of {}?",
}
DUMP: Final = 3_130_753_066
"""Lines of the Freebase dump."""
Question = tuple[str, str, str]  # text, topic, answer


def cuts(snapshot: EmbeddedSnapshot, count: int) -> list[dict[str, Any]]:
    """Rows for D = 2 around random entities that have a link, warm."""
    g = snapshot.pinned.generation
    some = np.random.default_rng(3).choice(np.flatnonzero((g.mediator == 0) & (g.degree > 0)), count, replace=False)
    rows = []
    kinds: list[tuple[str, Hops, str]] = [
        ("D = 2 cut, mediators counted", "paper", "p50 ≤ 5"),
        ("D = 2 cut, default hops", "entity", "p50 ≤ 5"),
    ]
    for what, hops, target in kinds:
        times, edges = [], []
        for topic in g.classes[some].tolist():
            snapshot.cut([topic], depth=2, hops=hops)
            begun = time.perf_counter()
            found = snapshot.cut([topic], depth=2, hops=hops)
            times.append((time.perf_counter() - begun) * 1e3)
            edges.append(len(found.src))
        rows.append(
            {
                "what": what,
                "n": count,
                "p50 ms": f"{quantile(times, 0.5):.2f}",
                "p95 ms": f"{quantile(times, 0.95):.1f}",
                "max ms": f"{max(times):.0f}",
                "edges p50": f"{quantile(edges, 0.5):,}",
                "edges p95": f"{quantile(edges, 0.95):,}",
                "right": "",
                "must reach": target,
            }
        )
    return rows


def questions(snapshot: EmbeddedSnapshot, each: int) -> list[Question]:
    """Questions about random facts of the store."""
    segment, g = snapshot.pinned.loads[0][1], snapshot.pinned.generation
    place, rng = {key: i for i, key in enumerate(g.predicates.keys)}, np.random.default_rng(1)
    pred, found = g.maps[0].to_pred[segment.fpred], []
    for key, text in ASKED.items():
        for row in rng.choice(np.flatnonzero(pred == place[key]), each, replace=False).tolist():
            subject = int(np.searchsorted(segment.foff, row, "right")) - 1
            ends = [str(decode(int(segment.nodes[i]))) for i in (subject, segment.fdst[row])]
            found.append((text.format(segment.labels([subject])[0]), ends[0], ends[1]))
    return found


def asks(store: Path, asked: Sequence[Question]) -> list[dict[str, Any]]:
    """Rows for whole questions with the offline agent, the topic named by its id or to be found by its name."""
    rows = []
    with Hydra(store=store, settings=Settings()) as hydra:
        for what, given in (("ask, topic given", True), ("ask, topic by its name", False)):
            times, right = [], 0
            for text, topic, answer in asked:
                begun = time.perf_counter()
                found = hydra.ask(text, topics=[topic] if given else [], keep=False)
                times.append((time.perf_counter() - begun) * 1e3)
                right += any(answer in value.keys for value in found.answers)
            rows.append(
                {
                    "what": what,
                    "n": len(asked),
                    "p50 ms": f"{quantile(times, 0.5):.0f}",
                    "p95 ms": f"{quantile(times, 0.95):.0f}",
                    "max ms": f"{max(times):.0f}",
                    "edges p50": "",
                    "edges p95": "",
                    "right": right,
                    "must reach": "",
                }
            )
    return rows


def main() -> None:
    """Load, ask, write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--lines", type=int, default=100_000_000)
    parser.add_argument("--folder", type=Path, help="where to put file and store (default: a temporary folder)")
    parser.add_argument("--keep", action="store_true", help="take the file and the store that are there")
    args = parser.parse_args()
    with ExitStack() as stack:
        folder = args.folder or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.mkdir(parents=True, exist_ok=True)
        about, before = machine("duckdb", "numpy"), calibration()
        size = f"{args.lines // 1_000_000}m"
        file, kept = folder / f"generated-{size}.nt.gz", folder / f"loaded-{size}.json"
        if not file.exists():
            generate(file, lines=args.lines, seed=1, bad_share=0.02)
        if not (args.keep and kept.exists()):
            row = loads(file, folder, name=f"generated, {args.lines:,} lines", runs=1, memory="1GB", target="")
            row |= {"calibration": [before, calibration()], "load": os.getloadavg()[0]}
            kept.write_text(json.dumps(row))
        load = json.loads(kept.read_text())
        disk = sum(f.stat().st_size for f in (folder / "store").rglob("*") if f.is_file())
        with EmbeddedStore(folder / "store") as store, store.snapshot() as snapshot:
            rows = cuts(snapshot, 200)
            asked = questions(snapshot, 10)
            nodes = len(snapshot.pinned.generation.classes)
        rows += asks(folder / "store", asked)
    times = DUMP / args.lines
    links = int(load["links"].replace(",", ""))
    notes = [
        f"Load: {load['lines']} lines in {load['s']} s (must reach 300), {load['processor s']} processor seconds, peak"
        f" {load['peak MB']:,} MB (must reach 4,000); {load['links']} links, {nodes:,} nodes, {disk / 1e9:.2f} GB on"
        f" disk; steps: {load['steps (s)']}. Load of the machine at its end {load['load']:.1f}; calibration"
        f" {load['calibration'][0]:.2f} s before and {load['calibration'][1]:.2f} s after.",
        f"Asking: load of the machine {about['load']} at the start, {os.getloadavg()[0]:.1f} at the end; peak"
        f" {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024:,} MB; calibration {calibration():.2f} s."
        " Calibration: processor seconds of a fixed loop, 0.30 where two cores are this machine's own.",
        "right: the object of the fact that the question was made from is among the answers; names repeat in generated"
        " data, so a name often means somebody else.",
        f"Projection to the {DUMP:,} lines of the real dump ({times:.1f} times as many): {links * times / 1e6:,.0f} M"
        f" links, {nodes * times / 1e6:,.0f} M nodes, {disk * times / 1e9:.0f} GB of store,"
        f" {float(load['s'].replace(',', '')) * times / 3600:.1f} h at this run's speed; assumptions in"
        " docs/projections.md.",
    ]
    save(
        "large",
        title="A large dump, and asking on it",
        command="python bench/speed/large.py",
        about=about,
        notes=notes,
        rows=rows,
    )


if __name__ == "__main__":
    main()
