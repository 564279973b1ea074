"""Questions in other languages: which it is, and what it says in English where a rule of that language knows."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from hydra_kg.agents.planning.tokens import MARK
from hydra_kg.domain import Mention
from hydra_kg.extract.words import FUNCTION
from hydra_kg.text.folding import fold
from hydra_kg.util.package_data import table

LANGUAGES: Final = ("de", "fr", "es", "it", "pt", "nl", "zh", "ar", "ru")
"""Those that have a file in ``languages``."""

_PACKAGE: Final = "hydra_kg.agents.planning.languages"
_SCRIPTS: Final = {"CJK": "zh", "ARABIC": "ar", "CYRILLIC": "ru"}
_OTHERS: Final = {
    "HIRAGANA": "Japanese", "KATAKANA": "Japanese", "HANGUL": "Korean", "GREEK": "Greek", "HEBREW": "Hebrew",
    "DEVANAGARI": "Hindi", "THAI": "Thai", "BENGALI": "Bengali", "TAMIL": "Tamil", "GEORGIAN": "Georgian",
}  # fmt: skip
_PUNCTUATION: Final = re.compile(r"[^\w]+")


@dataclass(frozen=True, slots=True)
class Foreign:
    """A question in another language: ``language`` in English · ``question``, ``mentions``: the same in English with
    the names where they stand in it, "" where no rule knows what it says."""

    language: str
    question: str = ""
    mentions: tuple[Mention, ...] = ()


@dataclass(frozen=True, slots=True)
class _Language:
    name: str
    asking: frozenset[str]
    words: frozenset[str]
    vocabulary: frozenset[str]
    rules: tuple[tuple[re.Pattern[str], str, tuple[tuple[str, str, str], ...]], ...]


def foreign(question: str, mentions: Sequence[Mention]) -> Foreign | None:
    """What a question in another language asks; None where it is English, or too short to tell."""
    code = _by_script(question, mentions)
    codes = [code] if code else _by_words(question, mentions)
    if not codes:
        return None
    known = [_language(c) for c in codes if c in LANGUAGES]
    said = (_english(language, question, mentions) for language in known)
    return next((f for f in said if f is not None), Foreign(known[0].name if known else codes[0]))


def _english(language: _Language, question: str, mentions: Sequence[Mention]) -> Foreign | None:
    """The question by the first rule of a language that fits it; its one name keeps what it is linked to."""
    names = [m for m in mentions if m.chosen is not None and m.start >= 0 and fold(m.text) not in language.vocabulary]
    if len(names) != 1:
        return None
    marked = _marked(question, names[0])
    for pattern, english, slots in language.rules:
        m = pattern.fullmatch(f"{marked} ")
        if m is None:
            continue
        for group, word, meaning in slots:
            if m[group] is not None:
                english = english.replace(word, meaning)
        at = english.index(MARK)
        moved = replace(names[0], start=at, end=at + len(names[0].text))
        return Foreign(language.name, english.replace(MARK, moved.text), (moved,))
    return None


def _by_script(question: str, mentions: Sequence[Mention]) -> str | None:
    """The language (code, or name) of most letters outside of names, where they are not Latin."""
    letters = Counter(unicodedata.name(c, "").split()[0] for c in _outside(question, mentions) if c.isalpha())
    script, count = letters.most_common(1)[0] if letters else ("", 0)
    if count * 2 <= letters.total():
        return None
    return "Japanese" if letters["HIRAGANA"] else _SCRIPTS.get(script, _OTHERS.get(script))


def _by_words(question: str, mentions: Sequence[Mention]) -> list[str]:
    """The languages of which the question has common words, more than English ones; most first."""
    said = fold(_outside(question, mentions)).split()
    found: dict[str, int] = {}
    for code in LANGUAGES:
        language = _language(code)
        own = [w for w in said if w in language.asking | language.words and w not in FUNCTION]
        english = sum(w in FUNCTION and w not in language.words | language.asking for w in said)
        if len(own) > english and (len(own) > 1 or not language.asking.isdisjoint(own)):
            found[code] = len(own)
    return sorted(found, key=lambda code: -found[code])


def _outside(question: str, mentions: Sequence[Mention]) -> str:
    for m in sorted(mentions, key=lambda m: -m.start):
        if m.start >= 0 and not m.text.islower():
            question = f"{question[: m.start]} {question[m.end :]}"
    return question


def _marked(question: str, name: Mention) -> str:
    """The folded question with its name as ``_``."""
    text = f"{fold(question[: name.start])} {MARK} {fold(question[name.end :])}"
    return " ".join(_PUNCTUATION.sub(" ", text).split())


@cache
def _language(code: str) -> _Language:
    rows = table(_PACKAGE, f"{code}.tsv")
    lists = {kind: [(r[1], r[2]) for r in rows if r[0] == kind] for kind in ("noun", "verb")}
    asking = frozenset(w for r in rows if r[0] == "ask" for w in r[1].split())
    words = frozenset(w for r in rows if r[0] == "word" for w in r[1].split())
    phrases = frozenset(fold(p) for rows_of in lists.values() for said, _ in rows_of for p in said.split("|"))
    spaced = code != "zh"
    rules = tuple(_rule(r[1], r[2], lists, spaced=spaced) for r in rows if r[0] == "question")
    name = next(r[2] for r in rows if r[0] == "name")
    return _Language(name, asking, words, asking | words | phrases, rules)


def _rule(
    pattern: str, english: str, lists: dict[str, list[tuple[str, str]]], *, spaced: bool
) -> tuple[re.Pattern[str], str, tuple[tuple[str, str, str], ...]]:
    """A row of kind ``question``: its pattern, its English, and which group of the pattern stands for which word."""
    slots: list[tuple[str, str, str]] = []
    text = ""
    for part in pattern.split():
        inside = part.strip("[]")
        if inside in {"{noun}", "{verb}"}:
            choices = []
            for n, (said, meaning) in enumerate(lists[inside[1:-1]]):
                group = f"{inside[1:-1]}{n}"
                slots.append((group, inside, meaning))
                choices.append(f"(?P<{group}>{_alternatives(said)})")
            one = f"(?:{'|'.join(choices)})"
        else:
            one = MARK if inside == MARK else f"(?:{_alternatives(inside)})"
        gap = " " if spaced else " ?"
        text += f"(?:{one}{gap})?" if part.startswith("[") else f"{one}{gap}"
    return re.compile(text), english, tuple(slots)


def _alternatives(said: str) -> str:
    return "|".join(re.escape(fold(a)) for a in said.split("|"))
