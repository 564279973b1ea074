"""Is it the same? Real slice, embedded store against Neo4j: ids, cuts, truncation, provenance, answers, paths.

``python bench/faults/differential.py [--questions 100]`` loads both (a fresh server of its own; ``--uri``, ``--store``
name loaded ones instead), compares, and writes bench/results/differential.md and .json. Exit status 1 if they differ.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import os
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.measure import data, machine, save
from bench.speed.server.neo4j_store import open_server
from hydra_kg import Settings
from hydra_kg.domain import Subgraph
from hydra_kg.evaluate.questions.datasets import Question, read_questions
from hydra_kg.ingest.load import load_files
from hydra_kg.ports import Snapshot, Store
from hydra_kg.reasoner import Reasoner
from hydra_kg.serialise import answer_json
from hydra_kg.stores.embedded.store import EmbeddedStore

FILES = ("freebase.nt.gz", "wikidata.nt.gz", "fb2w.nt.gz", "wikipedia.jsonl.gz")
SETS = ("webqsp_test", "webqsp_train", "cwq", "simpleqa")
BUDGET = 200_000
CUTS: dict[str, dict[str, Any]] = {
    "cut D=2, default hops": {"depth": 2},
    "cut D=2, mediators counted": {"depth": 2, "hops": "paper"},
    "cut D=3 within 200,000 edges": {"depth": 3, "budget": BUDGET},
}
FACTS = 300  # of each cut, with provenance

Check = Callable[[Snapshot, Question], object]


def main() -> None:
    """Load what is not there, compare, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--uri", default="", help="a server on which the slice is loaded")
    parser.add_argument("--store", type=Path, help="a folder in which the slice is loaded")
    parser.add_argument("--questions", type=int, default=100)
    options = parser.parse_args()
    about = machine("neo4j", "neo4j-rust-ext")
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(open_server(options.uri))
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder = stack.enter_context(EmbeddedStore(options.store or scratch / "store"))
        for store in (server, folder):
            if not store.loads():
                load_files(store, [data() / name for name in FILES])
                print("loaded", store.url, flush=True)
        vectors = scratch / "vectors"
        vectors.mkdir()
        rows, notes = compare(folder, server, _questions(options.questions), vectors)
    save(
        "differential",
        title="Embedded store and Neo4j: the same?",
        about=about,
        rows=rows,
        notes=notes,
        command=f"python bench/faults/differential.py --questions {options.questions}",
    )
    sys.exit(any(row["different"] for row in rows))


def _questions(count: int) -> list[Question]:
    """As many from each set, drawn at random."""
    folder = data() / "questions" / "dev"
    sets = [name for name in SETS if (folder / f"{name}.jsonl").is_file()]
    drawn: list[Question] = []
    for n, name in enumerate(sets):
        found = [q for q in read_questions(folder / f"{name}.jsonl") if q.topics]
        random.Random(7).shuffle(found)
        drawn += found[: (count - len(drawn)) // (len(sets) - n)]
    return drawn


def compare(
    one: Store, other: Store, questions: Sequence[Question], folder: Path
) -> tuple[list[dict[str, Any]], list[str]]:
    """A row a kind of result: how often it was compared, how often it differed; and the questions where it did."""
    compared, differed, seconds = Counter[str](), Counter[str](), dict[str, float]()
    notes: list[str] = []

    def check(name: str, question: Question, works: Sequence[Callable[[], object]]) -> None:
        results = []
        for kind, work in zip(("embedded", "neo4j"), works, strict=True):
            began = time.perf_counter()
            results.append(work())
            key = f"{name} {kind}"
            seconds[key] = seconds.get(key, 0.0) + time.perf_counter() - began
        compared[name] += 1
        if results[0] != results[1]:
            differed[name] += 1
            notes.append(f"{name}: {question.dataset} {question.id}: {question.text}")
            print("DIFFERENT", notes[-1], flush=True)

    reasoners = [Reasoner(s, settings=Settings(retrieval={"edge_budget": BUDGET}), folder=folder) for s in (one, other)]
    with one.snapshot() as a, other.snapshot() as b:
        rank = (np.random.default_rng(0).integers(0, 1000, len(a.predicates().ids)) / 1000).astype(np.float32)
        for question in questions:
            for name, kind in _checks(rank).items():
                check(name, question, [partial(kind, s, question) for s in (a, b)])
    for n, question in enumerate(questions):
        check("answer with paths and provenance", question, [partial(_asked, r, question) for r in reasoners])
        print(f"{n + 1} asked, load average {os.getloadavg()[0]:.1f}", flush=True)
    took = {name: round(n, 1) for name, n in seconds.items()}
    rows = [
        {
            "what": name,
            "compared": n,
            "different": differed[name],
            "embedded s": took[f"{name} embedded"],
            "neo4j s": took[f"{name} neo4j"],
        }
        for name, n in compared.items()
    ]
    return rows, notes


def _asked(reasoner: Reasoner, question: Question) -> object:
    return _plain(answer_json(reasoner.ask(question.text)))


def _checks(rank: Any) -> dict[str, Check]:
    def ids(s: Snapshot, q: Question) -> object:
        nodes = s.lookup(q.topics)
        return nodes, s.entities([n for n in nodes if n is not None]), s.find([q.text, *q.text.split()], limit=20)

    def cut(how: Mapping[str, Any]) -> Check:
        def work(s: Snapshot, q: Question) -> object:
            graph = s.cut(_known(s, q), rank=rank, hub_cap=10_000, **how)
            return _edges(graph), _reached(graph), graph.truncated, _provenance(s, graph)

        return work

    def texts(s: Snapshot, q: Question) -> object:
        found = s.passages(_known(s, q), query=q.text, limit=20)
        values = s.values(_known(s, q))
        return [dataclasses.replace(p, score=round(p.score, 9)) for p in found], s.facts(values.segment, values.row)

    return {"ids, entities, names": ids, "passages and literal facts": texts, **{k: cut(v) for k, v in CUTS.items()}}


def _known(s: Snapshot, q: Question) -> list[int]:
    return [n for n in s.lookup(q.topics) if n is not None]


def _order(graph: Subgraph) -> Any:
    return np.lexsort((graph.row, graph.segment, graph.level))


def _edges(graph: Subgraph) -> bytes:
    at = _order(graph)
    columns = (graph.level, graph.ids[graph.src], graph.pred, graph.ids[graph.dst], graph.segment, graph.row)
    return b"".join(c[at].astype(np.int64).tobytes() for c in columns)


def _reached(graph: Subgraph) -> bytes:
    at = graph.nodes
    columns = (graph.ids[at], graph.depth, graph.mediator[at], graph.degree[at])
    return b"".join(c.astype(np.int64).tobytes() for c in columns)


def _provenance(s: Snapshot, graph: Subgraph) -> object:
    at = _order(graph)
    at = at[:: max(1, len(at) // FACTS)]
    return s.facts(graph.segment[at], graph.row[at])


def _plain(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Without what no two runs share, and how much a budget left out: a server does not walk on to count it."""
    doc = {k: v for k, v in answer.items() if k not in ("id", "seconds", "created")}
    doc["manifest"] = {**doc["manifest"], "loads": [{**x, "checksum": ""} for x in doc["manifest"]["loads"]]}
    doc["explorations"] = [{k: v for k, v in e.items() if k != "seconds"} for e in doc["explorations"]]
    for exploration in doc["explorations"]:
        exploration["counts"] = {k: v for k, v in exploration["counts"].items() if k != "left_out"}
    return doc


if __name__ == "__main__":
    main()
