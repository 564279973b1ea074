"""Rankers of texts for a query (ToG-2 §4.5.2): bi-encoder, cross-encoder, BM25, or the agent; scores in [0, 1]."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np

from hydra_kg.domain import Analysis, Option
from hydra_kg.errors import UsageError
from hydra_kg.steps.context import Context
from hydra_kg.text.folding import tokens
from hydra_kg.util.recording import step

Ranker = Literal["dense", "bm25", "llm", "cross"]

K1, B = 1.5, 0.75
"""Usual values of BM25."""


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
