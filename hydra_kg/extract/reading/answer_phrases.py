"""Find phrases that answer without being names or values: "made of pink limestone", "died of pneumonia"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hydra_kg.extract.reading.page import POSSESSIVES, Sentence
from hydra_kg.extract.reading.page_question import BE
from hydra_kg.extract.word_classes import AUXILIARY, PREPOSITION, RELATIVES, VERB, kind
from hydra_kg.language.lexicon import list_words
from hydra_kg.language.tokens import Token

_DETERMINERS: Final = frozenset("the a an".split()) | POSSESSIVES
_LONGEST: Final = 7
_EMPTY: Final = list_words("empty_in_phrase")


def noun_phrase(s: Sentence, word: tuple[int, int], *, noun: bool) -> tuple[int, int, float] | None:
    """Return the noun phrase after a verb ("studied botany").

    For ``noun``, return the one after "is": "the main crop is barley".
    """
    tokens, at = s.tokens, word[1] + 1
    if noun:
        at = next((i for i in range(at, min(at + 9, len(tokens))) if tokens[i].low in BE), -1)
        if at < 0 or any(t.text in {",", ";"} or t.low in RELATIVES for t in tokens[word[1] + 1 : at]):
            return None
        at += 1
    elif at < len(tokens) and tokens[at].low in {"as", "to", "on", "in"} and tokens[word[1]].low not in {"of"}:
        at += 1
    return _phrase(tokens, at, 0.85 if noun else 0.8)


def _phrase(tokens: Sequence[Token], at: int, score: float) -> tuple[int, int, float] | None:
    while at < len(tokens) and (
        tokens[at].low in _DETERMINERS or tokens[at].low in {"simply", "mainly", "chiefly", "mostly"}
    ):
        at += 1
    last = at - 1
    for i in range(at, min(at + _LONGEST, len(tokens))):
        token = tokens[i]
        if not token.word and token.text not in {"-", "'s", "&"}:
            break
        if kind(token.text) in {AUXILIARY, PREPOSITION} or token.low in RELATIVES | {"and", "or", "but", "to"}:
            break
        if kind(token.text) == VERB and i > at:
            break
        last = i
    if last < at or tokens[at].low in _EMPTY or kind(tokens[at].text) in {"X", "A", "P", "R"}:
        return None
    return at, last, score


def reason(s: Sentence, word: tuple[int, int]) -> tuple[int, int, float] | None:
    """Find a cause or reason: "died of pneumonia", "because of a trademark dispute"."""
    tokens = s.tokens
    if tokens[word[0]].stem in {"die", "dead"}:
        for i in range(word[0] + 1, min(word[0] + 4, len(tokens))):
            if tokens[i].low in {"of", "from"} and tokens[i - 1].low != "age":
                return _phrase(tokens, i + 1, 0.95)
        return None
    for i, t in enumerate(tokens):
        if t.low == "because" or (t.low == "due" and i + 1 < len(tokens) and tokens[i + 1].low == "to"):
            begin = i + 2 if tokens[i + 1 : i + 2] and tokens[i + 1].low in {"of", "to"} else i + 1
            end = next((j for j in range(begin, len(tokens)) if tokens[j].text in {".", ";"}), len(tokens))
            return (begin, end - 1, 0.8) if end > begin else None
    return None


def definition(s: Sentence) -> tuple[int, int, float] | None:
    """Find the definition in a sentence such as "_ is a village in the district of Harrowmere".

    Return the positions of its first and last token and a score. The definition begins after "is" and ends with the
    clause.
    """
    at = next((i for i, t in enumerate(s.tokens) if i > s.head and t.low in {"is", "was", "are", "were"}), -1)
    if at < 0 or at + 2 >= len(s.tokens) or s.tokens[at + 1].low not in {"a", "an", "the", "one"}:
        return None
    end = next(
        (
            j
            for j in range(at + 3, len(s.tokens))
            if s.tokens[j].text in {",", ";", "."} or s.tokens[j].low in RELATIVES
        ),
        len(s.tokens),
    )
    return at + 1, end - 1, 0.9
