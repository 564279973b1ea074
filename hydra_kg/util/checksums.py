"""The SHA-256 of files, to detect changes."""

from __future__ import annotations

import hashlib
from pathlib import Path


def sha256_of(file: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal digits. The file is read in pieces. Raises OSError."""
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
