"""Unstructured retrieval, reading (HydraRAG §4.2.1, Algorithm 2): passages, and their sentences ranked."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal

import numpy as np

from hydra_kg.domain import Analysis, Excerpt, Mention, Option, Passage
from hydra_kg.errors import UsageError
from hydra_kg.extract.mentions import sentences
from hydra_kg.steps.context import PASSAGES, Context
from hydra_kg.steps.graph.question_graph import PerQuestion
from hydra_kg.steps.linking.entity_linking import link_all
from hydra_kg.text.folding import tokens
from hydra_kg.util.fast_dataclass import dataclass, replace
from hydra_kg.util.recording import step

_SENTENCE_NAMES: Final = 8  # names that are linked in a sentence
_LINE: Final = re.compile(r"[^\n]+")

_READ: Final = PerQuestion()
_SPLIT: Final = PerQuestion()
_MENTIONS: Final = PerQuestion()
Ranker = Literal["dense", "bm25", "llm", "cross"]

K1, B = 1.5, 0.75
"""Usual values of BM25."""


@dataclass(frozen=True, slots=True)
class PassageSentence:
    """A sentence of a passage with its span in it, and its score: the cosine to the question or another score."""

    passage: Passage
    text: str
    start: int
    end: int
    score: float = 0.0

    @property
    def cited(self) -> Passage:
        """Return the sentence as a passage of its own, with its text and its span in the locator."""
        place = replace(self.passage.locator, page=self.passage.title, start=self.start, end=self.end)
        return replace(self.passage, text=self.text, locator=place, score=self.score)


@step("retrieve_text")
def passages_of(context: Context, nodes: Sequence[int], question: str) -> list[Passage]:
    """Return stored passages about the classes, then those that full-text search finds, from allowed sources."""
    found = context.snapshot.passages(list(nodes), query=question, limit=PASSAGES)
    return [p for p in found if not context.allowed or p.source.name in context.allowed]


def read(context: Context, question: str, passages: Sequence[Passage]) -> list[PassageSentence]:
    """Return the 2 W_max nearest sentences.

    They are the nearest of the ``retrieval.sentences`` (0: all) with the most rare words of the question.
    """
    key = question, tuple((p.id, p.text) for p in passages)
    return _READ.get(context.graph, key, lambda: _nearest(context, question, passages))


def _nearest(context: Context, question: str, passages: Sequence[Passage]) -> list[PassageSentence]:
    asked, embedder, most = set(tokens(question)), context.space.embedder, 2 * context.settings.pruning.w_max
    found = []
    for rank, p in enumerate(passages):
        split = _SPLIT.get(context.graph, (p.id, p.text), lambda p=p: _split(p))  # type: ignore[misc]
        found += [(sorted(asked & words), rank, start, end, text, p) for start, end, text, words in split]
    if not found:
        return []
    rare = idf(Counter(w for shared, *_ in found for w in shared), len(found))
    pool = sorted(found, key=lambda x: (-sum(rare[w] for w in x[0]), x[1], x[2]))
    looked = context.settings.retrieval.sentences
    pool = pool[: max(looked, most) if looked else None]
    vectors = embedder.embed([question, *(f"{p.title}: {text}" for *_, text, p in pool)])
    near = (vectors[1:] @ vectors[0]).tolist()
    best = [PassageSentence(p, text, s, e, float(c)) for (_, _, s, e, text, p), c in zip(pool, near, strict=True)]
    return sorted(best, key=lambda s: (-s.score, s.passage.id, s.start))[:most]


def _split(passage: Passage) -> list[tuple[int, int, str, frozenset[str]]]:
    """Return the spans and texts of the sentences, each with its words and those of the title."""
    title = tokens(passage.title)
    texts = [(start, end, passage.text[start:end].strip()) for start, end in sentence_spans(passage.text)]
    return [(start, end, text, frozenset((*title, *tokens(text)))) for start, end, text in texts]


def sentence_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield the sentences of each line, so that a heading is not part of what follows."""
    for line in _LINE.finditer(text):
        for start, end in sentences(line[0]):
            yield line.start() + start, line.start() + end


def excerpts(context: Context, sentences: Sequence[PassageSentence]) -> list[Excerpt]:
    """Return sentences with the stored entities that they name, each independent of the others."""
    known = _MENTIONS.get(context.graph, None, dict[str, Sequence[Mention]])
    new = [t for t in dict.fromkeys(s.text for s in sentences) if t not in known]
    most = _SENTENCE_NAMES
    linked = link_all(new, context.stored, candidates=1, most=most)
    known.update(zip(new, linked, strict=True))
    return [_excerpt(s, known[s.text]) for s in sentences]


def _excerpt(sentence: PassageSentence, mentions: Sequence[Mention]) -> Excerpt:
    """Return one sentence with its entities; the subject of its passage is at 0 if it is not named."""
    spans = [(m.start, m.end, m.chosen.node.id) for m in mentions if m.chosen]
    about = sentence.passage.node
    if about and all(n != about for _, _, n in spans):
        spans.insert(0, (0, 0, about))
    return Excerpt(sentence.passage, sentence.text, tuple(spans))


@step("rank_text")
def ranked(
    context: Context, analysis: Analysis, query: str, texts: Sequence[str], *, ranker: Ranker, most: int
) -> list[tuple[int, float]]:
    """Return the places and scores of the ``most`` best texts.

    The best ``retrieval.ranked_texts`` texts by BM25 (0: all) are ranked again: by ``dense`` cosine, by a
    ``cross``-encoder, or by the ``llm`` in the order of the ``dense`` cosine. ``bm25`` stops after the first ranking.
    Raises UsageError if there is no cross-encoder.
    """
    if ranker == "cross" and context.services.rerank is None:
        raise UsageError("ranker=cross needs a cross-encoder.", remedy="Name its folder: HYDRA_CROSS_ENCODER=FOLDER.")
    lexical = bm25(query, texts)
    order = sorted(range(len(texts)), key=lambda i: (-lexical[i], i))
    if ranker == "bm25" or not texts:
        top = max(lexical, default=0.0) or 1.0
        return [(i, lexical[i] / top) for i in order[:most]]
    order = order[: context.settings.retrieval.ranked_texts or None]
    if ranker == "cross" and context.services.rerank is not None:
        read = context.services.rerank(query, [texts[i] for i in order]).tolist()
        return sorted(zip(order, read, strict=True), key=lambda p: (-p[1], p[0]))[:most]
    vectors = context.space.embedder.embed([query, *(texts[i] for i in order)])
    cosines = np.clip(vectors[1:] @ vectors[0], 0, 1).tolist()
    dense = sorted(zip(order, cosines, strict=True), key=lambda p: (-p[1], p[0]))
    if ranker == "llm":
        options = [Option(texts[i], score) for i, score in dense]
        return [(dense[p.place][0], p.score) for p in context.agent.prune(analysis, "chunks", options, most=most)]
    return dense[:most]


def bm25(query: str, texts: Sequence[str]) -> list[float]:
    """Return the Okapi BM25 score of each text among all of them (Robertson and Zaragoza 2009, Eq. 3.15)."""
    words = [tokens(t) for t in texts]
    asked = set(tokens(query))
    seen = Counter(w for ws in words for w in asked & set(ws))
    mean = sum(map(len, words)) / len(words) if words else 1.0
    rare = idf(seen, len(words))
    found = []
    for ws in words:
        frequency = Counter(w for w in ws if w in rare)
        norm = K1 * (1 - B + B * len(ws) / (mean or 1.0))
        found.append(sum(rare[w] * n * (K1 + 1) / (n + norm) for w, n in sorted(frequency.items())))
    return found


def idf(seen: Mapping[str, int], texts: int) -> dict[str, float]:
    """Return how rare each word is, ln(1 + (N − n + ½)/(n + ½)), which is positive for every word.

    ``seen`` is the number of texts n with the word.
    """
    return {w: math.log(1 + (texts - n + 0.5) / (n + 0.5)) for w, n in seen.items()}
