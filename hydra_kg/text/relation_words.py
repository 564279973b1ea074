"""How a relation reads: words for people and for embedding."""

from __future__ import annotations


def relation_text(key: str) -> str:
    """A predicate key as words: the last two segments of a dotted name, ``_`` as space (HydraRAG's published reading).

    ``people.person.place_of_birth`` → ``person place of birth``; anything without dots loses only its underscores.
    """
    tail = key.rsplit("/", 1)[-1] if "://" in key else key
    return " ".join(tail.split(".")[-2:]).replace("_", " ").strip() or key
