"""What many tests begin with: made once in a process, copied for each of them."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections.abc import Callable, Hashable
from pathlib import Path

_made: dict[Hashable, Path] = {}


def begin(folder: Path, key: Hashable, make: Callable[[Path], object]) -> Path:
    """Have in ``folder``, which is new, what ``make`` puts into one; it is called once for each key."""
    if key not in _made:
        first = Path(tempfile.mkdtemp(prefix="begun", dir=os.environ.get("PYTEST_DEBUG_TEMPROOT")))
        atexit.register(shutil.rmtree, first, ignore_errors=True)
        make(first)
        _made[key] = first
    return Path(shutil.copytree(_made[key], folder, dirs_exist_ok=True))
