"""Find which words of a sentence express a word of a question: the same stem, or another one of its group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Final

from hydra_kg.language.lexicon import lexicon_table
from hydra_kg.language.morphology import stem
from hydra_kg.language.tokens import Token

SAME: Final = 1.0
ALIKE: Final = 0.85
"""Weight of a word of the same group, compared with the word itself."""

_LONGEST: Final = 4  # words of an expression


@lru_cache(maxsize=1 << 12)
def said_by(word: str) -> Mapping[str, float]:
    """Return the stems that express an asked stem, each with its weight.

    Stems of an expression are joined by spaces.
    """
    return {**_groups().get(word, {}), word: SAME}


def places(tokens: Sequence[Token], asked: str) -> list[tuple[int, int, float]]:
    """Return (first, last, weight) of each run of tokens that expresses an asked stem."""
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
    """Return (first, last, key) of tokens that form an expression of the groups ("chief executive")."""
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
    """Return by stem the stems that express it, with their weights."""
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
