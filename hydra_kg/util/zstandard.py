"""Import Zstandard from the place that depends on Python's version."""

from __future__ import annotations

import sys
from typing import Any


def zstandard() -> Any:
    """Return the module: Python's own from 3.14 on, before that a package with the same names."""
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd
