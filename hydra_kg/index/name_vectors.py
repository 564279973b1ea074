"""Names as vectors of what they are spelt with: letter n-grams, hashed. No model: a million names take seconds."""

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
"""What made the vectors: an index made by another one is made anew."""

_MOST: Final = 200
"""Characters of a name that are read."""

_CHUNK: Final = 2048
"""Names at once: what is counted of them stays in the processor's cache."""

_PRIME: Final = np.uint32(0x01000193)
_MIXED: Final = np.uint32(0x9E3779B1)


def name_vectors(folds: Sequence[str]) -> Floats:
    """Return float32 (n, 128) unit rows of signed counts of hashed 2- to 4-grams (Weinberger et al. 2009) of folded
    names, 0 without letters; independent of the batch.
    """
    out = np.zeros((len(folds), DIMENSION), np.float32)
    for at in range(0, len(folds), _CHUNK):
        out[at : at + _CHUNK] = _vectors(folds[at : at + _CHUNK])
    return out


def _vectors(folds: Sequence[str]) -> Floats:
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


def spelt_alike(one: str, others: Sequence[str]) -> npt.NDArray[np.float64]:
    """float64 (n,): the cosine of n-gram counts of a folded name and others, 0 to 1, without what hashing mixes up."""
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
