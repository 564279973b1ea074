"""Optional abilities of stores as protocols, tested with ``isinstance``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol, runtime_checkable

from hydra_kg.events import Listener
from hydra_kg.stores.common.findings import Finding


@runtime_checkable
class Compactable(Protocol):
    """A store whose loads lie apart and can be merged for asking."""

    def places(self) -> int:
        """In how many places a walk looks."""

    def compact(self, *, more_than: int, everything: bool, listener: Listener) -> Mapping[str, Any]:
        """Merge the links of its loads if there are more places. Returns counts."""


@runtime_checkable
class OnServer(Protocol):
    """A store in a database, which can be asked in its own language."""

    db: Any

    def snapshot(self) -> AbstractContextManager[Any]:
        """See :class:`hydra_kg.ports.Store`."""

    def all_loads(self) -> list[dict[str, Any]]:
        """All loads that have rows, whatever their state."""


@runtime_checkable
class Examinable(Protocol):
    """A store that can check what it holds."""

    def doctor(self) -> Sequence[Finding]:
        """All that is not as it should be."""
