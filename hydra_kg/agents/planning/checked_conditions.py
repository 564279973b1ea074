"""Conditions of a question (negation, comparison, order, number, time) that an answer must be checked against."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from hydra_kg.agents.planning import lexicon
from hydra_kg.agents.planning.amount_conditions import Amounts
from hydra_kg.agents.planning.nouns import NO_ORDER
from hydra_kg.agents.planning.tokens import words_of
from hydra_kg.domain import Mention
from hydra_kg.language.lexicon import list_phrases, list_words, match_phrase

_WITH_AGE: Final = list_phrases("asking_age")
_SHORT: Final = 5  # letters of "best", "least" and such, which the tables have
_WITH_MOST: Final = list_words("have with_most")
_DENYING: Final = list_words("ending_or_denying")
_BOTH: Final = frozenset({"both"})
LIMITING: Final = list_words("limiting") | {"outside"}
"""Words that exclude everything else: "spoken only in _", "spoken outside of _"."""

AGGREGATES: Final = list_words("mean total share") | {"combined"}
"""Words that ask for a value computed over many values, which no operator computes."""
_NO_SUPERLATIVES: Final = list_words("not_superlative") | {"north-west"}


def conditions(question: str, mentions: Sequence[Mention]) -> tuple[str, ...]:
    """Return a question's words of negation, comparison, order, number and time outside its names."""
    reader = Amounts(words_of(question, mentions))
    found: list[str] = []
    i = 0
    while i < len(reader.words):
        end = max((e for e in _conditions(reader, i)), default=i)
        if end > i:
            condition_text = reader.text(i, end)
            found.append(condition_text[:1].lower() + condition_text[1:])
        i = max(end, i + 1)
    return tuple(dict.fromkeys(found))


def _conditions(reader: Amounts, i: int) -> Iterator[int]:
    """Yield the index where the condition that begins at a token ends, for each way to parse it."""
    word, following = reader.word(i), reader.word(i + 1)
    if word in lexicon.NEGATIONS or word in _DENYING or (word == "no" and following[:1].isalpha()):
        yield i + 1
    if word in _BOTH or (word in LIMITING and reader.word(i - 1) != "the"):
        yield i + 1
    yield i + match_phrase(reader.words, i, list_phrases("without"))
    if time := reader.time(i, bare=True):
        yield time[1]
    if amount := reader.amount(i):
        yield amount[1]
    if match_phrase(reader.words, i, _WITH_AGE):
        yield i + match_phrase(reader.words, i, _WITH_AGE)
    number = reader.number(i)
    if number and not (word == "one" and not reader.date(i)):
        yield number[1]
    ranked = reader.ordinal(i)
    if ranked is not None and following not in NO_ORDER:
        yield i + 1
    if word in {"last", "final", "next", "previous"} and following not in NO_ORDER | {"", "for"}:
        yield i + 1
    if word in AGGREGATES:
        yield i + 1
    unknown = len(word) > _SHORT and word.endswith("est") and word not in _NO_SUPERLATIVES
    if unknown and reader.word(i - 1) == "the":
        yield i + 1
    if lexicon.superlative(word) or lexicon.comparative(word) or word in {"earlier", "later"}:
        yield i + 1 + (lexicon.adjective(following) is not None)
    before = reader.word(i - 1) in _WITH_MOST or reader.ordinal(i - 1) is not None
    every = word == "most" and not before  # "most Australians" are no superlative
    if word in {"most", "least", "more", "fewest", "fewer", "less"} and following not in {"", "of"} and not every:
        yield i + 2
    if word in {"before", "after"} and following:
        yield i + 1
