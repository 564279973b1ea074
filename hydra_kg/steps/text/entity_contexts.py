"""Knowledge-guided context retrieval (ToG-2 §3.2.2): sentences of entities' documents, which rank the entities."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from hydra_kg.domain import Analysis, Evidence, Passage, Path, Scores
from hydra_kg.extract.rules import sentences
from hydra_kg.steps.context import DOCUMENTS, Context
from hydra_kg.steps.text.sentence_retrieval import PassageSentence
from hydra_kg.steps.text.text_ranking import Ranker, ranked
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
