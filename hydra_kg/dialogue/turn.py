"""What is at hand of the last question, and what a follow-up was resolved to: frozen values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hydra_kg.language.lexicon import list_words
from hydra_kg.steps.retrieval.genders import Gender

PLACES: Final = list_words("land_kind fixed_kind water_kind") | {"planet"}
"""Kinds of thing that something can be in or at."""


@dataclass(frozen=True, slots=True)
class Thing:
    """An entity that was spoken of.

    ``key``: its id, "" where it is only a name · ``kinds``: what it is, as ``steps/retrieval/kinds.tsv`` names kinds,
    empty where no source says · ``nouns``: the words for it ("film", "river") · ``related``: stems of the words of all
    relations that are stated of it · ``start``, ``end``: its characters in the question, −1 where it is not named in
    it.
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
    """The last question, in full, with what it was about and what came of it.

    ``topics``: what it names, in order of place · ``answers``: the entities that it was answered with · ``between``:
    what lies on every path from the topics to the answers ("the director of _") · ``earlier``: what the turns before
    spoke of, newest first · ``answered``: whether there was an answer at all, be it a date or a number.
    """

    question: str
    topics: tuple[Thing, ...] = ()
    answers: tuple[Thing, ...] = ()
    between: tuple[Thing, ...] = ()
    earlier: tuple[Thing, ...] = ()
    answered: bool = True


@dataclass(frozen=True, slots=True)
class Resolved:
    """A question that stands by itself.

    ``text``: the question · ``meant``: name and key of each entity that was put in · ``changed``: whether it is another
    one than was said.
    """

    text: str
    meant: tuple[tuple[str, str], ...] = ()
    changed: bool = True


@dataclass(frozen=True, slots=True)
class Unresolved:
    """Why a follow-up has no one meaning; ``choices``: full questions that it may mean."""

    reason: str
    choices: tuple[str, ...] = ()


Resolution = Resolved | Unresolved
