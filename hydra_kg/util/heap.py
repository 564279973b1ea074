"""Limit the memory of a process with many threads, and make its garbage collection fast."""

from __future__ import annotations

import ctypes
import gc
from typing import Final

# Of glibc's mallopt(3): the most arenas, the size from which a block is mapped by itself, and how much may be free at
# the end of the heap.
_ARENA_MAX: Final = -8
_MMAP_THRESHOLD: Final = -3
_TRIM_THRESHOLD: Final = -1

LARGE: Final = 1 << 20
"""Size in bytes from which a block is returned to the system as soon as it is freed."""


def keep_small(*, arenas: int = 2) -> bool:
    """Limit the number of memory arenas of all threads. Return True if the C library does that.

    Large blocks are taken from no arena. Call it before the threads start. By itself, glibc gives every thread an arena
    (up to eight per processor), and memory that is freed in one is of no use to the others. Once a block of up to 32 MB
    was freed, glibc takes the next ones of that size from an arena too, where memory that is freed between other blocks
    is not returned. So the memory of a service would grow for hours.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return False
    wanted = ((_ARENA_MAX, arenas), (_MMAP_THRESHOLD, LARGE), (_TRIM_THRESHOLD, 4 * LARGE))
    done = [mallopt(*one) for one in wanted]
    return all(done)


def settle() -> None:
    """Exempt all present objects from garbage collection, after a service's start, because scans are slow."""
    gc.collect()
    gc.freeze()
