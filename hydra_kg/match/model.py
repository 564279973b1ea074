"""What entity resolution speaks of: columns that both feeds have, pairs of rows, and how surely a pair is one thing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

Kind = Literal["text", "long text", "code", "number", "date"]
TEXTS: Final = ("text", "long text", "code")
"""Kinds of columns whose cells are compared as words."""


@dataclass(frozen=True, slots=True)
class ComparedColumn:
    """``left``, ``right``: headings · ``filled``: rows · ``distinct``: texts · ``how``: "name" or "values"."""

    left: str
    right: str
    kind: Kind
    filled: int
    distinct: int
    how: Literal["name", "values"] = "name"

    @property
    def name(self) -> str:
        """As people read it."""
        return self.left if self.left == self.right else f"{self.left} / {self.right}"


@dataclass(frozen=True, slots=True)
class Pair:
    """Two rows. ``probability``: one thing, given alternatives · ``weights``: log Bayes factors of common columns."""

    left: int
    right: int
    probability: float
    weights: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Matching:
    """Result of a run.

    ``pairs``: best per row, likeliest first, any ``threshold`` · ``rows``, ``compared``, ``columns`` · ``expected``:
    matches · ``ambiguous``: equally good groups, not in ``pairs``.
    """

    feeds: tuple[str, ...]
    rows: tuple[int, ...]
    columns: tuple[ComparedColumn, ...]
    compared: int
    expected: float
    threshold: float
    pairs: tuple[Pair, ...]
    method: Mapping[str, object]
    ambiguous: tuple[tuple[Pair, ...], ...] = ()

    @property
    def accepted(self) -> tuple[Pair, ...]:
        """The pairs at or above the threshold."""
        return tuple(p for p in self.pairs if p.probability >= self.threshold)
