"""Split a follow-up into words with their places, and classify its pronouns and ranks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from hydra_kg.agents.planning.lexicon import AUXILIARIES, CLOSED, adjective, comparative, is_noun, is_verb, superlative
from hydra_kg.dialogue.turn import Thing
from hydra_kg.language.lexicon import list_words
from hydra_kg.language.number_words import number_words, ordinal_number
from hydra_kg.language.tokens import Splitter
from hydra_kg.steps.retrieval.entity_types import kinds_named
from hydra_kg.util.fast_dataclass import dataclass

_split: Final = Splitter(".&'’-")
_OPENING: Final = re.compile(
    r"^\s*(?:(?:and|but|so|ok|okay|well|then|also|now|alright|or)\b[\s,:…-]*)+|^\s+", re.IGNORECASE
)
_ABOUT: Final = re.compile(r"^(?:what|how) about\s+", re.IGNORECASE)
IDENTITY: Final = re.compile(r"^(?:who|what)\s+(is|are|was|were)\s", re.IGNORECASE)
"""Matches a question who or what something is."""
_ENDING: Final = re.compile(r"[\s?.!,…]+$")
_MASCULINE: Final = frozenset("he him his himself".split())
_FEMININE: Final = frozenset("she her hers herself".split())
_NEUTER: Final = frozenset("it its itself".split())
_PLURAL: Final = list_words("plural_pronoun")
PRONOUNS: Final = _MASCULINE | _FEMININE | _NEUTER | _PLURAL | {"there"}
_STEM: Final = 5  # letters
POSSESSIVE: Final = frozenset("his her its their".split())


@dataclass(frozen=True, slots=True)
class SaidWord:
    """A word of a follow-up with its place; ``name`` is True if it belongs to a name."""

    text: str
    start: int
    end: int
    name: bool = False

    @property
    def low(self) -> str:
        """The word in lower case."""
        return self.text.casefold()


@dataclass(frozen=True, slots=True)
class Utterance:
    """A follow-up without its opening ("and", "what about") and closing punctuation.

    words: the words of ``text``.
    names: the entities that it names, placed in ``text``.
    continued: whether it had such an opening.
    """

    text: str
    words: tuple[SaidWord, ...]
    names: tuple[Thing, ...]
    continued: bool

    @property
    def whole(self) -> bool:
        """Return True if it has a verb, so that it is more than a fragment of a question."""
        return any(w.low in AUXILIARIES or is_verb(w.low) for w in self.words if not w.name)

    def word(self, i: int) -> str:
        """Return the word at an index in lower case, or "" outside of the text."""
        return self.words[i].low if 0 <= i < len(self.words) else ""


def split_utterance(text: str, names: Sequence[Thing] = ()) -> Utterance:
    """Split a follow-up into words.

    names: entities that it names itself, placed in ``text``.
    """
    opening = _OPENING.match(text)
    at = opening.end() if opening else 0
    about = _ABOUT.match(text[at:])
    at += about.end() if about else 0
    rest = _ENDING.sub("", text[at:])
    placed = tuple(_shift_span(n, -at) for n in names if n.start >= at and n.end - at <= len(rest))
    inside = [(n.start, n.end) for n in placed]
    words = tuple(
        SaidWord(text, w.start, w.full, any(a <= w.start < b for a, b in inside) or _capital(text, i))
        for i, w in enumerate(_split(rest))
        for text in [rest[w.start : w.full]]
    )
    continued = bool(about) or bool(opening and opening[0].strip())
    return Utterance(rest, words, placed, continued)


def stems(words: Iterable[str]) -> frozenset[str]:
    """Return the beginnings of content words, so that "founded" and "founder" have one stem."""
    return frozenset(w[:_STEM] for word in words if len(w := word.casefold()) >= _STEM - 1 and w not in CLOSED)


def is_ordinary(word: str) -> bool:
    """Return True if a word of a name may be ordinary: a function word, verb, noun for a kind, or rank."""
    low = word.casefold()
    if low in CLOSED or is_verb(low) or adjective(low) or low in number_words("ordinal") or kinds_named(low):
        return True
    return superlative(low) is not None or comparative(low) is not None


def pronoun_of(word: SaidWord, first: bool) -> str:
    """Return the pronoun that a word is, in lower case, or "".

    A capitalised pronoun inside a sentence is a title.
    """
    return word.low if word.low in PRONOUNS and not word.name and (first or word.text.islower()) else ""


def fits(thing: Thing, pronoun: str) -> bool | None:
    """Return True if a pronoun may stand for a thing of this kind or gender; None if the graph does not tell."""
    if pronoun == "there":
        return thing.place
    if pronoun in _PLURAL:
        return None if thing.person is None else "group" in thing.kinds
    if pronoun in _NEUTER:
        return None if thing.person is None else not thing.person
    if thing.gender:
        return thing.gender == ("male" if pronoun in _MASCULINE else "female")
    return thing.person


def is_plural(pronoun: str) -> bool:
    """Return True if the pronoun is a form of "they"."""
    return pronoun in _PLURAL


def owns(sentence: Utterance, i: int) -> bool:
    """Return True if the pronoun at an index is possessive: in "her wife" it is, in "with her" it is not."""
    word, then = sentence.word(i), sentence.word(i + 1)
    if word not in POSSESSIVE:
        return False
    return word != "her" or bool(then and (sentence.words[i + 1].name or (then not in CLOSED and is_noun(then))))


def find_rank(words: Sequence[SaidWord]) -> tuple[int, int] | None:
    """Return the places (first, behind the last) of a rank among words, or None.

    Ranks are "second largest", "most populous" or "third".
    """
    for i, w in enumerate(words):
        if w.name:
            continue
        low = w.low
        ordinal = bool(ordinal_number(low)) or low == "last"
        then = words[i + 1].low if i + 1 < len(words) else ""
        if ordinal and superlative(then):
            return i, i + 2
        if ordinal or superlative(low):
            return i, i + 1
        if low in {"most", "least"} and then and is_noun(then):
            return i, i + 2
    return None


def _capital(word: str, i: int) -> bool:
    """Return True for a capitalised content word; the first word counts only if it is no verb."""
    if not word[:1].isupper() or word.casefold() in CLOSED | {"how", "name", "list"}:
        return False
    return i > 0 or not is_verb(word.casefold())


def _shift_span(thing: Thing, by: int) -> Thing:
    from dataclasses import replace

    return replace(thing, start=thing.start + by, end=thing.end + by)
