"""Tests that share a file or a server run on one worker: what they share is made once."""

from __future__ import annotations

import os

import pytest


def test_a_file_is_a_group_of_its_own(request: pytest.FixtureRequest) -> None:
    """pytest-xdist shows a group behind the name; without one, the tests of a file go to any worker."""
    if "PYTEST_XDIST_WORKER" not in os.environ or not request.config.getoption("loadgroup", False):
        pytest.skip("there are no groups without --dist loadgroup")
    assert request.node.nodeid.endswith(f"@{request.node.location[0]}")
