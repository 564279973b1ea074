"""List closed classes of English words, and tag parts of speech with them."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from hydra_kg.language.lexicon import list_words

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
