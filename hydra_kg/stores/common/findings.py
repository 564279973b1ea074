"""Findings of a store examination, and their order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Final, Literal

Level = Literal["error", "warning", "note"]
ORDER: Final[tuple[Level, ...]] = ("error", "warning", "note")


@dataclass(frozen=True, slots=True)
class Finding:
    """Report one fact about a store and its remedy ("" if all is well); ``error``: answers may fail or be wrong."""

    level: Level
    what: str
    remedy: str = ""

    def to_json(self) -> dict[str, str]:
        """As a plain dictionary."""
        return asdict(self)


def worst_first(findings: Iterable[Finding]) -> list[Finding]:
    """Errors, then warnings, then notes, each in the order in which they were found."""
    return sorted(findings, key=lambda finding: ORDER.index(finding.level))
