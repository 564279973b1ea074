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
    """A column by which rows are compared. ``left``, ``right``: what the two feeds call it · ``filled``: rows of both
    that have it · ``distinct``: different texts among them · ``how``: "name" where both call it so, "values" where only
    the values are alike."""

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
    """Two rows by their ids. ``probability``: that they are one thing, given all they could be instead · ``weights``:
    what each column says for it (above 0) or against it, as natural logarithms of Bayes factors; columns that one of
    them lacks are left out."""

    left: int
    right: int
    probability: float
    weights: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Matching:
    """What a run found. ``pairs``: the best of each row, most probable first, also those below ``threshold`` ·
    ``rows``: of each feed · ``compared``: pairs that were compared · ``columns``: by which · ``expected``: matches that
    the probabilities amount to · ``ambiguous``: groups of pairs that share a row and fit it equally well, so that none
    of them is in ``pairs``."""

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
