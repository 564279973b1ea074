"""A predicate key in words, for people and for embedding."""

from __future__ import annotations


def relation_text(key: str) -> str:
    """Return a predicate key in words: ``people.person.place_of_birth`` becomes ``person place of birth``."""
    tail = key.rsplit("/", 1)[-1] if "://" in key else key
    return " ".join(tail.split(".")[-2:]).replace("_", " ").strip() or key
