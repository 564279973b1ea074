"""Which addresses name a published store, and where a reader keeps its copy and its answers."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Final

from hydra_kg.settings.folders import cache_folder

BUCKETS: Final = ("s3", "gs")
"""Schemes of object stores."""

POINTER: Final = "CURRENT"
"""The one file that is ever replaced: which publication is in force."""

MARK: Final = "copy.json"
"""What says that a folder is a copy, and of which address: no other folder is ever changed."""


def is_bucket(address: str | Path) -> bool:
    """Whether an address is a place in an object store."""
    return isinstance(address, str) and address.partition("://")[0] in BUCKETS and "://" in address


def is_published(address: str | Path) -> bool:
    """Whether an address is that of a published store: a bucket, or ``file://`` of a folder with a pointer."""
    if isinstance(address, str) and address.startswith("file://"):
        return (folder_of(address) / POINTER).is_file()
    return is_bucket(address)


def folder_of(address: str) -> Path:
    """Return the folder behind ``file://``, or a plain path."""
    return Path(address.removeprefix("file://")).expanduser().absolute()


def slug(address: str) -> str:
    """Return a folder's name for an address: what can be read of it, and a checksum."""
    plain = re.sub(r"[^A-Za-z0-9.-]+", "_", address.partition("://")[2]).strip("_.")[:60]
    return f"{plain or 'store'}-{hashlib.sha256(address.rstrip('/').encode()).hexdigest()[:8]}"


def copy_folder(address: str) -> Path:
    """Where the copy of a published store lies unless a folder is given (XDG cache folder)."""
    return cache_folder() / "copies" / slug(address)
