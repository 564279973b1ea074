"""Nested values as in JSON, where each object has its place in the file."""

from __future__ import annotations

from typing import Any, Final

MOST_DEPTH: Final = 32
"""Largest number of levels of nesting."""

MOST_BYTES: Final = 32 << 20
"""Largest file, in bytes, that is read as a whole. A larger one is read record by record, as one table."""

TEXT: Final = ""
"""Key of the text of an XML element that also has attributes or elements."""

Value = Any
"""A dict, a list, a text, a number as its text, a bool or None."""


class PlacedObject(dict[str, Value]):
    """An object with its place in the file: a line ("line 12"), or "" if its JSON pointer is the place."""

    __slots__ = ("place",)

    def __init__(self, *args: Any, place: str = "") -> None:
        super().__init__(*args)
        self.place = place


def is_empty(value: Value) -> bool:
    """Return True for empty values: null, blank texts, empty objects and arrays."""
    if isinstance(value, str):
        return not value.strip()
    return value is None or (isinstance(value, dict | list) and not value)


def text_of(value: Value) -> str:
    """Return a scalar as text, with numbers as in the file and without lone surrogates."""
    text = value if isinstance(value, str) else "true" if value is True else "false" if value is False else str(value)
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
