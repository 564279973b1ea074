"""List closed classes of English words and the words for peoples, and tag parts of speech with them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Final

from hydra_kg.language.lexicon import lexicon_table, list_words
from hydra_kg.text.folding import fold

AUXILIARY, DETERMINER, PREPOSITION, VERB, ADVERB, NOUN, CONJUNCTION, NAME, NUMBER, BARRIER = "ADPVRNCK#X"
BE: Final = list_words("every_be")
HAVE: Final = list_words("have having")
DO: Final = list_words("do")
PRESENT: Final = list_words("current") | {"now", "today"}
"""Words that restrict a question to the present."""
ASKING: Final = list_words("question_word")
RELATIVES: Final = list_words("relative_pronoun") | {"where"}
FUNCTION: Final = list_words("function_word")
"""Words of questions that are not names by themselves."""

_AUXILIARIES: Final = list_words("every_be have having become")
_DETERMINERS: Final = list_words("article possessive") | {"this", "that's", "one's"}
PREPOSITIONS: Final = list_words("preposition preposition_of_place preposition_rare")
_CONJUNCTIONS: Final = list_words("coordination") | {"&"}
_ADVERBS: Final = list_words("adverb")
_BARRIERS: Final = list_words("barrier")
_VERBS: Final = list_words("verb_form")
_NO_VERBS: Final = list_words("not_a_verb")
_AGENT: Final = re.compile(
    r"(?:er|ers|or|ors|ist|ists|ian|ians|eur|man|men|woman|women|actress|king|queen|emperor|prince|princess|pope|bishop"
    r"|band|group|duo|company|studio|label|president|poet|poets|composer|artist|brothers|sisters|wife|husband|son"
    r"|daughter|brother|sister|father|mother|city|town|village|state|province|county|country|island|river|club|team)$"
)
_NUMBER: Final = re.compile(r"[0-9][0-9,.]*(?:st|nd|rd|th|s)?$")
MOST = 2
"""The most words of a demonym (``South African``)."""

_PEOPLE = frozenset({"people", "peoples", "citizens", "nationals"})
_MANY = frozenset({"do", "did", "most", "many"})
_TONGUE = list_words("about_language")
_NO_NOUN = FUNCTION | _TONGUE
_OTHERS = list_words("not_a_people")
_SAME = ("ch", "sh", "ese", "ss", "men")


@lru_cache(maxsize=1 << 16)
def kind(word: str) -> str:
    """Return a word's class, by lists, -ed for verbs and -ly for adverbs; else a name if capitalised, else a noun."""
    low = word.lower()
    for letter, words in _CLASSES:
        if low in words:
            return letter
    if _NUMBER.match(low):
        return NUMBER
    if word[:1].isupper():
        return NAME
    if low in _VERBS or (len(low) > 3 and low.endswith("ed") and low not in _NO_VERBS and "-" not in low):
        return VERB
    if low.endswith("ly") and low not in {"family", "assembly", "ally", "monopoly", "anomaly", "reply"}:
        return ADVERB
    return NOUN


def is_agent(word: str) -> bool:
    """Return whether a noun before a name says what the named thing is: "filmmaker", "river"."""
    return _AGENT.search(word.lower()) is not None


_CLASSES: Final = (
    (AUXILIARY, _AUXILIARIES),
    (DETERMINER, _DETERMINERS),
    (PREPOSITION, PREPOSITIONS),
    (CONJUNCTION, _CONJUNCTIONS),
    (BARRIER, _BARRIERS),
    (ADVERB, _ADVERBS),
)

INTERJECTIONS: Final = list_words("interjection")
"""Words that people say without asking anything."""


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
