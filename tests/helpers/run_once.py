"""What is made once for all workers of a run, and kept in the folder that they share."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest


def once(name: str, make: Callable[[Path], object], *, factory: pytest.TempPathFactory) -> Path:
    """The folder of that name; the first worker that asks for it has it made, and the others wait."""
    base = factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    made = shared / name
    with (shared / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.is_dir():
            half = shared / f"{name}.half"
            shutil.rmtree(half, ignore_errors=True)
            make(half)
            half.rename(made)
    return made
