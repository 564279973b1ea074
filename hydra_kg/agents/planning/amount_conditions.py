"""Parse dates, numbers and units in a question, and the conditions that they state."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Literal

from hydra_kg.agents.planning.tokens import MARK, QuestionToken
from hydra_kg.language.dates import read_period
from hydra_kg.language.lexicon import list_phrases, match_phrase
from hydra_kg.language.number_words import number_words, ordinal_number
from hydra_kg.language.units import unit_spellings
from hydra_kg.plan.model import Condition, ValueKind

Op = Literal["<", "<=", "=", ">=", ">", "in", "exists", "lacks"]
Span = tuple[float, float]
"""Start and end (exclusive) of a date in years with fractions; a less exact date has a longer span."""

_NUMBER: Final = re.compile(r"-?\d[\d,]*(?:\.\d+)?")
_CURRENCIES: Final = frozenset("$€£¥")
_BOUNDS: Final[tuple[tuple[str, Op], ...]] = (
    ("at_least", ">="),
    ("at_most", "<="),
    ("above_amount", ">"),
    ("below_amount", "<"),
    ("exactly_amount", "="),
)
_TIMES: Final[tuple[tuple[str, Op], ...]] = (
    ("before_time", "<"),
    ("after_time", ">"),
    ("since_time", ">="),
    ("until_time", "<="),
    ("within_time", "in"),
)


class Amounts:
    """Parser for dates, numbers and quantities; methods return what begins at a token, and where it ends."""

    def __init__(self, tokens: Sequence[QuestionToken]) -> None:
        self.tokens = tokens
        self.words = [t.text for t in tokens]

    def word(self, i: int) -> str:
        """Return the token at an index, or "" outside of the question."""
        return self.words[i] if 0 <= i < len(self.words) else ""

    def text(self, start: int, end: int) -> str:
        """Return the question's original words from token ``start`` up to, but without, token ``end``."""
        raw = (
            t.raw for n, t in enumerate(self.tokens[start:end], start) if n == 0 or t.start != self.tokens[n - 1].start
        )
        return " ".join(raw).replace(" ,", ",").replace("$ ", "$")

    def date(self, i: int) -> tuple[Span, int] | None:
        """Parse a date, such as "1986", "the 1960s", "June 1990", "4 July 1946", "1990-06-02" or "the 19th century"."""
        found = read_period(self.words, i)
        if found is None or (found.end == i + 1 and match_phrase(self.words, found.end, unit_spellings())):
            return None
        return (found.low, found.after), found.end

    def time(self, i: int, *, bare: bool = False) -> tuple[Condition, int] | None:
        """Return a condition on a date: "in 1986", "before June 1990", "between 1990 and 1995".

        bare: accept a date without a preposition ("1986") too.
        """
        if self.word(i) in {"between", "from"} and (first := self.date(i + 1)):
            joint = first[1]
            if self.word(joint) in {"and", "to", "until", "till"} and (last := self.date(joint + 1)):
                return Condition("in", "date", first[0][0], last[0][1], words=self.text(i, last[1])), last[1]
        for name, op in _TIMES:
            n = match_phrase(self.words, i, list_phrases(name))
            if n and (found := self.date(i + n)):
                (low, high), end = found
                return _dated(op, low, high, self.text(i, end)), end
        if bare and (found := self.date(i)):
            return _dated("in", *found[0], self.text(i, found[1])), found[1]
        return None

    def number(self, i: int) -> tuple[float, int] | None:
        """Parse a number, such as "200,000", "2.5 million", "one hundred" or "a million"."""
        at = i + (self.word(i) in _CURRENCIES)
        cardinals, scales = number_words("cardinal"), number_words("scale", "short")
        word = self.word(at)
        if _NUMBER.fullmatch(word):
            value = float(word.replace(",", ""))
        elif word in cardinals:
            value = float(cardinals[word])
            if value >= 20 and cardinals.get(self.word(at + 1), 10) < 10:
                value, at = value + cardinals[self.word(at + 1)], at + 1
        elif word in {"a", "an"} and self.word(at + 1) in scales:
            value = 1.0
        else:
            return None
        at += 1
        while self.word(at) in scales:
            value, at = value * scales[self.word(at)], at + 1
        return value, at

    def amount(self, i: int, *, plain: bool = False) -> tuple[Condition, int] | None:
        """Return a condition on a number: "more than 200,000 square kilometres", "at least 3".

        plain: accept a number alone ("3") too, as an equality.
        """
        for name, op in _BOUNDS:
            n = match_phrase(self.words, i, list_phrases(name))
            if n and (found := self.quantity(i + n)):
                value, unit, end = found
                return Condition(op, "number", value, value, unit, self.text(i, end)), end
        low = self.quantity(i + 1) if self.word(i) == "between" else None
        if low and self.word(low[2]) == "and" and (high := self.quantity(low[2] + 1)):
            return Condition("in", "number", low[0], high[0], high[1] or low[1], self.text(i, high[2])), high[2]
        if plain and (found := self.quantity(i)):
            value, unit, end = found
            return Condition("=", "number", value, value, unit, self.text(i, end)), end
        return None

    def quantity(self, i: int) -> tuple[float, str, int] | None:
        """Return a number, its unit ("" if it has none) and the token where they end."""
        found = self.number(i)
        if found is None:
            return None
        value, end = found
        length = match_phrase(self.words, end, unit_spellings())
        unit = (
            unit_spellings()[tuple(self.words[end : end + length])]
            if length
            else unit_spellings().get((self.word(i),), "")
        )
        return value, unit, end + length

    def ordinal(self, i: int) -> int | None:
        """Return the number of an ordinal such as "second" or "26th", or None."""
        word = self.word(i)
        return None if self.word(i + 1) == "century" else ordinal_number(word) or None

    def is_mention(self, i: int) -> bool:
        """Return True if the token is a name."""
        return self.word(i) == MARK


def _dated(op: str, low: float, high: float, words: str) -> Condition:
    kind: ValueKind = "date"
    if op == "<":
        return Condition("<", kind, low, low, words=words)
    if op == ">":
        return Condition(">=", kind, high, high, words=words)
    if op == ">=":
        return Condition(">=", kind, low, low, words=words)
    if op == "<=":
        return Condition("<", kind, high, high, words=words)
    return Condition("in", kind, low, high, words=words)
