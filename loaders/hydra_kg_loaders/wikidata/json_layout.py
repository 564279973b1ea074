"""Bring Wikidata JSON of any layout into one entity per line, at its line in the file.

Several entities on a line get separate lines.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import orjson

from hydra_kg.ingest.formats.archives import Count, chunks

_HEAD: Final = 64 << 10
_WRAPPED: Final = re.compile(rb'\s*\{[^{}]*"entities"\s*:\s*[{\[]')
_TOKEN: Final = re.compile(rb'"(?:[^"\\]|\\.)*"|["{}\[\]\n]', re.DOTALL)
_OPEN: Final = frozenset({b"{", b"["})
_CLOSE: Final = frozenset({b"}", b"]"})


def entity_chunks(file: Path, count: Count | None = None) -> Iterator[bytes]:
    """Yield the decompressed bytes of a file, with one entity per line. Raises LoadError, FormatError."""
    data = chunks(file, count)
    head = b""
    for block in data:
        head += block
        if len(head) >= _HEAD:
            break
    whole = itertools.chain([head], data)
    return iter(whole) if has_entity_lines(head) else _one_a_line(whole, _level(head))


def has_entity_lines(head: bytes) -> bool:
    """Return True if the first bytes of a file have one entity per line, as the dump does."""
    if _WRAPPED.match(head):
        return False
    first = True
    for line in head.removeprefix(b"\xef\xbb\xbf").splitlines(keepends=True):
        text = line.strip(b" \t\r\n,")
        if text in {b"", b"["}:
            continue
        if first and not line.endswith((b"\n", b"\r")) and len(head) >= _HEAD:  # its end is not in sight
            return text.startswith(b"{")
        if first and text.startswith(b"["):  # the array begins on the line of its first entity
            return False
        first = False
        if text.startswith(b"{") and _is_entity(text):
            return True
    return first


def _is_entity(text: bytes) -> bool:
    try:
        found = orjson.loads(text)
    except orjson.JSONDecodeError:
        return False
    return isinstance(found, dict) and "id" in found


def _level(head: bytes) -> int:
    """Return the number of open brackets around each entity."""
    if _WRAPPED.match(head):
        return 2
    return int(head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"["))


def _one_a_line(data: Iterable[bytes], level: int) -> Iterator[bytes]:
    """Yield every object that has ``level`` brackets around it on a separate line."""
    rest, depth, start, scanned = b"", 0, -1, 0
    line = begun = lines_out = 0
    for block in data:
        rest += block
        done = scanned
        for token in _TOKEN.finditer(rest, scanned):
            word = token[0]
            if word == b'"':  # the string ends in a later block
                break
            done = token.end()
            if word == b"\n":
                line += 1
            elif word in _OPEN:
                if depth == level and word == b"{":
                    start, begun = token.start(), line
                depth += 1
            elif word in _CLOSE:
                depth = max(0, depth - 1)
                if depth == level and start >= 0:
                    yield _pad_entity(rest[start:done], begun - lines_out)
                    lines_out = max(lines_out, begun) + 1
                    start = -1
        keep = done if start < 0 else start
        rest, scanned = rest[keep:], done - keep
        start = min(start, 0)
    if start >= 0:  # an entity without an end
        yield _pad_entity(rest, begun - lines_out)
        lines_out = max(lines_out, begun) + 1
    yield b"\n" * (line - lines_out)


def _pad_entity(entity: bytes, lines: int) -> bytes:
    """Return an entity on one line, after the given number of empty lines."""
    return b"\n" * lines + entity.replace(b"\n", b" ").replace(b"\r", b" ") + b"\n"
