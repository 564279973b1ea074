"""Names in a question that the store has outside its own graphs: what speaks for the dumps."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Final

import numpy as np

from hydra_kg.domain import NameHit
from hydra_kg.extract.words import NOUN, kind
from hydra_kg.ports import Reach, Snapshot
from hydra_kg.steps.own_graphs.own_graph import OwnGraph
from hydra_kg.steps.schema.question import QuestionWord, SchemaQuestion

_LONGEST: Final = 5
"""Words of a name that is looked up."""
_HITS: Final = 20


class NamesElsewhere:
    """Looks up stretches of a question as names of things that are in no own graph; once for all stretches."""

    def __init__(self, snapshot: Snapshot, text: str, question: SchemaQuestion, graphs: Sequence[OwnGraph]) -> None:
        self._snapshot, self._text, self._words = snapshot, text, question.words
        self._own = np.unique(np.concatenate([g.ids for g in graphs]))

    def longest(self, word: QuestionWord) -> int:
        """Return the words of the longest name around a word; 0 if there is none."""
        return max((b - a for a, b in self._names if a <= word.bit < b), default=0)

    def is_in_lower_case(self, word: QuestionWord) -> bool:
        """Return True if a word of a question without capitals belongs to a name: "who directed inception".

        The name has several words or is a noun that ends the question: most single words are the name of something.
        """
        return kind(word.low) == NOUN and any(
            a <= word.bit < b and (b - a > 1 or b == len(self._words)) and any(h.text != h.text.lower() for h in hits)
            for (a, b), hits in self._names.items()
        )

    def is_near(self, word: QuestionWord) -> bool:
        """Return True if the capitalised words around a word nearly are, or are part of, a name elsewhere."""
        first = last = word.bit
        while first and self._words[first - 1].text[:1].isupper():
            first -= 1
        while last + 1 < len(self._words) and self._words[last + 1].text[:1].isupper():
            last += 1
        return bool(self._find([(first, last + 1)], reach="near"))

    @cached_property
    def _names(self) -> dict[tuple[int, int], list[NameHit]]:
        spans = [
            (a, b)
            for a in range(len(self._words))
            for b in range(a + 1, min(len(self._words), a + _LONGEST) + 1)
            if not all(w.stop for w in self._words[a:b])
        ]
        return self._find(spans)

    def _find(
        self, spans: Sequence[tuple[int, int]], *, reach: Reach = "exact"
    ) -> dict[tuple[int, int], list[NameHit]]:
        texts = [
            self._text[self._words[a].start : self._words[b - 1].start + len(self._words[b - 1].text)] for a, b in spans
        ]
        found = self._snapshot.find(texts, limit=_HITS, reach=reach) if texts else []
        others = [[h for h in hits if not self._is_own(h.node)] for hits in found]
        return {span: hits for span, hits in zip(spans, others, strict=True) if hits}

    def _is_own(self, node: int) -> bool:
        at = int(np.searchsorted(self._own, node))
        return at < len(self._own) and bool(self._own[at] == node)
