"""English articles."""

from __future__ import annotations

from typing import Final

ARTICLES: Final = frozenset({"the", "a", "an"})


def with_article(noun: str) -> str:
    """Return a noun in the singular with "a" or "an", by its first letter; one in the plural or with its own stays alone."""
    if not noun or (noun.endswith("s") and not noun.endswith(("ss", "us", "is"))) or noun.startswith(("a ", "the ")):
        return noun
    return f"{'an' if noun[0].lower() in 'aeiou' else 'a'} {noun}"
