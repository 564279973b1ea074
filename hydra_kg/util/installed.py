"""Find installed entry points of all packages, and the optional extras of this one."""

from __future__ import annotations

import sys
from functools import lru_cache
from importlib import metadata
from importlib.util import find_spec
from typing import Any, cast

from hydra_kg.errors import SettingsError


def entry_points(group: str) -> metadata.EntryPoints:
    """Return a group's entry points on ``sys.path``, read once per process."""
    return _all(tuple(sys.path)).select(group=group)


@lru_cache(maxsize=4)
def _all(path: tuple[str, ...]) -> metadata.EntryPoints:
    return cast("metadata.EntryPoints", metadata.entry_points())  # in Python 3.11 a class of its own, with ``select``


def require_web() -> None:
    """Raise SettingsError with the command to type if the extra ``web`` is not installed. It imports nothing."""
    if any(find_spec(name) is None for name in ("tld", "trafilatura")):
        raise SettingsError(
            "The web as a source needs more packages.",
            remedy="pip install 'hydra-kg[web]', or leave web.engine (HYDRA_WEB_ENGINE) empty.",
        )


def zstandard() -> Any:
    """Return the module: Python's own from 3.14 on, before that a package with the same names."""
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd
