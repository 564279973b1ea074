"""Names in a question: misspelt ones that an own graph has, and those that the store has outside its own graphs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Final

import numpy as np

from hydra_kg.domain import NameHit
from hydra_kg.execution.own_graph import OwnGraph
from hydra_kg.extract.word_classes import NOUN, kind
from hydra_kg.language.morphology import abbreviations, family_stem, singular
from hydra_kg.language.tokens import fold_words, split_identifier
from hydra_kg.ports import Reach, Snapshot
from hydra_kg.steps.context import Context
from hydra_kg.steps.schema.question_words import QuestionWord, SchemaQuestion
from hydra_kg.text.typos import Vocabulary, is_misspelling
from hydra_kg.util.fast_dataclass import dataclass

_LONGEST: Final = 4
"""Words of a misspelt name."""
_SHORTEST: Final = 5
"""Letters of a misspelt name."""
_LOOKED_UP: Final = 5
"""Words of a name that is looked up."""
_HITS: Final = 20


class OwnNameIndex:
    """The names of an own graph without spaces, for search by spelling; and the words of its schema.

    The names are read for the first word that no name has.
    """

    def __init__(self, graph: OwnGraph) -> None:
        self._graph = graph
        words = {w for r in graph.relations for w in r.words}
        words |= {w for name in graph.classes for w in split_identifier(name)}
        self.schema = words | {long for word in words for long in abbreviations().get(word, ())}
        self.stems = frozenset(map(family_stem, self.schema))

    @cached_property
    def keys(self) -> dict[str, list[str]]:
        """Names of letters alone, by their letters."""
        found: dict[str, list[str]] = defaultdict(list)
        for key in self._graph.index.without_digits():
            if (joined := key.replace(" ", "")).isalpha():
                found[joined].append(key)
        return dict(found)

    @cached_property
    def names(self) -> Vocabulary:
        """The same letters, to be searched within some errors."""
        return Vocabulary((joined, 1) for joined in self.keys)


@dataclass(frozen=True, slots=True)
class OwnName:
    """A span of the question (characters) that no name of the store matches, with the names it may mean."""

    start: int
    end: int
    keys: tuple[str, ...]
    corrected: bool
    """Whether it is one misspelt name; else ``keys`` are only similar, and may be none."""


def name_key(text: str) -> str:
    """Return the key under which an own graph lists a name."""
    return " ".join(singular(w) for w in fold_words(text))


def own_names(context: Context, graph: OwnGraph) -> OwnNameIndex:
    """Return the names of an own graph, indexed once for all questions about a snapshot."""
    return context.once(("own names", graph), lambda: OwnNameIndex(graph))


def correct(
    graph: OwnGraph, index: OwnNameIndex, question: Sequence[QuestionWord], word: QuestionWord
) -> OwnName | None:
    """Return the one name of the store that a word with its neighbours misspells, or None for none or several."""
    best: tuple[int, int] | None = None
    found: dict[str, OwnName] = {}
    for some in _windows(question, word):
        joined = "".join(singular(p) for w in some for p in fold_words(w.text))
        if len(joined) < _SHORTEST:
            continue
        text = " ".join(w.text for w in some)
        for distance, _, name in index.names.near(joined):
            if not any(is_misspelling(text, key) for key in index.keys[name]):
                continue
            rank = (distance, -len(some))
            if best is None or rank < best:
                best, found = rank, {}
            if rank == best:
                keys = tuple(index.keys[name])
                found[name] = OwnName(some[0].start, some[-1].start + len(some[-1].text), keys, True)
    return next(iter(found.values())) if len(found) == 1 else None


def _windows(question: Sequence[QuestionWord], word: QuestionWord) -> Iterator[Sequence[QuestionWord]]:
    """Yield the spans of up to four words around a word that begin and end with a content word."""
    for first in range(max(0, word.bit - _LONGEST + 1), word.bit + 1):
        for last in range(word.bit, min(len(question), first + _LONGEST)):
            if not (question[first].stop or question[last].stop):
                yield question[first : last + 1]


class NamesElsewhere:
    """Lookup of spans of a question as names of things outside the own graphs, done once for all spans."""

    def __init__(self, snapshot: Snapshot, text: str, question: SchemaQuestion, graphs: Sequence[OwnGraph]) -> None:
        self._snapshot, self._text, self._words = snapshot, text, question.words
        self._own = np.unique(np.concatenate([g.ids for g in graphs]))

    def longest(self, word: QuestionWord) -> int:
        """Return the number of words of the longest name around a word, or 0."""
        return max((b - a for a, b in self._names if a <= word.bit < b), default=0)

    def is_in_lower_case(self, word: QuestionWord) -> bool:
        """Return True if a lower-case word belongs to a name of several words, or is a name at the end of the question.

        An example of the latter is "who directed inception".
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
            for b in range(a + 1, min(len(self._words), a + _LOOKED_UP) + 1)
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
