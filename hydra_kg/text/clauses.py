"""Words, clauses and negations of lower-case English sentences (see :func:`hydra_kg.text.folding.flat`)."""

from __future__ import annotations

import re
from typing import Final

from hydra_kg.text.articles import ARTICLES
from hydra_kg.text.folding import flat

DENIED: Final = re.compile(
    r"\b(?:not(?! only)|never|neither|nor|cannot|without|unlike|rather than|instead of|in contrast|no evidence"
    r"|distinct from|differs? from|different from|contrary to|[a-z]+n['’]t)\b"
)
"""Words and phrases that negate what follows them."""

_UNFULFILLED: Final = re.compile(r"\b(?:den(?:y|ies|ied)|(?:refus|declin|fail)(?:e?s|ed)? to|no longer|ceased? to)\b")
_DENIED_NAME: Final = re.compile(
    r"\b(?:not|unlike|neither|nor|instead of|rather than|except|without) (?:(?:an?|the) )?$"
)
_OWNED: Final = re.compile(r"^['’]s?\b")
_OF: Final = re.compile(r"([^,;:]*)\bof (?:(?:an?|the) )?$")
_WORD: Final = re.compile(r"[^\W_]+")
_CLAUSE_END: Final = re.compile(r"[,;:]|\b(?:but|although|though|while|whereas)\b")

Span = tuple[int, int]


def words(low: str) -> list[str]:
    """Return the words of a text in order."""
    return _WORD.findall(low)


def word_spans(low: str, start: int, end: int) -> list[Span]:
    """Return the character span of each word between ``start`` and ``end``."""
    return [m.span() for m in _WORD.finditer(low, start, end)]


def places(low: str, name: str) -> list[Span]:
    """Return the character span of each place where the words of a name occur, without the name's leading article."""
    named = words(flat(name))
    named = named[1:] if len(named) > 1 and named[0] in ARTICLES else named
    if not named:
        return []
    spans = word_spans(low, 0, len(low))
    found = [low[a:b] for a, b in spans]
    n = len(named)
    return [(spans[i][0], spans[i + n - 1][1]) for i in range(len(found) - n + 1) if found[i : i + n] == named]


def clause_start(low: str, at: int) -> int:
    """Return the position where the clause around ``at`` begins."""
    return max((m.end() for m in _CLAUSE_END.finditer(low, 0, at)), default=0)


def clause_end(low: str, at: int) -> int:
    """Return the position where the clause around ``at`` ends."""
    found = _CLAUSE_END.search(low, at)
    return found.start() if found else len(low)


def is_denied(clause: str) -> bool:
    """Return True if a clause is negated, or says that something was refused or has ended."""
    return DENIED.search(clause) is not None or _UNFULFILLED.search(clause) is not None


def denies_next(before: str) -> bool:
    """Return True if the last words of ``before`` negate the name that follows them."""
    return _DENIED_NAME.search(before) is not None


def strip_possessive(text: str) -> str:
    """Return the text without a leading "'s"."""
    return _OWNED.sub("", text)


def before_of(text: str) -> str:
    """Return the words before a final "of" or "of the", or "" if the text does not end so.

    For "In Lisbon, the capital of the" the result is "the capital" with the space that surrounds it.
    """
    found = _OF.search(text)
    return found[1] if found else ""
