"""Split texts into words, numbers, quotations and marks with their positions; sentences into tokens.

All readers of questions and texts split with a ``Splitter``.
"""

from __future__ import annotations

import re
from functools import cache, cached_property
from typing import Final, Literal

from hydra_kg.language.morphology import stem
from hydra_kg.language.number_words import number_words
from hydra_kg.language.units import unit_spellings
from hydra_kg.text.folding import fold
from hydra_kg.util.fast_dataclass import dataclass

PARTICLES: Final = frozenset("的是了在のはをがに")
"""Particles that end a word of Chinese or Japanese, which are written without spaces. None is a name itself."""
_UNSPACED: Final = "[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]"
_PARTICLE: Final = f"[{''.join(sorted(PARTICLES))}]"
_LETTER: Final = r"[^\W_]"
_QUOTED: Final = r"\"[^\"]{1,120}\"|“[^”]{1,120}”|(?<![\w])['‘][^'’]{1,120}['’](?![\w])"
_POSSESSIVE: Final = re.compile(r"['’]s\b", re.IGNORECASE)
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z]\w)|(?<=[A-Z])(?=[A-Z][a-z])")
DECIMALS: Final = r"\d+(?:[.,]\d+)+"
MARKS: Final = r"['’]s\b|[^\w\s]|_"
SENTENCE_ENDS: Final = r"(?:[?!;]|(?<!\b[A-Z])(?<!\b[A-Z][a-z])(?<!\bMrs)\.)(?=\s|$)"
"""Ends of sentences; the full stop of "Dr. Hall", "St. Ives" and "J. Smith" is none."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word, number, quotation or mark. ``start``, ``end``: its characters. ``full``: with suffix or quotes."""

    text: str
    start: int
    end: int
    full: int
    kind: Literal["word", "number", "quoted", "mark"] = "word"

    @property
    def owner(self) -> bool:
        """Return whether the word has the ending 's."""
        return self.kind == "word" and self.full > self.end


class Splitter:
    """Splits texts into words. Readers differ in what joins the parts of a word, and in what else they return.

    Args:
        joined_by: characters that join letters to one word: "'-" for "O'Brien" and "well-known".
        numbers: pattern of the numbers that are one token, such as ``number_pattern()`` or DECIMALS; "" for none.
        quotes: whether the text within quotation marks is one token.
        marks: pattern of the marks to return, such as MARKS or SENTENCE_ENDS; "" for none.
    """

    def __init__(self, joined_by: str = "", *, numbers: str = "", quotes: bool = False, marks: str = "") -> None:
        self._joint = f"[{re.escape(joined_by)}]" if joined_by else "(?!)"
        self._before = [f"(?P<quoted>{_QUOTED})"] * quotes + [f"(?P<number>{numbers})"] * bool(numbers)
        self._behind = [f"(?P<mark>{marks})"] * bool(marks)

    # Compiled when first used: a process that asks one question needs few of them.

    @cached_property
    def _ascii(self) -> re.Pattern[str]:
        return self._compiled(self._word(_LETTER))

    @cached_property
    def _any(self) -> re.Pattern[str]:
        word = self._word(f"(?:(?!{_UNSPACED}){_LETTER})")
        return self._compiled(f"{_PARTICLE}|(?:(?!{_PARTICLE}){_UNSPACED})+|{word}")

    def _word(self, letter: str) -> str:
        return rf"{letter}+(?:{self._joint}{letter}+)*(?:['’][sS]\b)?"

    def _compiled(self, word: str) -> re.Pattern[str]:
        return re.compile("|".join([*self._before, f"(?P<word>{word})", *self._behind]))

    def __call__(self, text: str, start: int = 0, end: int | None = None) -> list[Word]:
        """Return the words from one character of a text to another, in order."""
        found = []
        pattern = self._ascii if text.isascii() else self._any
        for m in pattern.finditer(text, start, len(text) if end is None else end):
            whole, at = m[0], m.start()
            if m.lastgroup == "quoted":
                found.append(Word(whole[1:-1].strip(), at, m.end() - 1, m.end(), "quoted"))
            elif m.lastgroup == "word":
                short = whole[:-2] if len(whole) > 2 and _POSSESSIVE.fullmatch(whole, len(whole) - 2) else whole
                found.append(Word(short, at, at + len(short), m.end()))
            else:
                found.append(Word(whole, at, m.end(), m.end(), "number" if m.lastgroup == "number" else "mark"))
        return found


@cache
def number_pattern() -> str:
    """Return the pattern of a number in a question: 1,200.5, -3, 2024-05-01, and 200 of "200km"."""
    units = {w for spelling in unit_spellings() if len(spelling) == 1 for w in spelling if w[0].isalpha()}
    unit = "|".join(sorted(units | set(number_words("scale", "short")), key=len, reverse=True))
    return (
        r"\d{4}-\d\d(?:-\d\d)?(?:[ T]\d\d:\d\d:\d\d)?(?!\w)"
        r"|(?<![\w-])[+-]?(?:\d{1,3}(?:,\d{2,3})*,\d{3}|\d+)(?:\.\d+)?"
        rf"(?:(?![\w-])|(?=(?:{unit})(?!\w)))"
    )


split_words: Final = Splitter()
"""Splits into words of letters and digits alone: "O'Brien" is two, and so is "well-known"."""


def without_possessives(text: str) -> str:
    """Return a text without the endings of possessives."""
    return _POSSESSIVE.sub("", text)


def fold_words(text: str) -> list[str]:
    """Return the folded words of a name or a question, without possessive endings."""
    folded = fold(without_possessives(text))
    return folded.split() if folded.isascii() and folded[:1].isalnum() else [w.text for w in split_words(folded)]


def split_identifier(text: str) -> list[str]:
    """Return the folded words of a label or an identifier: ``hasProductManager`` → has product manager."""
    return [folded for word in split_words(_CAMEL.sub(" ", text)) if (folded := fold(word.text))]


@dataclass(frozen=True, slots=True)
class Token:
    """A word or a mark: its text, its characters in the sentence, its lower-case form, and its stem."""

    text: str
    start: int
    end: int
    low: str
    stem: str

    @property
    def word(self) -> bool:
        """Return whether it is a word or a number, not a mark."""
        return self.text[0].isalnum()

    @property
    def capital(self) -> bool:
        """Return whether it has a capital at the start or after a small letter ("iPhone", not "pre-Roman")."""
        inside = zip(self.text, self.text[1:], strict=False)
        return self.text[0].isupper() or any(a.islower() and b.isupper() for a, b in inside)


_split_sentence: Final = Splitter("-'’./", numbers=DECIMALS, marks=MARKS)


def tokenise(text: str) -> list[Token]:
    """Return the tokens of a sentence. A possessive ending is a token; "J." and "U.S." are one token each."""
    found: list[Token] = []
    for word in _split_sentence(text):
        last = found[-1].text if word.text == "." and found and found[-1].end == word.start else ""
        if last[-1:].isupper() and not last[-2:-1].isalnum():
            found[-1] = _token(f"{last}.", found[-1].start)
            continue
        found.append(_token(word.text, word.start))
        if word.owner:
            found.append(_token("'s", word.end, word.full - word.end))
    return found


def _token(word: str, start: int, length: int = 0) -> Token:
    low = word.lower()
    return Token(word, start, start + (length or len(word)), low, stem(low))


def last_question(text: str) -> str:
    """Return the last sentence of some questions, without the marks at its end."""
    return text.rstrip("?. ").rpartition("? ")[2]
