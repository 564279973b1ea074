"""A few of the random kills of bench/faults/neo4j_kills.py, of the client and of a server of its own: nothing lost."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.servers.neo4j_server import HEAP, NAMES, Server, missing, prepare

from hydra_kg.stores.neo4j.connection.local_home import Home

ROOT = Path(__file__).resolve().parents[3]

pytestmark = pytest.mark.server


@pytest.fixture(scope="module")
def kills() -> Iterator[Any]:
    """The benchmark as a module that processes of its own can import, too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT))
        for name in NAMES:
            patch.delenv(name, raising=False)
        for name in ("NEO4J_USERNAME", "NEO4J_PASSWORD", "XDG_DATA_HOME", "HYDRA_NEO4J_HOME"):
            patch.setenv(name, "")  # what it sets goes again afterwards
        patch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
        from bench.faults import neo4j_kills as bench_neo4j_kills

        patch.setattr(bench_neo4j_kills.stores, "ROWS", bench_neo4j_kills.ROWS)
        patch.setattr(bench_neo4j_kills.writer, "ROWS", bench_neo4j_kills.ROWS)
        yield bench_neo4j_kills
        sys.modules.pop("bench.faults.neo4j_kills")


@pytest.mark.slow
def test_after_kills_everything_is_as_if_nobody_had_been_killed(
    kills: Any, neo4j_server: Server, tmp_path: Path
) -> None:
    home = Home(tmp_path / "neo4j")
    if shutil.which("java") is None or (neo4j_server.home is None and shutil.which("mvn") is None):
        missing("a local server needs Java and Maven")
    prepare(home, jars=neo4j_server.home)
    ring = kills.Ring(home, tmp_path, heap=HEAP)
    try:
        ring.learn(rounds=1)
        rows, seen, wrong = kills.run(ring, count=3, servers=1, seed=4)
    finally:
        ring.server.stop()
    assert [row["wrong"] for row in rows] == [[]] * len(rows)
    assert wrong == []
    assert seen["complete"] > 0
    assert sum(row["target"] == "server" for row in rows) >= 1
