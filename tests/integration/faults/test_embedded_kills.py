"""A few of the random kills of bench/faults/embedded_kills.py: nothing half, nothing lost, nothing doubled, nothing
left."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]
RING = (
    "load",
    "publish",
    "reader update",
    "hold",
    "discard",
    "append",
    "compact",
    "take back",
    "drop",
    "publish again",
)
"""Of the benchmark's operations, a round that ends where it begins. Each publication has something new to publish."""


@pytest.fixture(scope="module")
def kills() -> Iterator[Any]:
    """The benchmark as a module that processes of its own can import, too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT))
        patch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
        from bench.faults import embedded_kills as bench_kills

        patch.setattr(bench_kills, "OPERATIONS", {name: bench_kills.OPERATIONS[name] for name in RING})
        yield bench_kills
        for name in ("bench.faults.embedded_kills", "bench.faults.neo4j_kills"):
            sys.modules.pop(name, None)


@pytest.mark.slow
def test_after_kills_everything_is_as_if_nobody_had_been_killed(kills: Any, tmp_path: Path) -> None:
    ring = kills.Ring(tmp_path)
    ring.learn(rounds=1)
    rows, seen, wrong = kills.run(ring, count=9, seed=4)
    assert [row["wrong"] for row in rows] == [[]] * len(rows)
    assert wrong == []
    assert sum(seen.values()) > 0
    assert sum(row["killed"] for row in rows) == 9
    assert {row["kind"] for row in rows} == ({"time", "call"} if ring.injects else {"time"})


def test_the_probe_of_a_folder_by_tempfile_is_not_left_by_us(kills: Any, tmp_path: Path) -> None:
    for name, content, probe in (("5r2gy2ei", b"", True), ("a_b2c3d4", b"blat", True), ("5r2gy2ei.csv", b"", False)):
        (tmp_path / name).write_bytes(content)
        assert kills.is_probe(tmp_path / name) is probe
    (tmp_path / "abcdefgh").write_bytes(b"a fact")
    assert not kills.is_probe(tmp_path / "abcdefgh")
