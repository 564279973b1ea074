"""Read records of JSON as rows, from JSON lines, one array, or an array inside one object.

Nested values get their path as name.
"""

from __future__ import annotations

import codecs
import itertools
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from hydra_kg.errors import FormatError
from hydra_kg.util.fast_dataclass import dataclass, field
from hydra_kg_loaders.tables.dialect import encoding_of
from hydra_kg_loaders.tables.text_rows import CELL, FEED, MANY, MOST_COLUMNS, RETURN, Counts, Reject, texts

_MOST_VALUES: Final = 100_000  # values of one record
_SPACE: Final = re.compile(r"[\s,]*")
_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]]', re.DOTALL)
_WRONG: Final = re.compile("[\udc80-\udcff]")
_SHORT: Final = r'"(?:[^"\\]|\\.){0,100}"'
_WRAPPED: Final = re.compile(
    rf'\{{\s*(?:{_SHORT}\s*:\s*(?:"(?:[^"\\]|\\.){{0,1000}}"|[-0-9.eE+]+|true|false|null)\s*,\s*){{0,50}}'
    rf"{_SHORT}\s*:\s*\[\s*(?=\{{)"
)
_CONTROL: Final = re.compile("[\x00\x1c-\x1f]")
_DECODER: Final = json.JSONDecoder(parse_float=str, parse_int=str)
"""JSON decoder for which numbers stay the text that they are in the file."""


@dataclass(slots=True)
class JsonRows:
    """The JSON records of one file, read once. ``columns`` grows while it is read, in the order of first appearance."""

    file: Path
    head: bytes
    columns: list[str] = field(default_factory=list)
    max_line: int = 1 << 20
    counts: Counts = field(default_factory=Counts)
    places: set[int] = field(default_factory=set)
    outside: str = ""
    """Text around the array of records, as far as it was read. It is rejected as ``outside``."""

    @property
    def many(self) -> frozenset[int]:
        """Return the columns in which some cell has several values."""
        return frozenset(self.places)

    def blocks(self, reject: Reject, *, limit: int = 0, start: int = 0) -> Iterator[str]:
        """Yield blocks of rows, one row per record.

        The reasons of rejects are ``json``, ``object``, ``too-long``, ``encoding``, ``depth``, ``control``, ``columns``
        and ``outside``. Raises FormatError.
        """
        out: list[str] = []
        known = {name: place for place, name in enumerate(self.columns)}
        for text in self._records():
            if limit and self.counts.rows >= limit:
                break
            self.counts.rows += 1
            row = start + self.counts.rows
            if len(text) > self.max_line:
                reject(row, "too-long", 0, text[:1000])
                continue
            if _WRONG.search(text):
                reject(row, "encoding", 0, text[:1000])
                continue
            try:
                record = _DECODER.decode(text)
            except json.JSONDecodeError as e:
                reject(row, "json", e.pos, text[:1000])
                continue
            except RecursionError:
                reject(row, "depth", 0, text[:1000])
                continue
            if not isinstance(record, dict):
                reject(row, "object", 0, text[:1000])
                continue
            cells = flat(record)
            reason = self._place(cells, known) if cells is not None else "depth"
            if reason:
                reject(row, reason, 0, text[:1000])
                continue
            if not cells:
                self.counts.blank += 1
                continue
            out.append(f"{row}{CELL}" + canonical(cells or {}, known, len(self.columns)) + "\n")
            if len(out) >= 2_000:
                yield "".join(out)
                out = []
        if out:
            yield "".join(out)
        if self.outside and not limit:
            self.counts.rows += 1
            reject(start + self.counts.rows, "outside", 0, self.outside[:1000])

    def _place(self, cells: Mapping[str, list[str]], known: dict[str, int]) -> str:
        """Give new columns their places. Return the reason why the record cannot be a row, or ""."""
        if len(known.keys() | cells.keys()) > MOST_COLUMNS:
            return "columns"
        if any(_CONTROL.search(value) for values in cells.values() for value in values):
            return "control"
        for name, values in cells.items():
            if name not in known:
                known[name] = len(self.columns)
                self.columns.append(name)
            if len(values) > 1:
                self.places.add(known[name])
        return ""

    def _records(self) -> Iterator[str]:
        """Yield the text of each record, found at the speed of the decoder where it is well-formed."""
        encoding = encoding_of(self.head) or "utf-8"
        decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        buffer, at, opened = "", 0, False
        for data in itertools.chain(texts(self.file, encoding), [b"\n"]):
            buffer, at = buffer[at:] + decoder.decode(data), 0
            if not opened:
                inside = _start(buffer)
                if inside is None:
                    continue
                self.outside = _around(buffer[:inside], before=True)
                at, opened = inside, True
            while True:
                found = _next(buffer, at)
                if found is None:
                    break
                begin, end = found
                if begin == end:
                    self.outside += _around(buffer[end:], before=False)
                    return
                yield buffer[begin:end]
                at = end
            if len(buffer) - at > 4 * self.max_line:
                raise FormatError(
                    f"Record {self.counts.rows + 1:,} of {self.file.name} never ends.",
                    remedy="Check its brackets and quotation marks; nothing was loaded.",
                )
        if rest := buffer[at:].strip(" \t\r\n,"):
            yield rest


def flat(record: Mapping[str, Any]) -> dict[str, list[str]] | None:
    """Return a record's values by path (``address.city``), or None if it is too large.

    Numbers are as in the file, and null is left out.
    """
    out: dict[str, list[str]] = {}
    stack: list[tuple[str, Any, int]] = [("", record, 0)]
    total = 0
    while stack:
        path, value, depth = stack.pop()
        if depth > 32:
            return None
        if isinstance(value, dict):
            pairs = [(f"{path}.{key}" if path else str(key), inner, depth + 1) for key, inner in value.items()]
            stack.extend(reversed(pairs))
        elif isinstance(value, list):
            stack.extend((path, inner, depth + 1) for inner in reversed(value))
        elif value is not None and value != "":
            total += 1
            if total > _MOST_VALUES:
                return None
            text = value if isinstance(value, str) else json.dumps(value)
            name = " ".join(_CONTROL.sub(" ", path).split()) or "value"
            out.setdefault(_whole(name), []).append(_whole(text))
    return out


def _whole(text: str) -> str:
    """Return a text without unpaired surrogates, which JSON may have and no store accepts."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def canonical(cells: Mapping[str, list[str]], known: Mapping[str, int], width: int) -> str:
    """Return a canonical row with that many cells."""
    row = [""] * width
    for name, values in cells.items():
        row[known[name]] = MANY.join(values)
    return CELL.join(row).replace("\n", FEED).replace("\r", RETURN)


def _around(text: str, *, before: bool) -> str:
    """Return the contents of an object before or after its array of records, "" if it has only the key of the array."""
    if before:
        return text.strip().removeprefix("{").rpartition(",")[0].strip()
    return text.strip().removeprefix("]").strip(" \t\r\n,}]")


def looks_like_records(head: bytes) -> bool:
    """Return True if a file begins like JSON records."""
    encoding = encoding_of(head)
    if encoding is None:
        return False
    text = head.decode(encoding, "replace").lstrip("\ufeff").lstrip()
    if not text.startswith(("{", "[")):
        return False
    at = _start(text)
    return at is not None and text[at : at + 1] == "{"


def _start(text: str) -> int | None:
    """Return where the first record begins, inside the first array; None if not yet seen."""
    at = len(text) - len(text.lstrip("\ufeff \t\r\n"))
    if text[at : at + 1] == "[":
        return at + 1 + len(_blank(text, at + 1))
    if text[at : at + 1] != "{":
        return at if at < len(text) else None
    wrapped = _WRAPPED.match(text, at)
    if wrapped is None:
        return at
    end = text.find("\n", at)
    if 0 < end < wrapped.end():
        return wrapped.end()
    try:  # a record whose list holds objects is a record, if others follow it
        _, close = _DECODER.raw_decode(text, at)
    except (ValueError, RecursionError):
        line = text[at : end if end > 0 else len(text)]
        return at if line.rstrip().endswith("}") else wrapped.end()
    return at if text[close:].strip(" \t\r\n") else wrapped.end()


def _blank(text: str, at: int) -> str:
    found = _SPACE.match(text, at)
    return found[0] if found else ""


def _next(text: str, at: int) -> tuple[int, int] | None:
    """Return the beginning and end of the next record.

    The span is empty at the end of the array. Returns None if more text is needed.
    """
    at += len(_blank(text, at))
    if at >= len(text):
        return None
    if text[at] in "]}":
        return at, at
    try:
        _, end = _DECODER.raw_decode(text, at)
        return (at, end) if end < len(text) else None
    except (ValueError, RecursionError):
        pass
    if text[at] not in "{[":
        end = text.find("\n", at)
        return (at, end) if end >= 0 else None
    depth = 0
    line = text.find("\n", at)
    for token in _TOKEN.finditer(text, at):
        mark = token[0]
        if mark in "{[":
            depth += 1
        elif mark in "}]":
            depth -= 1
            if depth == 0:
                return at, token.end()
    if line >= 0 and text[line + 1 : line + 2] in "{" and text[line + 1 : line + 2]:
        return at, line  # the next line begins a record: this one is broken
    return None
