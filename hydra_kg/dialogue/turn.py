"""What is at hand of the last question, and what a follow-up was resolved to: frozen values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hydra_kg.language.lexicon import list_words
from hydra_kg.steps.retrieval.entity_types import Gender

PLACES: Final = list_words("land_kind fixed_kind water_kind") | {"planet"}
"""Kinds of thing that something can be in or at."""


@dataclass(frozen=True, slots=True)
class Thing:
    """A mentioned entity.

    ``key``: id or "" · ``kinds``: as in ``kinds.tsv`` · ``nouns``: words for it · ``related``: stems of its relations ·
    ``start``, ``end``: in the question, −1 if absent.
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
        """Whether it is a person; None where that is not known."""
        return "person" in self.kinds or "character" in self.kinds if self.kinds else None

    @property
    def place(self) -> bool | None:
        """Whether something can be there; None where that is not known."""
        return bool(self.kinds & PLACES) if self.kinds else None


@dataclass(frozen=True, slots=True)
class Turn:
    """The last question.

    ``topics``: named · ``answers``: entities · ``between``: on all paths · ``earlier``: newest first · ``answered``: by
    anything.
    """

    question: str
    topics: tuple[Thing, ...] = ()
    answers: tuple[Thing, ...] = ()
    between: tuple[Thing, ...] = ()
    earlier: tuple[Thing, ...] = ()
    answered: bool = True


@dataclass(frozen=True, slots=True)
class Resolved:
    """A complete question: ``text``, ``meant`` (names and keys put in), ``changed``."""

    text: str
    meant: tuple[tuple[str, str], ...] = ()
    changed: bool = True


@dataclass(frozen=True, slots=True)
class Unresolved:
    """Why a follow-up has no one meaning; ``choices``: full questions that it may mean."""

    reason: str
    choices: tuple[str, ...] = ()


Resolution = Resolved | Unresolved
