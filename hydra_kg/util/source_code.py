"""The SHA-256 of files, and the identity of the code that answers: its version and a hash of its own files."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path

from hydra_kg.errors import NotFoundError
from hydra_kg.util.package_data import find_content

_PACKAGE = Path(__file__).resolve().parents[1]
_LEFT_OUT = {f"hydra_kg/{name}" for name in ("sample", "_content", "serving", "cli", "evaluate", "export", "fakes")}


@cache
def code_version() -> str:
    """Return the version of the package, read from a file."""
    return version("hydra-kg")


@cache
def source_hash() -> str:
    """Return twelve hex digits over all files that shape an answer (no loaders, commands, pages and sample), or ""."""
    total, files = hashlib.sha256(), sorted(_files())
    for name, path in files:
        with Path(path).open("rb", buffering=0) as file:  # a thousand small files: a third less time
            data = file.read()
        total.update(f"{name}\0{len(data)}\0".encode() + data)
    return total.hexdigest()[:12] if files else ""


def _files() -> Iterator[tuple[str, str]]:
    """Yield every file, under a name that does not depend on how the package is installed."""
    yield from _inside(_PACKAGE, "hydra_kg")
    with suppress(NotFoundError):
        yield from _inside(find_content("cypher"), "cypher")


def _inside(folder: Path, name: str) -> Iterator[tuple[str, str]]:
    for place, folders, files in os.walk(folder):
        inside = name + place.removeprefix(str(folder)).replace(os.sep, "/")
        folders[:] = [f for f in folders if f != "__pycache__" and f"{inside}/{f}" not in _LEFT_OUT]
        yield from ((f"{inside}/{file}", f"{place}{os.sep}{file}") for file in files if not file.startswith("."))


def sha256_of(file: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal digits. The file is read in pieces. Raises OSError."""
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
