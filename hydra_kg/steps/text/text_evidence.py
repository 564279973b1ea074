"""Turn texts into evidence: a model reads the nearest sentences; without a model, rules write paths from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hydra_kg.domain import Analysis, Evidence, Passage
from hydra_kg.steps.context import Context
from hydra_kg.steps.text.entity_contexts import chunk_evidence, pieces
from hydra_kg.steps.text.text_paths import text_evidence
from hydra_kg.steps.text.text_ranking import Ranker, ranked


def read(
    context: Context,
    analysis: Analysis,
    passages: Sequence[Passage],
    *,
    most: int,
    phase: str,
    ranker: Ranker = "dense",
) -> list[Evidence]:
    """Return the ``most`` sentences that are nearest to the analysis' question, best first.

    Without a model that reads, return the paths that rules make from the sentences instead.
    """
    if not context.agent.reads:
        inside = frozenset(analysis.topics)
        rules = text_evidence(context, analysis, passages, question=analysis.question, inside=inside, phase=phase)
        return [_asked(analysis, e) for e in rules]
    chunks = pieces(passages)
    texts = [f"{c.passage.title}: {c.text}" for c in chunks]
    best = ranked(context, analysis, analysis.question, texts, ranker=ranker, most=most)
    return chunk_evidence([replace(chunks[i], score=s) for i, s in best], phase=phase)


def _asked(analysis: Analysis, evidence: Evidence) -> Evidence:
    """Return evidence for a yes-or-no question: a path between two of its names leads to the second."""
    both = [n for n in evidence.path.entities if n.id in analysis.topics]
    if analysis.kind == "boolean" and len(both) > 1:
        return replace(evidence, answers=(both[-1],))
    return evidence
