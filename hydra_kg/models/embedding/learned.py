"""The learned relevance matrix: relates questions to relations, fitted on labelled questions."""

from __future__ import annotations

from functools import cache
from importlib.resources import as_file, files

import numpy as np

from hydra_kg.domain import Floats


def learned_relevance(checksum: str) -> Floats | None:
    """Return M (d, d) of h(I)ᵀ M h(r), fitted by ``bench/training/fit_relevance.py``, None for another ``checksum``."""
    made_for, matrix = _read()
    return matrix if made_for == checksum else None


@cache
def _read() -> tuple[str, Floats]:
    shipped = files("hydra_kg.models.embedding").joinpath("learned.npz")
    with as_file(shipped) as path, np.load(path, allow_pickle=False) as archive:
        return str(archive["embedder"]), np.asarray(archive["matrix"], np.float32)
