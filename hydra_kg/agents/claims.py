"""Claims: statements to be judged true or false (FEVER, Creak), told from questions by their form."""

from __future__ import annotations

import re
from typing import Final

_ASKS: Final = frozenset(
    "who whom whose what whats which when where why how is are was were be do does did has have had can could will "
    "would should may might shall name list give tell find show state identify locate count describe define in on at "
    "to for from of by with during".split()
)
_WORD: Final = re.compile(r"[\w’']+")
_BLANK: Final = re.compile(r"\b(?:this|these)\b", re.IGNORECASE)


def is_claim(text: str) -> bool:
    """Whether a text states something: it ends as a sentence does, begins like none that asks, and leaves nothing open
    (“this film …” stands for what is asked)."""
    first = _WORD.search(text)
    is_statement = text.rstrip().endswith(".") and first is not None and len(text.split()) > 2
    return is_statement and first is not None and first[0].casefold() not in _ASKS and not _BLANK.search(text)


def as_question(claim: str) -> str:
    """The claim as the question that every step can answer with yes or no."""
    return f"Is this claim true? {claim}"
