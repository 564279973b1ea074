"""How many examples a property test draws: few by default, more for whoever has the time."""

from __future__ import annotations

import os

from hypothesis import settings

THOROUGH = float(os.environ.get("HYDRA_THOROUGH", "1"))  # so many times the examples


def examples(count: int, *, parent: settings | None = None) -> settings:
    """Settings that draw ``count`` examples, times HYDRA_THOROUGH."""
    return settings(parent, max_examples=max(2, round(count * THOROUGH)))
