"""Choose which of a store's own graphs a question is about."""

from __future__ import annotations

from collections.abc import Sequence

from hydra_kg.ports import Snapshot
from hydra_kg.settings.own_words import OwnWords
from hydra_kg.steps.context import Context
from hydra_kg.steps.own_graphs.graph_reading import read_own_graphs
from hydra_kg.steps.own_graphs.load_groups import predicate_kinds
from hydra_kg.steps.own_graphs.own_graph import OwnGraph
from hydra_kg.steps.schema.matching import known_words
from hydra_kg.steps.schema.question import QuestionWord, asked

LEAST_KNOWN = 1 / 3
"""Share of the content words that a graph has to know if the store holds dumps too, whose question it may be."""


def own_graph(context: Context) -> OwnGraph | None:
    """Return the own graph that the question is about, of those read once per snapshot; None if there is none."""
    limits = context.settings.own_words
    graphs, alone = context.once(("own graphs", limits), lambda: _own_graphs(context.stored, limits))
    return choose_graph(graphs, context.question, limits, alone=alone)


def _own_graphs(snapshot: Snapshot, limits: OwnWords) -> tuple[tuple[OwnGraph, ...], bool]:
    """Return the own graphs of a store, and whether it holds nothing else."""
    predicates = snapshot.predicates()
    foreign = predicates.counts[predicate_kinds(predicates).foreign].sum()
    return read_own_graphs(snapshot, limits), not foreign


def choose_graph(graphs: Sequence[OwnGraph], question: str, costs: OwnWords, *, alone: bool) -> OwnGraph | None:
    """Return the graph that knows most content words of the question, the larger one of equals.

    Next to dumps (``alone`` is False) it has to know every capitalised word and at least `LEAST_KNOWN` of all.
    """
    if len(graphs) < 2 and alone:
        return graphs[0] if graphs else None
    read = asked(question, costs)
    content = [word for word in read.words if not word.stop and word.cost > costs.light_word]
    known = [known_words(graph, read, costs) for graph in graphs]
    best = max(range(len(graphs)), key=lambda n: (sum(_has(known[n], w) for w in content), -n), default=None)
    if best is None:
        return None
    missing = [word for word in content if not _has(known[best], word)]
    names_missing = any(word.text[:1].isupper() and word.start for word in missing)
    if not alone and (names_missing or len(missing) > (1 - LEAST_KNOWN) * len(content) or not content):
        return None
    return graphs[best]


def _has(known: int, word: QuestionWord) -> bool:
    return bool(known >> word.bit & 1)
