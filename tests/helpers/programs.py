"""Programs that tests start: their environment, and disks of their own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

OWN_MOUNTS = ("unshare", "--user", "--map-root-user", "--mount")
"""What a command that may mount file systems begins with."""


def own_environment(
    home: Path | None = None, *, drop: tuple[str, ...] = ("HYDRA_", "OPENAI_"), **more: str
) -> dict[str, str]:
    """Return the environment of a program that knows no settings and keys of the user who runs the tests.

    It imports what the tests import and stores the user's data in `home`. `drop`: prefixes of names that are left out ·
    `more`: variables in addition.
    """
    passed_on = {name: value for name, value in os.environ.items() if not name.startswith(drop)}
    homes = {"XDG_DATA_HOME": str(home)} if home else {}
    return {**passed_on, **homes, "PYTHONPATH": os.pathsep.join(sys.path), **more}


@cache
def why_no_mounts() -> str:
    """Return why a program may not mount anything here, or an empty string if it may."""
    if shutil.which("unshare") is None:
        return "there is no unshare"
    mount = ("mount", "-t", "tmpfs", "tmpfs", "/mnt")
    tried = subprocess.run([*OWN_MOUNTS, *mount], capture_output=True, text=True, check=False)
    return tried.stderr.strip() or ("" if tried.returncode == 0 else "no name space of mounts")
