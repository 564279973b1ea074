"""Endpoints that fail, without the waits of a polite client."""

from __future__ import annotations

import pytest

from hydra_kg.models.middleware.retry import retrying


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call that failed is tried again after milliseconds. How long it really waits is tested where time stands still:
    test_waits_grow_and_retry_after_is_obeyed."""
    monkeypatch.setitem(retrying.__kwdefaults__, "first_wait", 0.01)
