"""Record jobs that run while nobody waits (answers, loads, fusion) in a file next to the store, for all workers."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, Literal

from hydra_kg.util.fast_dataclass import dataclass, replace
from hydra_kg.util.sidecar_db import changing, is_made, open_db, write_ahead

State = Literal["waiting", "running", "answered", "done", "stopped", "failed", "lost"]
Kind = Literal["answer", "load", "flip", "discard", "drop", "fusion", "saved", "correct", "formula", "match", "link"]

BEAT: Final = 1.0
"""Seconds between two signs of life of a job."""

LOST: Final = 15.0
"""Seconds without a sign of life after which a job is lost, because its worker was killed."""

KEPT: Final = 86_400.0
"""Seconds for which the result of a job is stored."""

MOST: Final = 1_000
"""Most jobs of a store that wait or run."""

LISTED: Final = 50
"""Most jobs in a list."""

STOPPED: Final = "It was stopped."
"""Why a job that was stopped has no result."""

_VERSION: Final = 2
_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS job (
    id TEXT PRIMARY KEY, state TEXT NOT NULL, made REAL NOT NULL, beat REAL NOT NULL, deadline REAL NOT NULL,
    why TEXT NOT NULL DEFAULT '', stop INTEGER NOT NULL DEFAULT 0, kind TEXT NOT NULL DEFAULT 'answer',
    progress TEXT NOT NULL DEFAULT '', result TEXT NOT NULL DEFAULT '') STRICT;
"""
_UPGRADES: Final = {
    1: """
ALTER TABLE job ADD COLUMN kind TEXT NOT NULL DEFAULT 'answer';
ALTER TABLE job ADD COLUMN progress TEXT NOT NULL DEFAULT '';
ALTER TABLE job ADD COLUMN result TEXT NOT NULL DEFAULT ''
"""
}
_SELECT: Final = "SELECT id, state, made, beat, deadline, why, stop, kind, progress, result FROM job"


@dataclass(frozen=True, slots=True)
class ServiceJob:
    """One job. Times are seconds since 1970.

    ``why``: why it ended without result. ``stop``: whether it shall stop. ``progress``, ``result``: JSON or "".
    """

    id: str
    state: State
    made: float
    beat: float
    deadline: float
    why: str
    stop: bool
    kind: Kind = "answer"
    progress: str = ""
    result: str = ""

    @property
    def over(self) -> bool:
        """Return whether the job has ended."""
        return self.state not in {"waiting", "running"}


class Jobs:
    """The jobs in the file ``jobs.sqlite`` in a store's folder."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "jobs.sqlite"

    def add(self, identity: str, *, seconds: float, kind: Kind = "answer", most: int = MOST) -> bool:
        """Add a waiting job. Return False if ``most`` jobs, of all kinds or of this kind, wait or run already."""
        now = time.time()
        with self._opened(write=True) as db, changing(db):
            db.execute("DELETE FROM job WHERE made < ?", (now - KEPT,))
            (busy,) = db.execute(
                "SELECT count(*) FROM job WHERE state IN ('waiting', 'running') AND beat > ? AND ? IN ('answer', kind)",
                (now - LOST, kind),
            ).fetchone()
            if busy >= most:
                return False
            row = (identity, "waiting", now, now, now + seconds, kind)
            db.execute("INSERT INTO job (id, state, made, beat, deadline, kind) VALUES (?, ?, ?, ?, ?, ?)", row)
        return True

    def get(self, identity: str) -> ServiceJob | None:
        """Return a job by its id."""
        if not is_made(self.path):
            return None
        with self._opened() as db:
            row = db.execute(f"{_SELECT} WHERE id = ?", (identity,)).fetchone()
        return _job(row) if row else None

    def list(self) -> list[ServiceJob]:
        """Return the newest jobs, without their results."""
        if not is_made(self.path):
            return []
        with self._opened() as db:
            rows = db.execute(f"{_SELECT} ORDER BY made DESC, id LIMIT {LISTED}").fetchall()
        return [replace(_job(row), result="") for row in rows]

    def begin(self, identity: str) -> bool:
        """Mark a waiting job as running. Return False if it was stopped before: then it must not run."""
        return self._change("state = 'running', beat = ?", time.time(), identity, among="'waiting'")

    def beat(self, identity: str, *, progress: str = "") -> None:
        """Record a sign of life, and the progress unless it is ""."""
        change = "beat = ?, progress = CASE ? WHEN '' THEN progress ELSE ? END"
        self._change(change, time.time(), progress, progress, identity)

    def end(self, identity: str, state: State, *, why: str = "", result: str = "") -> None:
        """Record how a job ended. A job that already ended stays as it is."""
        self._change("state = ?, beat = ?, why = ?, result = ?", state, time.time(), why, result, identity)

    def stop(self, identity: str) -> ServiceJob | None:
        """Stop a waiting job at once or mark a running one for its worker; return it, or None."""
        if not is_made(self.path):
            return None
        lives = time.time() - LOST
        change = "stop = 1, why = ?, state = CASE state WHEN 'waiting' THEN 'stopped' ELSE state END"
        if not self._change(change, STOPPED, identity, lives, also="AND beat > ?"):
            return None
        return self.get(identity)

    def _change(self, change: str, *values: Any, among: str = "'waiting', 'running'", also: str = "") -> bool:
        """Update one job if its state is ``among`` these. Return whether it was updated."""
        with self._opened(write=True) as db, changing(db):
            where = f"id = ? AND state IN ({among}) {also}"
            return bool(db.execute(f"UPDATE job SET {change} WHERE {where}", values).rowcount)

    @contextmanager
    def _opened(self, *, write: bool = False) -> Iterator[sqlite3.Connection]:
        with open_db(self.path, schema=_SCHEMA, version=_VERSION, write=write, upgrades=_UPGRADES) as db:
            if write:
                write_ahead(db)
                db.execute("PRAGMA synchronous=OFF")  # a power cut ends the jobs anyway
            yield db


def _job(row: Sequence[Any]) -> ServiceJob:
    identity, state, made, beat, deadline, why, stop, kind, progress, result = row
    job = ServiceJob(identity, state, made, beat, deadline, why, bool(stop), kind, progress, result)
    lost = not job.over and job.beat < time.time() - LOST
    return replace(job, state="lost", why="Its worker ended.") if lost else job
