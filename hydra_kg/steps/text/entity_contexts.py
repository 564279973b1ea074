"""Rank parts of texts about entities, and make evidence of the best ones."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from hydra_kg.domain import Analysis, Evidence, Passage, Path, Scores
from hydra_kg.extract.mentions import sentences
from hydra_kg.steps.context import DOCUMENTS, Context
from hydra_kg.steps.text.sentence_retrieval import PassageSentence, Ranker, ranked
from hydra_kg.steps.text.text_paths import text_evidence
from hydra_kg.util.recording import step


def chunks_of(context: Context, nodes: Sequence[int]) -> list[PassageSentence]:
    """Return the sentences of stored documents about the classes, in the store's order."""
    asked = list(dict.fromkeys(nodes))
    if not asked or "wiki" not in context.kinds:
        return []
    wanted = set(asked)
    found = context.snapshot.passages(asked, limit=DOCUMENTS)
    return pieces([p for p in found if p.node in wanted and context.may(p.source.name)])


def pieces(passages: Sequence[Passage]) -> list[PassageSentence]:
    """Return the sentences of passages, before any comparison."""
    return [
        PassageSentence(p, p.text[start:end].strip(), start, end) for p in passages for start, end in sentences(p.text)
    ]


@step("entity_contexts")
def best_chunks(
    context: Context,
    analysis: Analysis,
    query: str,
    nodes: Sequence[int],
    triples: Mapping[int, str],
    *,
    ranker: Ranker,
    most: int,
) -> list[PassageSentence]:
    """Return the ``most`` best chunks of entities' documents (Eq. 5), each compared after its triple's sentence."""
    chunks = chunks_of(context, nodes)
    texts = [f"{triples.get(c.passage.node) or c.passage.title}: {c.text}" for c in chunks]
    return [replace(chunks[i], score=s) for i, s in ranked(context, analysis, query, texts, ranker=ranker, most=most)]


def entity_scores(chunks: Sequence[PassageSentence], *, alpha: float) -> dict[int, float]:
    """Return the scores of entities (Eq. 6).

    score(c) = Σ over the K chunks, best first, of s_k · e^(−α·k), where the k-th chunk (from 1) is of c.
    """
    found: dict[int, float] = {}
    for k, chunk in enumerate(chunks, 1):
        found[chunk.passage.node] = found.get(chunk.passage.node, 0.0) + chunk.score * math.exp(-alpha * k)
    return found


def chunk_evidence(chunks: Sequence[PassageSentence], *, phase: str) -> list[Evidence]:
    """Return chunks as texts to be judged, which lead to no entity by themselves."""
    found = []
    for c in chunks:
        numbers, line = Scores(c.score, cross=c.score), f"{c.passage.title}: {c.text}"
        origins = (c.passage.source.group,)
        found.append(Evidence(Path((), c.cited), numbers, phase, True, "context", (), origins, c.text, line))
    return found


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
