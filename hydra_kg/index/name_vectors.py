"""Turn names into vectors of hashed letter n-grams.

No model is needed, and a million names take seconds.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Floats

DIMENSION: Final = 128
LENGTHS: Final = (2, 3, 4)
NAME: Final = "letters-2-4-128"
"""Version of the method that makes the vectors. An index made with another version is rebuilt."""

_MOST: Final = 200
"""Number of characters of a name that are read."""

_CHUNK: Final = 2048
"""Number of names in a batch. The counts of one batch fit into the processor's cache."""

_PRIME: Final = np.uint32(0x01000193)
_MIXED: Final = np.uint32(0x9E3779B1)


def name_vectors(folds: Sequence[str]) -> Floats:
    """Return one unit vector per folded name, as float32 of shape (n, 128).

    A vector holds the signed counts of the name's hashed 2- to 4-grams (Weinberger et al. 2009). It is 0 for a name
    without letters, and it does not depend on the batch in which the name comes.
    """
    out = np.zeros((len(folds), DIMENSION), np.float32)
    for at in range(0, len(folds), _CHUNK):
        out[at : at + _CHUNK] = _vectors(folds[at : at + _CHUNK])
    return out


def _vectors(folds: Sequence[str]) -> Floats:
    """Return vectors of hashed n-gram counts, one for each folded name."""
    texts = [f" {text[:_MOST]} " for text in folds]
    sizes = np.fromiter(map(len, texts), np.int64, len(texts))
    letters = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), np.uint32)
    row = np.repeat(np.arange(len(texts)), sizes)
    counts = np.zeros(len(texts) * DIMENSION, np.float64)
    for length in LENGTHS:
        number = max(len(letters) - length + 1, 0)
        inside = row[:number] == row[length - 1 :]
        hashed = np.full(number, length, np.uint32)
        for at in range(length):
            hashed = (hashed ^ letters[at : at + number]) * _PRIME
        hashed = ((hashed ^ (hashed >> np.uint32(15))) * _MIXED)[inside]
        place = row[:number][inside] * DIMENSION + (hashed >> np.uint32(25)).astype(np.int64)
        sign = 1.0 - 2.0 * ((hashed >> np.uint32(24)) & np.uint32(1))
        counts += np.bincount(place, weights=sign, minlength=len(counts))
    rows = counts.reshape(-1, DIMENSION)
    norms = np.sqrt((rows * rows).sum(axis=1, keepdims=True))
    return np.asarray(rows / np.maximum(norms, 1e-9), np.float32)


def compare_spelling(one: str, others: Sequence[str]) -> npt.NDArray[np.float64]:
    """Return the n-gram cosine of a folded name and each of the others, as float64 of shape (n,).

    Each cosine is between 0 and 1. The n-grams are compared without hashing, so different ones are never confused.
    """
    own = _grams(one)
    size = math.hypot(*own.values())
    found = np.zeros(len(others))
    for i, other in enumerate(others):
        grams = _grams(other)
        shared = sum(own[gram] * grams[gram] for gram in own.keys() & grams.keys())
        found[i] = shared / max(size * math.hypot(*grams.values()), 1e-9)
    return found


def _grams(text: str) -> Counter[str]:
    padded = f" {text[:_MOST]} "
    return Counter([padded[at : at + length] for length in LENGTHS for at in range(len(padded) - length + 1)])
