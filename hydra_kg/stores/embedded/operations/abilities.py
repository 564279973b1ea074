"""What a backup and a held load need of a store: its files, pinned, and its catalog."""

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
        """Return the files of what is ready now, which stay for the time of the block."""


@runtime_checkable
class Holdable(Backupable, Protocol):
    """One in which a newer load can lie beside the ready one of its name."""

    url: str

    def begin(self, load: LoadPlan) -> Any:
        """See :class:`hydra_kg.ports.Store`; the writer can ``hold`` what it wrote."""

    def flip(self, *, ready: Sequence[LoadRow], replace: bool) -> None:
        """Make loads ready, with all that is derived."""

    def discard_pending(self, row: LoadRow) -> None:
        """Remove a held load, or what is left of a discarded one."""
