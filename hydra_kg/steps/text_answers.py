"""Unstructured retrieval (HydraRAG §4.2.1, Algorithm 2): passages, sentences nearest to the question, their paths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from hydra_kg.domain import Analysis, AnswerValue, Entity, Evidence, Hop, Passage, Path
from hydra_kg.extract.rules import sentences
from hydra_kg.ports import Embedder
from hydra_kg.steps.conclude import Conclusion, supporters_of
from hydra_kg.steps.context import Context
from hydra_kg.steps.link import link
from hydra_kg.steps.verify import scores
from hydra_kg.text import tokens

MOST_SENTENCES = 24


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a passage with its span in it and its cosine to the question."""

    passage: Passage
    text: str
    start: int
    end: int
    score: float


def nearest(question: str, passages: Sequence[Passage], embedder: Embedder, *, most: int) -> list[Sentence]:
    """The sentences nearest to the question; those that share most words with it are embedded, at most 24."""
    asked = set(tokens(question))
    pool = []
    for rank, p in enumerate(passages):
        for start, end in sentences(p.text):
            text = p.text[start:end].strip()
            shared = len(asked & set(tokens(f"{p.title} {text}")))
            pool.append((-shared, rank, start, end, text, p))
    pool = sorted(pool, key=lambda x: x[:3])[:MOST_SENTENCES]
    if not pool:
        return []
    vectors = embedder.embed([question, *(f"{p.title}: {text}" for *_, text, p in pool)])
    near = (vectors[1:] @ vectors[0]).tolist()
    found = [Sentence(p, text, s, e, float(c)) for (_, _, s, e, text, p), c in zip(pool, near, strict=True)]
    return sorted(found, key=lambda s: (-s.score, s.passage.id, s.start))[:most]


def answer_from_text(context: Context, analysis: Analysis, *, phase: str) -> Conclusion:
    """The best sentence's answer; other sentences that give the same support it."""
    evidence = text_evidence(context, analysis, phase=phase)
    kept = [e for e in evidence if e.answers]
    if not kept:
        return Conclusion((), tuple(evidence[: context.settings.w_max]), {}, {}, frozenset(), ())
    answer = kept[0].answers[0]
    same = [e for e in kept if e.answers[0].id == answer.id][: context.settings.w_max]
    supporting, kinds = supporters_of(same)
    value = AnswerValue(answer.name, answer, None, (answer.key,), round(kept[0].scores.cross, 6))
    return Conclusion((value,), tuple(same), supporting, {}, kinds, ())


def text_evidence(context: Context, analysis: Analysis, *, phase: str) -> list[Evidence]:
    """Paths written from the sentences nearest to the question, best first; hops cite the sentence's span."""
    passages = [
        p
        for p in context.snapshot.passages(analysis.topics, query=context.question, limit=context.settings.passages)
        if not context.allowed or p.source.name in context.allowed
    ]
    evidence = []
    for s in nearest(context.question, passages, context.space.embedder, most=context.settings.w_max * 2):
        mentions = link(s.text, context.snapshot, candidates=1, most=8, repair=False)
        spans = [(m.start, m.end, m.chosen.node.id) for m in mentions if m.chosen]
        if s.passage.node and all(n != s.passage.node for _, _, n in spans):
            spans.insert(0, (0, 0, s.passage.node))
        known = context.entities([n for _, _, n in spans])
        for a, phrase, b in context.agent.write_paths(s.passage, s.text, spans):
            evidence.append(_evidence(context, s, (known[a], phrase, known[b]), analysis, phase))
    return sorted(evidence, key=lambda e: -e.scores.cross)


def _evidence(
    context: Context, s: Sentence, triple: tuple[Entity, str, Entity], analysis: Analysis, phase: str
) -> Evidence:
    a, phrase, b = triple
    place = replace(s.passage.locator, page=s.passage.title, start=s.start, end=s.end)
    cited = replace(s.passage, text=s.text, locator=place, score=s.score)
    path = Path((Hop(a.node, phrase, phrase, b.node),), cited)
    backers = {s.passage.source.group}
    numbers = scores(
        path,
        float(np.clip(s.score, 0, 1)),
        supporters=backers,
        inside=set(analysis.topics),
        settings=context.settings,
    )
    answers = tuple(n for n in (b.node, a.node) if n.id not in analysis.topics)[:1]
    return Evidence(path, numbers, phase, bool(answers), "written from text", answers, tuple(backers), s.text)
