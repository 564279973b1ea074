"""Names of an own graph searched by spelling: one misspelt name of a question is found and corrected."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from hydra_kg.steps.context import Context
from hydra_kg.steps.own_graphs.own_graph import OwnGraph, words_of
from hydra_kg.steps.own_graphs.stems import singular, stem, words
from hydra_kg.steps.schema.question import QuestionWord
from hydra_kg.text.typos import Vocabulary, is_misspelling
from hydra_kg.util.cancelling import looked_at

_LONGEST: Final = 4
"""Words of a misspelt name."""
_SHORTEST: Final = 5
"""Letters of a misspelt name."""


@dataclass(frozen=True, slots=True, eq=False)
class OwnNameIndex:
    """The names of an own graph without spaces, for search by spelling; and the words of its schema."""

    names: Vocabulary
    keys: dict[str, list[str]]
    schema: frozenset[str]
    stems: frozenset[str]


@dataclass(frozen=True, slots=True)
class OwnName:
    """A stretch of the question (characters) that no name of the store matches, with the names it may mean."""

    start: int
    end: int
    keys: tuple[str, ...]
    corrected: bool
    """Whether it is one misspelt name; else ``keys`` are only similar, and may be none."""


def name_key(text: str) -> str:
    """Return the key under which an own graph lists a name."""
    return " ".join(singular(w) for w in words_of(text))


def own_names(context: Context, graph: OwnGraph) -> OwnNameIndex:
    """Return the names of an own graph, indexed once for all questions about a snapshot."""
    return context.once(("own names", graph), lambda: _index_names(graph))


def _index_names(graph: OwnGraph) -> OwnNameIndex:
    """Index the names of a graph by their letters."""
    keys: dict[str, list[str]] = defaultdict(list)
    for key in looked_at(graph.names):
        keys[key.replace(" ", "")].append(key)
    schema = {w for r in graph.relations for w in r.words} | {w for name in graph.classes for w in words(name)}
    letters = ((joined, own) for joined, own in looked_at(keys.items()) if joined.isalpha())
    rows = [(joined, sum(len(graph.names[k]) for k in own)) for joined, own in letters]
    return OwnNameIndex(Vocabulary(rows), dict(keys), frozenset(schema), frozenset(map(stem, schema)))


def correct(
    graph: OwnGraph, index: OwnNameIndex, question: Sequence[QuestionWord], word: QuestionWord
) -> OwnName | None:
    """Return the one name of the store that a word with its neighbours misspells; None if none or several are."""
    best: tuple[int, int] | None = None
    found: dict[str, OwnName] = {}
    for some in _windows(question, word):
        joined = "".join(singular(p) for w in some for p in words_of(w.text))
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
    """Yield the stretches of up to four words around a word that begin and end with a content word."""
    for first in range(max(0, word.bit - _LONGEST + 1), word.bit + 1):
        for last in range(word.bit, min(len(question), first + _LONGEST)):
            if not (question[first].stop or question[last].stop):
                yield question[first : last + 1]
