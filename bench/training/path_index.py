"""Measure whether an index of relation vectors over the whole store would propose the relation that a question asks.

    python bench/training/path_index.py STORE [--set webqsp_test] [--limit N]

STORE holds the four slices of the data pack. The index has one vector per relation of the store, alone and through a
mediator, in both directions. A question is the text without the name of its topic; right is a relation of its gold
queries. Printed: the share of questions whose right relation is among the first k, by cosine and with the learned
matrix, over all relations and over those that are stated of the topic, which is what the search of paths scores.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.measure import data
from bench.training.fit_relevance import labelled
from hydra_kg import Hydra
from hydra_kg.domain import Analysis, Floats, Judgement
from hydra_kg.index.faiss_index import PathIndex
from hydra_kg.steps.answering.results import NOTHING
from hydra_kg.steps.context import Context
from hydra_kg.steps.graph.hops import HopGraph
from hydra_kg.strategies.base import Outcome

DEPTHS = (1, 5, 12, 25, 50)


class Borrowed:
    """Strategy that answers nothing and lends its context to `use`."""

    name = "borrowed"
    paper = ""

    def __init__(self, use: object) -> None:
        self.use = use

    def run(self, context: Context) -> Outcome:
        """Call `use` with the context."""
        self.use(context)  # type: ignore[operator]
        return Outcome((), Analysis(context.question, "", (), 1), NOTHING, Judgement(False, 0.0))


def ranks(scores: Floats, texts: Sequence[str], right: Sequence[Sequence[str]]) -> np.ndarray:
    """Return the best place, from 0, of a right text for each question, or the number of texts for none."""
    of = {text: i for i, text in enumerate(texts)}
    found = np.full(len(right), len(texts))
    for row, wanted in enumerate(right):
        at = [of[w] for w in wanted if w in of]
        if at:
            found[row] = int((scores[row] > scores[row, at].max()).sum())
    return found


def show(name: str, places: np.ndarray) -> None:
    """Print the share of questions within each depth."""
    shares = " ".join(f"@{k} {float((places < k).mean()):.3f}" for k in DEPTHS)
    print(f"{name} ({len(places)} questions): {shares}", flush=True)


def around(context: Context, topics: Sequence[str]) -> set[str]:
    """Return the texts of the relations that are stated of the topics."""
    ids = [n for n in context.snapshot.lookup(list(topics)) if n is not None]
    if not ids:
        return set()
    graph = HopGraph(context.snapshot.cut(ids, depth=1), predicates=context.space.base // 2)
    hops = graph.walk(graph.local(np.array(ids, np.int64)))
    return {context.space.text(c) for c in np.unique(hops.code).tolist()}


def measure(context: Context, name: str, limit: int) -> None:
    """Embed the relations and the questions, and print recall and times."""
    file = data() / "questions" / "dev" / f"{name}.jsonl"
    questions = dict(list(labelled(file).items())[: limit or None])
    topics = {}
    for line in file.read_text("utf-8").splitlines():
        doc = json.loads(line)
        topics[doc["id"]] = [t["id"] for t in doc["topic_entities"]]
    space = context.space
    expected = space.expected(context.snapshot.relation_pairs)
    texts, first = np.unique([space.text(c) for c in expected.codes.tolist()], return_index=True)
    vectors = expected.vectors[first]
    asked = space.embedder.embed([q for q, _ in questions.values()])
    right = [wanted for _, wanted in questions.values()]
    known = [i for i, wanted in enumerate(right) if set(wanted) & set(texts.tolist())]
    asked, right = asked[known], [right[i] for i in known]
    learned = asked if space.learned is None else asked + asked @ space.learned
    index = PathIndex(vectors.shape[1])
    index.add(np.arange(len(vectors)), vectors)
    unit = learned / np.linalg.norm(learned, axis=1, keepdims=True)
    start = time.process_time()
    index.search(unit, 25)
    by_index = time.process_time() - start
    start = time.process_time()
    scores = unit @ vectors.T
    np.argpartition(-scores, 25, axis=1)
    by_product = time.process_time() - start
    print(f"{len(texts)} relations; index / plain product {by_index / by_product:.1f} times the processor time")
    show("all relations, cosine", ranks(asked @ vectors.T, texts.tolist(), right))
    show("all relations, learned", ranks(learned @ vectors.T, texts.tolist(), right))
    ids = [list(questions)[i] for i in known]
    own = []
    for row, key in enumerate(ids):
        there = np.isin(texts, sorted(around(context, topics[key])))
        if not there.any() or not set(right[row]) & set(texts[there].tolist()):
            continue
        masked = np.where(there, learned[row] @ vectors.T, -np.inf)[None, :]
        own.append(ranks(masked, texts.tolist(), [right[row]])[0])
    show("relations stated of the topic, learned", np.array(own))


def main() -> None:
    """Open the store, borrow a context and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store")
    parser.add_argument("--set", default="webqsp_test")
    parser.add_argument("--limit", type=int, default=0)
    options = parser.parse_args()
    with Hydra(store=options.store, agent="offline") as hydra:
        strategy = Borrowed(lambda context: measure(context, options.set, options.limit))
        hydra.reasoner.strategy = strategy  # type: ignore[assignment]
        hydra.ask("Who directed Inception?", keep=False)


if __name__ == "__main__":
    main()
