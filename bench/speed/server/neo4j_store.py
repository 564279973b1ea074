"""Neo4j store: online load, cuts and offline answers on the data pack's slice, against the issue's targets.

``python bench/speed/server/neo4j_store.py [--questions 60] [--limit 0]`` does everything: it starts a server of its own
(fresh, heap 2 GiB, page cache 1 GiB, any free ports), loads freebase, wikidata and their links, measures, and removes
the server.
``--uri`` uses a running server with an empty database instead (credentials in the environment). Needs HYDRA_DATA.
Writes bench/results/neo4j.json and neo4j.md; on a busy machine the numbers are provisional and go to bench/out.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from bench.measure import ROOT, commit, data, machine, quantile
from hydra_kg import Settings
from hydra_kg.evaluate.questions.datasets import read_questions
from hydra_kg.ingest.contract.choices import LoadOptions
from hydra_kg.ingest.load import load_files
from hydra_kg.reasoner import Reasoner
from hydra_kg.stores.neo4j.connection.connect import Credentials, connect, open_driver
from hydra_kg.stores.neo4j.connection.local_home import Home
from hydra_kg.stores.neo4j.local_server.conf import free_port
from hydra_kg.stores.neo4j.local_server.server import LocalServer
from hydra_kg.stores.neo4j.store import Neo4jStore

HEAP, PAGE_CACHE = 2048, 1024  # MiB
BUSY = 1.0  # load average at the start
QUESTIONS = data() / "questions" / "dev" / "webqsp_test.jsonl"
FILES = ("freebase.nt.gz", "wikidata.nt.gz", "fb2w.nt.gz")
CUTS: dict[str, tuple[dict[str, Any], str]] = {
    "cut D=2, mediators counted": ({"depth": 2, "hops": "paper"}, "p50 ≤ 250 ms"),
    "cut D=2, default hops": ({"depth": 2}, "p50 ≤ 600 ms"),
    "cut D=3 within 200,000 edges": ({"depth": 3, "budget": 200_000}, "p50 ≤ 2,500 ms"),
}


def main() -> None:
    """Load, measure, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--uri", default="", help="a running server with an empty database")
    parser.add_argument("--questions", type=int, default=60)
    parser.add_argument("--limit", type=int, default=0, help="lines of each file, for a quick look")
    options = parser.parse_args()
    result: dict[str, Any] = {
        "command": f"bench/speed/server/neo4j_store.py --questions {options.questions} --limit {options.limit}",
        "commit": commit(),
        "machine": machine("neo4j", "neo4j-rust-ext"),
        "started": time.strftime("%Y-%m-%d %H:%M"),
    }
    result["server"] = options.uri or f"own server, heap {HEAP} MiB, page cache {PAGE_CACHE} MiB"
    result["provisional"] = bool(result["machine"]["load"] > BUSY or options.limit)
    with open_server(options.uri) as store, tempfile.TemporaryDirectory() as folder:
        result["loads"] = [_load(store, data() / name, options.limit) for name in FILES]
        topics = _topics(store, options.questions)
        result["rows"] = [*_cuts(store, topics), *_asked(store, options.questions, Path(folder))]
    _write(result)


@contextmanager
def open_server(uri: str) -> Iterator[Neo4jStore]:
    """The store of a running server, or of one that lives as long as this."""
    if uri:
        with Neo4jStore(uri, driver=connect(uri)) as store:
            yield store
        return
    with tempfile.TemporaryDirectory(prefix="hydra-bench-") as folder:
        home = Home(Path(folder) / "neo4j")
        local, bolt = LocalServer(home), free_port(0)
        status = local.start(
            bolt=bolt, http=free_port(0, reserved=frozenset({bolt})), heap=HEAP, page_cache=PAGE_CACHE, tell=print
        )
        try:
            if status.instance is None:
                raise SystemExit("The server did not start.")
            address = status.instance.uri
            driver = open_driver(address, Credentials("neo4j", home.password() or "", "the benchmark"), database=None)
            with Neo4jStore(address, driver=driver) as store:
                yield store
        finally:
            local.stop()


def _load(store: Neo4jStore, file: Path, limit: int) -> dict[str, Any]:
    (load,) = load_files(store, [file], LoadOptions(limit=limit)).loads
    facts = load.links + load.values
    seconds = load.seconds["write"] + load.seconds["flip"]
    row = {
        "file": file.name,
        "facts": facts,
        "nodes": load.nodes,
        "names": load.names,
        "write and flip s": round(seconds, 1),
        "facts/s": round(facts / seconds) if facts else "",
    }
    print(row, flush=True)
    return row


def _topics(store: Neo4jStore, count: int) -> list[list[int]]:
    """Those of questions whose topics have facts here: an empty cut costs nothing and says nothing."""
    questions = read_questions(QUESTIONS)
    random.Random(1).shuffle(questions)
    found = []
    with store.snapshot() as snapshot:
        for question in questions:
            start = [n for n in snapshot.lookup(question.topics) if n is not None]
            if start and any(entity.degree for entity in snapshot.entities(start)):
                found.append(start)
            if len(found) == count:
                break
    return found


def _cuts(store: Neo4jStore, topics: list[list[int]]) -> Iterator[dict[str, Any]]:
    with store.snapshot() as snapshot:
        rank = (np.random.default_rng(0).integers(0, 1000, len(snapshot.predicates().ids)) / 1000).astype(np.float32)
        snapshot.cut(topics[0], depth=2, rank=rank)  # plans of the queries
        for name, (how, target) in CUTS.items():
            sizes: list[int] = []

            def cut(start: list[int], how: dict[str, Any] = how, sizes: list[int] = sizes) -> None:
                sizes.append(len(snapshot.cut(start, rank=rank, hub_cap=10_000, **how)))

            yield _row(name, cut, topics, target) | {"edges p50": int(statistics.median(sizes))}


def _asked(store: Neo4jStore, count: int, folder: Path) -> Iterator[dict[str, Any]]:
    questions = [q.text for q in read_questions(QUESTIONS)]
    random.Random(2).shuffle(questions)
    settings = Settings(retrieval={"edge_budget": 200_000})
    reasoner = Reasoner(store, settings=settings, folder=folder)
    began = time.perf_counter()
    reasoner.warm()  # as a load does
    print(f"relation vectors: {time.perf_counter() - began:.1f} s", flush=True)
    reasoner.ask(questions[-1])
    yield _row("ask offline, warm", reasoner.ask, questions[:count], "p50 ≤ 1,000 ms, p95 ≤ 4,000 ms")

    def cold(question: str) -> None:
        Reasoner(store, settings=settings, folder=folder).ask(question)

    yield _row("the same, first question of a reasoner", cold, questions[:10], "")


def _row(name: str, work: Callable[[Any], object], arguments: list[Any], target: str) -> dict[str, Any]:
    taken = []
    for one in arguments:
        begun = time.perf_counter()
        work(one)
        taken.append((time.perf_counter() - begun) * 1000)
    row = {
        "read": name,
        "n": len(taken),
        "p50 ms": round(statistics.median(taken), 1),
        "p95 ms": round(quantile(taken, 0.95), 1),
        "max ms": round(max(taken), 1),
        "target": target,
    }
    print(row, flush=True)
    return row


def _write(result: dict[str, Any]) -> None:
    folder = ROOT / "bench" / ("out" if result["provisional"] else "results")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "neo4j.json").write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", "utf-8")
    about = " · ".join(f"{k} {v}" for k, v in result["machine"].items())
    lines = ["# Neo4j store", ""]
    if result["provisional"]:
        lines += ["**Provisional: the machine was busy, or only part of the files was loaded.**", ""]
    lines += [
        f"`{result['command']}` · commit {result['commit']} · {about} · {result['server']} · {result['started']}",
        "",
    ]
    loads = [{**load, "target": "≥ 10,000" if load["facts"] else ""} for load in result["loads"]]
    reads = ["read", "n", "edges p50", "p50 ms", "p95 ms", "max ms", "target"]
    for rows, columns in ((loads, list(loads[0])), (result["rows"], reads)):
        lines += [
            "| " + " | ".join(map(str, cells)) + " |"
            for cells in (columns, ["---"] * len(columns), *([row.get(c, "") for c in columns] for row in rows))
        ]
        lines.append("")
    lines.append(
        "Topics are those of WebQSP test questions with facts in the slice; ranks of predicates are random;"
        " nodes over 10,000 facts are not expanded. Nothing is cached between cuts but what is known of nodes"
        " in numbers (class, degree, mediator: 24 bytes a node)."
    )
    (folder / "neo4j.md").write_text("\n".join(lines) + "\n", "utf-8")
    print(folder / "neo4j.md")


if __name__ == "__main__":
    main()
