"""Strings of sources as data in a prompt: one line each, behind a boundary that they cannot forge (design §8)."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Sequence
from typing import Final

_MARKS: Final = str.maketrans({"<": "‹", ">": "›", "＜": "‹", "＞": "›", "`": "'", "｜": "|"})
_TAG: Final = re.compile(r"\[\s*(/?[A-Z_]{2,24})\s*\]")  # "[INST]": a turn of a chat to some models
_SPACES: Final = re.compile(r"\s+")


def quote(text: str, most: int = 240) -> str:
    """Escape untrusted text for a prompt: one line of at most ``most`` characters (0: all), middle cut, without control
    characters; angle brackets and bracketed tags become typographic.
    """
    if 0 < 4 * most < len(text):
        text = f"{text[: 2 * most]}{text[-2 * most :]}"
    visible = text if text.isprintable() else "".join(_seen(c) for c in text)
    line = _SPACES.sub(" ", visible).strip().translate(_MARKS)
    line = _TAG.sub(r"(\1)", line)
    return clip(line, most) if most else line


def _seen(c: str) -> str:
    if c.isprintable():
        return c
    return "" if unicodedata.category(c) == "Cf" else " "


def clip(line: str, most: int) -> str:
    """Return a line of at most ``most`` (≥ 2) characters: what is too much goes from behind its middle."""
    if len(line) <= most:
        return line
    tail = (most - 1) // 3
    return f"{line[: most - 1 - tail].rstrip()}…{line[len(line) - tail :].lstrip() if tail else ''}"


def code(blocks: Sequence[str]) -> str:
    """Return the code of a prompt's boundary: eight hex digits of a hash over its data that do not stand in it."""
    content = "\x00".join(blocks)
    n = 0
    while True:
        digits = hashlib.sha256(f"{n}\x00{content}".encode("utf-8", "replace")).hexdigest()[:8]
        if digits not in content.casefold():
            return digits
        n += 1


def numbered(texts: Sequence[str], *, budget: int, most: int = 240) -> str:
    """``1. …`` a line, each at most ``most`` characters, all about ``budget`` (0: any number); ``-`` for none."""
    if not texts:
        return "-"
    share = max(60, min(most or budget, budget // len(texts))) if budget else most
    return "\n".join(f"{i}. {quote(t, share)}" for i, t in enumerate(texts, 1))
