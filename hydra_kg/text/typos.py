"""Typing errors: edit distance between words, and the likely intended words of a vocabulary."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
import numpy.typing as npt
from rapidfuzz.distance import OSA
from rapidfuzz.fuzz import ratio
from rapidfuzz.process import cdist, extract

from hydra_kg.text.folding import fold
from hydra_kg.util.cancelling import check_between

MOST = 20
"""Largest number of intended words for one misspelt word: the nearest first, then the most frequent."""

_LONG = 255
"""Length that every longer word counts as. Typing errors are not looked for beyond it."""


def count_allowed_typos(word: str) -> int:
    """Return the number of typing errors that a word may have.

    Words of fewer than four letters and words that contain digits may have none, words from four letters one, and words
    from eight letters two.
    """
    if len(word) < 4 or not word.isalpha():
        return 0
    return 1 if len(word) < 8 else 2


def distance(a: str, b: str, limit: int) -> int:
    """Return the optimal string alignment distance, or ``limit`` + 1 if it is greater than ``limit``.

    Insertions, deletions, replacements and swaps of neighbours count one each.
    """
    return int(OSA.distance(a, b, score_cutoff=limit))


def is_misspelling(said: str, name: str) -> bool:
    """Return True if ``said`` is a name, or a part of it, within the allowed typing errors.

    Spaces do not count: "see adler" is a misspelling of "Seeadler".
    """
    own, other = fold(said).split(), fold(name).split()
    limit = sum(map(count_allowed_typos, own))
    if digits_of(said) == digits_of(name) and distance("".join(own), "".join(other), limit) <= limit:
        return True
    return all(any(distance(w, o, count_allowed_typos(w)) <= count_allowed_typos(w) for o in other) for w in own)


def digits_of(text: str) -> str:
    """Return the digits of a text. Digits are never treated as misspelt: Apollo 11 is not Apollo 13."""
    return "".join(c for c in text if c.isdigit())


def nearest(found: Iterable[tuple[int, int, str]]) -> list[str]:
    """Return at most ``MOST`` words from rows of (distance, count, word).

    They are ordered by distance, then by summed count, the largest first, then by spelling.
    """
    count: dict[tuple[int, str], int] = {}
    for d, n, word in found:
        count[d, word] = count.get((d, word), 0) + n
    return [word for _, _, word in sorted((d, -n, word) for (d, word), n in count.items())[:MOST]]


class Vocabulary:
    """Words with counts that can be searched within a small edit distance.

    A set of letters for each word, stored as bits, excludes most words early. A word takes 10 bytes.
    """

    def __init__(self, words: Iterable[tuple[str, int]]) -> None:
        rows = list(check_between(words))
        self._text = [w for w, _ in rows]
        self._count = [n for _, n in rows]
        self._length = np.fromiter(map(len, self._text), np.int64, len(rows)).clip(max=_LONG).astype(np.int16)
        self._letters = _letters(self._text)

    def similar(self, word: str, *, most: int, least: float) -> list[str]:
        """Return at most ``most`` words whose similarity to ``word`` is at least ``least`` percent, best first."""
        return [text for text, _, _ in extract(word, self._text, scorer=ratio, limit=most, score_cutoff=least)]

    def near(self, word: str) -> list[tuple[int, int, str]]:
        """Return (distance, count, word) for each word within the errors allowed for ``word``.

        The word itself is included, with distance 0, if the vocabulary has it.
        """
        limit, own = count_allowed_typos(word), _letters([word])[0]
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
    """Return the possible spellings of each word, longest word first, or an empty list if a word has none.

    ``known`` caches the spellings of each word across calls.
    """
    found = []
    for word in sorted(words, key=len, reverse=True):
        if word not in known:
            known[word] = (
                nearest(row for v in vocabularies() for row in v.near(word)) if count_allowed_typos(word) else [word]
            )
        if not known[word]:
            return []
        found.append(known[word])
    return found


def within(word: str, limit: int, words: Sequence[tuple[str, int]]) -> list[tuple[int, int, str]]:
    """Return (distance, count, word) for each of the words within ``limit`` errors of ``word``."""
    return [(d, words[n][1], words[n][0]) for n, d in _distances(word, limit, [other for other, _ in words])]


def _distances(word: str, limit: int, words: Sequence[str]) -> list[tuple[int, int]]:
    """Return (index, distance) for each of the words within ``limit`` errors of ``word``."""
    if not words:
        return []
    found = cdist([word], words, scorer=OSA.distance, score_cutoff=limit, dtype=np.int32)[0]
    near = np.flatnonzero(found <= limit)
    return list(zip(near.tolist(), found[near].tolist(), strict=True))


def _letters(words: Sequence[str]) -> npt.NDArray[np.uint64]:
    """Return the set of letters of each word as the bits of one number."""
    size = np.fromiter(map(len, words), np.int64, len(words))
    code = np.frombuffer("".join(words).encode("utf-32-le", "surrogatepass"), np.uint32)
    bits = np.left_shift(np.uint64(1), (code & 63).astype(np.uint64))
    found = np.zeros(len(words), np.uint64)
    some = np.flatnonzero(size)
    if len(some):
        found[some] = np.bitwise_or.reduceat(bits, (np.cumsum(size) - size)[some])
    return found
