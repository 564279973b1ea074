"""Words of questions and of schemas brought to a common form: split names, singulars, stems of word families."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Final

from hydra_kg.text.folding import fold
from hydra_kg.util.package_data import table

_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z]\w)|(?<=[A-Z])(?=[A-Z][a-z])")
_WORD: Final = re.compile(r"[^\W_]+")
_SUFFIXES: Final = (
    *("ations", "ation", "ators", "ator", "ings", "ing", "ments", "ment", "ions", "ion", "ers", "er", "ors", "or"),
    *("ed", "ees", "ee", "ives", "ive", "ance", "ence", "ies", "y", "es", "s", "e"),
)
_OF_VERBS: Final = ("e", "es", "ed", "ing")
_LEAST = 3


@cache
def _forms(plural: bool) -> dict[str, str]:
    rows = table("hydra_kg.steps.own_graphs", "word_forms.tsv")
    return {word: form for word, form, many in rows if (many == "plural") == plural}


def words(text: str) -> list[str]:
    """Folded words of a label or an identifier: ``hasProductManager`` → has product manager."""
    return [fold(w) for w in _WORD.findall(_CAMEL.sub(" ", text)) if fold(w)]


@lru_cache(maxsize=1 << 16)
def singular(word: str) -> str:
    """The word without an ending of the plural."""
    if word in _forms(True):
        return _forms(True)[word]
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("sses", "ches", "shes", "xes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def plural(noun: str) -> str:
    """A noun phrase in lower case and in the plural: person → people, Order item → order items."""
    *before, last = noun.lower().split(" ")
    many = next((w for w, one in _forms(True).items() if one == last), "")
    if not many and singular(last) == last:
        many = f"{last[:-1]}ies" if last.endswith("y") and last[-2:-1] not in "aeiou" else f"{last}{_ending(last)}"
    return " ".join([*before, many or last])


def _ending(noun: str) -> str:
    return "es" if noun.endswith(("s", "x", "ch", "sh")) else "s"


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """What words of a family share: act, acted, actor, actors; direct, director, directed; operates, operator."""
    word = _forms(True).get(word) or _forms(False).get(word, word)
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _LEAST:
            word = word[: -len(suffix)]
            if (
                suffix in _OF_VERBS and len(word) > 4 and word.endswith("at") and word[-3] not in "eo"
            ):  # operates, operated: as operator and operation
                word = word[:-2]
            break
    if len(word) > _LEAST and word[-1] == word[-2] and word[-1] not in "aeiousl":
        word = word[:-1]
    return word[:-1] if len(word) > _LEAST and word[-1] in "ei" else word


def kin(one: str, other: str) -> bool:
    """Whether two words are of a family, alone or as the end of a compound (screenwriter, writer)."""
    a, b = stem(one), stem(other)
    if a == b:
        return True
    long, short = (one, other) if len(one) > len(other) else (other, one)
    last = stem(long)
    return len(long) - len(short) >= 2 and len(stem(short)) >= 4 and last.endswith(stem(short))
