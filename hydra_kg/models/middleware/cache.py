"""Cache of replies in a SQLite file, so that the same request is paid for once."""

from __future__ import annotations

import json
import logging
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

from hydra_kg.domain import Completion
from hydra_kg.models.request import Request, Send, digest
from hydra_kg.util.sidecar_db import make_private

MAX_REPLIES = 100_000
"""Largest number of replies in the file. The oldest tenth is deleted when there are more."""

_SCHEMA = "CREATE TABLE IF NOT EXISTS reply (key TEXT PRIMARY KEY, reply TEXT NOT NULL) STRICT"


class ReplyCache:
    """Cache of whole replies, shared by threads and processes.

    The key is a hash of everything that decides the reply. A file that fails causes one call of ``warn`` (default: the
    log).
    """

    def __init__(
        self, path: Path, *, max_replies: int = MAX_REPLIES, warn: Callable[[str], None] | None = None
    ) -> None:
        self.path = path
        self._max_replies = max_replies
        self._warn = warn or logging.getLogger("hydra_kg").warning
        self._warned = False

    def around(self, inner: Send) -> Send:
        """Return the middleware. A reply from the file costs nothing and opens no connection."""

        def send(request: Request) -> Completion:
            key = digest({**request.question(), "endpoint": request.endpoint})
            if (cached := self.read(key)) is not None:
                return cached
            reply = inner(request)
            if reply.text.strip() and not reply.late:
                self.write(key, reply)
            return reply

        return send

    def read(self, key: str) -> Completion | None:
        """Return a stored reply, or None if there is none or the file cannot be read."""
        if not self.path.is_file():
            return None
        try:
            with closing(self._connect(read_only=True)) as db:
                row = db.execute("SELECT reply FROM reply WHERE key = ?", (key,)).fetchone()
            return parse_reply(json.loads(row[0])) if row else None
        except (sqlite3.Error, OSError, ValueError, KeyError, TypeError) as e:
            self._note(e)
            return None

    def write(self, key: str, reply: Completion) -> None:
        """Store a reply."""
        try:
            with closing(self._connect()) as db, db:
                # A kill loses nothing; a power cut may lose the file, which costs its replies and a warning.
                db.execute("PRAGMA synchronous = OFF")
                db.execute(_SCHEMA)
                db.execute("INSERT OR REPLACE INTO reply VALUES (?, ?)", (key, json.dumps(asdict(reply))))
                first, last = db.execute("SELECT min(rowid), max(rowid) FROM reply").fetchone()
                if last - first >= self._max_replies:
                    db.execute("DELETE FROM reply WHERE rowid <= ?", (first + self._max_replies // 10,))
        except (sqlite3.Error, OSError) as e:
            self._note(e)

    def _connect(self, *, read_only: bool = False) -> sqlite3.Connection:
        """Return a connection for one call, so that threads and forked processes never share one."""
        mode = "ro" if read_only else "rwc"
        if not read_only:
            make_private(self.path)
        return sqlite3.connect(f"{self.path.absolute().as_uri()}?mode={mode}", uri=True, timeout=10.0)

    def _note(self, error: Exception) -> None:
        if not self._warned:
            self._warned = True
            self._warn(
                f"Replies of the model are not stored: {self.path} cannot be used ({error}). It is safe to delete."
            )


def parse_reply(document: Mapping[str, Any]) -> Completion:
    """Return a completion from its JSON form. Raises TypeError, ValueError or KeyError for any other document."""
    if not isinstance(document["text"], str):
        raise TypeError("a reply without text")
    first = tuple((str(token), float(p)) for token, p in document.get("first", ()))
    return Completion(**{**document, "first": first})
