"""A document as it is loaded: a title, and paragraphs each under its heading; and how much of one is read."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

BYTES: Final = 64 << 20
"""Bytes of a file that are read; a larger one is rejected."""

CHARACTERS: Final = 4_000_000
"""Characters of text that a document may have: some 1,500 printed pages."""

TITLE: Final = 200
"""Characters of a title or heading; what is longer is a paragraph."""

_UNPRINTED: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202f\u2060-\u2064\ufeff]")
_END: Final = (".", "!", "?", ":", ";", ",")
_DASHES: Final = re.compile(r"[-_]+")


class DocumentError(ValueError):
    """A document that cannot be read. ``reason``: one word for the list of rejects."""

    def __init__(self, reason: str, text: str = "") -> None:
        super().__init__(text or reason)
        self.reason = reason


@dataclass
class Document:
    """A title and paragraphs, each with the heading that it stands under. Text that is too long raises
    DocumentError."""

    title: str = ""
    paragraphs: list[tuple[str, str]] = field(default_factory=list)
    heading: str = ""
    _size: int = 0

    def add(self, text: str) -> None:
        """One paragraph more, under the present heading; nothing for one without text."""
        text = tidy(text)
        self._size += len(text)
        if self._size > CHARACTERS:
            raise DocumentError("too-long", f"more than {CHARACTERS:,} characters")
        if any(map(str.isalnum, text)):
            self.paragraphs.append((self.heading, text))

    def head(self, text: str, *, level: int = 2) -> None:
        """A heading: the first one of level 1 is the title."""
        text = tidy(text)
        if not text:
            return
        if len(text) > TITLE:
            self.add(text)
        elif level <= 1 and not self.title and not self.paragraphs:
            self.title = text
        else:
            self.heading = text


Reader = Callable[[bytes], Document]
"""Makes a document of the bytes of a file. Raises DocumentError."""


def tidy(text: str) -> str:
    """A text on one line, without control characters and half surrogates."""
    text = text.encode("utf-8", "replace").decode("utf-8")
    return " ".join(_UNPRINTED.sub(" ", text).split())


def is_heading(line: str) -> bool:
    """Whether a line that stands alone is a heading rather than a sentence."""
    return (
        0 < len(line) <= TITLE // 2
        and not line.endswith(_END)
        and len(line.split()) <= 12
        and any(map(str.isalpha, line))
    )


def title_of(stem: str) -> str:
    """The title of a document that has none: the name of its file."""
    words = _DASHES.sub(" ", stem).strip()
    return tidy(words[:1].upper() + words[1:]) or "Untitled"


def lowered(title: str) -> str:
    """A title in capitals as others are written; words of up to three letters behind the first one in small letters
    if they are function words."""
    if not title.isupper() or len(title.split()) < 2:
        return title
    small = {"OF", "THE", "AND", "IN", "ON", "AT", "A", "AN", "FOR", "TO", "BY"}
    words = title.split()
    return " ".join(w.lower() if i and w in small else w.capitalize() for i, w in enumerate(words))


def decoded(body: bytes) -> str:
    """The text of a file: UTF-8 or UTF-16 by its mark, else UTF-8, else Windows' Latin."""
    if body.startswith((b"\xff\xfe", b"\xfe\xff")):
        return body.decode("utf-16", "replace")
    try:
        return body.removeprefix(b"\xef\xbb\xbf").decode("utf-8")
    except UnicodeDecodeError:
        if b"\0" in body:
            raise DocumentError("binary", "zero bytes are no text") from None
        return body.decode("cp1252", "replace")
