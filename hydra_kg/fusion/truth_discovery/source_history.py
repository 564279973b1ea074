"""Confirmations of each source (MultiRAG Eq. 11), in a SQLite file next to the store.

Only confirming changes them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from hydra_kg.errors import UsageError
from hydra_kg.fusion.truth_discovery.mcc import Record
from hydra_kg.fusion.truth_discovery.multi_level_confidence import HISTORY, UNKNOWN
from hydra_kg.util.sidecar_db import changing, open_db

FILE: Final = "history.sqlite"
"""Name of the file, in the folder of an embedded store, or in the user's folder for a server."""

VERSION: Final = 1
_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS said (
    answer TEXT NOT NULL, source TEXT NOT NULL, value TEXT NOT NULL, correct INTEGER NOT NULL,
    created TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now')),
    PRIMARY KEY (answer, source, value)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS said_source ON said(source);
"""


class History:
    """Confirmed and refuted values of each source, in a shared file.

    If it is ``frozen``, ``confirm`` raises UsageError.
    """

    def __init__(self, path: Path, *, frozen: bool = False) -> None:
        self.path, self.frozen = path, frozen

    def records(self) -> Mapping[str, Record]:
        """Return Pr^h and H of each source: Pr^h ← (H · Pr^h + correct) / (H + 1), from H = 50 and Pr^h = ½."""
        return {
            source: ((HISTORY * UNKNOWN + correct) / (HISTORY + every), HISTORY + every)
            for source, (correct, every) in self.counts().items()
        }

    def counts(self) -> Mapping[str, tuple[int, int]]:
        """Return the number of confirmed and of judged values of each source, sorted. Raises StoreCorruptError."""
        if not self.path.exists():
            return {}
        with open_db(self.path, schema=_SCHEMA, version=VERSION) as connection:
            rows = connection.execute("SELECT source, sum(correct), count(*) FROM said GROUP BY source ORDER BY source")
            return {source: (correct, every) for source, correct, every in rows.fetchall()}

    def confirm(self, answer: str, judged: Iterable[tuple[str, str, bool]]) -> Mapping[str, tuple[int, int]]:
        """Replace the (source, value, right?) records of one answer, and return ``counts``. Raises UsageError."""
        if self.frozen:
            raise UsageError(
                "The history of sources is frozen.",
                remedy="Set HYDRA_VERIFICATION_HISTORY=moves, or verification.history in hydra.toml.",
            )
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with open_db(self.path, schema=_SCHEMA, version=VERSION, write=True) as connection, changing(connection):
            connection.execute("DELETE FROM said WHERE answer = ?", (answer,))
            connection.executemany(
                "INSERT OR REPLACE INTO said (answer, source, value, correct) VALUES (?, ?, ?, ?)",
                [(answer, _text(source), _text(value), int(right)) for source, value, right in judged],
            )
        return self.counts()


def state(records: Mapping[str, Record]) -> dict[str, str | int]:
    """Return the fingerprint of the history for manifests: the number of values, and a hash of all records."""
    payload = json.dumps([[s, *records[s]] for s in sorted(records)]).encode()
    judged = sum(round(weight - HISTORY) for _, weight in records.values())
    return {"judged": judged, "hash": hashlib.sha256(payload).hexdigest()[:12]}


def _text(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
