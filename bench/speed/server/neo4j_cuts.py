"""Ways to ask a Neo4j server for a cut, beside each other: level by level, by a pattern, by two procedures of APOC.

``python bench/speed/server/neo4j_cuts.py [--questions 40] [--limit 0]`` starts a server of its own as neo4j_store.py
does, loads freebase, wikidata and their links, and makes the same cuts in every way, in turns; that each way gives the
same cut is checked. ``--uri`` uses a running server with an empty database. Needs HYDRA_DATA. Writes
bench/results/neo4j_cuts.json and neo4j_cuts.md; on a busy machine the numbers are provisional and go to bench/out.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from pathlib import Path
from typing import Any, get_args

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from bench.measure import ROOT, commit, data, machine, quantile
from bench.speed.server.neo4j_store import BUSY, FILES, HEAP, PAGE_CACHE, _load, _topics, open_server
from hydra_kg.ports import ServerCut

CUTS: dict[str, dict[str, Any]] = {
    "D=2, mediators counted": {"depth": 2, "hops": "paper"},
    "D=2, default hops": {"depth": 2},
    "D=3, mediators counted, 200,000 edges": {"depth": 3, "hops": "paper", "budget": 200_000},
}


def main() -> None:
    """Load, cut, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--uri", default="", help="a running server with an empty database")
    parser.add_argument("--questions", type=int, default=40)
    parser.add_argument("--limit", type=int, default=0, help="lines of each file, for a quick look")
    options = parser.parse_args()
    result: dict[str, Any] = {
        "command": f"bench/speed/server/neo4j_cuts.py --questions {options.questions} --limit {options.limit}",
        "commit": commit(),
        "machine": machine("neo4j"),
        "started": time.strftime("%Y-%m-%d %H:%M"),
        "server": options.uri or f"own server, heap {HEAP} MiB, page cache {PAGE_CACHE} MiB",
    }
    result["provisional"] = bool(result["machine"]["load"] > BUSY or options.limit)
    with open_server(options.uri) as store:
        for name in FILES:
            _load(store, data() / name, options.limit)
        topics = _topics(store, options.questions)
        result["rows"] = [row for name, how in CUTS.items() for row in _timed(store, topics, name, how)]
    _write(result)


def _timed(store: Any, topics: list[list[int]], name: str, how: dict[str, Any]) -> list[dict[str, Any]]:
    """One row a way. What a reader keeps of nodes in numbers is there before any is timed."""
    ways: tuple[ServerCut, ...] = get_args(ServerCut)
    taken: dict[str, list[float]] = {way: [] for way in ways}
    sizes: list[int] = []
    with store.snapshot() as snapshot:
        for n, start in enumerate(topics):
            known = snapshot.cut(start, hub_cap=10_000, **how)
            sizes.append(len(known))
            for way in (*ways[n % len(ways) :], *ways[: n % len(ways)]):
                begun = time.perf_counter()
                cut = snapshot.cutting(way).cut(start, hub_cap=10_000, **how)
                taken[way].append((time.perf_counter() - begun) * 1_000)
                if len(cut) != len(known):
                    raise SystemExit(f"{way} gives another cut: {len(cut)} edges, not {len(known)}.")
    least = statistics.median(taken["levels"])
    rows = []
    for way, times in taken.items():
        row = {
            "cut": name,
            "way": way,
            "n": len(times),
            "edges p50": int(statistics.median(sizes)),
            "p50 ms": round(statistics.median(times), 1),
            "p95 ms": round(quantile(times, 0.95), 1),
            "max ms": round(max(times), 1),
            "times levels": round(statistics.median(times) / least, 2),
        }
        print(row, flush=True)
        rows.append(row)
    return rows


def _write(result: dict[str, Any]) -> None:
    folder = ROOT / "bench" / ("out" if result["provisional"] else "results")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "neo4j_cuts.json").write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", "utf-8")
    about = " · ".join(f"{k} {v}" for k, v in result["machine"].items())
    columns = list(result["rows"][0])
    lines = [
        "# Ways to ask a server for a cut",
        "",
        *(["**Provisional: the machine was busy, or only part of the files was loaded.**", ""] * result["provisional"]),
        f"`{result['command']}` · commit {result['commit']} · {about} · {result['server']} · {result['started']}",
        "",
        *(
            "| " + " | ".join(map(str, cells)) + " |"
            for cells in (columns, ["---"] * len(columns), *([row[c] for c in columns] for row in result["rows"]))
        ),
        "",
        "Topics are those of WebQSP test questions with facts in the slice; nodes over 10,000 facts are not expanded. "
        "Every way gives the same cut. Class, degree and mediator flag of nodes are known before any way is timed.",
    ]
    (folder / "neo4j_cuts.md").write_text("\n".join(lines) + "\n", "utf-8")
    print(folder / "neo4j_cuts.md")


if __name__ == "__main__":
    main()
