"""The index of each load's names by their spelling, in the folder ``index/<load>`` of the store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np

from hydra_kg.domain import Floats, LoadInfo
from hydra_kg.events import Listener, Progress
from hydra_kg.index.shard import EXACT, SHARD, Shard, name_vectors
from hydra_kg.stores import shard_folder
from hydra_kg.stores.embedded.segments.format import Segment
from hydra_kg.stores.embedded.segments.name_rows import names_of
from hydra_kg.text.folding import fold_all

_BATCH: Final = 50_000


def open_index(store: Path, info: LoadInfo, segment: Segment) -> list[Shard] | None:
    """Return the index of a load, or None if it is missing, damaged, or made for other names or vectors."""
    found = shard_folder.open_shards(shard_folder.index_folder(store, segment.id), info.checksum)
    return None if found is None else found[0]


def make_shards(
    info: LoadInfo, segment: Segment, *, listener: Listener, exact: int = EXACT, most: int = SHARD
) -> Iterator[Shard]:
    """Yield the shards of a load's names, one in memory at a time, in the names' order of popularity."""
    rows = names_of(segment).count
    more = {"load": info.name}
    progress = Progress("load.index", total=rows, unit="names", listener=listener, at_once=True, more=more)
    for start in range(0, rows, most):
        number = min(most, rows - start)
        yield Shard.made(_vectors(segment, start, start + number, progress), rows=number, exact=rows <= exact)


def make(store: Path, info: LoadInfo, segment: Segment, *, listener: Listener) -> None:
    """Make and store the index of a load, unless another process did. Raises OSError if it cannot be written."""
    folder = shard_folder.index_folder(store, segment.id)
    shard_folder.make(folder, info.checksum, make_shards(info, segment, listener=listener), dict)


def _vectors(segment: Segment, start: int, end: int, progress: Progress) -> Iterator[Floats]:
    """Yield the vectors of the names numbered from ``start`` to ``end`` - 1."""
    names = names_of(segment)
    for at in range(start, end, _BATCH):
        found = names.read(np.arange(at, min(at + _BATCH, end)))
        yield name_vectors(fold_all([text for *_, text in found]))
        progress.add(len(found))
