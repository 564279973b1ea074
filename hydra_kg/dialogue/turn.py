"""The last turn, and what a follow-up was resolved to, as frozen values."""

from __future__ import annotations

from typing import Final

from hydra_kg.language.lexicon import list_words
from hydra_kg.steps.retrieval.entity_types import Gender
from hydra_kg.util.fast_dataclass import dataclass

PLACES: Final = list_words("land_kind fixed_kind water_kind") | {"planet"}
"""Kinds of thing that something can be in or at."""


@dataclass(frozen=True, slots=True)
class Thing:
    """An entity that was mentioned.

    key: id, or "".
    kinds: kinds of thing, as in ``kinds.tsv``.
    nouns: words for it.
    related: stems of the words in its relations.
    start, end: its place in the question in characters, −1 if it is not there.
    """

    name: str
    key: str = ""
    kinds: frozenset[str] = frozenset()
    nouns: frozenset[str] = frozenset()
    gender: Gender = ""
    related: frozenset[str] = frozenset()
    start: int = -1
    end: int = -1

    @property
    def person(self) -> bool | None:
        """Return True if it is a person; None if that is unknown."""
        return "person" in self.kinds or "character" in self.kinds if self.kinds else None

    @property
    def place(self) -> bool | None:
        """Return True if something can be there; None if that is unknown."""
        return bool(self.kinds & PLACES) if self.kinds else None


@dataclass(frozen=True, slots=True)
class Turn:
    """The last question and its answer.

    topics: entities that the question names.
    answers: entities that are answers.
    between: entities on all paths to the answers.
    earlier: entities of earlier turns, newest first.
    answered: whether there was an answer of any kind.
    """

    question: str
    topics: tuple[Thing, ...] = ()
    answers: tuple[Thing, ...] = ()
    between: tuple[Thing, ...] = ()
    earlier: tuple[Thing, ...] = ()
    answered: bool = True


@dataclass(frozen=True, slots=True)
class Resolved:
    """A complete question.

    text: the question.
    meant: the names that were put in, with their keys.
    changed: whether it differs from the follow-up.
    """

    text: str
    meant: tuple[tuple[str, str], ...] = ()
    changed: bool = True


@dataclass(frozen=True, slots=True)
class Unresolved:
    """The reason why a follow-up has no single meaning; ``choices`` are full questions that it may mean."""

    reason: str
    choices: tuple[str, ...] = ()


Resolution = Resolved | Unresolved
