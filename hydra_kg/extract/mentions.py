"""Find where a page names things, and paths: two mentions of a sentence and the words between them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final

from hydra_kg.extract.relations import RelationExtractor
from hydra_kg.language.lexicon import list_words

_WORD: Final = re.compile(r"[^\W_]+(?:[-'’.&][^\W_]+)*\.?")
_PAREN: Final = re.compile(r" \([^()]*\)$")
_PRONOUN: Final = re.compile(r"(?:He|She|It|They)(?= [a-z])")
_QUOTES: Final = frozenset("\"“'(")
_MIDDLE: Final = re.compile(r"(?: (?:[A-Z\"“][\w.'’\"”-]*|de|von|van|of|la|der)){1,4}")
_MOST_MIDDLE: Final = 60  # characters between a first and a last name
# Whole words; a pattern that begins with a set of letters finds its places several times faster than one with \b.
_PERSON: Final = re.compile(r"[HhSsb](?<!\w[HhSsb])(?:(?<=[Hh])(?:e|is|er)|(?<=[Ss])he|(?<=b)orn)\b")
_MOST_WORDS: Final = 8

Span = tuple[int, int, int]
_ABBREVIATIONS: Final = r"[A-Z] Mr Mrs Ms Dr St Jr Sr Prof vs No Inc Ltd Co U\.S"
_SENTENCE: Final = re.compile(
    "[.!?]"
    + "".join(rf"(?<!\b{word}\.)" for word in _ABBREVIATIONS.split())
    + r"([\"')\]]*)\s+(?=[\"'(\[]?[A-Z0-9À-Þ])"
)
_MOST_WORDS_BETWEEN: Final = 12


def plain_title(title: str) -> str:
    """Return a title without the part that distinguishes it: "Mercury (planet)" is called Mercury."""
    return _PAREN.sub("", title) or title


class SubjectFinder:
    """Finds the subject of one page in its paragraphs, which must be given in order."""

    def __init__(self, title: str, node: int) -> None:
        self._node = node
        self._name = plain_title(title)
        parts = self._name.split()
        self._first, self._last = (parts[0], parts[-1]) if len(parts) > 1 else ("", "")
        self._middles = len(parts) > 1 and "," not in self._name and all(p[:1].isupper() for p in parts)
        self._short = self._last if 1 < len(parts) <= 4 and "," not in self._name else ""
        self._person = False
        self._unread: list[str] = []

    def observe(self, text: str) -> None:
        """Read a paragraph whose spans are not needed, because it may say that the subject is a person."""
        if self._short and not self._person:
            self._unread.append(text)

    def may_be_in(self, text: str) -> bool:
        """Return False if a paragraph is sure to have no spans because it lacks the word that every name has."""
        return (self._last or self._name) in text

    def spans(self, text: str, places: Sequence[tuple[int, int]]) -> list[Span]:
        """Return (start, end, node) of the subject at sentence starts (``places``): title, last name or pronoun."""
        found: list[Span] = []
        current = False
        self.observe(text)
        if not self.may_be_in(text):
            return found
        for start, end in places:
            if text[start] in _QUOTES:
                start += 1
            if text.startswith("The ", start) and not self._name.startswith("The "):
                start += 4
            stop = self._named(text, start, end)
            if not stop and current and (m := _PRONOUN.match(text, start, end)):
                stop = m.end()
            if not stop and _is_word(text, start, self._short) and self._is_person():
                stop = start + len(self._short)
            current = bool(stop)
            if stop:
                found.append((start, stop, self._node))
        return found

    def _is_person(self) -> bool:
        """Return whether a paragraph so far said that the subject is a person.

        Paragraphs are read on the first call only, because few pages need this.
        """
        if self._unread and not self._person:
            self._person = any(_PERSON.search(text) for text in self._unread)
            self._unread.clear()
        return self._person

    def _named(self, text: str, start: int, end: int) -> int:
        """Return where the title that begins at ``start`` ends, or 0 if there is none.

        "Gary Roger Rydstrom" counts as Gary Rydstrom.
        """
        if _is_word(text, start, self._name):
            return start + len(self._name)
        if self._middles and _is_word(text, start, self._first):
            begin = start + len(self._first)
            at = text.find(f" {self._last}", begin, min(end, begin + _MOST_MIDDLE))
            if at > 0 and _is_word(text, at + 1, self._last) and _MIDDLE.fullmatch(text, begin, at):
                return at + 1 + len(self._last)
        return 0


def _is_word(text: str, start: int, word: str) -> bool:
    """Return whether ``word`` is at position ``start`` and ends there."""
    if not word or not text.startswith(word, start):
        return False
    after = text[start + len(word) : start + len(word) + 1]
    return not after.isalnum() and after not in {"-", "_"}


class Gazetteer:
    """Finds the names of a list in text: the longest first, as whole capitalised phrases only."""

    def __init__(self, names: Mapping[str, int]) -> None:
        self._names = {name: node for name, node in names.items() if len(name) > 2 and name[:1].isupper()}
        self._firsts = {name.split()[0] for name in self._names if name.split()}

    def spans(self, text: str) -> list[Span]:
        """Return (start, end, node) of names that are not part of longer ones ("York" in "New York Times")."""
        words = list(_WORD.finditer(text))
        found: list[Span] = []
        i = 0
        while i < len(words):
            if words[i][0] not in self._firsts and words[i][0].rstrip(".") not in self._firsts:
                i += 1
                continue
            for j in range(min(len(words), i + _MOST_WORDS) - 1, i - 1, -1):
                start, end = words[i].start(), words[j].end()
                name = text[start:end]
                node = self._names.get(name)
                if node is None and name.endswith("."):
                    end -= 1
                    node = self._names.get(name[:-1])
                if node is not None and self._alone(text, words, i, j):
                    found.append((start, end, node))
                    i = j
                    break
            i += 1
        return found

    @staticmethod
    def _alone(text: str, words: list[re.Match[str]], i: int, j: int) -> bool:
        """Return whether there is no capitalised word next to the phrase, except at the beginning of a sentence."""
        if i:
            before = words[i - 1]
            if text[before.end() : words[i].start()] == " " and before[0][:1].isupper() and before[0] not in _OPEN:
                return False
            if i == j and before[0] in _JOINS and i > 1 and words[i - 2][0][:1].isupper():
                return False
        if j + 1 < len(words):
            after = words[j + 1]
            if (
                text[words[j].end() : after.start()] in {" ", "-"}
                and not words[j][0].endswith(".")
                and (after[0][:1].isupper() or after[0][:1].isdigit())
            ):
                return False
            if after[0] == "of" and j + 2 < len(words) and words[j + 2][0][:1].isupper():
                return False
        return True


_JOINS: Final = list_words("joins_capitals")
_OPEN: Final = frozenset("The A An In On At By From For With As Of To And But Or".split())


def sentences(text: str, reach: int | None = None) -> list[tuple[int, int]]:
    """Return (start, end) of the sentences that begin before or at ``reach``; abbreviations do not end a sentence."""
    spans: list[tuple[int, int]] = []
    start = 0
    for m in _SENTENCE.finditer(text):
        spans.append((start, m.end(1)))
        start = m.end()
        if reach is not None and start > reach:
            return spans
    if text[start:].strip():
        spans.append((start, len(text)))
    return spans


class RuleExtractor(RelationExtractor):
    """Connects neighbouring mentions by the phrase between them, for one question: recall before precision."""

    def paths(self, sentence: str, mentions: Sequence[tuple[int, int, int]]) -> list[tuple[int, str, int]]:
        """Return (node, phrase, node) of neighbouring mentions of different nodes, at most twelve words apart."""
        found = []
        ordered = sorted(mentions)
        for (_, end, a), (start, _, b) in pairwise(ordered):
            phrase = " ".join(re.findall(r"[\w'-]+", sentence[end:start]))
            if a != b and end <= start and phrase and len(phrase.split()) <= _MOST_WORDS_BETWEEN:
                found.append((a, phrase, b))
        return found
