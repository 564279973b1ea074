"""Recognises the addresses of published stores, and names the folders of a reader's copy and answers."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Final

from hydra_kg.settings.folders import cache_folder

BUCKETS: Final = ("s3", "gs")
"""Schemes of object stores."""

POINTER: Final = "CURRENT"
"""The only file that is ever replaced. It names the current publication."""

MARK: Final = "copy.json"
"""The file that marks a folder as a copy, and of which address. No other folder is ever changed."""


def is_bucket(address: str | Path) -> bool:
    """Return True if an address is a place in an object store."""
    return isinstance(address, str) and address.partition("://")[0] in BUCKETS and "://" in address


def is_published(address: str | Path) -> bool:
    """Return True for the address of a published store: a bucket, or ``file://`` and a folder with a pointer."""
    if isinstance(address, str) and address.startswith("file://"):
        return (folder_of(address) / POINTER).is_file()
    return is_bucket(address)


def folder_of(address: str) -> Path:
    """Return the folder behind ``file://``, or a plain path."""
    return Path(address.removeprefix("file://")).expanduser().absolute()


def slug(address: str) -> str:
    """Return a folder name for an address: its readable part and a checksum."""
    plain = re.sub(r"[^A-Za-z0-9.-]+", "_", address.partition("://")[2]).strip("_.")[:60]
    return f"{plain or 'store'}-{hashlib.sha256(address.rstrip('/').encode()).hexdigest()[:8]}"


def copy_folder(address: str) -> Path:
    """Return the default folder for the copy of a published store (in the XDG cache folder)."""
    return cache_folder() / "copies" / slug(address)
