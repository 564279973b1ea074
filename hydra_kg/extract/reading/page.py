"""Represent a page for reading: its sentences with words, values and names, and what each sentence is about."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache, cached_property
from typing import Final

from hydra_kg.extract.mentions import plain_title, sentences
from hydra_kg.extract.reading.sentence_names import Name, names
from hydra_kg.extract.reading.sentence_values import QUOTES, ValueSpan, values
from hydra_kg.extract.word_classes import AUXILIARY, RELATIVES, VERB, kind
from hydra_kg.language.lexicon import lexicon_table, list_words
from hydra_kg.language.morphology import stem
from hydra_kg.language.tokens import Token, tokenise
from hydra_kg.util.fast_dataclass import dataclass, field

PRONOUNS: Final = list_words("third_person third_person_plural third_person_object") | {"her", "we"}
POSSESSIVES: Final = list_words("possessive") | {"our"}
_DETERMINERS: Final = list_words("article demonstrative")
_OPENING: Final = list_words("opening")
_WHOLE: Final = frozenset("whole entire present".split())
_NO_TYPE: Final = list_words("preposition article coordination be relative_pronoun") | {"one"}
_MANY_MORE: Final = 3
_TYPE_WORDS: Final = 12  # words behind "is a" among which what the page is about is said
_OPENING_TEXT: Final = 300
_BORN: Final = re.compile(
    r"\([^()]*\bborn\b|(?:,| was) born |^[^.]{0,80}\([^()]*\d{4}[^()]*[-–—][^()]*\d{4}\) was an? "
)
_LINE: Final = re.compile(r"[^\n]+")
_HUMAN: Final = list_words("third_person possessive") - {"it", "its"}
_LONGEST_SUBJECT: Final = 12  # tokens before the verb
_COVERED: Final = 6  # words of a name with which a sentence begins


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph of a page: its heading and its text."""

    text: str
    heading: str = ""


@dataclass(frozen=True)
class Sentence:
    """A tokenised sentence at ``start`` to ``end`` of a paragraph.

    ``subject``: what it begins with: the ``topic`` of the page, a ``part`` of it, or something ``other``.
    """

    paragraph: int
    start: int
    end: int
    text: str
    heading: str
    tokens: tuple[Token, ...]
    common: frozenset[str] = field(repr=False, default=frozenset())
    subject: str = "other"
    head: int = 0
    """The last token of the subject noun."""
    refers_to: str = ""
    """What the sentence before is about, if this one begins with a pronoun."""

    @cached_property
    def values(self) -> list[ValueSpan]:
        """Return the sentence's dates, numbers and quotations."""
        return values(self.text, self.tokens)

    @cached_property
    def quotes(self) -> list[ValueSpan]:
        """Return the sentence's quotations; most have none, which takes no reading."""
        return [v for v in self.values if v.kind == "quote"] if any(mark in self.text for mark in QUOTES) else []

    @cached_property
    def names(self) -> list[Name]:
        """Return the sentence's names, without parts of dates."""
        return names(self.text, self.tokens, common=self.common)

    @cached_property
    def stems(self) -> frozenset[str]:
        """Return the stems of its words."""
        return frozenset(t.stem for t in self.tokens if t.word)


def _pronoun(text: str) -> str:
    """Return "his" or "her" if a page has many more of these pronouns than of the other; "" otherwise."""
    his, her = (len(re.findall(rf"\b(?:{one})\b", text, re.IGNORECASE)) for one in ("he|his|him", "she|her|hers"))
    return "his" if his > _MANY_MORE * her else "her" if her > _MANY_MORE * his else ""


class Page:
    """The sentences of a page. ``called``: title and other names. ``own``: False if it only mentions the thing."""

    def __init__(self, called: Sequence[str], paragraphs: Iterable[Paragraph], *, own: bool = True) -> None:
        self._begins = "topic" if own else "other"
        self.called = tuple(dict.fromkeys(plain_title(name) for name in called if name))
        self._title = called[0] if called else ""  # with what tells it from others: "Mercury (planet)"
        parts = list(paragraphs)
        self._names = [tuple(t.low for t in tokenise(n)) for n in sorted(self.called, key=len, reverse=True)]
        self._short = self._surname()
        everything = " ".join(p.text for p in parts)
        self.common = frozenset(re.findall(r"(?<![\w.])[a-z][a-z'-]+", everything))
        self.types = self._types(parts) if own else frozenset[str]()
        self._others: set[str] = set()
        self.person = own and self._is_person(parts)
        self.his = _pronoun(everything) if self.person else ""
        self.sentences = list(self._read(parts))

    def _surname(self) -> str:
        """Return what a person is called later: the last word of a title of two to four capitalised words."""
        words = self.called[0].split() if self.called else []
        capital = all(w[:1].isupper() for w in words)
        return words[-1].lower() if 1 < len(words) <= 4 and capital else ""

    def _types(self, paragraphs: Sequence[Paragraph]) -> frozenset[str]:
        """Return stems of nouns that say what the thing is, from "is a stone arch bridge across" and from its title."""
        found = {t.stem for t in tokenise(self._title) if t.word}
        first = next((p.text for p in paragraphs if p.text.strip()), "")
        tokens = tokenise(first)
        at = next((i for i, t in enumerate(tokens[:60]) if t.low in {"is", "was", "are", "were"}), -1)
        if at >= 0:
            for t in tokens[at + 1 : at + _TYPE_WORDS]:
                if not t.word or (t.low in {"in", "of", "that", "which", "who", "by", "from", "to", "with"}):
                    break
                if t.low not in _NO_TYPE:
                    found.add(t.stem)
        return frozenset(found)

    def _is_person(self, paragraphs: Sequence[Paragraph]) -> bool:
        """Return whether the first sentence says that the thing is a person, by an occupation or a date of birth."""
        first = next((p.text[:_OPENING_TEXT] for p in paragraphs if p.text.strip()), "")
        if _BORN.search(first) is not None:
            return True
        return not self.types.isdisjoint(_occupations()) and self.types.isdisjoint(_general())

    def _read(self, paragraphs: Sequence[Paragraph]) -> Iterable[Sentence]:
        last = self._begins
        for number, p in enumerate(paragraphs):
            before: Sentence | None = None
            for line in _LINE.finditer(p.text):
                for a, b in sentences(line[0]):
                    start, end = line.start() + a, line.start() + b
                    text = p.text[start:end]
                    tokens = tuple(tokenise(text))
                    if not tokens:
                        continue
                    subject, head = self.subject(tokens, last=last)
                    self._others.update(_introduced(tokens))
                    last = subject if subject != "part" else last
                    refers = _referred(before, tokens, person=self.person) if before is not None else ""
                    before = Sentence(number, start, end, text, p.heading, tokens, self.common, subject, head, refers)
                    yield before
            last = self._begins

    def subject(self, tokens: Sequence[Token], at: int = 0, *, last: str = "topic") -> tuple[str, int]:
        """Return a clause's subject and the end of its noun.

        ``last``: the subject of the sentence before, for pronouns.
        """
        at = self._behind_opening(tokens, at)
        if at >= len(tokens):
            return "other", at
        low = tokens[at].low
        if low in PRONOUNS:
            return ("topic" if last == "topic" else "other"), at
        if low in POSSESSIVES:
            return ("part" if last == "topic" else "other"), self._noun_end(tokens, at)
        named = self.named(tokens, at + (low == "the"))
        if named and not self._owns(tokens, at + (low == "the") + named):
            return "topic", at + (low == "the") + named - 1
        if named:
            return "part", self._noun_end(tokens, at + named + 1)
        end = self._noun_end(tokens, at)
        described = tokens[end].stem in self.types or tokens[min(at + 1, end)].low in _WHOLE
        if low in {"the", "this"} and self.stands(tokens[end].stem) and end - at <= 1 + described:
            owns = self._owns(tokens, end + 1)
            return ("part", self._noun_end(tokens, end + 2)) if owns else ("topic", end)
        return "other", end

    def named(self, tokens: Sequence[Token], at: int) -> int:
        """Return how many tokens at a position name the thing, or 0."""
        low = tuple(t.low for t in tokens[at : at + _COVERED + 2])
        for name in self._names:
            if low[: len(name)] == name:
                return len(name)
        return int(bool(self._short) and low[:1] == (self._short,) and tokens[at].capital)

    def mentioned(self, tokens: Sequence[Token], first: int, last: int) -> bool:
        """Return whether some tokens mention the thing by name, by a pronoun or by its kind."""
        for i in range(max(first, 0), min(last + 1, len(tokens))):
            if self.named(tokens, i) or tokens[i].low in PRONOUNS:
                return True
            if i and tokens[i - 1].low in {"the", "this"} and self.stands(tokens[i].stem):
                return True
        return False

    def stands(self, noun: str) -> bool:
        """Return whether "the" with this noun (a stem) refers to the thing itself."""
        if noun in self.types:
            return True
        return self._begins == "topic" and not self.person and noun in _general() and noun not in self._others

    @staticmethod
    def _owns(tokens: Sequence[Token], at: int) -> bool:
        return at < len(tokens) and tokens[at].low == "'s"

    @staticmethod
    def _behind_opening(tokens: Sequence[Token], at: int) -> int:
        """Return the position after "In 1976", "Since then" or "For nineteen years"."""
        while at < len(tokens) and not tokens[at].word:
            at += 1
        if at >= len(tokens) or tokens[at].low not in _OPENING:
            return at
        for i in range(at + 1, min(at + 14, len(tokens))):
            if tokens[i].text == ",":
                return i + 1
            if kind(tokens[i].text) in {AUXILIARY, VERB} and i > at + 1:
                break
        for i in range(at + 1, min(at + 5, len(tokens))):  # "In 1976 she married"
            word = tokens[i]
            if (word.low in PRONOUNS | POSSESSIVES | _DETERMINERS and i > at + 1) or (
                word.capital and tokens[i - 1].text.isdigit()
            ):
                return i
        return at

    @staticmethod
    def _noun_end(tokens: Sequence[Token], at: int) -> int:
        """Return the last token of the noun phrase that begins at ``at``, without "of" phrases and the like."""
        end = at
        for i in range(at, min(at + 8, len(tokens))):
            token = tokens[i]
            stop = not token.word or token.low in RELATIVES or kind(token.text) in {AUXILIARY, "P"}
            if i > at and (stop or kind(token.text) == VERB or token.low in {"and", "or"}):
                break
            end = i
        return end


def _referred(before: Sentence, tokens: Sequence[Token], *, person: bool) -> str:
    """Return what a sentence is about that begins with a pronoun, by the sentence before it; "" for other sentences.

    It is the words before the verb, as far as verbs are known, and for "he" and "she" the names of more than one word,
    unless the page is about a person.
    """
    low = next((t.low for t in tokens if t.word), "")
    if low not in PRONOUNS | POSSESSIVES or before.tokens[-1].text == "?":
        return ""
    if before.refers_to:
        return before.refers_to
    first = before.tokens
    verbs = (i for i, t in enumerate(first) if i and kind(t.text) in {AUXILIARY, VERB})
    end = next((i for i in verbs if first[i - 1].text != ","), len(first))  # "The telescope, called Big Nora, has"
    begun = before.text[: first[min(end, _LONGEST_SUBJECT) - 1].end]
    people = [n.text for n in before.names if n.last > n.first] if low in _HUMAN and not person else []
    return " ".join([begun, *people])


@cache
def _general() -> frozenset[str]:
    """Return stems of nouns that, after "the", refer to the page's subject, unless it introduced another such thing."""
    rows = lexicon_table("titles")
    return frozenset(stem(w) for _, where, words in rows if where == "stands" for w in words.split())


@cache
def lying_somewhere() -> frozenset[str]:
    """Return stems of nouns for things with a location: places, buildings, and people who work there."""
    rows = [(kind, where, words.split()) for kind, where, words in lexicon_table("titles")]
    places = {w for kind, _, words in rows if kind in {"place", "organisation"} for w in words}
    return frozenset(
        map(stem, places & {w for _, where, words in rows if where in {"stands", "before"} for w in words})
    )


@cache
def _occupations() -> frozenset[str]:
    """Return stems of nouns for occupations and other roles of people."""
    rows = lexicon_table("titles")
    return frozenset(
        stem(w) for kind, where, words in rows if (kind, where) == ("person", "before") for w in words.split()
    )


def _introduced(tokens: Sequence[Token]) -> Iterable[str]:
    """Yield stems of nouns that a sentence introduces: "a smaller winter edition"."""
    for i, token in enumerate(tokens):
        if token.low in {"a", "an", "another"}:
            for following in tokens[i + 1 : i + 5]:
                if not following.word or following.low in _NO_TYPE:
                    break
                yield following.stem
