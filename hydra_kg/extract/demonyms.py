"""Find the names of the people of a country or a faith (English): ``Egyptians`` → Egypt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from hydra_kg.extract.word_classes import FUNCTION
from hydra_kg.language.lexicon import lexicon_table, list_words
from hydra_kg.text.folding import fold

MOST = 2
"""The most words of a demonym (``South African``)."""

_PEOPLE = frozenset({"people", "peoples", "citizens", "nationals"})
_MANY = frozenset({"do", "did", "most", "many"})
_TONGUE = list_words("about_language")
_NO_NOUN = FUNCTION | _TONGUE
_OTHERS = list_words("not_a_people")
_SAME = ("ch", "sh", "ese", "ss", "men")


def described(words: Sequence[str]) -> list[tuple[str, int, int]]:
    """Return (first, last, country) for each adjective that gives a noun's country, such as ``Russian president``.

    ``words`` are casefolded. Languages and other peoples (``Native American``) are left out.
    """
    found = []
    for i in range(len(words)):
        for j in range(i, min(i + MOST, len(words) - 1)):
            country = _singulars().get(" ".join(words[i : j + 1]))
            another = words[j + 1] in _NO_NOUN or words[j + 1] in _singulars()  # "African American"
            if country and not another and not (i and words[i - 1] in _OTHERS):
                found.append((country, i, j))
    return found


def is_demonym(word: str) -> bool:
    """Return True if a casefolded word is an adjective of a people or country, which is written with a capital."""
    return word in _singulars() or word in _plurals()


def country_of(word: str) -> str:
    """Return the country or faith of a casefolded demonym of one word ("french": France), or ""."""
    return _singulars().get(word) or _plurals().get(word, "")


def peoples(words: Sequence[str], *, adjectives: bool = False) -> list[tuple[str, int, int]]:
    """Return (first, last, country) for words that name the people of a country.

    These are plurals (``Costa Ricans``), and adjectives before a word for people or after a number word; but not
    ``Navajo Indians``.

    Args:
        words: casefolded words.
        adjectives: whether adjectives count on their own too.
    """
    found = []
    for i in range(len(words)):
        for j in range(i, min(i + MOST, len(words))):
            word, many = " ".join(words[i : j + 1]), i > 0 and words[i - 1] in _MANY
            people = j + 1 < len(words) and words[j + 1] in _PEOPLE
            country = _plurals().get(word) or (_singulars().get(word) if people or many or adjectives else None)
            if country and not (i and words[i - 1] not in FUNCTION):
                found.append((country, i, j + people))
    return found


@cache
def _singulars() -> Mapping[str, str]:
    """Return countries by the folded singular."""
    rows = lexicon_table("demonyms")
    return {fold(name): country for country, names in rows for name in names.split(", ")}


@cache
def _plurals() -> Mapping[str, str]:
    """Return countries by the folded plural, if it is a different word than the adjective."""
    return {f"{name}s": country for name, country in _singulars().items() if not name.endswith(_SAME)}
