"""General wording rules of English questions: which words suggest which type of answer, and which texts are claims.

The rules are in ``answer_types.tsv``. A rule is a form over the folded question, with its mentions replaced by ``_``,
and what the form suggests: the answer type, or the kinds of thing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Final

from hydra_kg.extract.word_classes import NOUN, VERB, kind
from hydra_kg.language.form_notation import form_finder
from hydra_kg.language.lexicon import lexicon_table, list_words
from hydra_kg.text.articles import ARTICLES


def answer_type(masked: str) -> str:
    """Return the coarse type of the expected answer, or "" if the wording does not tell.

    The types are person, location, date, number and boolean.
    """
    return next((kind for fits, kind in _rules("type") if fits(masked)), "")


def answer_kinds(masked: str) -> frozenset[str]:
    """Return the kinds of thing of which an answer must be one, or none if it may be any thing.

    For example, "person"; see ``steps.other_kind``.
    """
    return frozenset(next((kinds.split("; ") for fits, kinds in _rules("kind") if fits(masked)), ()))


@cache
def _rules(what: str) -> tuple[tuple[Callable[[str], bool], str], ...]:
    rows = lexicon_table("answer_types")
    return tuple((form_finder(form), text) for kind, form, text in rows if kind == what)


_ASKS: Final = list_words("asking") | {"whats", "locate", "count", "define"}
_BEFORE: Final = list_words("preposition during")
"""Prepositions that may precede a question word: "In which year …"."""
_WORDS: Final = list_words("question_word") | {"whats"}
_POLITE: Final = frozenset("please kindly".split())
_REQUESTS: Final = _ASKS | list_words("request_of_data") | {"sort", "order"}
"""What follows "please" in a request. A claim may begin with a title (Return to Oz)."""
_OBJECT: Final = ARTICLES | list_words("every_possessive") | {"me", "us", "all"}
"""What follows the verb of a request: "Return the …", "Order all …". In a claim, a verb follows the subject there."""
_BLANK: Final = re.compile(r"\b(?:this|these)\b", re.IGNORECASE)


def is_claim(text: str) -> bool:
    """Return True if a text is a statement.

    It does not begin like a question, it ends like a sentence, and it leaves nothing open ("this film …").
    """
    said = [word for w in text.casefold().split() if (word := w.strip('"“”(),;:.!?'))]
    placed = bool(said) and said[0] in _BEFORE and (said[1:2] == ["the"] or not _WORDS.isdisjoint(said))
    polite = len(said) > 1 and said[0] in _POLITE and said[1] in _REQUESTS
    ordered = len(said) > 1 and said[1] in _OBJECT and said[0].isalpha() and kind(said[0]) in (NOUN, VERB)
    asks = placed or polite or ordered or (bool(said) and said[0] in _ASKS)
    is_statement = text.rstrip().endswith(".") and bool(said) and len(text.split()) > 2
    return is_statement and not asks and not _BLANK.search(text)


def as_question(claim: str) -> str:
    """Return the claim as a question that every step can answer with yes or no."""
    return f"Is this claim true? {claim}"
