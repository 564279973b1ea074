"""Split a claim into the statements that it consists of, by closed classes of English words and their order.

``Nolan, who was born in London, wrote and directed Inception.`` becomes ``Nolan was born in London.``,
``Nolan wrote Inception.`` and ``Nolan directed Inception.``
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from hydra_kg.extract.word_classes import (
    ADVERB,
    AUXILIARY,
    BARRIER,
    BE,
    DETERMINER,
    NAME,
    NUMBER,
    PREPOSITION,
    RELATIVES,
    VERB,
    kind,
)
from hydra_kg.language.tokens import tokenise
from hydra_kg.util.fast_dataclass import dataclass

MOST_PARTS: Final = 8
"""The most parts of one claim; a longer claim is asked as a whole."""


@dataclass(frozen=True, slots=True)
class _Word:
    text: str
    kind: str

    @property
    def low(self) -> str:
        return self.text.lower()


_Words = list[_Word]


def claim_parts(claim: str, names: Sequence[tuple[int, int]]) -> tuple[str, ...]:
    """Return the statements of a claim, each with its subject; () if it is one statement or is not understood.

    ``names``: (start, end) of the names in the claim, which are never split.
    """
    words = _words(claim, names)
    if any(_reaches_over_parts(w, before) for before, w in pairwise([_Word("", ""), *words])):
        return ()
    subject, aside, rest = _subject(words)
    if not subject or not rest:
        return ()
    phrases = [*_completed(list(_aside(aside))), *_completed(_verb_phrases(rest))]
    parts = [part for phrase in phrases for part in _objects(phrase)]
    about = _subjects(subject, rest)
    found = tuple(dict.fromkeys(_sentence([*one, *part]) for one in about for part in parts))
    return found if 1 < len(found) <= MOST_PARTS else ()


def _reaches_over_parts(word: _Word, before: _Word) -> bool:
    """Return True for a word that may apply to more than one part, such as "not", "only", "or", "before" or "when"."""
    relative = before.text == "," and word.low in RELATIVES
    return (word.kind == BARRIER and not relative) or word.low in ("or", "between") or word.text in (";", ":")


def _sentence(words: _Words) -> str:
    return " ".join(w.text for w in words).replace(" 's", "'s").removesuffix(".") + "."


def _subjects(subject: _Words, rest: _Words) -> list[_Words]:
    """Split a list of subjects into its names: "A and B were born in Liverpool" is said of each.

    "A and B are married" says one thing of both, so it is not split.
    """
    items, first, last = _list_of_names(subject)
    whole = (first, last) == (0, len(subject)) and any(w.kind in {NAME, NUMBER} for w in rest)
    return items if whole and items else [subject]


def _words(claim: str, names: Sequence[tuple[int, int]]) -> _Words:
    """Return the tokens of a claim without its full stop; a name is one token."""
    found: _Words = []
    text = claim.rstrip().removesuffix(".")
    at = 0
    for start, end in [*sorted(names), (len(text), len(text))]:
        if start < at:
            continue
        found += [_Word(t.text, _kind(t.text)) for t in tokenise(text[at:start])]
        if end > start:
            found.append(_Word(text[start:end], NAME))
        at = end
    verbal = [_Word(w.text, VERB) if _is_third_person(w, after) else w for w, after in pairwise(found)]
    return verbal + found[-1:]


def _kind(text: str) -> str:
    return kind(text) if text[0].isalnum() else text


def _is_third_person(word: _Word, after: _Word) -> bool:
    """Return True for an unknown word in -s before an object or a place: "stars Kate Winslet", "lies in Africa"."""
    ends = word.low.endswith("s") and word.text == word.low and len(word.low) > 3
    return word.kind == "N" and ends and after.kind in {NAME, DETERMINER, PREPOSITION}


def _subject(words: _Words) -> tuple[_Words, _Words, _Words]:
    """Split a claim into the subject, the part that commas set off after it, and the rest from the verb on."""
    first = next((i for i, w in enumerate(words) if w.kind in {VERB, AUXILIARY, ","}), 0)
    if not words or words[first].text != ",":
        return words[:first], [], words[first:]
    close = next((i for i in range(first + 1, len(words)) if words[i].text == ","), 0)
    if not close or not _starts_phrase(words, close + 1):
        return [], [], []
    return words[:first], words[first + 1 : close], words[close + 1 :]


def _aside(words: _Words) -> Iterator[_Words]:
    """Yield the verb phrase of "…, who was born in London, …" and of "…, a founder of Apple, …"."""
    if words and words[0].low in RELATIVES and _starts_phrase(words, 1):
        yield from _verb_phrases(words[1:])
    elif words and words[0].kind == DETERMINER:
        yield [_Word("is", AUXILIARY), *words]
    elif words and words[0].kind == VERB and words[1:2] and words[1].kind == PREPOSITION:
        yield [_Word("was", AUXILIARY), *words]


def _starts_phrase(words: _Words, i: int) -> bool:
    """Return True if a verb, or adverbs before a verb, begin at position ``i``."""
    while i < len(words) and words[i].kind == ADVERB:
        i += 1
    return i < len(words) and words[i].kind in {VERB, AUXILIARY}


def _verb_phrases(words: _Words) -> list[_Words]:
    """Split "was born in X, studied at Y and wrote Z" before every verb that follows a comma or "and"."""
    found: list[_Words] = [[]]
    i = 0
    while i < len(words):
        behind = i + _joint(words, i)
        if behind > i and found[-1] and _starts_phrase(words, behind):
            found.append([])
            i = behind
            continue
        found[-1].append(words[i])
        i += 1
    return found


def _joint(words: _Words, i: int) -> int:
    """Return how many words from ``i`` join two parts: ",", "and", ", and"; 0 for none."""
    comma = int(words[i].text == ",")
    return comma + int(i + comma < len(words) and words[i + comma].low == "and")


def _completed(phrases: list[_Words]) -> Iterator[_Words]:
    """Yield verb phrases with the words that they share.

    These are the object of "wrote and directed X", or the "was" of "and produced by".
    """
    shared: _Words = []
    for at, phrase in enumerate(phrases):
        helper = shared[:1] if shared and shared[0].low in BE else []
        verb = next((i for i, w in enumerate(phrase) if w.kind == VERB), -1)
        if helper and verb == 0 and (len(phrase) == 1 or phrase[1].low == "by"):
            phrase = [*helper, *phrase]
        bare = phrase[-1].kind in {VERB, AUXILIARY} and at + 1 < len(phrases)
        if bare and (object_ := _object(phrases[at + 1])):
            phrase = [*phrase, *object_]
        shared = phrase
        yield phrase


def _object(phrase: _Words) -> _Words:
    verb = max((i for i, w in enumerate(phrase[:3]) if w.kind in {VERB, AUXILIARY}), default=-1)
    return phrase[verb + 1 :]


def _objects(phrase: _Words) -> Iterator[_Words]:
    """Yield a verb phrase once for each name of a list, and once for place and date: "born in X in 1756"."""
    items, first, last = _list_of_names(phrase)
    if len(items) > 1:
        for item in items:
            yield [*phrase[:first], *item, *phrase[last:]]
        return
    for i in range(2, len(phrase) - 1):
        dated = phrase[i].kind == PREPOSITION and any(w.kind == NUMBER for w in phrase[i + 1 :])
        placed = phrase[i - 1].kind == NAME and phrase[i - 2].kind == PREPOSITION and phrase[i - 3].kind == VERB
        if dated and placed and i >= 3 and not any(w.kind in {NAME, VERB} for w in phrase[i + 1 :] if w.text == w.low):
            yield phrase[:i]
            yield [*phrase[: i - 2], *phrase[i:]]
            return
    yield phrase


def _list_of_names(phrase: _Words) -> tuple[list[_Words], int, int]:
    """Return the names that "and" joins, and where the list begins and ends.

    "A, B and in C" is the list of A, B and C.
    """
    items: list[_Words] = []
    first = last = joined = 0
    i = 0
    while i < len(phrase):
        if phrase[i].kind != NAME:
            i += 1
            continue
        items, first, joined, last = [[phrase[i]]], i, 0, i + 1
        while last < len(phrase) and (length := _joint(phrase, last)):
            after = last + length
            while after < len(phrase) and phrase[after].kind in {DETERMINER, PREPOSITION}:
                after += 1
            if after >= len(phrase) or phrase[after].kind != NAME:
                break
            joined += any(w.low == "and" for w in phrase[last : last + length])
            items.append([phrase[after]])
            last = after + 1
        if joined and len(items) > 1:
            return items, first, last
        i = last
    return [], 0, 0
