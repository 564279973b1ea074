"""Tell tables in text files (`.txt`, `.md`) from prose with commas."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Final

from hydra_kg_loaders.tables.dialect import encoding_of, recognise

TEXT_ENDINGS: Final = frozenset({".txt", ".text", ".md", ".markdown", ".mdown"})
"""Endings of files that are texts unless every row shows that they are tables."""

_PACKED: Final = frozenset({".gz", ".bz2", ".zst"})
_HEADING_CELL: Final = 40  # characters of a heading
_SENTENCE: Final = re.compile(r"[a-z]{2,}[.!?][\"'”’)]?\s*$|[a-z]{2,}[.!?][\"'”’)]? +[\"'“‘(]?[A-Z]")
_EQUAL: Final = 0.95
_SENTENCES: Final = 0.1
_FEW: Final = 3


def is_text_ending(path: Path) -> bool:
    """Return True if a file's name, without the ending of a compressor, ends like that of a text."""
    return _ending(path) in TEXT_ENDINGS


def is_unnamed_prose(path: Path, head: bytes) -> bool:
    """Return True if a file without an ending, such as README, has sentences in its first bytes."""
    encoding = encoding_of(head)
    if _ending(path) or encoding is None:
        return False
    lines = [line for line in head.decode(encoding, "replace").splitlines() if line.strip()]
    return sum(_SENTENCE.search(line) is not None for line in lines) > _SENTENCES * len(lines)


def _ending(path: Path) -> str:
    endings = [ending.casefold() for ending in path.suffixes[-2:]]
    if endings and endings[-1] in _PACKED:
        endings.pop()
    return endings[-1] if endings else ""


def is_plain_table(head: bytes) -> bool:
    """Return True if a text is certainly a table: JSON lines, XML, or rows of cells.

    Nearly all rows must be as wide as the headings, which are short, and no line is blank. If the cells may also be
    parts of sentences (two columns, or commas followed by spaces), few lines may end like a sentence. So "Dear Ms
    Holt," does not begin a table.
    """
    encoding = encoding_of(head)
    if encoding is None:
        return False
    text = head.decode(encoding, "replace").lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n").strip("\n")
    if text.startswith("<?xml"):
        return True
    lines = text.split("\n")
    if len(head) >= 60_000:
        lines = lines[:-1]
    if text.startswith(("{", "[")):
        return _is_record(lines[0] if lines else "") or _is_record(text)
    dialect = recognise(head)
    if dialect is None or not all(map(str.strip, lines)):
        return False
    mark = dialect.delimiter
    rows = list(csv.reader(lines, delimiter=mark, quoting=csv.QUOTE_MINIMAL if dialect.quote else csv.QUOTE_NONE))
    headings = [cell.strip() for cell in rows[0]]
    if any(not h or len(h) > _HEADING_CELL or h[-1] in ".!?;:" for h in headings) or len(set(headings)) < len(headings):
        return False
    if sum(len(row) == len(headings) for row in rows) < _EQUAL * len(rows):
        return False
    if len(headings) > 2 and not (mark == "," and text.count(", ") == text.count(",")):
        return True
    ended = sum(_SENTENCE.search(line) is not None for line in lines)
    return len(rows) >= _FEW and ended <= _SENTENCES * len(lines) and all(row[-1].strip() for row in rows)


def _is_record(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict | list)
    except (ValueError, RecursionError):
        return False
