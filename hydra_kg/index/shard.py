"""Up to a million vectors of names in one FAISS index: all of them looked at while they are few, else by cells."""

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
"""Vectors up to which a search looks at all of them: 7 ms at most."""

SHARD: Final = 1_000_000
"""Vectors of one index: more stand in several, so that no more than this is ever held while one is made."""

PROBES: Final = 128
"""Cells that a search looks into; recall by it is in docs/results/name-index.md."""

PROPOSED: Final = 50
"""Rows asked of each shard: hashing mixes up what is spelt otherwise."""

AT_ONCE: Final = 2_000_000
"""Names of a load up to which a question waits for a missing index; larger ones are left out until it is made."""

_SCALE: Final = 127.0
_TAUGHT: Final = 40  # vectors for each cell that the cells are found from
_HEADROOM: Final = 8  # bytes for the number of each vector where there are cells
_REMEDY: Final = "It is made anew with the next question that needs it, or by hydra-kg db index."


class Shard:
    """Vectors by row, one byte a dimension: ``IndexScalarQuantizer`` up to ``EXACT`` rows, else
    ``IndexIVFScalarQuantizer`` with √n cells. Deterministic; files are memory-mapped.
    """

    def __init__(self, index: Any) -> None:
        self._index = index

    def __len__(self) -> int:
        return int(self._index.ntotal)

    @classmethod
    def made(cls, parts: Iterable[Floats], *, rows: int, exact: bool) -> Shard:
        """Return an index over ``rows`` vectors of names, float32 (n, 128) in parts: of all of them (``exact``), or by cells;
        then they are all held, one byte a dimension, until the cells are known.
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
        """Return the k nearest of each of n queries: rows (n, k), -1 where there are fewer, and cosines of what is kept."""
        import faiss

        how, parameters = None, cast("Any", faiss.SearchParametersIVF)  # whose stub knows no arguments
        if hasattr(self._index, "nlist"):
            how = parameters(nprobe=min(probes, int(self._index.nlist)))
        cosines, rows = self._index.search(np.ascontiguousarray(vectors, np.float32) * _SCALE, k, params=how)
        return rows, cosines / (_SCALE * _SCALE)

    def write(self, path: Path) -> dict[str, int]:
        """Write it; what :meth:`read` needs to know that the file may be opened. Raises OSError."""
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
        """Open a file of :meth:`write`, memory-mapped; all but vectors is compared first. Raises StoreCorruptError."""
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
