"""A file of JSON lines that grows while questions are asked. --record writes it, and --replay reads it."""

from __future__ import annotations

import json
import logging
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from hydra_kg.errors import FormatError, NotFoundError, UsageError


class JsonlRecording:
    """Append-only, thread-safe JSON Lines file. Raises UsageError. A full disk causes one warning to ``warn``."""

    def __init__(self, path: Path, *, warn: Callable[[str], None] | None = None) -> None:
        self.path = path
        self._warn = warn or logging.getLogger("hydra_kg").warning
        self._warned = False
        self._lock = threading.Lock()
        try:
            os.close(os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600))  # it holds questions
        except OSError as e:
            remedy = "Name a file in a folder that may be written."
            raise UsageError(f"Cannot record to {path}: {e.strerror}.", remedy=remedy) from e

    def append(self, entry: Mapping[str, Any]) -> None:
        """Write one line. If the disk is full, only a part of it may be written."""
        line = json.dumps(entry, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"
        with self._lock:
            try:
                with self.path.open("ab", buffering=0) as file:
                    file.write(line)
            except OSError as e:
                if not self._warned:
                    self._warned = True
                    self._warn(f"The record {self.path} is not complete ({e}).")


def entries(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield number and object of each line that is not blank. Raises NotFoundError, FormatError."""
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield number, _entry(line, path=path, number=number)
    except OSError as e:
        raise NotFoundError(
            f"Cannot read the record {path}: {e.strerror or os.fspath(path)}.",
            remedy="Name a file that --record wrote.",
        ) from e


def no_record(path: Path, number: int, why: object) -> FormatError:
    """Return the error for a line that is not as expected."""
    return FormatError(f"Line {number} of {path} is not a record ({why}).", remedy="Record it again with --record.")


def _entry(line: bytes, *, path: Path, number: int) -> dict[str, Any]:
    try:
        entry = json.loads(line)
    except ValueError as e:
        raise no_record(path, number, e) from e
    if not isinstance(entry, dict):
        raise no_record(path, number, "no object")
    return entry
