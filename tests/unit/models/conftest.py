"""Endpoints that fail, without the waits of a polite client, and time that runs out when a test says so."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from helpers.time_limits import TimeLimits, time_limits

from hydra_kg.models.middleware.retry import retrying


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call that failed is tried again after milliseconds. How long it really waits is tested where time stands still:
    test_waits_grow_and_retry_after_is_obeyed."""
    monkeypatch.setitem(retrying.__kwdefaults__, "first_wait", 0.01)


@pytest.fixture
def limits() -> Iterator[TimeLimits]:
    """Time limits of replies that only ``limits.run_out()`` ends."""
    with time_limits() as made:
        yield made
