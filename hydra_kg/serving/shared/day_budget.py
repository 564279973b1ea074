"""Limit what a key may spend in a day: questions, calls of a model, tokens; over all workers and restarts."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict, fields
from typing import Final

from hydra_kg.domain import Usage
from hydra_kg.util.fast_dataclass import dataclass
from hydra_kg.util.sidecar_db import changing

DAY: Final = 86_400
"""Seconds of a day, which begins at midnight UTC."""

SPENT: Final = """;
CREATE TABLE IF NOT EXISTS spent (
    id TEXT NOT NULL, day INTEGER NOT NULL, questions INTEGER NOT NULL DEFAULT 0, calls INTEGER NOT NULL DEFAULT 0,
    tokens INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (id, day)) STRICT;
"""
"""The table of spending in the file of keys."""

_WORDS: Final[Mapping[str, str]] = {"questions": "questions", "calls": "calls of a model", "tokens": "tokens"}


@dataclass(frozen=True, slots=True)
class DayBudget:
    """The most of each in a day; 0 means no limit. ``tokens`` are those of prompts and replies together."""

    questions: int = 0
    calls: int = 0
    tokens: int = 0

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """Return ``questions``, ``calls`` and ``tokens``."""
        return tuple(field.name for field in fields(cls))

    @property
    def limits(self) -> dict[str, int]:
        """Return the limits that are set, by name."""
        return {name: most for name, most in asdict(self).items() if most}


UNBOUNDED: Final = DayBudget()
"""The budget of a key without limits."""


def until_tomorrow() -> float:
    """Return the seconds until budgets start again."""
    return DAY - time.time() % DAY


@dataclass(frozen=True, slots=True)
class KeyAccount:
    """The account of one key.

    Each attempt books its maximum in one transaction with the check of the limit, so that workers never overspend. What
    a killed attempt booked stays booked until tomorrow.
    """

    identity: str
    budget: DayBudget
    opened: Callable[[], AbstractContextManager[sqlite3.Connection]]

    def take_question(self) -> str:
        """Book a question and return "", or return why none is allowed today and book nothing."""
        return self._booked({"questions": 1}, also=("calls", "tokens"))

    def give_back_question(self) -> None:
        """Cancel the booking of a question that was not begun."""
        self._add({"questions": -1})

    def take(self, most: Usage) -> str:
        return self._booked(_parts(most))

    def settle(self, most: Usage, used: Usage) -> None:
        booked, cost = _parts(most), _parts(used)
        self._add({name: cost[name] - booked[name] for name in booked})

    def spent(self) -> dict[str, int]:
        """Return what was booked today."""
        with self.opened() as db:
            return dict(zip(DayBudget.names(), self._row(db), strict=True))

    def _booked(self, wanted: Mapping[str, int], also: tuple[str, ...] = ()) -> str:
        """Add to the day's use. Return the name of the exceeded limit, or ""."""
        limits = self.budget.limits
        if not limits:
            return ""
        with self.opened() as db:
            db.execute("PRAGMA synchronous=OFF")  # a power cut forgets some of a day, the end of a process nothing
            with changing(db):
                spent = dict(zip(DayBudget.names(), self._row(db), strict=True))
                asked = {**dict.fromkeys(also, 1), **wanted}
                for name, most in limits.items():
                    if asked.get(name) and spent[name] + asked[name] > most:
                        return f"This key's budget of {most:,} {_WORDS[name]} a day is spent."
                self._write(db, wanted)
        return ""

    def _add(self, change: Mapping[str, int]) -> None:
        if not self.budget.limits or not any(change.values()):
            return
        with self.opened() as db:
            db.execute("PRAGMA synchronous=OFF")
            with changing(db):
                self._write(db, change)

    def _row(self, db: sqlite3.Connection) -> tuple[int, ...]:
        row = db.execute(
            "SELECT questions, calls, tokens FROM spent WHERE id = ? AND day = ?", (self.identity, _today())
        ).fetchone()
        return tuple(row or (0, 0, 0))

    def _write(self, db: sqlite3.Connection, change: Mapping[str, int]) -> None:
        values = tuple(change.get(name, 0) for name in DayBudget.names())
        db.execute("DELETE FROM spent WHERE day < ?", (_today() - 7,))
        db.execute(
            "INSERT INTO spent VALUES (?, ?, ?, ?, ?) ON CONFLICT (id, day) DO UPDATE SET "
            "questions = max(questions + excluded.questions, 0), calls = max(calls + excluded.calls, 0), "
            "tokens = max(tokens + excluded.tokens, 0)",
            (self.identity, _today(), *values),
        )


def _today() -> int:
    return int(time.time() // DAY)


def _parts(usage: Usage) -> dict[str, int]:
    return {"calls": usage.calls, "tokens": usage.tokens_in + usage.tokens_out}
