"""Checks, after an unexpected error, whether files of the store changed since they were written."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from hydra_kg.stores.embedded.catalog.generation import GENERATION, PinnedGeneration
from hydra_kg.stores.embedded.segments.array_folder import verify
from hydra_kg.stores.embedded.segments.format import SEGMENT
from hydra_kg.stores.embedded.segments.merged_adjacency import MERGED

UNFORESEEN: Final = (IndexError, KeyError, MemoryError, OverflowError, TypeError, ValueError)
"""Errors that arise when damaged arrays point to positions that do not exist."""

_STORE: Final = Path(__file__).parents[1]


def raise_if_corrupt(pinned: PinnedGeneration, error: Exception) -> None:
    """Raise StoreCorruptError if an error came from store code and files fail their checksums.

    Reads all files of the pinned loads and their generation.
    """
    trace, ours = error.__traceback__, False
    while trace is not None and not ours:
        file = Path(trace.tb_frame.f_code.co_filename)
        ours = _STORE in file.parents and file.name != "store.py"
        trace = trace.tb_next
    if not ours:
        return
    for _, segment in pinned.loads:
        verify(segment.path, magic=SEGMENT)
    if pinned.generation.merged is not None:
        verify(pinned.generation.merged.path, magic=MERGED)
    if pinned.generation.number:
        verify(pinned.generation.path, magic=GENERATION)
