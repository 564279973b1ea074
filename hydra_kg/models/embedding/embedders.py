"""Turns the setting ``embedder`` into an embedder."""

from __future__ import annotations

from pathlib import Path

from hydra_kg.errors import ModelError
from hydra_kg.models.embedding.onnx_embedder import DEFAULT_NAME, OnnxEmbedder
from hydra_kg.models.embedding.sentence_folder import PREFIX, sentence_folder
from hydra_kg.ports import Embedder


def make_embedder(name: str = DEFAULT_NAME, *, no_network: bool = False) -> Embedder:
    """The embedder that a setting names.

    ``minilm-int8``: the installed default; ``sentence-transformers:FOLDER``: a model that this library wrote; a folder:
    its ``model.onnx`` and ``tokenizer.json``, or a sentence-transformers model; anything else: a model of the Hugging
    Face hub, fetched unless ``no_network``. The last needs the extra ``sentence``. Raises ModelError, whose remedy says
    what to install or correct.
    """
    if name == DEFAULT_NAME:
        return OnnxEmbedder()
    if name.startswith(PREFIX):
        return sentence_folder(name.removeprefix(PREFIX))
    folder = Path(name).expanduser()
    if folder.is_dir() and (folder / "modules.json").is_file() and not (folder / "model.onnx").is_file():
        return sentence_folder(name)
    if folder.is_dir():
        return OnnxEmbedder(folder)
    if name.startswith(("/", "./", "../", "~")):
        remedy = f"Set embedder to {DEFAULT_NAME}, an existing folder, or a hub name."
        raise ModelError(f"There is no folder {name!r} with an embedding model.", remedy=remedy)
    from hydra_kg.models.embedding.sentence_embedder import SentenceEmbedder

    return SentenceEmbedder(name, no_network=no_network)
