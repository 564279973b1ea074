"""Neo4j store: online load, cuts and offline answers on the data pack's slice, against the issue's targets.

Run with the server's address and credentials in the environment (NEO4J_URI …), an empty database, and HYDRA_DATA:
``python bench/bench_neo4j.py [--files freebase.nt.gz] [--limit 0] [--questions 60]``. What is loaded already under
its name is not loaded again. Writes bench/results/neo4j.json and neo4j.md.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from hydra_kg import Settings
from hydra_kg.errors import StoreError
from hydra_kg.evaluate.datasets import read_questions
from hydra_kg.ingest.load import load_files
from hydra_kg.reasoner import Reasoner
from hydra_kg.stores.neo4j.store import Neo4jStore

DATA = Path(os.environ.get("HYDRA_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")
RESULTS = Path(__file__).resolve().parent / "results"
TARGETS = {
    "load facts/s": "≥ 10,000",
    "cut D=2 paper": "p50 ≤ 250 ms",
    "cut D=2 default": "p50 ≤ 600 ms",
    "cut D=3 default, budget 200,000": "p50 ≤ 2,500 ms",
    "ask offline": "p50 ≤ 1,000 ms, p95 ≤ 4,000 ms",
}


def main() -> None:
    """Load what is missing, then measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", default="freebase.nt.gz")
    parser.add_argument("--limit", type=int, default=0, help="lines of each file")
    parser.add_argument("--questions", type=int, default=60)
    options = parser.parse_args()
    chosen = f"--files {options.files} --limit {options.limit} --questions {options.questions}"
    result: dict[str, Any] = {
        "machine": f"{os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}",
        "command": f"bench/bench_neo4j.py {chosen}",
        "started": time.strftime("%Y-%m-%d %H:%M"), "load average": os.getloadavg()[0],
    }  # fmt: skip
    with Neo4jStore(os.environ["NEO4J_URI"]) as store:
        result["loads"] = [_load(store, DATA / name, options.limit) for name in options.files.split(",")]
        result["rows"] = {**_cuts(store, options.questions), **_asked(store, options.questions)}
    _write(result)


def _load(store: Neo4jStore, file: Path, limit: int) -> dict[str, Any]:
    try:
        report = load_files(store, [file], limit=limit)
    except StoreError as e:
        if "loaded already" not in str(e):
            raise
        return {"file": file.name, "note": "loaded before"}
    (load,) = report.loads
    facts = load.links + load.values
    return {"file": file.name, "facts": facts, "nodes": load.nodes, "names": load.names,
            "write s": load.seconds["write"], "flip s": load.seconds["flip"],
            "facts/s of write and flip": round(facts / (load.seconds["write"] + load.seconds["flip"]))}  # fmt: skip


def _cuts(store: Neo4jStore, count: int) -> dict[str, Any]:
    questions = read_questions("webqsp_test")
    random.Random(1).shuffle(questions)
    out: dict[str, Any] = {}
    with store.snapshot() as snapshot:
        topics = [[n for n in snapshot.lookup(q.topics) if n is not None] for q in questions]
        topics = [t for t in topics if t][:count]
        rank = (np.random.default_rng(0).integers(0, 1000, len(snapshot.predicates().ids)) / 1000).astype(np.float32)
        cuts: list[tuple[str, dict[str, Any]]] = [
            ("cut D=2 paper", {"depth": 2, "hops": "paper"}),
            ("cut D=2 default", {"depth": 2}),
            ("cut D=3 default, budget 200,000", {"depth": 3, "budget": 200_000}),
        ]
        for name, how in cuts:
            sizes: list[int] = []
            here = topics[: max(5, count // 3)] if how["depth"] > 2 else topics

            def cut(start: list[int], how: dict[str, Any] = how, sizes: list[int] = sizes) -> None:
                sizes.append(len(snapshot.cut(start, rank=rank, hub_cap=10_000, **how)))

            out[name] = _times(cut, here) | {"edges p50": int(statistics.median(sizes))}
            print(name, out[name], flush=True)
    return out


def _asked(store: Neo4jStore, count: int) -> dict[str, Any]:
    questions = [q.text for q in read_questions("webqsp_test")]
    random.Random(2).shuffle(questions)
    reasoner = Reasoner(store, settings=Settings(edge_budget=200_000))
    reasoner.ask(questions[-1])  # warm: relation vectors of the predicates
    times = _times(reasoner.ask, questions[:count])
    print("ask offline", times, flush=True)
    return {"ask offline": times}


def _times(work: Callable[[Any], object], arguments: list[Any]) -> dict[str, Any]:
    taken = []
    for one in arguments:
        begun = time.perf_counter()
        work(one)
        taken.append((time.perf_counter() - begun) * 1000)
    taken.sort()
    return {"n": len(taken), "p50 ms": round(statistics.median(taken), 1),
            "p95 ms": round(taken[int(len(taken) * 0.95)], 1), "max ms": round(taken[-1], 1)}  # fmt: skip


def _write(result: dict[str, Any]) -> None:
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "neo4j.json").write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", "utf-8")
    lines = ["# Neo4j store", "", f"{result['machine']}; load average at the start {result['load average']:.1f}; "
             f"{result['started']}; `{result['command']}`", "", "| load | facts | nodes | write s | facts/s | target |",
             "|---|---|---|---|---|---|"]  # fmt: skip
    for load in result["loads"]:
        lines.append(f"| {load['file']} | {load.get('facts', load.get('note'))} | {load.get('nodes', '')} | "
                     f"{load.get('write s', '')} | {load.get('facts/s of write and flip', '')} | "
                     f"{TARGETS['load facts/s']} |")  # fmt: skip
    lines += ["", "| read | n | p50 ms | p95 ms | max ms | edges p50 | target |", "|---|---|---|---|---|---|---|"]
    for name, row in result["rows"].items():
        lines.append(f"| {name} | {row['n']} | {row['p50 ms']} | {row['p95 ms']} | {row['max ms']} | "
                     f"{row.get('edges p50', '')} | {TARGETS[name]} |")  # fmt: skip
    (RESULTS / "neo4j.md").write_text("\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    main()
