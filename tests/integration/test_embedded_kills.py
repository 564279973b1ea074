"""A few of the random kills of bench/bench_kills.py: nothing half, nothing lost, nothing doubled, nothing left."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

BENCH = Path(__file__).resolve().parents[2] / "bench"


@pytest.fixture(scope="module")
def kills() -> Iterator[Any]:
    """The benchmark as a module that processes of its own can import, too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(BENCH))
        patch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
        import bench_kills

        yield bench_kills
        for name in ("bench_kills", "bench_neo4j_kills"):
            sys.modules.pop(name, None)


@pytest.mark.slow
def test_after_kills_everything_is_as_if_nobody_had_been_killed(kills: Any, tmp_path: Path) -> None:
    ring = kills.Ring(tmp_path)
    ring.learn(rounds=1)
    rows, seen, wrong = kills.run(ring, count=6, seed=4)
    assert [row["wrong"] for row in rows] == [[]] * len(rows)
    assert wrong == []
    assert sum(seen.values()) > 0
    assert sum(row["killed"] for row in rows) == 6
    assert {row["kind"] for row in rows} == ({"time", "call"} if ring.injects else {"time"})
