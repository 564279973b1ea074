"""Find words of a question that belong to a name, but that no name of the linked entity has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

import numpy as np

from hydra_kg.domain import Evidence, Mention
from hydra_kg.extract.word_classes import FUNCTION, VERB, kind
from hydra_kg.language.lexicon import list_words
from hydra_kg.language.morphology import stem
from hydra_kg.language.tokens import tokenise
from hydra_kg.phrases import phrase
from hydra_kg.steps.context import Context
from hydra_kg.steps.operators.relations.noun_filter import heads_of, same_nouns
from hydra_kg.text.folding import fold, tokens

_EXPLAINED: Final = 0.3  # cosine with a word of the relations from which they explain a word
_NAMED: Final = 0.5  # the same behind a first name, where a surname is likely: "barbara bush"
_QUOTES: Final = str.maketrans("“”", '""')
_GENERATIONS: Final = list_words("generation")
"""Words after the name of somebody who is called like a relative."""


def words_beyond_names(context: Context, mentions: Sequence[Mention], evidence: Sequence[Evidence]) -> tuple[str, ...]:
    """Return words next to a name that the linked entity is not called by: "sr", or "Daud" of "Daud Ibrahim".

    Any word counts where only a part of an entity's name or a first name was linked, unless a relation of the evidence
    explains it.
    Next to a whole name only a generation counts, as in "Barack Obama sr". A quoted title counts as a whole if only a
    part of it was linked.
    """
    linked = {fold(mention.text) for mention in mentions if mention.chosen is not None}
    quoted = context.question.translate(_QUOTES).split('"')[1::2]
    found = [text for text in quoted if fold(text) not in linked and any(name in fold(text) for name in linked)]
    for mention, words in _neighbours(context.question, mentions):
        if mention.chosen is None:
            continue
        entity = context.entities([mention.chosen.node.id])[mention.chosen.node.id]
        called = {w for name in (entity.node.name, *entity.aliases) for w in tokens(fold(name))}
        words = [w for w in words if w not in called]
        first = fold(mention.text) in {n for name in (entity.node.name, *entity.aliases) for n in _given(fold(name))}
        if mention.chosen.how == "tokens" or (first and same_nouns("person") & heads_of(entity)):
            found += _unexplained(context, words, evidence, _NAMED if first else _EXPLAINED)
        found += [w for w in words if w in _GENERATIONS]
    return tuple(dict.fromkeys(found))


def _neighbours(question: str, mentions: Sequence[Mention]) -> Iterator[tuple[Mention, list[str]]]:
    """Yield each mention with the words before and after it that only a space separates from it."""
    words = [t for t in tokenise(question) if t.word]
    for mention in mentions:
        inside = [t for t in words if mention.start <= t.start and t.end <= mention.end]
        near = [a for a, b in pairwise(words) if inside and b is inside[0] and question[a.end : b.start] == " "]
        near += [b for a, b in pairwise(words) if inside and a is inside[-1] and question[a.end : b.start] == " "]
        yield mention, [t.low for t in near]


def _given(name: str) -> list[str]:
    """Return the first of several words of a name, with which a surname may follow."""
    return name.split()[:1] if " " in name else []


def _unexplained(context: Context, words: Sequence[str], evidence: Sequence[Evidence], least: float) -> list[str]:
    relations = {phrase(hop.predicate, hop.text) for e in evidence for hop in e.path.hops}
    said = sorted({w for text in relations for w in tokens(fold(text))} - FUNCTION)
    stems = set(map(stem, said))
    content = [w for w in words if w not in FUNCTION and kind(w) != VERB and stem(w) not in stems]
    if not content or not said:
        return content
    vectors = context.space.embedder.embed([*content, *said])
    likeness = np.max(vectors[: len(content)] @ vectors[len(content) :].T, axis=1)
    return [w for w, like in zip(content, likeness.tolist(), strict=True) if like < least]
