"""Extract paths by rules: two mentions of a sentence and the words between them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from hydra_kg.extract.relations import RelationExtractor

_ABBREVIATIONS: Final = r"[A-Z] Mr Mrs Ms Dr St Jr Sr Prof vs No Inc Ltd Co U\.S"
_SENTENCE: Final = re.compile(
    "[.!?]"
    + "".join(rf"(?<!\b{word}\.)" for word in _ABBREVIATIONS.split())
    + r"([\"')\]]*)\s+(?=[\"'(\[]?[A-Z0-9À-Þ])"
)
_MOST_WORDS: Final = 12


def sentences(text: str, reach: int | None = None) -> list[tuple[int, int]]:
    """Return (start, end) of the sentences that begin before or at ``reach``; abbreviations do not end a sentence."""
    spans: list[tuple[int, int]] = []
    start = 0
    for m in _SENTENCE.finditer(text):
        spans.append((start, m.end(1)))
        start = m.end()
        if reach is not None and start > reach:
            return spans
    if text[start:].strip():
        spans.append((start, len(text)))
    return spans


class RuleExtractor(RelationExtractor):
    """Connects neighbouring mentions by the phrase between them, for one question: recall before precision."""

    def paths(self, sentence: str, mentions: Sequence[tuple[int, int, int]]) -> list[tuple[int, str, int]]:
        """Return (node, phrase, node) of neighbouring mentions of different nodes, at most twelve words apart."""
        found = []
        ordered = sorted(mentions)
        for (_, end, a), (start, _, b) in pairwise(ordered):
            phrase = " ".join(re.findall(r"[\w'-]+", sentence[end:start]))
            if a != b and end <= start and phrase and len(phrase.split()) <= _MOST_WORDS:
                found.append((a, phrase, b))
        return found
