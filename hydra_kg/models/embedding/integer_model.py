"""Computes the default model with integer products, which take two thirds of the time of products of floats.

The graph has no weights: its matrices are places in the pinned file, from which they are mapped. Activations are
written with two bytes each, so that cosines differ by about 1e-4 from those of floats. Processors without products of
bytes that are exact (most before 2019) fail the probe, and ``prepared_model`` then computes with floats.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

import numpy as np

from hydra_kg.domain import Floats
from hydra_kg.models.embedding.prepared_model import MODEL, WeightFile, locate

GRAPH: Final = WeightFile(
    package="hydra_kg",
    path="models/embedding/minilm_integers.onnx",
    sha256="9d3b1c342f85d6cb00b65b2f46ac24d39f1c37dfda52912a6c6b6f972e91a859",
    requirement="hydra-kg",
)
"""Written by bench/training/minilm_graph.py, as are the probe and its vector."""

_PROBE: Final = [[101, 2040, 2856, 1996, 2143, 12149, 1010, 1998, 2073, 2001, 1996, 2472, 2141, 1029, 102]]
_EXPECTED: Final = (
    *(-0.01895, -0.001481, -0.043404, -0.014911, 0.017529, 0.009626),
    *(0.031161, 0.060368, 0.029533, -0.045838, -0.020519, -0.107099),
)
"""The first numbers of the probe's vector as floats give it."""
_TOLERANCE: Final = 1e-4


def integer_session(
    *, start: Callable[..., Any], read: Callable[[WeightFile], bytes], run: Callable[..., Floats]
) -> Any:
    """Return a session that computes with integers, or None if this processor or onnxruntime does it differently.

    ``start`` makes a session of bytes, ``read`` returns a checked file, and ``run`` embeds token ids.
    """
    with suppress(Exception):  # whatever is wrong, floats are as good
        folder = {"session.model_external_initializers_file_folder_path": str(locate(MODEL).parent)}
        session = start(read(GRAPH), optimise=False, settings=folder)
        vector = run(session, _PROBE)[0]
        if np.allclose((vector / np.linalg.norm(vector))[: len(_EXPECTED)], _EXPECTED, atol=_TOLERANCE):
            return session
    return None
