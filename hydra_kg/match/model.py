"""Values of entity resolution: compared columns, pairs of rows, and the result of a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from hydra_kg.util.fast_dataclass import dataclass

Kind = Literal["text", "long text", "code", "number", "date"]
TEXTS: Final = ("text", "long text", "code")
"""Kinds of columns whose cells are compared as words."""


@dataclass(frozen=True, slots=True)
class ComparedColumn:
    """A column that two feeds have in common.

    left, right: its headings.
    filled: number of rows that have it.
    distinct: number of different texts.
    how: "name" or "values", by which the two columns were paired.
    """

    left: str
    right: str
    kind: Kind
    filled: int
    distinct: int
    how: Literal["name", "values"] = "name"

    @property
    def name(self) -> str:
        """Return the column's name for people."""
        return self.left if self.left == self.right else f"{self.left} / {self.right}"


@dataclass(frozen=True, slots=True)
class Pair:
    """Two rows that may be one thing.

    probability: probability that they are, given the alternatives.
    weights: log Bayes factors of the columns that both rows have.
    """

    left: int
    right: int
    probability: float
    weights: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Matching:
    """Result of a run.

    pairs: the best pair of each row, likeliest first, also those below ``threshold``.
    rows, compared, columns: number of rows of each feed, number of compared pairs, and their columns.
    expected: expected number of matches.
    ambiguous: groups of equally good pairs, which are not in ``pairs``.
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
        """Return the pairs at or above the threshold."""
        return tuple(p for p in self.pairs if p.probability >= self.threshold)
