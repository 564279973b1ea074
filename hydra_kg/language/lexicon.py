"""Read classes of English words and phrases from the tables in ``lexicon/en``, one class a row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Final

from hydra_kg.util.package_data import table

TABLES: Final = ("function_words", "content_words", "phrases")


def lexicon_table(name: str) -> list[list[str]]:
    """Return the rows of a table of ``lexicon/en``."""
    return table("hydra_kg.language", f"lexicon/en/{name}.tsv")


@cache
def list_words(classes: str) -> frozenset[str]:
    """Return the words (no phrases) of classes: ``list_words("article be")``. Raise KeyError for an unknown class."""
    return frozenset(word for name in classes.split() for word in _members(name) if " " not in word)


@cache
def list_phrases(name: str) -> tuple[tuple[str, ...], ...]:
    """Return the words and phrases of a class, each as its words, the longest first."""
    return tuple(sorted((tuple(item.split()) for item in _members(name)), key=len, reverse=True))


def match_phrase(text: Sequence[str], at: int, known: Iterable[tuple[str, ...]]) -> int:
    """Return how many words from ``at`` form one of the phrases, the first that fits; 0 for none."""
    return next((len(p) for p in known if tuple(text[at : at + len(p)]) == p), 0)


@cache
def _members(name: str) -> tuple[str, ...]:
    return tuple(w for item in _classes()[name] for w in (_members(item[1:]) if item[0] == "@" else (item,)))


@cache
def _classes() -> Mapping[str, tuple[str, ...]]:
    rows = {file: lexicon_table(file) for file in TABLES}
    separators = dict.fromkeys(TABLES) | {"phrases": ", "}
    return {name: tuple(text.split(separators[file])) for file in TABLES for name, text in rows[file]}
