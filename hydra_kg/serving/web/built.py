"""Provide the files of the web application as Vite built them (``npm run build``), read once and gzipped."""

from __future__ import annotations

import gzip
from functools import cache
from pathlib import Path
from typing import Final

from hydra_kg.util.fast_dataclass import dataclass

FOLDER: Final = Path(__file__).with_name("built")
TYPES: Final = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


@dataclass(frozen=True, slots=True)
class BuiltFile:
    """One file: its bytes, the gzipped bytes, and its media type."""

    plain: bytes
    packed: bytes
    media_type: str


@cache
def built_files() -> dict[str, BuiltFile]:
    """Return the files of the application by their path below its folder."""
    found = {}
    for path in sorted(FOLDER.rglob("*")):
        if path.suffix in TYPES:
            content = path.read_bytes()
            packed = gzip.compress(content, 9, mtime=0)
            found[path.relative_to(FOLDER).as_posix()] = BuiltFile(content, packed, TYPES[path.suffix])
    return found
