"""Typing errors: edit distance between words, and the words of a vocabulary that a word may have been meant to be."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from rapidfuzz.distance import OSA

MOST = 20
"""Words that one misspelt word may stand for; the nearest, then the commonest."""


def allowed(word: str) -> int:
    """Errors that a word may have: none in short words and in those with digits (years, numbers), 1 from four letters
    on, 2 from eight."""
    if len(word) < 4 or not word.isalpha():
        return 0
    return 1 if len(word) < 8 else 2


def distance(a: str, b: str, limit: int) -> int:
    """Optimal string alignment distance (insert, delete, replace, swap neighbours), or limit + 1 if it is more."""
    return int(OSA.distance(a, b, score_cutoff=limit))


def nearest(found: Iterable[tuple[int, int, str]]) -> list[str]:
    """At most MOST words of (distance, count, word): the nearest, then the commonest, then by spelling. A word that
    comes several times (from several loads) has its counts added."""
    count: dict[tuple[int, str], int] = {}
    for d, n, word in found:
        count[d, word] = count.get((d, word), 0) + n
    return [word for _, _, word in sorted((d, -n, word) for (d, word), n in count.items())[:MOST]]


class Vocabulary:
    """Words with counts, searched for those within a small distance of a word.

    A bit set of letters rules nearly all words out (one error changes at most one letter on either side); only the
    rest is compared. 9 bytes and the text a word.
    """

    def __init__(self, words: Iterable[tuple[str, int]]) -> None:
        rows = list(words)
        self._letters = np.fromiter((_letters(w) for w, _ in rows), np.uint64, len(rows))
        self._length = np.fromiter((min(len(w), 255) for w, _ in rows), np.uint8, len(rows))
        self._count = [n for _, n in rows]
        self._text = [w for w, _ in rows]

    def near(self, word: str) -> list[tuple[int, int, str]]:
        """(distance, count, word) of all words within the errors that ``word`` may have; itself has distance 0."""
        limit, own = allowed(word), np.uint64(_letters(word))
        length = self._length.astype(np.int16)
        close = np.abs(length - min(len(word), 255)) <= limit
        close &= np.bitwise_count(self._letters & ~own) <= limit
        close &= np.bitwise_count(own & ~self._letters) <= limit
        return within(word, limit, [(self._text[i], self._count[i]) for i in np.flatnonzero(close).tolist()])


def within(word: str, limit: int, words: Sequence[tuple[str, int]]) -> list[tuple[int, int, str]]:
    """(distance, count, word) of the words within ``limit`` errors of ``word``."""
    found = ((distance(word, other, limit), count, other) for other, count in words)
    return [row for row in found if row[0] <= limit]


def _letters(word: str) -> int:
    bits = 0
    for c in word:
        bits |= 1 << (ord(c) & 63)
    return bits
