"""Replace ligatures and other compatibility characters by the letters and digits that they stand for."""

from __future__ import annotations

import unicodedata
from typing import Final

_OTHER_MEANING: Final = ("<super>", "<sub>", "<fraction>", "<circle>")
"""Kinds of forms that are kept: 10² is not 102, and ½ no word."""


class _Plain(dict[int, str]):
    """Map for ``str.translate``, filled on first use: each character to what it is replaced by."""

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
