"""States of jobs in their file: what is stopped before its turn never runs, and what ended stays as it ended."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from hydra_kg.serving.shared.jobs import LOST, STOPPED, Jobs, ServiceJob


@pytest.fixture
def jobs(tmp_path: Path) -> Jobs:
    made = Jobs(tmp_path)
    assert made.add("one", seconds=60, kind="load")
    return made


def found(jobs: Jobs) -> ServiceJob:
    job = jobs.get("one")
    assert job is not None
    return job


def test_a_job_that_waits_is_stopped_at_once_and_never_begins(jobs: Jobs):
    stopped = jobs.stop("one")
    assert stopped is not None
    assert (stopped.state, stopped.why, stopped.over) == ("stopped", STOPPED, True)
    assert found(jobs) == stopped
    assert not jobs.begin("one")
    jobs.beat("one", progress="{}")
    jobs.end("one", "done", result="{}")
    assert found(jobs) == stopped
    assert jobs.stop("one") is None


def test_a_job_that_runs_is_marked_and_its_worker_ends_it(jobs: Jobs):
    assert jobs.begin("one")
    assert not jobs.begin("one")  # one worker only
    marked = jobs.stop("one")
    assert marked is not None
    assert (marked.state, marked.stop) == ("running", True)
    jobs.beat("one", progress='{"done": 1}')
    assert (found(jobs).state, found(jobs).progress) == ("running", '{"done": 1}')
    jobs.end("one", "stopped", why=STOPPED)
    assert (found(jobs).state, found(jobs).why) == ("stopped", STOPPED)


def test_a_sign_of_life_changes_no_state(jobs: Jobs):
    jobs.beat("one")
    assert found(jobs).state == "waiting"
    jobs.begin("one")
    jobs.beat("one")
    assert found(jobs).state == "running"


def test_a_lost_job_cannot_be_stopped(jobs: Jobs):
    with sqlite3.connect(jobs.path) as db:
        db.execute("UPDATE job SET beat = beat - ?", (2 * LOST,))
    db.close()
    assert found(jobs).state == "lost"
    assert jobs.stop("one") is None
    assert found(jobs).state == "lost"


def test_no_file_of_jobs_has_nothing_to_stop(tmp_path: Path):
    assert Jobs(tmp_path).stop("one") is None
    assert not (tmp_path / "jobs.sqlite").exists()
