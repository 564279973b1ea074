"""The learned relevance matrix, which relates questions to relations and was fitted on labelled questions."""

from __future__ import annotations

from functools import cache
from importlib.resources import as_file, files

import numpy as np

from hydra_kg.domain import Floats


def load_relevance_matrix(checksum: str) -> Floats | None:
    """Return the matrix M (d, d) of h(I)ᵀ M h(r), or None for an embedder with another ``checksum``.

    ``bench/training/fit_relevance.py`` fitted the matrix.
    """
    made_for, matrix = _read()
    return matrix if made_for == checksum else None


@cache
def _read() -> tuple[str, Floats]:
    shipped = files("hydra_kg.models.embedding").joinpath("learned.npz")
    with as_file(shipped) as path, np.load(path, allow_pickle=False) as archive:
        return str(archive["embedder"]), np.asarray(archive["matrix"], np.float32)
