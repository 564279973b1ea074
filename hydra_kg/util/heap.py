"""Keeps the memory of a process with many threads small."""

from __future__ import annotations

import ctypes
from typing import Final

_ARENAS: Final = -8
"""M_ARENA_MAX of glibc's mallopt(3)."""


def share_arenas(most: int = 2) -> bool:
    """Have all threads take their memory from so many arenas; call it before they begin. Whether the C library does
    that: glibc by itself gives every thread an arena of its own (up to eight a processor), and what is freed in one is
    of no use to the others, so that the memory of a service with short-lived threads grows for hours."""
    try:
        return bool(ctypes.CDLL(None).mallopt(_ARENAS, most))
    except (AttributeError, OSError, TypeError):
        return False
