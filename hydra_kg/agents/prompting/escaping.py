"""Show strings of sources as data in a prompt: one line each, behind a boundary that they cannot forge (design §8)."""

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
    """Return untrusted text escaped for a prompt, as one line of at most ``most`` characters (0: no limit).

    A longer text is cut in its middle. Control characters are removed. Angle brackets and bracketed tags ("[INST]") are
    replaced by typographic ones, so that the text cannot end the data or begin a turn of the chat.
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
    """Return a line cut to at most ``most`` characters (at least 2); characters behind its middle are removed."""
    if len(line) <= most:
        return line
    tail = (most - 1) // 3
    return f"{line[: most - 1 - tail].rstrip()}…{line[len(line) - tail :].lstrip() if tail else ''}"


def code(blocks: Sequence[str]) -> str:
    """Return the code of a prompt's boundary: eight hex digits that are not in the prompt's data.

    They are taken from a hash over the data.
    """
    content = "\x00".join(blocks)
    n = 0
    while True:
        digits = hashlib.sha256(f"{n}\x00{content}".encode("utf-8", "replace")).hexdigest()[:8]
        if digits not in content.casefold():
            return digits
        n += 1


def numbered(texts: Sequence[str], *, budget: int, most: int = 240) -> str:
    """Return the texts as numbered lines (``1. …``), or ``-`` if there are none.

    most: characters of one line.
    budget: characters of all lines together, approximately; 0 for no limit.
    """
    if not texts:
        return "-"
    share = max(60, min(most or budget, budget // len(texts))) if budget else most
    return "\n".join(f"{i}. {quote(t, share)}" for i, t in enumerate(texts, 1))
