"""Rewrite English questions into the form that the grammar of plans reads."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from hydra_kg.language.lexicon import lexicon_table, list_words
from hydra_kg.text.typos import distance

_MOST: Final = 300
"""The most letters of a question that is rewritten; no pattern is tried on longer ones."""

_CLASSES: Final = {
    "THING": r"\S.*?",
    "ASKED": r"(?:who|whom|whose|what|which|when|where|why|how|in|on|at|by|is|are|was|were|do|does|did|name|list)\b",
}
"""Names for parts of patterns."""


def plainly(question: str) -> str:
    """Correct misspelt question words and apply the rows of ``paraphrases.tsv`` in order. Names are not changed."""
    if len(question) > _MOST:
        return question
    text = question.strip()
    body = before = _ARTICLE.sub(lambda m: m[0].lower(), text.rstrip(" ?!."))
    body = _SMALL.sub(_spelt, body)
    for pattern, plain in _rules():
        body = pattern.sub(plain, body, count=1)
    return question if body == before else body + text[len(before) :]


_ARTICLE: Final = re.compile(r"^(?:The|An?) (?=[a-z])")
"""An article that a question begins with, and that may end up inside it after rewriting."""


_SMALL: Final = re.compile(r"\b[a-z]{6,}\b")
"""A word that may be misspelt: lower case and long."""


_ASKING: Final = list_words("often_misspelt")
_RIGHT: Final = list_words("spelt_right")
"""Words that are spelt correctly, although they are one error away from a question word."""


def _spelt(word: re.Match[str]) -> str:
    """Return the only question word within one error of the word, else the word itself.

    The last letters may be an inflection ("produces").
    """
    text = word[0]
    if text in _ASKING or text in _RIGHT:
        return text
    near = [w for w in _ASKING if w[0] == text[0] and w[-1] == text[-1] and distance(w, text, 1) == 1]
    return near[0] if len(near) == 1 else text


@cache
def _rules() -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple(_read())


def _read() -> Iterator[tuple[re.Pattern[str], str]]:
    for form, plain in lexicon_table("paraphrases"):
        for name, part in _CLASSES.items():
            form = form.replace(f"<{name}>", part)
        yield re.compile(form, re.IGNORECASE), plain
