"""How many examples a property test draws: few by default, more for whoever has the time."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

THOROUGH = float(os.environ.get("HYDRA_THOROUGH", "1"))  # so many times the examples

whole_data = pytest.mark.skipif(THOROUGH < 2, reason="reads a whole data set for seconds: HYDRA_THOROUGH=2 runs it")


def examples(count: int, *, parent: settings | None = None) -> settings:
    """Settings that draw ``count`` examples, times HYDRA_THOROUGH."""
    return settings(parent, max_examples=max(2, round(count * THOROUGH)))
