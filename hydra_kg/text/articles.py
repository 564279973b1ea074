"""The English articles, and a function that puts the indefinite one before a noun."""

from __future__ import annotations

from typing import Final

ARTICLES: Final = frozenset({"the", "a", "an"})


def add_article(noun: str) -> str:
    """Return a singular noun with "a" or "an" before it, chosen by its first letter.

    A plural noun, and one that begins with "a" or "the", is returned unchanged.
    """
    if not noun or (noun.endswith("s") and not noun.endswith(("ss", "us", "is"))) or noun.startswith(("a ", "the ")):
        return noun
    return f"{'an' if noun[0].lower() in 'aeiou' else 'a'} {noun}"
