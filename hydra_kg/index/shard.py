"""Index up to a million name vectors with FAISS.

A small index compares a query with all vectors, a larger one only with those in the nearest cells.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, cast

import numpy as np

from hydra_kg.domain import Floats, Ids
from hydra_kg.errors import StoreCorruptError
from hydra_kg.index.name_vectors import DIMENSION

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
