"""Recognise headings and table names that are about people."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from hydra_kg.language.lexicon import list_words
from hydra_kg.language.tokens import split_identifier

_AGENT: Final = tuple(list_words("role_ending"))


def last_word(heading: str) -> str:
    """Return a heading's last word, or the heading itself: "Sales_Manager" → "manager"."""
    return (split_identifier(heading) or [heading])[-1]


def is_person_like(word: str) -> bool:
    """Return True if a word ends like nouns for people and is not known to mean something else."""
    return len(word) > 4 and word.endswith(_AGENT) and word not in list_words("thing_with_role_ending")


def holds_persons(noun: str, words: Iterable[str]) -> bool:
    """Return True if the rows of a table are people, by the noun for a row or by words of its headings."""
    return is_person_like(noun) or not list_words("says_of_people").isdisjoint(words)
