"""What the tables of questions are asked of, and small sets of claims."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.run_once import once
from helpers.scripted_tables import loaded

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


@pytest.fixture
def claims(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Small sets in the layout of the pack, under the names that the tables of MultiRAG ask for."""
    monkeypatch.setenv("HYDRA_DATA", str(tmp_path))
    for name, sources in (("movies", (1, 2, 5, 10)), ("books", (1, 2, 4, 7))):
        folder = tmp_path / "truth" / name
        folder.mkdir(parents=True)
        rows = [f"source_{s}\tItem {n}\tmaker\tPerson {n if s != 2 else n + 1}" for n in range(12) for s in sources]
        with gzip.open(folder / "claims.tsv.gz", "wt") as file:
            file.write("\n".join(["source\tentity\tattribute\tvalue", *rows]) + "\n")
        asked = [
            {"id": str(n), "entity": f"Item {n}", "attribute": "maker", "gold": [f"Person {n}"]} for n in range(12)
        ]
        (folder / "queries.jsonl").write_text("".join(json.dumps(q) + "\n" for q in asked))
    return tmp_path
