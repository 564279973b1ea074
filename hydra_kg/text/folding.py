"""Folding of names and tokens: the one definition of "the same text" for stores and for steps."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

_ASCII_GAPS: Final = re.compile(r"[^0-9a-z]+")
_ASCII: Final = bytes(c if c in b"0123456789abcdefghijklmnopqrstuvwxyz\n" else 0x20 for c in bytes(range(256)).lower())
_SPACES: Final = re.compile(b"  +")
_ACCENTS: Final = re.compile("[\u0300-\u034e\u0350-\u036f]+")
_WORD_CATEGORIES: Final = frozenset("LNM")  # letters, numbers, and the vowel signs of scripts that write them as marks


def fold(text: str) -> str:
    """Return the form of a text that comparisons use: case-folded, without accents or punctuation.

    Compatibility forms are resolved, and everything that is neither a letter nor a number is collapsed to single
    spaces. Folding is idempotent. A text of punctuation alone folds to itself, stripped, so that the names ``!!!`` and
    ``?`` stay different. A text without anything visible folds to "".
    """
    if text.isascii():
        plain = _ASCII_GAPS.sub(" ", text.lower()).strip()
        return plain or _printable(text)
    folded = _strip_accents(text)
    if folded.isascii():  # Latin script with accents: nothing else is left to do
        return fold(folded)
    for _ in range(3):  # folding a decomposed text can give characters that fold and decompose again
        before, folded = folded, unicodedata.normalize("NFKD", folded.casefold())
        folded = folded.translate(_BARE)
        if folded == before:
            break
    plain = folded.translate(_VISIBLE)
    return " ".join(plain.split()) or _printable(folded)


def fold_all(texts: Sequence[str]) -> list[str]:
    """Return :func:`fold` of each text, in order.

    Texts that are ASCII apart from their accents are folded together, which takes a third of the time.
    """
    bare = [text if text.isascii() else _strip_accents(text) for text in texts]
    lines = fold_lines("\n".join([text if text.isascii() and "\n" not in text else "" for text in bare]).encode())
    return [done or fold(text) for done, text in zip(lines.decode().split("\n"), texts, strict=True)] if texts else []


def fold_lines(lines: bytes) -> bytes:
    """Return :func:`fold` of each line of ASCII; a line without letters and numbers becomes empty."""
    folded = _SPACES.sub(b" ", lines.translate(_ASCII))
    return folded.replace(b" \n", b"\n").replace(b"\n ", b"\n").strip(b" ")


def _strip_accents(text: str) -> str:
    return _ACCENTS.sub("", unicodedata.normalize("NFKD", text.casefold()))


def tokens(text: str) -> list[str]:
    """Return the folded words of a text in order, with repetitions; a text of punctuation alone has none."""
    return [
        t for t in fold(text).split() if t.isalnum() or any(unicodedata.category(c)[0] in _WORD_CATEGORIES for c in t)
    ]


class _Visible(dict[int, str]):
    """Table for ``str.translate`` that maps a character to what folding leaves of it, filled on first use."""

    def __missing__(self, code: int) -> str:
        category = unicodedata.category(chr(code))
        mapped = chr(code) if category[0] in _WORD_CATEGORIES else "" if category == "Cf" else " "
        self[code] = mapped  # soft hyphens and joiners (Cf) stand inside words
        return mapped


class _Bare(dict[int, str]):
    """Table for ``str.translate`` that removes combining characters, filled on first use."""

    def __missing__(self, code: int) -> str:
        self[code] = "" if unicodedata.combining(chr(code)) else chr(code)
        return self[code]


_VISIBLE: Final = _Visible()
_BARE: Final = _Bare()


def _printable(text: str) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def flat(text: str) -> str:
    """Return the text in lower case without accents, every character at the same position."""
    return text.lower() if text.isascii() else "".join(map(_bare_character, text))


@lru_cache(maxsize=4096)
def _bare_character(character: str) -> str:
    return (unicodedata.normalize("NFKD", character)[:1].lower() or " ")[:1]


def bytes_text(value: float) -> str:
    """Return a number of bytes in decimal units, such as ``1.2 GB``."""
    for unit in ("B", "kB", "MB", "GB"):
        if abs(value) < 1000:
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:.1f} TB"
