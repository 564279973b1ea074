"""Turn questions into the English that the grammar reads: of other languages, and of other wordings."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from importlib.resources import files
from typing import Final

from hydra_kg.extract.word_classes import FUNCTION
from hydra_kg.language.form_notation import form_pattern, longest_literal, split_alternatives
from hydra_kg.language.lexicon import lexicon_table, list_words
from hydra_kg.text.typos import distance
from hydra_kg.util.fast_dataclass import dataclass
from hydra_kg.util.package_data import table

NAMES: Final[Mapping[str, str]] = {
    "ar": "Arabic",
    "de": "German",
    "es": "Spanish",
    "fr": "French",
    "it": "Italian",
    "nl": "Dutch",
    "pt": "Portuguese",
    "ru": "Russian",
    "zh": "Chinese",
}
"""Names of the languages of the tables; a table without a name here has the name of its file."""

SLOTS: Final = ("noun", "superlative", "ordinal")
"""Kinds of word in a form that the rows of the same table translate."""
_ASKING: Final = list_words("question_word be do") | {"name", "list"}
_WORD: Final = re.compile(r"[^\W\d_]+")
_NAME: Final = "(?P<name>.+?)"
_MOST: Final = 300
"""The most letters of a question that is rewritten; no pattern is tried on longer ones."""

_CLASSES: Final = {
    "THING": r"\S.*?",
    "ASKED": r"(?:who|whom|whose|what|which|when|where|why|how|in|on|at|by|is|are|was|were|do|does|did|name|list)\b",
}
"""Names for parts of patterns."""


@dataclass(frozen=True, slots=True)
class QuestionReading:
    """A question as it was understood.

    Attributes:
        text: the question in English.
        language: the language that it was asked in, "" for English.
        understood: whether its form is known.
    """

    text: str
    language: str = ""
    understood: bool = True


def in_english(question: str) -> QuestionReading:
    """Translate a question's form to English; unknown forms and other scripts are not understood."""
    words = [w.casefold() for w in _WORD.findall(question)]
    foreign = {_plain(word) for word in words if word not in FUNCTION}
    for code in _codes():
        if question.isascii() and foreign.isdisjoint(_form_words(code)):
            continue  # other scripts may be written without spaces
        if found := _asked(code, question):
            return QuestionReading(found, NAMES.get(code, code))
    asks_in_english = not words or bool(FUNCTION.intersection(words) & _ASKING)
    if not asks_in_english and (language := _language(question, words)):
        return QuestionReading(question, language, understood=False)
    return QuestionReading(plainly(question))


def _language(question: str, words: list[str]) -> str:
    """Return the language that the words belong to, "" for English or if they do not say."""
    foreign = [c for c in question if c.isalpha() and not unicodedata.name(c, "LATIN").startswith("LATIN")]
    if any(_is_script(c) for c in foreign) and not FUNCTION.intersection(words):
        return "a language that is not written in Latin letters" if _asks(question) else ""
    found = {code: len(_table(code).words.intersection(words)) for code in _codes()}
    code = max(sorted(found), key=found.__getitem__)
    asks = bool(_table(code).question.intersection(words)) or question.rstrip().endswith("?")
    least = max(2, 1 + len(FUNCTION.intersection(words)))
    return NAMES.get(code, code) if asks and found[code] >= least else ""


def _is_script(letter: str) -> bool:
    """Return whether a letter belongs to another script.

    Greek letters do not count, because English names and formulas use them too.
    """
    return not unicodedata.name(letter, "").startswith("GREEK")


def _asks(question: str) -> bool:
    """Return whether a text that is not Latin is more than a name."""
    return bool(re.search(r"[?？؟]\s*$", question)) or len(_WORD.findall(question)) > 1


@dataclass(frozen=True, slots=True)
class _Form:
    """A form of question: its pattern, a text that every question of this form contains, and the English question."""

    pattern: str
    literal: str
    english: str


@dataclass(frozen=True, slots=True)
class _Table:
    question: frozenset[str]
    words: frozenset[str]
    slots: Mapping[str, Mapping[str, str]]
    """English words by foreign ones, for each of SLOTS."""
    forms: tuple[_Form, ...]


def _asked(code: str, question: str) -> str:
    """Return the English question whose form a table has, or ""."""
    plain = _plain(question).rstrip(" ?!.؟？。").lstrip(" ¿¡")
    offset = _plain(question).find(plain)
    for form in _table(code).forms:
        if form.literal in plain and (m := _compiled(form.pattern).fullmatch(plain)):
            start, end = m.span("name")
            name = question[offset + start : offset + end].strip(" \"'“”„«»")
            english = form.english
            for slot in SLOTS:
                said = m.groupdict().get(slot) or ""
                english = english.replace(slot.upper(), _table(code).slots[slot].get(said, ""))
            return " ".join(english.split()).replace("_", name)
    return ""


@lru_cache(maxsize=256)  # each language's table is asked with the same question
def _plain(text: str) -> str:
    """Return the text in lower case and without accents, letter for letter."""
    return "".join(unicodedata.normalize("NFD", c)[0].lower() for c in unicodedata.normalize("NFC", text))


@cache
def _codes() -> tuple[str, ...]:
    folder = files("hydra_kg.language").joinpath("lexicon")
    return tuple(sorted(f.name[:-4] for f in folder.iterdir() if f.name.endswith(".tsv")))


@cache
def _form_words(code: str) -> frozenset[str]:
    """Return the words in the forms of a language. Making the forms themselves takes 10 ms a language."""
    return frozenset(word for row in _rows(code) if row[0] == "ask" for word in _WORD.findall(_plain(row[1])))


@cache
def _rows(code: str) -> list[list[str]]:
    return table("hydra_kg.language", f"lexicon/{code}.tsv")


@cache
def _table(code: str) -> _Table:
    rows = _rows(code)
    slots = {
        slot: {_plain(foreign): row[2] for row in rows if row[0] == slot for foreign in row[1].split(", ")}
        for slot in SLOTS
    }
    question = frozenset(w for row in rows if row[0] == "question" for w in row[1].split())
    words = frozenset(w for row in rows if row[0] == "words" for w in row[1].split())
    return _Table(question, question | words, slots, tuple(_forms(rows, slots)))


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compile a pattern on first use, because compiling all of them takes some 40 ms."""
    return re.compile(pattern)


def _forms(rows: list[list[str]], slots: Mapping[str, Mapping[str, str]]) -> Iterator[_Form]:
    for _, form, english in (r for r in rows if r[0] == "ask"):
        for way in split_alternatives(form):  # each has the name at a place of its own
            pattern = form_pattern(_plain(way))
            literal = longest_literal(_plain(way), (*SLOTS, "_"))
            for slot, words in slots.items():
                one = "|".join(sorted(map(re.escape, words), key=len, reverse=True))
                pattern = pattern.replace(slot, f"(?P<{slot}>{one})")
            yield _Form(pattern.replace("_", _NAME), literal, english)


def plainly(question: str) -> str:
    """Correct misspelt question words and apply the rows of ``paraphrases.tsv`` in order. Names are not changed."""
    if len(question) > _MOST:
        return question
    text = question.strip()
    body = before = _ARTICLE.sub(lambda m: m[0].lower(), text.rstrip(" ?!."))
    body = _SMALL.sub(_spelt, body)
    for pattern, plain in _rules():
        body = pattern.sub(plain, body, count=1)
    return question if body == before else body + text[len(before) :]


_ARTICLE: Final = re.compile(r"^(?:The|An?) (?=[a-z])")
"""An article that a question begins with, and that may end up inside it after rewriting."""

_SMALL: Final = re.compile(r"\b[a-z]{6,}\b")
"""A word that may be misspelt: lower case and long."""

_OFTEN_MISSPELT: Final = list_words("often_misspelt")
_RIGHT: Final = list_words("spelt_right")
"""Words that are spelt correctly, although they are one error away from a question word."""


def _spelt(word: re.Match[str]) -> str:
    """Return the only question word within one error of the word, else the word itself.

    The last letters may be an inflection ("produces").
    """
    text = word[0]
    if text in _OFTEN_MISSPELT or text in _RIGHT:
        return text
    near = [w for w in _OFTEN_MISSPELT if w[0] == text[0] and w[-1] == text[-1] and distance(w, text, 1) == 1]
    return near[0] if len(near) == 1 else text


@cache
def _rules() -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple(_read())


def _read() -> Iterator[tuple[re.Pattern[str], str]]:
    for form, plain in lexicon_table("paraphrases"):
        for name, part in _CLASSES.items():
            form = form.replace(f"<{name}>", part)
        yield re.compile(form, re.IGNORECASE), plain
