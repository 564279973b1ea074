"""Keeps the memory of a process with many threads small, and what looks for garbage in it quick."""

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
"""Bytes of a block that goes back to the system as soon as it is freed."""


def keep_small(*, arenas: int = 2) -> bool:
    """Have all threads take their memory from so many arenas, and large blocks from none; call it before they begin.

    Whether the C library does that. glibc by itself gives every thread an arena of its own (up to eight a processor),
    and what is freed in one is of no use to the others; and once a block of up to 32 MB was freed, it takes the next
    ones of that size from an arena too, where what is freed between others stays. So the memory of a service grows for
    hours.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return False
    wanted = ((_ARENA_MAX, arenas), (_MMAP_THRESHOLD, LARGE), (_TRIM_THRESHOLD, 4 * LARGE))
    done = [mallopt(*one) for one in wanted]
    return all(done)


def settle() -> None:
    """Exempt all present objects from garbage collection, after a service's start; scans are slow."""
    gc.collect()
    gc.freeze()
