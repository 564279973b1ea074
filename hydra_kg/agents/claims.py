"""Claims: statements to be judged true or false (FEVER, Creak), told from questions by their form."""

from __future__ import annotations

import re
from typing import Final

from hydra_kg.extract.words import NOUN, VERB, kind
from hydra_kg.language.lexicon import list_words
from hydra_kg.text.articles import ARTICLES

_ASKS: Final = list_words("asking") | {"whats", "locate", "count", "define"}
_BEFORE: Final = list_words("preposition during")
"""Prepositions, behind which a question word asks: "In which year …"."""
_WORDS: Final = list_words("question_word") | {"whats"}
_POLITE: Final = frozenset("please kindly".split())
_REQUESTS: Final = _ASKS | list_words("request_of_data") | {"sort", "order"}
"""What follows please where something is asked for: a claim may begin with a title (Return to Oz)."""
_OBJECT: Final = ARTICLES | frozenset("me us its their his her".split())
"""What follows the verb of a request: "Return the …", "Calculate a …". The subject of a claim has its verb there."""
_BLANK: Final = re.compile(r"\b(?:this|these)\b", re.IGNORECASE)


def is_claim(text: str) -> bool:
    """Return True if a text is a statement: no question's beginning, a sentence's end, nothing open ("this film …")."""
    said = [word for w in text.casefold().split() if (word := w.strip('"“”(),;:.!?'))]
    placed = bool(said) and said[0] in _BEFORE and (said[1:2] == ["the"] or not _WORDS.isdisjoint(said))
    polite = len(said) > 1 and said[0] in _POLITE and said[1] in _REQUESTS
    ordered = len(said) > 1 and said[1] in _OBJECT and said[0].isalpha() and kind(said[0]) in (NOUN, VERB)
    asks = placed or polite or ordered or (bool(said) and said[0] in _ASKS)
    is_statement = text.rstrip().endswith(".") and bool(said) and len(text.split()) > 2
    return is_statement and not asks and not _BLANK.search(text)


def as_question(claim: str) -> str:
    """The claim as the question that every step can answer with yes or no."""
    return f"Is this claim true? {claim}"
