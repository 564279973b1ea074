"""Optional abilities of stores as protocols, tested with ``isinstance``, and what an examination of a store finds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict
from typing import Any, Final, Literal, Protocol, runtime_checkable

from hydra_kg.events import Listener
from hydra_kg.util.fast_dataclass import dataclass

Level = Literal["error", "warning", "note"]
ORDER: Final[tuple[Level, ...]] = ("error", "warning", "note")


@runtime_checkable
class Compactable(Protocol):
    """A store whose loads are stored separately and can be merged to make questions faster."""

    def places(self) -> int:
        """Return the number of places in which a graph walk has to look."""

    def compact(self, *, more_than: int, everything: bool, listener: Listener) -> Mapping[str, Any]:
        """Merge the links of the loads if they are in more than ``more_than`` places. Return counts."""


@runtime_checkable
class OnServer(Protocol):
    """A store in a database that can be queried in the database's own language."""

    db: Any

    def snapshot(self) -> AbstractContextManager[Any]:
        """See :class:`hydra_kg.ports.Store`."""

    def all_loads(self) -> list[dict[str, Any]]:
        """Return all loads that have rows, in any state."""


@runtime_checkable
class Examinable(Protocol):
    """A store that can check its own contents."""

    def doctor(self) -> Sequence[Finding]:
        """Return a finding for everything that is not as it should be."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One fact about a store, with its remedy ("" if all is well).

    The level ``error`` means that answers may fail or be wrong.
    """

    level: Level
    what: str
    remedy: str = ""

    def to_json(self) -> dict[str, str]:
        """Return the finding as a plain dictionary."""
        return asdict(self)


def worst_first(findings: Iterable[Finding]) -> list[Finding]:
    """Return errors, then warnings, then notes, each in the order in which they were found."""
    return sorted(findings, key=lambda finding: ORDER.index(finding.level))
