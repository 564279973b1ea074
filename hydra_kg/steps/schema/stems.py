"""Words of questions and of schemas brought to a common form: split names, singulars, stems of word families."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from hydra_kg.text.folding import fold

_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORD: Final = re.compile(r"[^\W_]+")
_IRREGULAR: Final = {
    "people": "person", "men": "man", "women": "woman", "children": "child", "wrote": "write", "written": "write",
    "made": "make", "born": "birth", "bore": "birth", "died": "death", "die": "death", "dead": "death",
    "sold": "sell", "sale": "sell", "bought": "buy", "paid": "pay", "built": "build", "led": "lead", "won": "win",
    "taught": "teach", "spoken": "speak", "spoke": "speak", "given": "give", "gave": "give", "grown": "grow",
    "known": "know", "held": "hold", "kept": "keep", "sent": "send", "ran": "run", "grew": "grow", "weigh": "weight",
    "weighs": "weight", "heavy": "weight", "tall": "height", "high": "height", "wide": "width", "long": "length",
    "deep": "depth", "email": "mail", "telephone": "phone", "actress": "act", "cities": "city",
}  # fmt: skip
_PLURALS: Final = {
    "people": "person", "men": "man", "women": "woman", "children": "child", "movies": "movie", "series": "series",
    "species": "species", "news": "news", "indices": "index", "analyses": "analysis",
}  # fmt: skip
_SUFFIXES: Final = tuple(
    "ations ation ators ator ings ing ments ment ions ion ers er ors or ed ees ee ives ive ance ence ies y es s e".split()
)
_LEAST = 3


def words(text: str) -> list[str]:
    """Folded words of a label or an identifier: ``hasProductManager``, ``height_cm`` → has product manager, height cm."""
    return [fold(w) for w in _WORD.findall(_CAMEL.sub(" ", text)) if fold(w)]


@lru_cache(maxsize=1 << 16)
def singular(word: str) -> str:
    """The word without an ending of the plural."""
    if word in _PLURALS:
        return _PLURALS[word]
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("sses", "ches", "shes", "xes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """What words of a family share: act, acted, actor, actors; direct, director, directed; employ, employees."""
    word = _IRREGULAR.get(word, word)
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _LEAST:
            word = word[: -len(suffix)]
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
