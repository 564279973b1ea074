"""Compare who does something to whom in a question and in a sentence: "Ada taught Bo" is not "Bo taught Ada"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hydra_kg.extract.word_classes import FUNCTION, VERB
from hydra_kg.extract.word_classes import kind as kind_of
from hydra_kg.language.lexicon import list_words
from hydra_kg.language.tokens import Token, last_question, tokenise

_DETERMINERS: Final = list_words("article possessive demonstrative")
_AROUND: Final = list_words("before_place_name during") | {"on"}
_NEAR: Final = 3
"""Words from "by" to a name: "by the sailor Ada Lund"."""


def keeps_roles(question: str, sentence: Sequence[Token], *, subject: str = "") -> bool:
    """Return True unless a sentence names the same things in other roles than a question or a claim.

    They are in the same order, or turned round by "by" ("Y was won by X"). What stands behind "in" or "on" may be
    anywhere. ``subject``: what a sentence is about that begins with a pronoun.
    """
    asked = [t for t in tokenise(last_question(question)) if t.word]
    said = [t for t in sentence if t.word]
    opening = [t.low for t in tokenise(subject) if t.word]
    named = []
    for first, last in _things(asked):
        called = [t.low for t in asked[first : last + 1]]
        at = -1 if called == opening or (len(called) == 1 and called[0] in opening) else _found(called, said)
        if at is not None:
            named.append((first, at))
    if len(named) < 2:
        return True
    order = [at for _, at in sorted(named)]
    doer, stated = _doer(asked, sorted(first for first, _ in named)), _doer(said, order)
    if (doer is None) == (stated is None):
        return order == sorted(order) and doer == stated
    if len(order) > 2:
        return False
    return stated == 0 if stated is not None else order[1] < order[0] and doer == 1


def _things(tokens: Sequence[Token]) -> list[tuple[int, int]]:
    """Return the first and last word of each name, and of each noun behind an article: "Ada Lund", "the club"."""
    found: list[tuple[int, int]] = []
    for i, t in enumerate(tokens):
        before = tokens[i - 1].low if i else ""
        if t.low in FUNCTION or t.text[:1].isdigit():
            continue
        if found and found[-1][1] == i - 1 and t.capital and tokens[i - 1].capital:
            found[-1] = (found[-1][0], i)
        elif t.capital or (before in _DETERMINERS and kind_of(t.text) != VERB):
            found.append((i, i))
    return [(a, b) for a, b in found if not _is_around(tokens, a)]


def _is_around(tokens: Sequence[Token], at: int) -> bool:
    """Return True if a thing says where or when: "in the town"."""
    before = [t.low for t in tokens[max(at - 2, 0) : at]]
    return bool(before) and (before[-1] in _AROUND or (before[0] in _AROUND and before[-1] in _DETERMINERS))


def _found(called: Sequence[str], said: Sequence[Token]) -> int | None:
    """Return where a sentence has a name or noun, unless it says where or when there."""
    size = len(called)
    places = (i for i in range(len(said) - size + 1) if [t.low for t in said[i : i + size]] == list(called))
    at = next(places, None)
    return None if at is None or _is_around(said, at) else at


def _doer(tokens: Sequence[Token], begins: Sequence[int]) -> int | None:
    """Return which of some names follows "by"."""
    after = (n for n, at in enumerate(begins) if any(t.low == "by" for t in tokens[max(at - _NEAR, 0) : max(at, 0)]))
    return next(after, None)
