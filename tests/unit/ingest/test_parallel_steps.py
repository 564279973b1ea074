"""Steps of a load that run beside each other: what is done stays done, what died is begun anew, an error stops both."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hydra_kg.errors import LoadError
from hydra_kg.events import ignore
from hydra_kg.ingest.contract.choices import Options
from hydra_kg.ingest.contract.loader import Loader, loaders
from hydra_kg.ingest.contract.work import Work

LOADER: Loader = loaders()["wikidata_json"]


def staged(folder: Path, *, threads: int = 2) -> Work:
    """The work of a load of one small file."""
    file = folder / "file.json"
    if not file.exists():
        file.write_text("[\n]\n")
    return Work(folder / "stage", LOADER, [file], options=Options(threads=threads), listener=ignore)


def table(name: str) -> Callable[[Work], str]:
    """A step that makes a table."""

    def do(work: Work) -> str:
        work.db.execute(f"CREATE TABLE {name} AS SELECT 1 AS n")
        return name

    return do


def test_what_died_beside_a_finished_step_is_made_anew(tmp_path: Path) -> None:
    """The finished one is not, and its table stays."""

    def dies(work: Work) -> str:
        work.db.execute("CREATE TABLE two AS SELECT 2 AS n")
        while not work.one("SELECT count(*) FROM step WHERE name = 'a'"):
            time.sleep(0.01)
        raise LoadError("no more")

    with staged(tmp_path) as work:
        work.step("before", lambda: work.db.execute("CREATE TABLE zero (n INTEGER)").fetchall())
        with pytest.raises(LoadError, match="no more"):
            work.in_parallel({"a": (("one",), table("one")), "b": (("two",), dies)})
    with staged(tmp_path) as work:
        made = work.in_parallel({"a": (("one",), table("one")), "b": (("two",), table("two"))})
        assert made == {"a": "one", "b": "two"}
        assert work.resumed == ["a"]
        assert [work.one(f"SELECT count(*) FROM {name}") for name in ("zero", "one", "two")] == [0, 1, 1]
    with staged(tmp_path) as work:
        assert work.in_parallel({"a": (("one",), table("one")), "b": (("two",), table("two"))}) == made
        assert work.resumed == ["a", "b"]


def test_an_error_stops_the_step_beside_it(tmp_path: Path) -> None:
    """Within the query that it runs."""
    begun = threading.Event()

    def fails(_: Work) -> None:
        assert begun.wait(60)
        raise LoadError("no more")

    def endless(work: Work) -> Any:
        begun.set()
        return work.one("SELECT sum(a.range * b.range) FROM range(10000000) a, range(10000000) b")

    with staged(tmp_path) as work:
        before = time.monotonic()
        with pytest.raises(LoadError, match="no more"):
            work.in_parallel({"a": ((), fails), "b": ((), endless)})
        assert time.monotonic() - before < 60


@pytest.mark.parametrize("threads", [1, 2])
def test_two_at_a_time_where_there_are_two_threads(tmp_path: Path, threads: int) -> None:
    """Neither more nor fewer."""
    meet, seen = threading.Barrier(threads), set()

    def do(_: Work) -> None:
        meet.wait(60)  # for as many as there are threads
        seen.add(threading.current_thread().name)

    with staged(tmp_path, threads=threads) as work:
        work.in_parallel(dict.fromkeys("abcd", ((), do)))
    assert len(seen) == threads


def test_one_at_a_time_where_the_stage_is_much_larger_than_memory(tmp_path: Path) -> None:
    """Each could need all of it."""
    with staged(tmp_path) as work:
        assert work._has_room()
        work.db.execute("CREATE TABLE big AS SELECT hash(range) AS n FROM range(1000000)")
        work.db.execute("CHECKPOINT")
        work.db.execute("SET memory_limit = '3MB'")
        assert not work._has_room()
