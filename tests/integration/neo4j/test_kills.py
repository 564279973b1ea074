"""A few of the random kills of bench/faults/neo4j_kills.py, of the client and of the server: nothing lost."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.servers.neo4j_server import HEAP, NAMES, Server, clear, driver_of, local_server
from helpers.servers.neo4j_stores import forget_connections

from hydra_kg.stores.neo4j.connection.local_home import Home
from hydra_kg.stores.neo4j.local_server.server import LocalServer

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
    kills: Any, neo4j_server: Server, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """One of the client and one of the server, in a round of two operations of the benchmark's six; that a resumed load
    leaves out nothing is tested at every chunk (tests/integration/neo4j/test_loads.py)."""
    with local_server(neo4j_server, tmp_path_factory) as server:
        assert server.home is not None
        with driver_of(server) as driver:
            clear(driver)
        try:
            ring = kills.Ring(Home(server.home), tmp_path, heap=HEAP, names=("load tables", "drop tables"))
            ring.learn(rounds=1)
            rows, seen, wrong = kills.run(ring, count=2, servers=1, seed=4)
        finally:
            LocalServer(Home(server.home)).start()
            with driver_of(server) as driver:
                clear(driver)
            forget_connections()
    assert [row["wrong"] for row in rows] == [[]] * len(rows)
    assert wrong == []
    assert seen["complete"] > 0
    assert sum(row["target"] == "server" for row in rows) >= 1
