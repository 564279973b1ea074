"""Which words of a sentence say what a word of a question asks for: the same stem, or another of its group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Final

from hydra_kg.language.lexicon import lexicon_table
from hydra_kg.language.morphology import stem
from hydra_kg.language.tokens import Token

SAME: Final = 1.0
ALIKE: Final = 0.85
"""What a word counts that is of the same group, beside the word itself."""

_LONGEST: Final = 4  # words of an expression


@lru_cache(maxsize=1 << 12)
def said_by(word: str) -> Mapping[str, float]:
    """Return stems, and stems of expressions joined by spaces, that say what a stem asks for, each with its worth."""
    return {**_groups().get(word, {}), word: SAME}


def places(tokens: Sequence[Token], asked: str) -> list[tuple[int, int, float]]:
    """Return (first, last, worth) of each stretch of tokens that says what a stem asks for."""
    wanted = said_by(asked)
    longest = max(key.count(" ") for key in wanted) + 1
    found, at = [], 0
    while at < len(tokens):
        for length in range(min(longest, len(tokens) - at), 0, -1):
            key = " ".join(t.stem for t in tokens[at : at + length])
            if key in wanted:
                found.append((at, at + length - 1, wanted[key]))
                at += length - 1
                break
        at += 1
    return found


def expressions(tokens: Sequence[Token]) -> list[tuple[int, int, str]]:
    """Return (first, last, key) of tokens that are one expression of the groups ("chief executive")."""
    known, found, at = _expressions(), [], 0
    while at < len(tokens):
        for length in range(min(_LONGEST, len(tokens) - at), 1, -1):
            key = " ".join(t.stem for t in tokens[at : at + length])
            if key in known:
                found.append((at, at + length - 1, key))
                at += length - 1
                break
        at += 1
    return found


@cache
def _groups() -> Mapping[str, Mapping[str, float]]:
    """By stem: what says it."""
    found: dict[str, dict[str, float]] = {}
    for row in lexicon_table("same_in_texts"):
        asking = [_key(w) for w in row[0].split()]
        saying = [*asking, *(_key(w) for w in (row[1] if len(row) > 1 else "").split())]
        for word in asking:
            found.setdefault(word, {}).update(dict.fromkeys(saying, ALIKE))
    return found


@cache
def _expressions() -> frozenset[str]:
    return frozenset(key for asked in _groups() for key in asked.split("\t") if " " in key)


def _key(expression: str) -> str:
    return " ".join(stem(w) for w in expression.split("_"))
