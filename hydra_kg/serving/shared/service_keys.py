"""Keep the keys of a service as hashes with scope, store, limit and budget, and count what is left of these."""

from __future__ import annotations

import hashlib
import os
import secrets
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from hydra_kg.errors import NotFoundError, UsageError
from hydra_kg.serving.shared.day_budget import SPENT, UNBOUNDED, DayBudget, KeyAccount
from hydra_kg.util.fast_dataclass import dataclass
from hydra_kg.util.sidecar_db import changing, open_db, write_ahead

SCOPES: Final = ("ask", "read", "metrics", "admin")
"""Scopes of a key.

- ``ask``: questions, and ``read``
- ``read``: answers and facts
- ``metrics``: the metrics
- ``admin``: loading, and ``read``
"""

_VERSION: Final = 2
_SCHEMA: Final = (
    """
CREATE TABLE IF NOT EXISTS key (
    id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, hash BLOB NOT NULL UNIQUE, scopes TEXT NOT NULL,
    store TEXT NOT NULL, per_minute REAL NOT NULL, created REAL NOT NULL, revoked REAL,
    questions INTEGER NOT NULL DEFAULT 0, calls INTEGER NOT NULL DEFAULT 0, tokens INTEGER NOT NULL DEFAULT 0,
    inbox TEXT NOT NULL DEFAULT '') STRICT;
CREATE TABLE IF NOT EXISTS bucket (id TEXT PRIMARY KEY, tokens REAL NOT NULL, at REAL NOT NULL) STRICT
"""
    + SPENT
)
_UPGRADES: Final = {
    1: """
ALTER TABLE key ADD COLUMN questions INTEGER NOT NULL DEFAULT 0;
ALTER TABLE key ADD COLUMN calls INTEGER NOT NULL DEFAULT 0;
ALTER TABLE key ADD COLUMN tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE key ADD COLUMN inbox TEXT NOT NULL DEFAULT ''
"""
    + SPENT
}


@dataclass(frozen=True, slots=True)
class ApiKey:
    """One key without its secret.

    ``store``: its own store, or "". ``per_minute``: 0 for no limit. ``budget``: per day. ``inbox``: folder to load
    from.
    """

    id: str
    name: str
    scopes: frozenset[str]
    store: str
    per_minute: float
    created: float
    revoked: float | None = None
    budget: DayBudget = UNBOUNDED
    inbox: str = ""

    def may(self, scope: str) -> bool:
        """Return whether the key has a scope."""
        return scope in self.scopes or (scope == "read" and bool({"ask", "admin"} & self.scopes))


def keys_file() -> Path:
    """Return the default file of keys, next to the settings of this user."""
    base = os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    return Path(base) / "hydra-kg" / "keys.sqlite"


class Keys:
    """The keys in a file that only its owner may read. Several processes may use it at once."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def add(
        self,
        name: str,
        *,
        scopes: Sequence[str] = ("ask",),
        store: str = "",
        per_minute: float = 120,
        budget: DayBudget = UNBOUNDED,
        inbox: str = "",
    ) -> str:
        """Make a key and return its secret, which is shown once and not stored. Raise UsageError for a used name."""
        if unknown := sorted(set(scopes) - set(SCOPES)):
            raise UsageError(f"There is no scope {unknown[0]!r}.", remedy=f"Scopes: {', '.join(SCOPES)}.")
        secret = f"hk_{secrets.token_urlsafe(32)}"
        own = (secrets.token_hex(6), name, _hash(secret), " ".join(sorted(set(scopes))), store, per_minute, time.time())
        row = (*own, budget.questions, budget.calls, budget.tokens, inbox)
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            with self._opened(write=True) as db, changing(db):
                db.execute("INSERT INTO key VALUES (?, ?, ?, ?, ?, ?, ?, NULL, ?, ?, ?, ?)", row)
        except sqlite3.IntegrityError as e:
            raise UsageError(f"There is a key {name!r} already.", remedy="Revoke it, or take another name.") from e
        return secret

    def list(self) -> list[ApiKey]:
        """Return all keys, revoked ones too, oldest first."""
        if not self.path.is_file():
            return []
        with self._opened() as db:
            return [_key(row) for row in db.execute(f"{_SELECT} ORDER BY created")]

    def change(self, name: str, *, per_minute: float | None = None, budget: Mapping[str, int]) -> ApiKey:
        """Set the limit or parts of the budget of a key, from its next request on. Raise NotFoundError."""
        wanted = {**({"per_minute": per_minute} if per_minute is not None else {}), **budget}
        if unknown := sorted(set(wanted) - {"per_minute", *DayBudget.names()}):
            raise UsageError(f"A key has no {unknown[0]}.")
        if self.path.is_file() and wanted:
            with self._opened(write=True) as db, changing(db):
                parts = ", ".join(f"{part} = ?" for part in wanted)
                where = "(name = ? OR id = ?) AND revoked IS NULL"
                db.execute(f"UPDATE key SET {parts} WHERE {where}", (*wanted.values(), name, name))
        found = next((key for key in self.list() if name in (key.name, key.id) and key.revoked is None), None)
        if found is None:
            raise NotFoundError(f"No key in use is called {name!r}.", remedy="hydra-kg keys list shows them.")
        return found

    def account(self, key: ApiKey) -> KeyAccount:
        """Return the account on which a key's spending is booked."""
        return KeyAccount(key.id, key.budget, lambda: self._opened(write=True))

    def revoke(self, name: str) -> None:
        """Revoke a key: from the next second on, no request with it is answered. Raise NotFoundError."""
        done = 0
        if self.path.is_file():
            with self._opened(write=True) as db, changing(db):
                now = time.time()
                done = db.execute(
                    "UPDATE key SET revoked = ? WHERE (name = ? OR id = ?) AND revoked IS NULL", (now, name, name)
                ).rowcount
        if not done:
            raise NotFoundError(f"No key in use is called {name!r}.", remedy="hydra-kg keys list shows them.")

    def find(self, secret: str) -> ApiKey | None:
        """Return the key in use with this secret.

        A hash is looked up, so that the response time discloses nothing about existing secrets.
        """
        if not self.path.is_file():
            return None
        with self._opened() as db:
            row = db.execute(f"{_SELECT} WHERE hash = ? AND revoked IS NULL", (_hash(secret),)).fetchone()
        return _key(row) if row else None

    def wait(self, key: ApiKey) -> float:
        """Take one request off the key's limit and return the wait in seconds.

        Processes share the limit, which allows bursts of half a minute.
        """
        if key.per_minute <= 0:
            return 0.0
        rate, most = key.per_minute / 60, max(key.per_minute / 2, 1.0)
        with self._opened(write=True) as db:
            db.execute("PRAGMA synchronous=OFF")  # what a power cut forgets is half a minute's limit
            with changing(db):
                now = time.time()
                row = db.execute("SELECT tokens, at FROM bucket WHERE id = ?", (key.id,)).fetchone()
                tokens, at = row or (most, now)
                tokens = min(most, tokens + max(now - at, 0.0) * rate)
                taken = tokens >= 1
                left = tokens - 1 if taken else tokens
                db.execute("INSERT OR REPLACE INTO bucket VALUES (?, ?, ?)", (key.id, left, now))
        return 0.0 if taken else (1 - tokens) / rate

    @contextmanager
    def _opened(self, *, write: bool = False) -> Iterator[sqlite3.Connection]:
        with open_db(self.path, schema=_SCHEMA, version=_VERSION, write=write, upgrades=_UPGRADES) as db:
            if write:
                write_ahead(db)
            yield db


_COLUMNS: Final = "id, name, scopes, store, per_minute, created, revoked, questions, calls, tokens, inbox"
_SELECT: Final = f"SELECT {_COLUMNS} FROM key"


def _key(row: Sequence[object]) -> ApiKey:
    """Return the API key of a database row."""
    identity, name, scopes, store, per_minute, created, revoked, questions, calls, tokens, inbox = row
    return ApiKey(
        str(identity),
        str(name),
        frozenset(str(scopes).split()),
        str(store),
        float(str(per_minute)),
        float(str(created)),
        None if revoked is None else float(str(revoked)),
        DayBudget(int(str(questions)), int(str(calls)), int(str(tokens))),
        str(inbox),
    )


def _hash(secret: str) -> bytes:
    """Return the SHA-256 of a secret; a secret of 256 random bits needs no slow hash."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).digest()
