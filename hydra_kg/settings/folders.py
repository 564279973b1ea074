"""Define the default folders for this user's settings, knowledge and history."""

from __future__ import annotations

import os
from pathlib import Path


def user_file() -> Path:
    """Return this user's settings file (XDG configuration folder); only this file may name models and addresses."""
    base = os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    return Path(base) / "hydra-kg" / "hydra.toml"


def data_folder() -> Path:
    """Return the folder of this user's stores and answers (XDG data folder)."""
    base = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(base) / "hydra-kg"


def cache_folder() -> Path:
    """Return the folder of this user's copies that can be made again (XDG cache folder)."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "hydra-kg"


def make_private_folder(folder: Path) -> None:
    """Create a private folder, or restrict an existing one to this user. Raise OSError."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if folder.stat().st_mode & 0o077:
        folder.chmod(0o700)


def get_default_store() -> Path:
    """Return the folder of this user's own embedded store."""
    return data_folder() / "store"


def state_folder() -> Path:
    """Return the folder of what this user's commands remember (XDG state folder)."""
    base = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    return Path(base) / "hydra-kg"
