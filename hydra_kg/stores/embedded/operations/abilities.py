"""Interfaces that a backup and a pending load need from a store: its pinned files and its catalog."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from hydra_kg.ports import LoadPlan
from hydra_kg.stores.embedded.catalog.catalog import Catalog, LoadRow
from hydra_kg.stores.embedded.catalog.generation import PinnedGeneration


@runtime_checkable
class Backupable(Protocol):
    """A store in a folder whose ready loads can be copied while others load and ask."""

    path: Path
    catalog: Catalog

    def pin(self) -> AbstractContextManager[PinnedGeneration]:
        """Return the files of the ready loads, which stay in place for the duration of the block."""


@runtime_checkable
class Holdable(Backupable, Protocol):
    """A store in which a newer, pending load can exist next to the ready one of its name."""

    url: str

    def begin(self, load: LoadPlan) -> Any:
        """See :class:`hydra_kg.ports.Store`; the writer can ``hold`` what it wrote."""

    def flip(self, *, ready: Sequence[LoadRow], replace: bool) -> None:
        """Make loads ready, together with all derived data."""

    def discard_pending(self, row: LoadRow) -> None:
        """Remove a pending load, or what is left of a discarded one."""
