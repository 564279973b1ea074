"""Open a regular file without following links, and check whether it has changed."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import Final

_FOLDER: Final = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC

_SETTLED: Final = 2_000_000_000
"""Nanoseconds in which a file may change without getting a new time, because file systems round."""


def open_plain_file(path: Path) -> int:
    """Open a regular file at an absolute path without links or ``..``; return its descriptor.

    Raises OSError: ELOOP for links, EINVAL for other files.
    """
    if not path.is_absolute() or ".." in path.parts:
        raise OSError(errno.EINVAL, "The path is not absolute", str(path))
    folder = os.open(path.anchor, _FOLDER)
    try:
        for part in path.parts[1:-1]:
            _refuse_link(part, folder)
            inner = os.open(part, _FOLDER, dir_fd=folder)
            os.close(folder)
            folder = inner
        _refuse_link(path.name, folder)
        if not stat.S_ISREG(os.stat(path.name, dir_fd=folder, follow_symlinks=False).st_mode):
            raise OSError(errno.EINVAL, "Not a regular file", str(path))
        file = os.open(path.name, _FILE, dir_fd=folder)
    finally:
        os.close(folder)
    if not stat.S_ISREG(os.fstat(file).st_mode):  # replaced after the check
        os.close(file)
        raise OSError(errno.EINVAL, "Not a regular file", str(path))
    return file


def descriptor_path(file: int) -> Path:
    """Return a path that opens the file of a descriptor, even if its name has been given to another file."""
    return Path(f"/proc/self/fd/{file}" if Path("/proc/self/fd").is_dir() else f"/dev/fd/{file}")


def state_of(about: os.stat_result) -> str:
    """Return a text that changes with a file: device, inode, size and both times. Programs cannot set ``ctime``."""
    return f"{about.st_dev}:{about.st_ino}:{about.st_size}:{about.st_mtime_ns}:{about.st_ctime_ns}"


def is_settled(about: os.stat_result, *, now: int) -> bool:
    """Return True if a change after ``now`` (nanoseconds) would show in :func:`state_of`."""
    return max(about.st_mtime_ns, about.st_ctime_ns) + _SETTLED < now


def _refuse_link(name: str, folder: int) -> None:
    if stat.S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
        raise OSError(errno.ELOOP, "A link", name)
