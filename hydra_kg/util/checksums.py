"""The SHA-256 of files, by which it is known that they are as they were."""

from __future__ import annotations

import hashlib
from pathlib import Path


def sha256_of(file: Path) -> str:
    """In hexadecimal digits; the file is read in pieces. Raises OSError."""
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
