"""Stores the default model as onnxruntime optimises it, so that later processes map the file instead of preparing it.

It is used where ``integer_model`` cannot be.

Optimising takes a fifth of a second of every process; mapping the result takes a seventh of that, gives the same
vectors bit by bit, and lets processes share the memory. The copy takes 90 MB of the cache folder and may be deleted.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import numpy as np

from hydra_kg.domain import Floats
from hydra_kg.settings.folders import cache_folder

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
