"""Index up to a million name vectors with FAISS.

A small index compares a query with all vectors, a larger one only with those in the nearest cells.
"""

from __future__ import annotations

import math
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final, cast

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Floats, Ids
from hydra_kg.errors import StoreCorruptError

EXACT: Final = 1_000_000
"""Largest number of vectors of which a search compares all. That takes at most 7 ms."""

SHARD: Final = 1_000_000
"""Largest number of vectors in one index. More vectors are divided over several indexes to bound the memory."""

PROBES: Final = 128
"""Number of cells that a search looks into. ``docs/results/name-index.md`` lists the recall for each number."""

PROPOSED: Final = 50
"""Number of rows that each shard returns. It is generous because hashing can make different spellings look alike."""

AT_ONCE: Final = 2_000_000
"""Largest load, in names, whose missing index a question waits for. Larger loads are left out until theirs is made."""

_SCALE: Final = 127.0
_TAUGHT: Final = 40  # vectors for each cell that the cells are found from
_HEADROOM: Final = 8  # bytes for the number of each vector where there are cells
_REMEDY: Final = "It is made again with the next question that needs it, or by hydra-kg db index."
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


class Shard:
    """A searchable index of vectors by row number, with one byte per dimension.

    Up to ``EXACT`` rows it is an ``IndexScalarQuantizer``, above that an ``IndexIVFScalarQuantizer`` with √n cells. The
    result is deterministic, and files are memory-mapped.
    """

    def __init__(self, index: Any) -> None:
        self._index = index

    def __len__(self) -> int:
        return int(self._index.ntotal)

    @classmethod
    def made(cls, parts: Iterable[Floats], *, rows: int, exact: bool) -> Shard:
        """Return an index over ``rows`` vectors, given as float32 parts of shape (n, 128).

        With ``exact``, a search compares all vectors. Otherwise the vectors are divided into cells, and until the cells
        are known all of them are in memory, with one byte per dimension.
        """
        import faiss

        faiss.omp_set_num_threads(1)
        if exact:
            index: Any = faiss.IndexScalarQuantizer(
                DIMENSION, faiss.ScalarQuantizer.QT_8bit_direct_signed, faiss.METRIC_INNER_PRODUCT
            )
            for part in parts:
                index.add(_bytes(part))
            return cls(index)
        quantised = np.empty((rows, DIMENSION), np.int8)
        at = 0
        for part in parts:
            quantised[at : at + len(part)] = _bytes(part).astype(np.int8)
            at += len(part)
        cells = max(1, round(math.sqrt(rows)))
        index = faiss.IndexIVFScalarQuantizer(
            faiss.IndexFlatIP(DIMENSION),
            DIMENSION,
            cells,
            faiss.ScalarQuantizer.QT_8bit_direct_signed,
            faiss.METRIC_INNER_PRODUCT,
            False,
        )
        index.cp.min_points_per_centroid = 1
        some = np.linspace(0, rows - 1, min(rows, _TAUGHT * cells)).astype(np.int64)
        index.train(quantised[some].astype(np.float32))
        for start in range(0, rows, 1 << 16):
            index.add(quantised[start : start + (1 << 16)].astype(np.float32))
        return cls(index)

    def search(self, vectors: Floats, k: int, *, probes: int = PROBES) -> tuple[Ids, Floats]:
        """Return the k nearest rows for each of n queries, and their cosines.

        Both arrays have shape (n, k). A row is -1 where there are fewer than k. The cosines are those of the quantised
        vectors.
        """
        import faiss

        how, parameters = None, cast("Any", faiss.SearchParametersIVF)  # whose stub knows no arguments
        if hasattr(self._index, "nlist"):
            how = parameters(nprobe=min(probes, int(self._index.nlist)))
        cosines, rows = self._index.search(np.ascontiguousarray(vectors, np.float32) * _SCALE, k, params=how)
        return rows, cosines / (_SCALE * _SCALE)

    def write(self, path: Path) -> dict[str, int]:
        """Write the index to a file, and return what :meth:`read` needs to check before it opens it. Raises OSError."""
        import faiss

        try:
            faiss.write_index(self._index, str(path))
        except RuntimeError as e:
            raise OSError(str(e).strip().splitlines()[-1]) from e
        size = path.stat().st_size
        head = size - len(self) * (self._index.d + (_HEADROOM if hasattr(self._index, "nlist") else 0))
        return {"rows": len(self), "bytes": size, "head": head, "crc32": _checksum(path, head)}

    @classmethod
    def read(cls, path: Path, noted: dict[str, int]) -> Shard:
        """Open a file of :meth:`write`, memory-mapped.

        All parts of the file but the vectors are compared with what was written. Raises StoreCorruptError if they
        differ.
        """
        import faiss

        faiss.omp_set_num_threads(1)
        try:
            if path.stat().st_size != noted["bytes"] or _checksum(path, noted["head"]) != noted["crc32"]:
                raise ValueError("not what was written")
            cells = noted["head"] + noted["rows"] * DIMENSION != noted["bytes"]
            how = faiss.IO_FLAG_MMAP if cells else faiss.IO_FLAG_MMAP_IFC
            index = faiss.read_index(str(path), how | faiss.IO_FLAG_READ_ONLY)
            if index.ntotal != noted["rows"]:
                raise ValueError("of another length")
        except (OSError, ValueError, KeyError, TypeError, RuntimeError) as e:
            raise StoreCorruptError(f"The index {path} cannot be used: {e}.", remedy=_REMEDY) from e
        return cls(index)


def _bytes(vectors: Floats) -> Floats:
    return np.asarray(np.rint(vectors * _SCALE), np.float32)


def _checksum(path: Path, size: int) -> int:
    with path.open("rb") as file:
        return zlib.crc32(file.read(size))


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
