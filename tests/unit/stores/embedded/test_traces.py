"""Kept answers: found again by id, listed newest first, searched by source, and never a reason to fail."""

from __future__ import annotations

import multiprocessing
import os
import sqlite3
import subprocess
import sys
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.programs import own_environment
from helpers.samples.answers import answer, crowd, no_answer

from hydra_kg.errors import NotFoundError, StoreCorruptError
from hydra_kg.serialise import answer_json
from hydra_kg.stores.embedded.traces import SqliteTraces


@pytest.fixture
def path(tmp_path):
    return tmp_path / "traces.sqlite"


def test_comes_back_as_it_was(path):
    doc = answer_json(answer())
    SqliteTraces(path).save(doc)
    assert SqliteTraces(path).get(doc["id"]) == doc


def test_is_found_by_a_unique_beginning_and_the_newest_without(path):
    traces = SqliteTraces(path)
    for key in ("aa11", "aa22", "bb33"):
        traces.save(answer_json(answer(id=key)))
    assert traces.get("b")["id"] == "bb33"
    assert traces.get()["id"] == "bb33"
    with pytest.raises(NotFoundError, match="aa11, aa22"):
        traces.get("aa")
    with pytest.raises(NotFoundError, match="hydra-kg show"):
        traces.get("zz")


def test_what_is_typed_is_no_pattern(path):
    traces = SqliteTraces(path)
    traces.save(answer_json(answer(id="abc")))
    for key in ("%", "_bc", "a%", "' OR 1=1 --", "ABC"):
        with pytest.raises(NotFoundError):
            traces.get(key)


def test_an_id_that_begins_another_is_found(path):
    traces = SqliteTraces(path)
    for key in ("abc", "abcdef"):
        traces.save(answer_json(answer(id=key)))
    assert traces.get("abc")["id"] == "abc"


def test_lists_the_newest_first(path):
    traces = SqliteTraces(path)
    traces.save(answer_json(answer(id="one")))
    traces.save(answer_json(no_answer(id="two")))
    two, one = traces.list()
    assert (one["id"], one["answer_text"], one["verdict"], one["abstained"]) == ("one", "Salzburg", "supported", False)
    assert (two["id"], two["abstained"]) == ("two", True)
    assert [k["id"] for k in traces.list(limit=1)] == ["two"]


def test_the_same_id_again_replaces(path):
    traces = SqliteTraces(path)
    for text in ("first", "second"):
        traces.save(answer_json(replace(answer(), answer_text=text)))
    assert [k["answer_text"] for k in traces.list()] == ["second"]
    assert len(traces.questions_using("freebase")) == len(
        {tuple(r.values()) for r in traces.questions_using("freebase")}
    )


def test_says_which_questions_used_a_source_through_its_index(path):
    traces = SqliteTraces(path)
    traces.save(answer_json(answer()))
    rows = traces.questions_using("wikidata")
    assert {(r["question"], r["fact"], r["entity"]) for r in rows} == {
        ("a1b2c3d4", "00000000000000c", "m.082db"),
        ("a1b2c3d4", "00000000000000c", "m.0fhxv"),
    }
    assert "00000000000000e" not in {r["fact"] for r in traces.questions_using("freebase")}, (
        "a pruned path uses nothing"
    )
    with sqlite3.connect(path) as db:
        plan = db.execute("EXPLAIN QUERY PLAN SELECT fid FROM used WHERE source = 'x'").fetchall()
    db.close()
    assert "SEARCH" in plan[0][3]


def test_nothing_kept_is_said_with_a_remedy(path):
    assert SqliteTraces(path).list() == []
    assert not path.exists(), "reading makes no file"
    with pytest.raises(NotFoundError, match="hydra-kg ask"):
        SqliteTraces(path).get()


def test_a_file_that_is_no_database_is_one_warning_and_a_clear_error(path):
    path.write_bytes(b"not a database" * 1000)
    warnings: list[str] = []
    traces = SqliteTraces(path, warn=warnings.append)
    traces.save(answer_json(answer()))
    traces.save(answer_json(answer(id="two")))
    assert len(warnings) == 1
    with pytest.raises(StoreCorruptError, match="Remove the file"):
        traces.get()


def test_a_damaged_answer_is_a_clear_error(path):
    traces = SqliteTraces(path)
    traces.save(answer_json(answer()))
    with sqlite3.connect(path) as db:
        db.execute("UPDATE question SET doc = x'00ff'")
    db.close()
    with pytest.raises(StoreCorruptError, match="damaged"):
        traces.get()


def test_a_file_of_a_later_version_is_left_alone(path):
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    warnings: list[str] = []
    SqliteTraces(path, warn=warnings.append).save(answer_json(answer()))
    assert "version 99" in warnings[0]


def test_a_folder_that_cannot_be_written_is_one_warning(tmp_path):
    # A path below a plain file cannot be made by anybody, root included.
    (tmp_path / "file").write_text("")
    warnings: list[str] = []
    traces = SqliteTraces(tmp_path / "file" / "traces.sqlite", warn=warnings.append)
    for _ in range(3):
        traces.save(answer_json(answer()))
    assert len(warnings) == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write into any folder")
def test_a_read_only_folder_can_be_read_and_is_one_warning(path):
    SqliteTraces(path).save(answer_json(answer()))
    path.chmod(0o444)
    path.parent.chmod(0o555)
    warnings: list[str] = []
    try:
        traces = SqliteTraces(path, warn=warnings.append)
        assert traces.get()["id"] == "a1b2c3d4"
        traces.save(answer_json(answer(id="two")))
        assert len(warnings) == 1
    finally:
        path.parent.chmod(0o755)


@pytest.mark.slow
def test_a_full_disk_is_one_warning_and_the_kept_answers_stay(path):
    SqliteTraces(path).save(answer_json(answer()))
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(path)],
        capture_output=True,
        text=True,
        check=True,
        env=own_environment(drop=()),
    )
    assert done.stdout.strip() == "warnings: 1"
    traces = SqliteTraces(path)
    kept = [k["id"] for k in traces.list(limit=1000)]
    assert kept[-1] == "a1b2c3d4"
    assert "last" not in kept
    assert [traces.get(k)["id"] for k in kept] == kept


FULL = f"""
import resource, signal, sys
from pathlib import Path
sys.path.insert(0, {str(Path(__file__).resolve().parents[3])!r})
from helpers.samples.answers import answer
from hydra_kg.serialise import answer_json
from hydra_kg.stores.embedded.traces import SqliteTraces
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
size = Path(sys.argv[1]).stat().st_size
resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
warnings = []
traces = SqliteTraces(Path(sys.argv[1]), warn=warnings.append)
for i in range(200):
    traces.save(answer_json(answer(id=f"x{{i}}")))
    if warnings:
        break
traces.save(answer_json(answer(id="last")))
print("warnings:", len(warnings))
"""


def test_the_file_stays_open_and_is_whole_when_it_is_closed(path):
    traces, log = SqliteTraces(path), path.with_name(f"{path.name}-wal")
    traces.save(answer_json(answer(id="one")))
    assert log.exists()
    traces.close()
    assert not log.exists()
    traces.save(answer_json(answer(id="two")))
    assert {k["id"] for k in SqliteTraces(path).list()} == {"one", "two"}


def test_a_file_that_was_removed_is_made_again(path):
    traces = SqliteTraces(path, warn=_fail)
    traces.save(answer_json(answer(id="one")))
    for file in path.parent.glob(f"{path.name}*"):
        file.unlink()
    traces.save(answer_json(answer(id="two")))
    assert [k["id"] for k in SqliteTraces(path).list()] == ["two"]


def test_a_fork_writes_for_itself(path):
    traces = SqliteTraces(path, warn=_fail)
    traces.save(answer_json(answer(id="before")))
    child = multiprocessing.get_context("fork").Process(target=traces.save, args=(answer_json(answer(id="child")),))
    child.start()
    child.join()
    traces.save(answer_json(answer(id="parent")))
    assert child.exitcode == 0
    assert {k["id"] for k in SqliteTraces(path).list()} == {"before", "child", "parent"}


def _save(path: Path, worker: int) -> None:
    traces = SqliteTraces(path, warn=_fail)
    for i in range(20):
        traces.save(answer_json(answer(id=f"{worker}-{i}")))


def _fail(message: str) -> None:
    raise AssertionError(message)


@pytest.mark.slow
def test_four_processes_keep_everything(path):
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_save, args=(path, n)) for n in range(4)]
    for w in workers:
        w.start()
    for w in workers:
        w.join()
    assert [w.exitcode for w in workers] == [0] * 4
    counts = Counter(k["id"].split("-")[0] for k in SqliteTraces(path).list(limit=1000))
    assert counts == {str(n): 20 for n in range(4)}


@pytest.mark.slow
def test_the_first_ones_to_keep_something_wait_for_each_other(tmp_path):
    """Who makes the file gives it a log, which SQLite refuses at once to everybody else at that moment."""
    together = threading.Barrier(6)

    def make(_: int) -> None:
        for i in range(40):
            together.wait(timeout=60)
            SqliteTraces(tmp_path / f"{i}.sqlite", warn=_fail).save(
                answer_json(answer(id=threading.current_thread().name))
            )

    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(make, range(6))) == [None] * 6
    assert [len(SqliteTraces(p).list()) for p in tmp_path.glob("*.sqlite")] == [6] * 40


@pytest.mark.slow
def test_a_question_costs_at_most_200_kilobytes(path):
    traces = SqliteTraces(path)
    for i in range(10):
        traces.save(answer_json(answer(id=f"q{i}", explored=crowd(240, 3))))
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()
    assert path.stat().st_size / 10 <= 200_000
