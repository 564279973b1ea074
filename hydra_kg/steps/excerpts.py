"""Unstructured retrieval, reading (HydraRAG §4.2.1, Algorithm 2): passages and their nearest sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from hydra_kg.domain import Excerpt, Passage
from hydra_kg.extract.rules import sentences
from hydra_kg.ports import Embedder
from hydra_kg.steps.context import Context
from hydra_kg.steps.link import link
from hydra_kg.text import tokens

MOST_SENTENCES = 16
_LINE: Final = re.compile(r"[^\n]+")
MOST_MENTIONS = 8


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a passage with its span in it and its cosine to the question."""

    passage: Passage
    text: str
    start: int
    end: int
    score: float

    @property
    def cited(self) -> Passage:
        """The sentence as a passage of its own: its text, and its span in the locator."""
        place = replace(self.passage.locator, page=self.passage.title, start=self.start, end=self.end)
        return replace(self.passage, text=self.text, locator=place, score=self.score)


def passages_of(context: Context, nodes: Sequence[int], question: str) -> list[Passage]:
    """Stored passages about the classes, then those that full text finds for the question; of allowed sources."""
    found = context.snapshot.passages(list(nodes), query=question, limit=context.settings.passages)
    return [p for p in found if not context.allowed or p.source.name in context.allowed]


def nearest(question: str, passages: Sequence[Passage], embedder: Embedder, *, most: int) -> list[Sentence]:
    """The sentences nearest to the question; those that share most words with it are embedded, at most 16."""
    asked = set(tokens(question))
    pool = []
    for rank, p in enumerate(passages):
        for start, end in _spans(p.text):
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


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Sentences of each line: a heading is not part of what follows."""
    for line in _LINE.finditer(text):
        for start, end in sentences(line[0]):
            yield line.start() + start, line.start() + end


def excerpt(context: Context, sentence: Sentence) -> Excerpt:
    """The sentence with the entities that it names; what its passage is about stands at 0 if it is not named."""
    mentions = link(sentence.text, context.snapshot, candidates=1, most=MOST_MENTIONS, repair=False)
    spans = [(m.start, m.end, m.chosen.node.id) for m in mentions if m.chosen]
    about = sentence.passage.node
    if about and all(n != about for _, _, n in spans):
        spans.insert(0, (0, 0, about))
    return Excerpt(sentence.passage, sentence.text, tuple(spans))
