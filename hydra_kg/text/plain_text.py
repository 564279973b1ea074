"""Functions that turn any text into one line that cannot move a cursor, change colours or hide its content."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

# ECMA-48: CSI sequences, then strings (OSC, DCS, SOS, PM, APC) up to their terminator or the end of the line, then
# the other escapes; each also in its 8-bit form. A sequence goes whole, so that no "[31m" is left in a name.
_SEQUENCE: Final = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"
    r"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c\n\r]*(?:\x07|\x1b\\|\x9c)?"
    r"|\x1b[ -/]*[0-~]?"
)
_SPACE: Final = re.compile(r"[\s\x1c-\x1f\x85\u2028\u2029]+")
# Letters of right-to-left scripts stay; what reorders or hides its neighbours goes. Zero-width joiners are letters'
# business in several scripts and harmless alone.
HIDDEN: Final = frozenset(
    "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff\u180e\u200b\u2060"
)


def clean(text: object) -> str:
    r"""Return the text as one printable line with single spaces.

    Escape sequences, control characters and characters that reorder or hide text are removed. The function accepts any
    object, is idempotent, and replaces half surrogates by ``\ufffd``.
    """
    line = _SPACE.sub(" ", _SEQUENCE.sub("", str(text)))
    return _SPACE.sub(" ", "".join(map(printable, line))).strip(" ")


def clean_lines(text: object) -> str:
    """Return the text with :func:`clean` applied to each line, for messages that contain data."""
    return "\n".join(clean(line) for line in str(text).split("\n"))


def storable(text: str) -> str:
    """Return the text with lone surrogates, which cannot be stored, replaced by question marks."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def printable(c: str) -> str:
    r"""Return the form in which a character may be shown.

    This is the character itself, ``\ufffd`` for half of a surrogate pair, or "" for a character that is invisible or
    moves its neighbours.
    """
    if c in HIDDEN:
        return ""
    category = unicodedata.category(c)
    if category == "Cs":
        return "\ufffd"
    return "" if category in ("Cc", "Zl", "Zp") or (category == "Cf" and c >= "\U000e0000") else c


def shorten(text: str, length: int = 240) -> str:
    """Return the text as one line of at most ``length`` characters, cut between words."""
    line = clean(text)
    return line if len(line) <= length else line[: length - 2].rpartition(" ")[0] + " …"


_OTHER_MEANING: Final = ("<super>", "<sub>", "<fraction>", "<circle>")
"""Kinds of compatibility forms that are not replaced, because 10² is not 102 and ½ is not a word."""


class _Plain(dict[int, str]):
    """Table for ``str.translate`` from each character to its replacement, filled on first use."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        kind = unicodedata.decomposition(character).partition(" ")[0]
        plain = unicodedata.normalize("NFKC", character)
        replaced = kind.startswith("<") and kind not in _OTHER_MEANING and any(map(str.isalnum, plain))
        self[code] = plain if replaced else character
        return self[code]


_PLAIN: Final = _Plain()


def fold_compatibility(text: str) -> str:
    """Return the text in Unicode's form NFC, with ligatures, full-width and other compatibility letters replaced.

    "Pﬁster Oﬃce" becomes "Pfister Office". This is NFKC restricted to letters and digits: superscripts, subscripts,
    fractions and punctuation stay, since 10² is not 102. Texts, names and questions all go through this function.
    """
    if text.isascii() or unicodedata.is_normalized("NFKC", text):
        return text
    return unicodedata.normalize("NFC", text.translate(_PLAIN))
