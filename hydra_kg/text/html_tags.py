"""A check for HTML tags with too many attributes, for use before a parser.

The parser's time grows with the square of the number of attributes of a tag.
"""

from __future__ import annotations

import re
from typing import Final

MOST_ATTRIBUTES: Final = 500
"""Largest number of attributes of one tag. Pages that people read have a few dozen at most."""

_OPENED: Final = re.compile(rb"<(?:!--|([a-zA-Z][^\s/>]*))")
_ATTRIBUTE: Final = re.compile(rb"[\s/]*+(?!>)[^\s/>][^\s=/>]*+(?:\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s>]*+))?+")
_RAW: Final = frozenset((b"script", b"style", b"textarea", b"title", b"xmp"))
"""Elements whose content is plain text, in which "<" opens no tag."""


def has_oversized_tag(page: bytes, most: int = MOST_ATTRIBUTES) -> bool:
    """Return True if a tag of the page has more than ``most`` attributes.

    The time grows only with the length of the page.
    """
    page = page.replace(b"\0", b"").lower()  # of UTF-16 the letters are left
    at, unclosed = 0, set[bytes]()
    while (opened := _OPENED.search(page, at)) is not None:
        at = opened.end()
        if opened[1] is None:
            closed = page.find(b"-->", at)
            at = len(page) if closed < 0 else closed
            continue
        attributes = 0
        while (attribute := _ATTRIBUTE.match(page, at)) is not None:
            attributes += 1
            at = attribute.end()
            if attributes > most:
                return True
        if opened[1] in _RAW - unclosed:
            closed = page.find(b"</" + opened[1], at)
            at = max(at, closed)
            if closed < 0:  # looked for once, not for every such tag
                unclosed.add(opened[1])
    return False
