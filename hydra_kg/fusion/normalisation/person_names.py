"""Person names in a source's text, whatever the order, the separators and the words around them."""

from __future__ import annotations

import html
import re
from functools import lru_cache
from typing import Final

from hydra_kg.text.folding import fold

_LATIN: Final = str.maketrans(
    {
        "ø": "o",
        "Ø": "O",
        "ł": "l",
        "Ł": "L",
        "đ": "d",
        "Đ": "D",
        "æ": "ae",
        "Æ": "Ae",
        "œ": "oe",
        "ı": "i",
        "ð": "d",
        "þ": "th",
    }
)
_SUFFIXES: Final = frozenset("jr sr ii iii iv phd md dr prof mr mrs ms sir edt eds msc mba".split())
_ROLE: Final = re.compile(
    r"\b(?:by\s+)?\(\s*(?:author|editor|director|translator|illustrator|edt?|eds?|con|contributor)s?\.?\s*\)"
    r"|\b(?:authors?|editors?|directors?|translators?|illustrators?|(?:edited|written|directed|translated)\s+by)\s*:?(?=\s|$)"
    r"|^\s*by\s",
    re.IGNORECASE,
)
_AND_OTHERS: Final = re.compile(r"\bet\.?\s*al\b\.?|\band\s+others\b|\.{3}|…", re.IGNORECASE)
_BRACKETS: Final = re.compile(r"\([^)]*\)|\[[^\]]*\]|[({\[].*$")
_STRONG: Final = re.compile(r"[;/|&\n\t•]|\s+(?:and|with|und|et)\s+|\s+-\s+", re.IGNORECASE)
_SUFFIX_CHUNK: Final = re.compile(r",\s*(?:jr|sr|ph\.?\s?d|m\.?d|ii|iii|iv)\b\.?", re.IGNORECASE)

Tokens = tuple[str, ...]


def resolve_html_entities(text: str) -> str:
    """Return a text with its HTML entities resolved, even with a spelled-out ampersand (``oandapos;leary``)."""
    return html.unescape(re.sub(r"and(apos|amp|quot);", r"&\1;", text)) if ";" in text else text


@lru_cache(maxsize=262144)
def tokens_of(name: str) -> Tokens:
    """Return the folded words of a name, without apostrophes, titles and generations; ``?`` is a lost letter."""
    text = re.sub(r"['’`´]", "", resolve_html_entities(name).translate(_LATIN))
    text = re.sub(r"(?<=\w)\?(?=\w)", "\ue000", text)
    words = " ".join(fold(part) if "\ue000" not in part else _keep(part) for part in text.split()).split()
    significant = tuple(w for w in words if w not in _SUFFIXES)
    return significant or tuple(words)


def _keep(word: str) -> str:
    return "?".join(fold(piece) for piece in word.split("\ue000"))


def name_key(words: Tokens) -> str:
    """Return one key for both orders of a name.

    The words are sorted. Initials are left out if two longer words remain.
    """
    long = [w for w in words if len(w) > 1]
    return " ".join(sorted(long if len(long) >= 2 else words))


@lru_cache(maxsize=262144)
def people(text: str) -> tuple[tuple[str, ...], bool]:
    """Return the names in a statement, and whether it ends in "et al."; ``Last, First`` stays one name."""
    text = resolve_html_entities(text)
    others = bool(_AND_OTHERS.search(text))
    text = _ROLE.sub(";", _AND_OTHERS.sub(";", _SUFFIX_CHUNK.sub("", text)))
    names: list[str] = []
    for part in _STRONG.split(_BRACKETS.sub(" ", text)):
        names += _by_commas([chunk.strip() for chunk in part.split(",") if tokens_of(chunk)])
    named = dict.fromkeys(" ".join(n.split()) for n in names if any(len(w) > 1 for w in tokens_of(n)))
    return tuple(named), others


def _by_commas(chunks: list[str]) -> list[str]:
    """Return names from the parts between commas: "Smith", "Ann", "Lee", "Bo" are two names."""
    words = [len(tokens_of(c)) for c in chunks]
    if len(chunks) > 2 and set(words) == {1}:
        return chunks  # surnames alone
    names: list[str] = []
    i = 0
    while i < len(chunks):
        follows = i + 1 < len(chunks)
        if follows and (
            words[i] == 1 or words[i + 1] == 1 or (len(tokens_of(chunks[i + 1])[-1]) == 1 and len(chunks) % 2 == 0)
        ):
            names.append(f"{chunks[i]}, {chunks[i + 1]}")  # Last, First
            i += 2
        else:
            names.append(chunks[i])
            i += 1
    return names


def compatible(a: Tokens, b: Tokens) -> bool:
    """Return True if two names can belong to one person.

    Each word of the shorter name must fit a word of the longer one: equal, as an initial, or with a lost letter. The
    shorter name must have at least two words.
    """
    short, rest = (a, list(b)) if len(a) <= len(b) else (b, list(a))
    if len(short) < 2:
        return False
    whole = 0
    for word in sorted(short, key=len, reverse=True):
        found = next((w for w in rest if _same_word(word, w)), None)
        whole += found is not None and len(found) > 1 and len(word) > 1
        if found is None:
            found = next((w for w in rest if (len(word) == 1 or len(w) == 1) and word[0] == w[0]), None)
        if found is None:
            return False
        rest.remove(found)
    return whole > 0


def _same_word(a: str, b: str) -> bool:
    if a == b:
        return True
    if "?" not in a and "?" not in b:
        return False
    pattern, word = (a, b) if "?" in a else (b, a)
    return re.fullmatch(re.escape(pattern).replace(r"\?", r"\w{0,2}"), word) is not None
