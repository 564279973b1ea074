"""A preview of a store after a change, made of hard links to its files and a catalog of its own."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from hydra_kg.stores.embedded.catalog.catalog import FILE as CATALOG
from hydra_kg.stores.embedded.operations.abilities import Holdable
from hydra_kg.stores.embedded.operations.backup import copy_database
from hydra_kg.stores.embedded.segments.disk_full import disk_errors

if TYPE_CHECKING:
    from hydra_kg.stores.embedded.store import EmbeddedStore

_LINKED: Final = ("loads", "generations", "merged", "index")
"""Folders whose files are never changed in place, so that they can be linked."""
_SIDE_FILES: Final = ("vectors.sqlite", "history.sqlite", "teachings.sqlite")
"""Other files of the store that answers depend on."""


@contextmanager
def preview_change(store: Holdable, change: Callable[[EmbeddedStore], object]) -> Iterator[EmbeddedStore]:
    """Yield the store as it would be after a change; the store in use does not change.

    The preview is next to the store, so that files are linked instead of copied. It is removed at the end of the
    block. Raises whatever the change raises, and DiskFullError.
    """
    from hydra_kg.stores.embedded.store import EmbeddedStore

    with disk_errors(store.path.parent, "trying the change"):
        scratch = tempfile.TemporaryDirectory(prefix=".hydra-kg-preview-", dir=store.path.parent)
    with scratch as folder:
        place = Path(folder) / store.path.name
        with disk_errors(place.parent, "trying the change"), store.pin():
            _link(store.path, place)
        with EmbeddedStore(place) as copy:
            change(copy)
            yield copy


def _link(source: Path, target: Path) -> None:
    target.mkdir(mode=0o700)
    for name in (CATALOG, *_SIDE_FILES):
        if (source / name).is_file():
            copy_database(source / name, target / name)
    for name in _LINKED:
        if (source / name).is_dir():
            shutil.copytree(source / name, target / name, copy_function=_link_or_copy)


def _link_or_copy(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:  # a file system without hard links
        shutil.copy2(source, target)
