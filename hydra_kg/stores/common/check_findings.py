"""Findings of a store examination, and the order in which they are shown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Final, Literal

from hydra_kg.util.fast_dataclass import dataclass

Level = Literal["error", "warning", "note"]
ORDER: Final[tuple[Level, ...]] = ("error", "warning", "note")


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
