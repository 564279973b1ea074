"""Turns the setting ``embedder`` into an embedder."""

from __future__ import annotations

from pathlib import Path

from hydra_kg.errors import ModelError
from hydra_kg.models.embedding.onnx_embedder import DEFAULT_NAME, OnnxEmbedder
from hydra_kg.ports import Embedder


def make_embedder(name: str = DEFAULT_NAME, *, no_network: bool = False) -> Embedder:
    """The embedder that a setting names.

    ``minilm-int8``: the installed default; a folder: its ``model.onnx`` and ``tokenizer.json``, or a
    sentence-transformers model; anything else: a model of the Hugging Face hub, fetched unless ``no_network``.
    The last two need the extra ``sentence``. Raises ModelError, whose remedy says what to install or correct.
    """
    if name == DEFAULT_NAME:
        return OnnxEmbedder()
    folder = Path(name).expanduser()
    if folder.is_dir() and ((folder / "model.onnx").is_file() or not (folder / "modules.json").is_file()):
        return OnnxEmbedder(folder)
    if not folder.is_dir() and name.startswith(("/", "./", "../", "~")):
        remedy = f"Set embedder to {DEFAULT_NAME}, an existing folder, or a hub name."
        raise ModelError(f"There is no folder {name!r} with an embedding model.", remedy=remedy)
    from hydra_kg.models.embedding.sentence_embedder import SentenceEmbedder

    return SentenceEmbedder(str(folder) if folder.is_dir() else name, no_network=no_network)
