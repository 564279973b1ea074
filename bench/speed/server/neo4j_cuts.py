"""Times the ways to ask a Neo4j server for a cut, in turns: level by level, by a pattern, by two procedures of APOC.

    python bench/speed/server/neo4j_cuts.py [--questions 40] [--limit 60000] [--uri ADDRESS]

It starts a server, loads Freebase, Wikidata and their links (``--limit`` lines of each file), and makes every cut in
every way on the warm server, beginning with another way each time. That each way gives the same cut is checked. Needs
HYDRA_DATA. Writes bench/results/neo4j_cuts.md and .json.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from pathlib import Path
from typing import Any, get_args

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from bench.measure import data, machine, quantile, save
from bench.speed.server.neo4j_store import CUTS, FILES, HEAP, PAGE_CACHE, _load, _topics, open_server
from hydra_kg.ports import ServerCut, Snapshot


def timed(snapshot: Snapshot, topics: list[list[int]], name: str, how: dict[str, Any]) -> list[dict[str, Any]]:
    """Return one row for each way. The cut before any is timed fetches what a reader stores of nodes in numbers."""
    ways: tuple[ServerCut, ...] = get_args(ServerCut)
    taken: dict[str, list[float]] = {way: [] for way in ways}
    sizes: list[int] = []
    for n, start in enumerate(topics):
        sizes.append(len(snapshot.cut(start, hub_cap=10_000, **how)))
        for way in (*ways[n % len(ways) :], *ways[: n % len(ways)]):
            begun = time.perf_counter()
            cut = snapshot.cutting(way).cut(start, hub_cap=10_000, **how)
            taken[way].append((time.perf_counter() - begun) * 1_000)
            if len(cut) != sizes[-1]:
                raise SystemExit(f"{way} gives another cut: {len(cut)} edges, not {sizes[-1]}.")
    least = statistics.median(taken["levels"])
    return [
        {
            "cut": name,
            "way": way,
            "n": len(times),
            "edges p50": int(statistics.median(sizes)),
            "p50 ms": round(statistics.median(times), 1),
            "p95 ms": round(quantile(times, 0.95), 1),
            "max ms": round(max(times), 1),
            "times levels": round(statistics.median(times) / least, 2),
        }
        for way, times in taken.items()
    ]


def main() -> None:
    """Load, cut, write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--uri", default="", help="a running server with an empty database")
    parser.add_argument("--questions", type=int, default=40)
    parser.add_argument("--limit", type=int, default=0, help="lines of each file")
    options = parser.parse_args()
    about = machine("neo4j") | {"server heap": f"{HEAP} MiB", "page cache": f"{PAGE_CACHE} MiB"}
    with open_server(options.uri) as store:
        for name in FILES:
            _load(store, data() / name, options.limit)
        topics = _topics(store, options.questions)
        with store.snapshot() as snapshot:
            rows = [row for name, (how, _) in CUTS.items() for row in timed(snapshot, topics, name, how)]
    save(
        "neo4j_cuts",
        title="Ways to ask a Neo4j server for a cut",
        command=f"python bench/speed/server/neo4j_cuts.py --questions {options.questions} --limit {options.limit}",
        about=about,
        notes=(
            "Compare the ways of a cut with one another, not with other pages: other work used the machine.",
            "Topics are those of WebQSP test questions with facts here; nodes over 10,000 facts are not expanded.",
            "Every way gives the same cut. Class, degree and mediator flag of nodes are known before any is timed.",
        ),
        rows=rows,
    )


if __name__ == "__main__":
    main()
