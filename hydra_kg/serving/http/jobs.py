"""Questions that are answered while nobody waits: their state in a file beside the store, for all workers."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal

from hydra_kg.util.sidecar_db import changing, opened, write_ahead

State = Literal["waiting", "running", "answered", "stopped", "failed", "lost"]

BEAT: Final = 1.0
"""Seconds between two signs of life of a job."""

LOST: Final = 15.0
"""Seconds without one after which a job is lost: its worker was killed."""

KEPT: Final = 86_400.0
"""Seconds for which what became of a job is remembered."""

MOST: Final = 1_000
"""Jobs of a store that may wait or run."""

_VERSION: Final = 1
_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS job (
    id TEXT PRIMARY KEY, state TEXT NOT NULL, made REAL NOT NULL, beat REAL NOT NULL, deadline REAL NOT NULL,
    why TEXT NOT NULL DEFAULT '', stop INTEGER NOT NULL DEFAULT 0) STRICT;
"""


@dataclass(frozen=True, slots=True)
class AnswerJob:
    """One job. Times are seconds since 1970; ``why``: what ended it without an answer; ``stop``: whether somebody asked
    for that."""

    id: str
    state: State
    made: float
    beat: float
    deadline: float
    why: str
    stop: bool

    @property
    def over(self) -> bool:
        """Whether nothing more will come of it."""
        return self.state not in {"waiting", "running"}


class Jobs:
    """The file ``jobs.sqlite`` in a store's folder."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "jobs.sqlite"

    def add(self, identity: str, *, seconds: float) -> bool:
        """A new job, which waits; False where too many do."""
        now = time.time()
        with self._opened(write=True) as db, changing(db):
            db.execute("DELETE FROM job WHERE made < ?", (now - KEPT,))
            (busy,) = db.execute(
                "SELECT count(*) FROM job WHERE state IN ('waiting', 'running') AND beat > ?", (now - LOST,)
            ).fetchone()
            if busy >= MOST:
                return False
            row = (identity, "waiting", now, now, now + seconds)
            db.execute("INSERT INTO job (id, state, made, beat, deadline) VALUES (?, ?, ?, ?, ?)", row)
        return True

    def get(self, identity: str) -> AnswerJob | None:
        """A job by its id."""
        if not self.path.is_file():
            return None
        with self._opened() as db:
            row = db.execute(
                "SELECT id, state, made, beat, deadline, why, stop FROM job WHERE id = ?", (identity,)
            ).fetchone()
        if row is None:
            return None
        _, state, made, beat, deadline, why, stop = row
        job = AnswerJob(identity, state, made, beat, deadline, why, bool(stop))
        lost = not job.over and job.beat < time.time() - LOST
        return replace(job, state="lost", why="Its worker ended.") if lost else job

    def beat(self, identity: str, state: State, *, why: str = "") -> None:
        """A sign of life, or the end."""
        with self._opened(write=True) as db, changing(db):
            db.execute("UPDATE job SET state = ?, beat = ?, why = ? WHERE id = ?", (state, time.time(), why, identity))

    def stop(self, identity: str) -> bool:
        """Ask for the end of a job; False where there is none that runs."""
        if not self.path.is_file():
            return False
        with self._opened(write=True) as db, changing(db):
            return bool(
                db.execute(
                    "UPDATE job SET stop = 1 WHERE id = ? AND state IN ('waiting', 'running')", (identity,)
                ).rowcount
            )

    @contextmanager
    def _opened(self, *, write: bool = False) -> Iterator[sqlite3.Connection]:
        with opened(self.path, schema=_SCHEMA, version=_VERSION, write=write) as db:
            if write:
                write_ahead(db)
                db.execute("PRAGMA synchronous=OFF")  # a power cut ends the jobs anyway
            yield db
