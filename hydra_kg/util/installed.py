"""Entry points of the installed packages, read once in a process: that takes the metadata of all packages."""

from __future__ import annotations

import sys
from functools import lru_cache
from importlib import metadata
from typing import cast


def entry_points(group: str) -> metadata.EntryPoints:
    """Those of a group, of all packages on ``sys.path``. A package that is installed later into a folder that was
    there already is seen by the next process."""
    return _all(tuple(sys.path)).select(group=group)


@lru_cache(maxsize=4)
def _all(path: tuple[str, ...]) -> metadata.EntryPoints:
    return cast("metadata.EntryPoints", metadata.entry_points())  # in Python 3.11 a class of its own, with ``select``
