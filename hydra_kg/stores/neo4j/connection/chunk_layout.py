"""The numbers of a load's rows on a server: its streams, and the chunks of each stream."""

from __future__ import annotations

from typing import Final

NODES, LINKS, VALUES, NAMES, WORDS, PASSAGES, PASSAGE_WORDS, PREDICATES, SAME_AS = range(9)
"""Streams of a load. Nodes come first, because all others refer to them, and are removed last."""

KINDS: Final = {"name": 0, "alias": 1, "title": 2, "description": 3}
LONGEST_KEY: Final = 1000  # characters of a key that an index takes as it is
TEXTS: Final = 200  # passages of a chunk: each may be long


def chunk_number(stream: int, n: int) -> int:
    """Return the number of a chunk of a stream within its load."""
    return stream << 40 | n
