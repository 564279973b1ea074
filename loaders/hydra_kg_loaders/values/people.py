"""Headings and table names that speak of people."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from hydra_kg.language.tokens import split_identifier

_OF_PEOPLE: Final = frozenset(
    "surname forename firstname lastname given born birth birthday birthdate dob email gender sex phone mobile".split()
)
"""Words of columns that say something of people."""

_AGENT: Final = tuple("er or ee ist ian man woman person people tain student patient client agent staff".split())
"""Endings of nouns for people: owner, sponsor, trainee, dentist, librarian, chairman, captain."""

_NO_AGENT: Final = frozenset(
    "quarter order meter metre diameter perimeter parameter layer floor corner tier paper letter cylinder semester"
    " chapter folder border center power tower water river gender color door factor sector error filter buffer"
    " counter register container printer router server computer charter offer tree fee degree committee"
    " mountain curtain list interior exterior vector motor trailer cover answer matter character timer poster"
    " number identifier".split()
)
"""Nouns that end so and are no people."""


def last_word(heading: str) -> str:
    """Return a heading's last word: "Sales_Manager" → "manager"; else the heading."""
    return (split_identifier(heading) or [heading])[-1]


def is_person_like(word: str) -> bool:
    """Return True if a word ends as nouns for people do and is none that is known for other things."""
    return len(word) > 4 and word.endswith(_AGENT) and word not in _NO_AGENT


def holds_persons(noun: str, words: Iterable[str]) -> bool:
    """Return True if the rows of a table are people: by the noun for a row, or by words of its headings."""
    return is_person_like(noun) or not _OF_PEOPLE.isdisjoint(words)
