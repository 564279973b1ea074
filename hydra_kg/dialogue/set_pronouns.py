"""Resolve "of them", "they" and "their": the last answers as a phrase from the last question, or by name."""

from __future__ import annotations

import re
from typing import Final

from hydra_kg.agents.planning.lexicon import AUXILIARIES, BE, is_verb
from hydra_kg.dialogue.follow_up_words import Utterance, split_utterance
from hydra_kg.dialogue.turn import Thing, Turn
from hydra_kg.util.fast_dataclass import dataclass

MOST_NAMED: Final = 6
"""Largest number of answers that are put into a question by name."""

_OF_THEM: Final = re.compile(
    r"\b(?:of|among) (?:them|(?:those|these)"
    r"(?! (?:who|that|which|is|are|was|were|have|has|had|did|do)\b)(?: \w+)?|those|these)\b",
    re.IGNORECASE,
)
_CHOOSING: Final = re.compile(r"^(how many|which|what|who)(?: ones?)? of (?:them|those|these) ", re.IGNORECASE)
_PART: Final = re.compile(r"^(?:how many|which|who|what) of (.+)$", re.IGNORECASE)
_IDENTITY: Final = re.compile(
    r"^(?:who|what|which) (?:is|are|was|were) (?:all )?((?:the |.+['’]s? ).+)$", re.IGNORECASE
)
_LISTED: Final = re.compile(r"^(?:please )?(?:name|list|give me|show me|tell me) (?:all )?(?:of )?(.+)$", re.IGNORECASE)
_ASKED: Final = re.compile(r"^(?:how many|which|what)\s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SetPhrase:
    """The set that a question asked for, as a noun phrase.

    text: the phrase, such as "the members of Led Zeppelin", or "".
    head, rest: the words before and after an insertion ("films", "did James Cameron direct").
    """

    text: str
    head: str = ""
    rest: str = ""


def set_phrase(turn: Turn) -> SetPhrase | None:
    """Return the set that the last question asked for, or None if its wording is not a set of things."""
    sentence = split_utterance(turn.question, turn.topics)
    text = sentence.text
    for pattern in (_PART, _IDENTITY, _LISTED):
        if found := pattern.match(text):
            phrase = found[1]
            if pattern is _PART:
                phrase = _up_to_verb(phrase, sentence, len(text) - len(phrase))
            return SetPhrase(phrase if phrase else "") if phrase else None
    if found := _ASKED.match(text):
        return _parse_noun_phrase(sentence, found.end())
    return None


def phrase_of_last_set(sentence: Utterance, turn: Turn) -> str | None:
    """Return the question for "how many of them …", "" if the set has no phrase, None for other texts."""
    if not _OF_THEM.search(sentence.text):
        return None
    phrase = set_phrase(turn)
    chosen = _CHOOSING.match(sentence.text)
    if phrase is not None and not phrase.text and chosen:
        asking = "How many" if chosen[1].casefold() == "how many" else "Which"
        return f"{asking} {phrase.head} {phrase.rest} that {sentence.text[chosen.end() :]}"
    group = phrase.text if phrase is not None and phrase.text else join_answer_names(turn)
    return _OF_THEM.sub(lambda m: f"of {group}", sentence.text, count=1) if group else ""


def join_answer_names(turn: Turn) -> str:
    """Return the answers by name, "A, B and C", or "" if there are none or too many."""
    return join_names(turn.answers) if len(turn.answers) <= MOST_NAMED else ""


def join_names(things: tuple[Thing, ...]) -> str:
    """Return the names in one phrase, such as "A, B and C"."""
    names = [t.name for t in things]
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def _parse_noun_phrase(sentence: Utterance, start: int) -> SetPhrase | None:
    """Parse "films did _ direct" into head and rest, and "countries border _" into "the countries that border _"."""
    words = sentence.words
    for i, w in enumerate(words):
        if w.start < start or w.name:
            continue
        verb = w.low in AUXILIARIES or (w.start > start and is_verb(w.low))
        if not verb or sentence.word(i + 1) == "by":
            continue
        head, rest = sentence.text[start : w.start].strip(), sentence.text[w.start :]
        if not head:
            return None
        if w.low in AUXILIARIES - BE and not _has_participle(sentence, i):
            return SetPhrase("", head, rest)
        if sentence.word(i + 1) == "there":
            return SetPhrase(f"the {head}")
        return SetPhrase(f"the {head} that {rest}")
    return None


def _has_participle(sentence: Utterance, i: int) -> bool:
    """Return True if a verb follows an auxiliary directly ("have won _"), so that no subject is between them."""
    then = sentence.words[i + 1] if i + 1 < len(sentence.words) else None
    return then is not None and not then.name and (is_verb(then.low) or then.low == "not")


def _up_to_verb(phrase: str, sentence: Utterance, start: int) -> str:
    """Return the set in "how many of the Beatles were born in _": the words before the verb."""
    for i, w in enumerate(sentence.words):
        if w.start <= start or w.name:
            continue
        if (w.low in AUXILIARIES or is_verb(w.low)) and sentence.word(i + 1) != "by":
            return sentence.text[start : w.start].strip()
    return phrase.strip()
