"""How fast the embedded store cuts, finds paths and shows entities, against igraph on the same questions and graph.

    python bench/speed/store.py [--kept STORE] [--clean STORE] [--questions 30] [--repeats 5]

``--kept``: a store made by ``hydra-kg load --keep-reverse freebase.nt.gz``; ``--clean``: one made without that option.
What is not given is loaded from the data pack into a temporary folder. Results go to ``bench/results/store.md``.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.measure import data, machine, median_of, quantile, save
from bench.memory_stage import SimpleLoadPlan
from hydra_kg.domain import Hops, Source
from hydra_kg.ingest.contract.choices import LoadOptions
from hydra_kg.ingest.load import load_files
from hydra_kg.stores.embedded.reads.snapshot import EmbeddedSnapshot
from hydra_kg.stores.embedded.segments.format import Segment
from hydra_kg.stores.embedded.store import EmbeddedStore

Question = tuple[list[int], list[int]]
Row = dict[str, Any]

ONE, FOUR, IGRAPH = "one load", "four loads", "igraph"


class Share:
    """Every fourth link of a written load as a stage: four of them make the same graph in four loads."""

    def __init__(self, segment: Segment, part: int, parts: int) -> None:
        self._s, self._part, self._parts = segment, part, parts

    def counts(self) -> Mapping[str, int]:
        """Rows per stream."""
        s = self._s
        return {
            "links": len(range(self._part, len(s.fdst), self._parts)),
            "values": 0,
            "nodes": len(s.nodes),
            "terms": len(s.term_id),
            "names": 0,
            "passages": 0,
            "same_as": 0,
        }

    def links(self) -> Iterator[Mapping[str, Any]]:
        """The share of links."""
        s = self._s
        rows = np.arange(self._part, len(s.fdst), self._parts)
        subject = np.repeat(np.arange(len(s.nodes)), np.diff(s.foff.astype(np.int64)))[rows]
        line = s.lines(rows, subject, literal=False)
        yield {"s": s.nodes[subject], "p": s.preds[s.fpred[rows]], "o": s.nodes[s.fdst[rows]], "line": line}

    def values(self) -> Iterator[Mapping[str, Any]]:
        """None."""
        return iter(())

    def nodes(self) -> Iterator[Any]:
        """Those with a link in this share: as in four real loads, each knows only some of the nodes."""
        yield np.unique(np.concatenate([np.concatenate((b["s"], b["o"])) for b in self.links()]))

    def mediators(self) -> Iterator[Any]:
        """All of them."""
        yield self._s.nodes[self._s.mediator != 0]

    def terms(self) -> Iterator[tuple[Any, Sequence[str]]]:
        """All of them."""
        yield self._s.term_id, [t or "" for t in self._s.terms(self._s.term_id)]

    def predicates(self) -> Sequence[tuple[int, str, str, str]]:
        """All of them, without texts."""
        return [(p, str(p), str(p), "") for p in self._s.preds.tolist()]

    def names(self) -> Iterator[Any]:
        """None."""
        return iter(())

    passages = same_as = details = names


def questions(snapshot: EmbeddedSnapshot, wanted: int, seed: int = 7) -> list[Question]:
    """Gold topics and answers (as classes) of WebQSP questions that the slice can reach within three hops."""
    folder = data() / "questions"
    with gzip.open(folder / "answerable.dev.tsv.gz", "rt", encoding="utf-8") as f:
        head = f.readline().rstrip("\n").split("\t")
        rows = [dict(zip(head, line.rstrip("\n").split("\t"), strict=True)) for line in f]
    hops = {r["id"]: r["hops_core"] for r in rows if r["dataset"] == "webqsp_test"}
    pool = []
    for line in (folder / "dev" / "webqsp_test.jsonl").read_text("utf-8").splitlines():
        q = json.loads(line)
        answers = [a["id"] for a in q["answers"] if str(a.get("id") or "").startswith("m.")]
        if answers and hops.get(q["id"], "None") not in ("None", "") and 1 <= float(hops[q["id"]]) <= 3:
            pool.append(([t["id"] for t in q["topic_entities"]], answers))
    random.Random(seed).shuffle(pool)
    found = [tuple([c for c in snapshot.lookup(keys) if c is not None] for keys in q) for q in pool[:wanted]]
    return [(topics, answers) for topics, answers in found if topics]


def race(
    what: str,
    runs: Mapping[str, tuple[Callable[[Question], Any], str]],
    count: Callable[[Any], int],
    asked: Sequence[Question],
    repeats: int,
) -> list[Row]:
    """One row a runner: p50, p95 and greatest of the median times per question, and edges or paths.

    Runners take turns on every question, so that a busy moment of the machine hits all of them (igraph comes last, for
    what it leaves of the caches); the first is what the others are compared with. ``runs``: name to (what to run, what
    it must reach).
    """
    times: dict[str, list[float]] = {name: [] for name in runs}
    sizes: dict[str, list[int]] = {name: [] for name in runs}
    for question in asked:
        turns: dict[str, list[float]] = {name: [] for name in runs}
        for name, turn in [(n, t) for t in range(repeats + 1) for n in runs if n != IGRAPH] + [
            (IGRAPH, 0),
            (IGRAPH, 1),
        ]:
            if name in runs:
                result, ms = median_of(lambda run=runs[name][0], q=question: run(q), 1)
                if turn:  # the first touches what is cold
                    turns[name].append(ms)
                else:
                    sizes[name].append(count(result))
        for name, found in turns.items():
            times[name].append(quantile(found, 0.5))
    p50 = {name: quantile(t, 0.5) for name, t in times.items()}
    first = next(iter(runs))
    for name in runs:
        if name in (FOUR, IGRAPH) and sizes[name] != sizes[first]:
            raise SystemExit(f"{what}: {name} found other numbers than {first}: {sizes[name]} {sizes[first]}")
    print(what, {name: f"{ms:.2f}" for name, ms in p50.items()}, file=sys.stderr)
    return [
        {
            "what": what,
            "by": name,
            "p50 ms": f"{p50[name]:.2f}",
            "p95 ms": f"{quantile(times[name], 0.95):.2f}",
            "max ms": f"{max(times[name]):.2f}",
            f"of {ONE}": f"{p50[name] / p50[first]:.2f}×" if name != first else "",
            "edges p50": f"{quantile(sizes[name], 0.5):,.0f}",
            "edges max": f"{max(sizes[name]):,}",
            "must reach": target,
        }
        for name, (_, target) in runs.items()
    ]


class Found(NamedTuple):
    """Columns of a cut by igraph."""

    src: Any
    dst: Any
    edge: Any


class Rival:
    """The same graph in igraph, with numpy columns beside it for the ends of its edges."""

    def __init__(self, segment: Segment) -> None:
        import igraph

        self.src = np.repeat(np.arange(len(segment.nodes)), np.diff(segment.foff.astype(np.int64)))
        self.dst = segment.fdst.astype(np.int64)
        start = time.perf_counter()
        self.graph = igraph.Graph(n=len(segment.nodes), edges=np.column_stack((self.src, self.dst)), directed=True)
        self.seconds = time.perf_counter() - start
        self.simple = self.graph.as_undirected(mode="collapse")
        self.nodes = segment.nodes

    def cut(self, topics: Sequence[int], depth: int) -> Any:
        """Source, target and id of all edges with an end nearer than ``depth``."""
        at = np.searchsorted(self.nodes, topics).tolist()
        inner = set().union(*self.graph.neighborhood(at, order=depth - 1, mode="all"))
        edges = np.unique(np.concatenate([np.fromiter(self.graph.incident(v, mode="all"), np.int64) for v in inner]))
        return Found(self.src[edges], self.dst[edges], edges)

    def paths(self, topics: Sequence[int], answers: Sequence[int]) -> int:
        """How many simple paths of at most three edges there are between topics and answers."""
        a, b = (np.searchsorted(self.nodes, x).tolist() for x in (topics, answers))
        return sum(len(self.simple.get_all_simple_paths(x, to=y, maxlen=3, mode="all")) for x in a for y in b if x != y)


def edges(cut: Any) -> int:
    """How many edges a cut has."""
    return len(cut.src)


def cuts(snapshot: EmbeddedSnapshot, depth: int, hops: Hops, budget: int = 0) -> Callable[[Question], Any]:
    """A cut with the given parameters."""
    return lambda q: snapshot.cut(q[0], depth=depth, hops=hops, budget=budget)


def paths(snapshot: EmbeddedSnapshot) -> Callable[[Question], int]:
    """How many simple paths."""
    return lambda q: sum(len(p) for x in q[0] for y in q[1] for p in snapshot.simple_paths(x, y))


def lookups(snapshot: EmbeddedSnapshot, asked: Sequence[Question], repeats: int) -> list[Row]:
    """Names, entities and provenance of what a question touches."""
    graph = snapshot.cut(asked[0][0], depth=2)
    some = np.random.default_rng(0)
    entities = graph.nodes[~graph.mediator[graph.nodes]]
    nodes = graph.ids[some.choice(entities, min(200, len(entities)), replace=False)].tolist()
    edges = some.choice(len(graph), min(200, len(graph)), replace=False)
    names = [e.node.name for e in snapshot.entities(nodes[:5])]
    left, right = graph.ids[graph.src[edges]], graph.ids[graph.dst[edges]]
    typos = [n[:2] + n[3:] if len(n) > 4 else n for n in names]
    runs: list[tuple[str, Callable[[], Any], str]] = [
        ("find 5 names", lambda: snapshot.find(names), "5"),
        ("find 5 names, all words contained", lambda: snapshot.find([n + " the" for n in names], reach="tokens"), ""),
        ("find 5 names with a letter missing", lambda: snapshot.find(typos, reach="near"), ""),
        ("entities of 200 classes", lambda: snapshot.entities(nodes), "10"),
        ("values of 200 classes", lambda: snapshot.values(nodes), ""),
        ("facts between 200 pairs", lambda: snapshot.between(left, right), ""),
        ("200 facts with provenance", lambda: snapshot.facts(graph.segment[edges], graph.row[edges]), "10"),
    ]
    rows = []
    for name, run, target in runs:
        runner = {ONE: (lambda _, run=run: run(), f"≤ {target}" if target else "")}
        rows += race(name, runner, lambda _: 0, asked[:1], repeats)
    return [row | {"p95 ms": "", "max ms": "", "edges p50": "", "edges max": ""} for row in rows]


def main() -> None:
    """Load what is missing, measure, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kept", type=Path, help="store loaded with --keep-reverse")
    parser.add_argument("--clean", type=Path, help="store loaded without")
    parser.add_argument("--questions", type=int, default=30)
    parser.add_argument("--repeats", type=int, default=5)
    args = parser.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))

        def opened(path: Path | None, name: str, **options: Any) -> EmbeddedStore:
            store = stack.enter_context(EmbeddedStore(path or folder / name))
            if path is None:
                load_files(store, [data() / "freebase.nt.gz"], LoadOptions(**options))
            return store

        kept, clean = opened(args.kept, "kept", keep_reverse=True), opened(args.clean, "clean")
        four = stack.enter_context(EmbeddedStore(folder / "four"))
        with kept.pin() as pinned:
            segment = pinned.loads[0][1]
            for part in range(4):
                writer = four.begin(SimpleLoadPlan(f"part{part}", (Source(f"part{part}"),)))
                writer.write(Share(segment, part, 4))
                writer.commit({})
            one, many, tidy = (stack.enter_context(s.snapshot()) for s in (kept, four, clean))
            measure(segment, one, many, tidy, args.questions, args.repeats)


def measure(
    segment: Segment, one: EmbeddedSnapshot, many: EmbeddedSnapshot, tidy: EmbeddedSnapshot, wanted: int, repeats: int
) -> None:
    """All rows."""
    about = machine("numpy", "igraph")
    asked = questions(one, wanted)
    rival = Rival(segment)
    rows = []
    for depth, target in ((2, "p50 ≤ 2, p95 ≤ 8"), (3, "p50 ≤ 60")):
        rows += race(
            f"D = {depth}, mediators counted",
            {
                ONE: (cuts(one, depth, "paper"), target),
                FOUR: (cuts(many, depth, "paper"), "≤ 2.5×"),
                IGRAPH: (lambda q, d=depth: rival.cut(q[0], d), "≥ 4×"),
            },
            edges,
            asked,
            repeats,
        )
    for depth, target in ((2, "p50 ≤ 10"), (3, "p50 ≤ 150")):
        rows += race(
            f"D = {depth}, default hops",
            {
                ONE: (cuts(one, depth, "entity"), target),
                FOUR: (cuts(many, depth, "entity"), "≤ 2.5×"),
                "cleaned store": (cuts(tidy, depth, "entity"), target),
                "one load, budget 200,000": (cuts(one, depth, "entity", 200_000), ""),
            },
            edges,
            asked,
            repeats,
        )
    rows += race(
        "all simple paths ≤ 3",
        {
            ONE: (paths(one), "p50 ≤ 2, p95 ≤ 15"),
            FOUR: (paths(many), "≤ 4×"),
            IGRAPH: (lambda q: rival.paths(*q), ""),
        },
        int,
        asked,
        repeats,
    )
    rows += lookups(one, asked, repeats)
    notes = [
        f"{len(asked)} WebQSP questions with gold topics (seed 7); each time the median of {repeats} warm"
        " runs (igraph: one) that took turns; ratios are to one load in the same turns.",
        f"Graph: {len(segment.fdst):,} links, {len(segment.nodes):,} nodes, reverse properties kept; cleaned store:"
        f" {len(tidy.pinned.loads[0][1].fdst):,} links.",
        "igraph: neighborhood() up to D − 1, incident edges of all of them, ends by numpy; paths by"
        " get_all_simple_paths(maxlen=3) on the simplified undirected graph. Edge and path counts of every question"
        " were equal to ours, with one load and with four.",
        f"igraph made its graph from arrays in {rival.seconds:.1f} s.",
    ]
    save(
        "store",
        title="The embedded store: cuts, paths, entities",
        command="python bench/speed/store.py",
        about=about,
        notes=notes,
        rows=rows,
    )


if __name__ == "__main__":
    main()
