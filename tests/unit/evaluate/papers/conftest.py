"""What the tables of questions are asked of."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.run_once import once
from helpers.samples.scripted_tables import loaded

from hydra_kg.ports import Store
from hydra_kg.stores import open_store


@pytest.fixture(scope="session")
def ten_topics(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A small part of the sample, opened; only to be read."""
    with open_store(once("ten-topics", loaded, factory=tmp_path_factory)) as store:
        yield store


@pytest.fixture(scope="module")
def answers_of_all(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for a file of tests: what one table has asked the others use."""
    return tmp_path_factory.mktemp("answers")
