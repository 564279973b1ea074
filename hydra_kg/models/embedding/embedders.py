"""Creation of the embedder that a setting names.

It is the default, a sentence-transformers folder, an export, or a model of the Hugging Face hub.
"""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from hydra_kg.errors import ModelError
from hydra_kg.models.embedding.onnx_embedder import DEFAULT_NAME, OnnxEmbedder
from hydra_kg.ports import Embedder

PREFIX: Final = "sentence-transformers:"
_EXPORT: Final = "onnx/model.onnx"
_REMEDY: Final = "It wants a folder as SentenceTransformer.save writes it."


def sentence_folder(name: str) -> Embedder:
    """Return the embedder in a folder that ``SentenceTransformer.save`` wrote.

    The optional dependency ``sentence`` reads it if it is installed. Otherwise ``onnx/model.onnx`` in the folder is
    read, if the model uses mean pooling. No code of the folder is run and nothing is fetched. Raises ModelError.
    """
    folder = Path(name).expanduser()
    if not folder.is_dir():
        raise ModelError(f"There is no folder {name!r} with a sentence-transformers model.", remedy=_REMEDY)
    modules = _read(folder / "modules.json", list)
    if find_spec("sentence_transformers") is not None:
        from hydra_kg.models.embedding.sentence_embedder import SentenceEmbedder

        return SentenceEmbedder(str(folder), no_network=True)
    wants = "Run: pip install 'hydra-kg[sentence]', or keep the default embedder, minilm-int8."
    try:
        kinds = [str(m["type"]).rsplit(".", 1)[-1] for m in modules]
        if kinds not in (["Transformer", "Pooling"], ["Transformer", "Pooling", "Normalize"]):
            raise ModelError(f"The modules {', '.join(kinds)} need sentence-transformers.", remedy=wants)
        transformer, pooling = (folder / str(m["path"]) for m in modules[:2])
    except (KeyError, TypeError) as e:
        raise ModelError(f"{folder / 'modules.json'} is damaged.", remedy=_REMEDY) from e
    if not _mean(_read(pooling / "config.json", dict)):
        raise ModelError("Its pooling is not the mean, which needs sentence-transformers.", remedy=wants)
    if not (transformer / _EXPORT).is_file():
        message = f"{folder} has no {_EXPORT}, and sentence-transformers is not installed."
        raise ModelError(message, remedy=f"{wants} An ONNX export needs no package.")
    return OnnxEmbedder(transformer, model=_EXPORT)


def _mean(config: dict[str, Any]) -> bool:
    """Return True if sentence vectors are plain means of token vectors, in either format of the configuration."""
    if "pooling_mode" in config:
        return bool(config["pooling_mode"] == "mean")
    modes = [name for name, on in config.items() if name.startswith("pooling_mode_") and on]
    return modes == ["pooling_mode_mean_tokens"]


def _read(file: Path, kind: type) -> Any:
    try:
        found = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as e:
        raise ModelError(f"Cannot read {file}: {e}", remedy=_REMEDY) from e
    if not isinstance(found, kind):
        raise ModelError(f"{file} is damaged.", remedy=_REMEDY)
    return found


def make_embedder(name: str = DEFAULT_NAME, *, no_network: bool = False) -> Embedder:
    """Return the embedder that a setting names.

    - ``minilm-int8``: the installed default.
    - ``sentence-transformers:FOLDER``: a model that this library wrote.
    - A folder: its ``model.onnx`` and ``tokenizer.json``, or a sentence-transformers model.
    - Any other name: a model of the Hugging Face hub, fetched unless ``no_network``; needs the extra ``sentence``.

    Raises ModelError, whose remedy says what to install or correct.
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
