"""Embedders from sentence-transformers, by hub name or folder; they need the extra ``sentence`` (torch)."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hydra_kg.domain import Floats
from hydra_kg.errors import ModelError
from hydra_kg.quiet_dependencies import silence_libraries


class SentenceEmbedder:
    """Embedder that runs a sentence-transformers model on the CPU.

    Texts are embedded one at a time, so that vectors never depend on a batch. Code from the hub is never run.
    ``checksum`` covers the weights. With ``no_network`` only local models are used. Raises ModelError.
    """

    def __init__(self, name: str, *, no_network: bool = False) -> None:
        silence_libraries()
        try:
            from sentence_transformers import SentenceTransformer
        except ImportError as e:
            message = f"The embedder {name!r} needs sentence-transformers, which is not installed."
            remedy = "Run: pip install 'hydra-kg[sentence]', or keep the default embedder, minilm-int8."
            raise ModelError(message, remedy=remedy) from e
        try:
            model = SentenceTransformer(name, device="cpu", local_files_only=no_network, trust_remote_code=False)
        except Exception as e:  # OSError, ValueError and the hub client's own, which share no base
            remedy = "Check the name, or give a folder that holds model.onnx and tokenizer.json."
            raise ModelError(f"The embedding model {name!r} cannot be loaded: {e}", remedy=remedy) from e
        self._model: Any = model
        self.name = Path(name).name if Path(name).is_dir() else name  # a path of one machine tells another nothing
        self.checksum = _weights_checksum(model)
        self.dimension = int(self.embed(["dimension"]).shape[1])

    def embed(self, texts: Sequence[str]) -> Floats:
        """Return float32 vectors (n, dimension), each row of length 1, in the order of ``texts``."""
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        options = {"batch_size": 1, "show_progress_bar": False, "normalize_embeddings": True}
        return np.asarray(self._model.encode(list(texts), **options), dtype=np.float32)


def _weights_checksum(model: Any) -> str:
    digest = hashlib.sha256()
    for key, tensor in sorted(model.state_dict().items()):
        digest.update(f"{key} {tuple(tensor.shape)} ".encode())
        digest.update(tensor.float().cpu().numpy().tobytes())
    return digest.hexdigest()
