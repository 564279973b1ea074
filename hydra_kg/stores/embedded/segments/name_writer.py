"""Writes the names of a load as arrays, numbered by popularity, and gives their folded forms to the full text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from hydra_kg.errors import StoreError
from hydra_kg.stores.embedded.segments.array_folder import FolderWriter
from hydra_kg.stores.embedded.segments.format import NAMELESS
from hydra_kg.stores.embedded.segments.name_full_text import NameFullText
from hydra_kg.stores.embedded.segments.name_rows import make_keys
from hydra_kg.stores.embedded.segments.record_heap import TextHeap
from hydra_kg.text.folding import fold_all

_REMEDY: Final = "Please report this as a bug."


class NameWriter:
    """Writes ``name_node``, ``name_kind``, ``name_off``, ``names.bin``, ``name_key`` and ``name_first``.

    Takes 8 bytes of memory for each name, and 4 for each of the ``nodes``.
    """

    def __init__(self, out: FolderWriter, scratch: Path, *, nodes: int) -> None:
        self._out = out
        self._node, self._kind = out.array("name_node", np.int32), out.array("name_kind", np.uint8)
        self._texts = TextHeap(out, "name")
        self._keys: list[npt.NDArray[np.uint64]] = []
        self._first = np.full(nodes, NAMELESS, np.uint32)
        self._last = -1
        self._full = NameFullText(scratch / "texts-full.sqlite")
        self.count = 0

    def add(self, local: npt.NDArray[np.int64], kinds: npt.NDArray[np.int8], texts: Sequence[str]) -> None:
        """Add names in the order of popularity, those of each node in that of kind and text."""
        if not len(local):
            return
        start, end = self.count, self.count + len(local)
        heads = np.flatnonzero(np.diff(local, prepend=self._last))
        begun = local[heads]
        if end > NAMELESS or (self._first[begun] != NAMELESS).any() or len(np.unique(begun)) < len(begun):
            raise StoreError("The names of a node are apart, or there are too many.", remedy=_REMEDY)
        self._first[begun] = start + heads
        self._last = int(local[-1])
        folds = fold_all(texts)
        self._full.add(start + 1, folds)
        self._keys.append(make_keys(folds, start))
        self._node.append(local)
        self._kind.append(kinds)
        self._texts.add(np.arange(start, end), texts)
        self.count = end

    def finish(self) -> NameFullText:
        """Finish the arrays. Return the full text, which has to be moved where it belongs."""
        for array in (self._node, self._kind):
            self._out.done(array)
        self._texts.finish(self.count)
        keys = np.concatenate([np.empty(0, np.uint64), *self._keys])
        self._keys.clear()
        keys.sort()
        self._out.save("name_key", keys)
        self._out.save("name_first", self._first)
        return self._full

    def close(self) -> None:
        """Stop, and remove scratch. Safe to call twice."""
        self._full.close()
