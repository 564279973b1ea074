"""Typing errors: edit distance between words, and the words of a vocabulary that a word may have been meant to be."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
import numpy.typing as npt
from rapidfuzz.distance import OSA
from rapidfuzz.fuzz import ratio
from rapidfuzz.process import cdist, extract

from hydra_kg.text.folding import fold
from hydra_kg.util.cancelling import looked_at

MOST = 20
"""Words that one misspelt word may stand for; the nearest, then the commonest."""

_LONG = 255
"""Longer words count as this long; no typing error is looked for in the rest."""


def allowed(word: str) -> int:
    """Return allowed errors: 0 for short words and digits, 1 from four letters, 2 from eight."""
    if len(word) < 4 or not word.isalpha():
        return 0
    return 1 if len(word) < 8 else 2


def distance(a: str, b: str, limit: int) -> int:
    """Optimal string alignment distance (insert, delete, replace, swap neighbours), or limit + 1 if it is more."""
    return int(OSA.distance(a, b, score_cutoff=limit))


def is_misspelling(said: str, name: str) -> bool:
    """Return True if words are (part of) a name within allowed errors; spaces do not count ("see adler", Seeadler)."""
    own, other = fold(said).split(), fold(name).split()
    limit = sum(map(allowed, own))
    if digits_of(said) == digits_of(name) and distance("".join(own), "".join(other), limit) <= limit:
        return True
    return all(any(distance(w, o, allowed(w)) <= allowed(w) for o in other) for w in own)


def digits_of(text: str) -> str:
    """Return the digits of a text, which are never misspelt: Apollo 11 is not Apollo 13."""
    return "".join(c for c in text if c.isdigit())


def nearest(found: Iterable[tuple[int, int, str]]) -> list[str]:
    """Return at most MOST words by distance, then summed count, then spelling, from (distance, count, word)."""
    count: dict[tuple[int, str], int] = {}
    for d, n, word in found:
        count[d, word] = count.get((d, word), 0) + n
    return [word for _, _, word in sorted((d, -n, word) for (d, word), n in count.items())[:MOST]]


class Vocabulary:
    """Words with counts, searched within a small distance; letter bit sets rule out most. Takes 10 bytes a word."""

    def __init__(self, words: Iterable[tuple[str, int]]) -> None:
        rows = list(looked_at(words))
        self._text = [w for w, _ in rows]
        self._count = [n for _, n in rows]
        self._length = np.fromiter(map(len, self._text), np.int64, len(rows)).clip(max=_LONG).astype(np.int16)
        self._letters = _letters(self._text)

    def similar(self, word: str, *, most: int, least: float) -> list[str]:
        """Return the words that share at least ``least`` percent of their letters with a word, best first."""
        return [text for text, _, _ in extract(word, self._text, scorer=ratio, limit=most, score_cutoff=least)]

    def near(self, word: str) -> list[tuple[int, int, str]]:
        """(distance, count, word) of all words within the errors that ``word`` may have; itself has distance 0."""
        limit, own = allowed(word), _letters([word])[0]
        close = np.flatnonzero(np.bitwise_count(self._letters ^ own) <= 2 * limit)
        letters, length = self._letters[close], self._length[close]
        few = np.abs(length - min(len(word), _LONG)) <= limit
        few &= (np.bitwise_count(letters & ~own) <= limit) & (np.bitwise_count(own & ~letters) <= limit)
        places = close[few].tolist()
        found = _distances(word, limit, [self._text[i] for i in places])
        return [(d, self._count[places[n]], self._text[places[n]]) for n, d in found]


def meant(
    words: Iterable[str], vocabularies: Callable[[], Iterable[Vocabulary]], known: dict[str, list[str]]
) -> list[list[str]]:
    """Return each word's possible spellings, longest word first, or nothing if one has none; ``known`` caches."""
    found = []
    for word in sorted(words, key=len, reverse=True):
        if word not in known:
            known[word] = nearest(row for v in vocabularies() for row in v.near(word)) if allowed(word) else [word]
        if not known[word]:
            return []
        found.append(known[word])
    return found


def within(word: str, limit: int, words: Sequence[tuple[str, int]]) -> list[tuple[int, int, str]]:
    """(distance, count, word) of the words within ``limit`` errors of ``word``."""
    return [(d, words[n][1], words[n][0]) for n, d in _distances(word, limit, [other for other, _ in words])]


def _distances(word: str, limit: int, words: Sequence[str]) -> list[tuple[int, int]]:
    """(place, distance) of the words within ``limit`` errors."""
    if not words:
        return []
    found = cdist([word], words, scorer=OSA.distance, score_cutoff=limit, dtype=np.int32)[0]
    near = np.flatnonzero(found <= limit)
    return list(zip(near.tolist(), found[near].tolist(), strict=True))


def _letters(words: Sequence[str]) -> npt.NDArray[np.uint64]:
    """Return a bit for each letter of each word."""
    size = np.fromiter(map(len, words), np.int64, len(words))
    code = np.frombuffer("".join(words).encode("utf-32-le", "surrogatepass"), np.uint32)
    bits = np.left_shift(np.uint64(1), (code & 63).astype(np.uint64))
    found = np.zeros(len(words), np.uint64)
    some = np.flatnonzero(size)
    if len(some):
        found[some] = np.bitwise_or.reduceat(bits, (np.cumsum(size) - size)[some])
    return found
