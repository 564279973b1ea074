"""Builds the full-text index of a load's names in its own file and thread, while names are still being written."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Final

TOKENS: Final = "unicode61 remove_diacritics 0 categories 'L* N* Co M*'"
"""Tokenizer for folded names: nothing is folded again, and marks that survive folding are parts of words."""

SCHEMA: Final = f"""
CREATE VIRTUAL TABLE name_full USING fts5(fold, content='', detail=none, columnsize=0, tokenize="{TOKENS}");
"""
VOCABULARY: Final = """
CREATE VIRTUAL TABLE name_words USING fts5vocab(name_full, row);
CREATE VIEW vocabulary AS SELECT term AS token, doc AS count FROM name_words;
"""
"""The words of the index with the number of names that have them, read from the index itself."""
_WAITING: Final = 3  # batches that are held at most
# It takes rows in the order of their numbers seven times faster than in any other, and is smaller if it is not merged
# before all is in.
_BEGIN: Final = f"""
PRAGMA page_size = 4096;
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA locking_mode = EXCLUSIVE;
BEGIN;
{SCHEMA}
INSERT INTO name_full (name_full, rank) VALUES ('automerge', 0), ('hashsize', 67108864);
"""
_ADD: Final = "INSERT INTO name_full (rowid, fold) SELECT ? + key, value FROM json_each(?) WHERE value != ''"
_FINISH: Final = """
BEGIN;
INSERT INTO name_full (name_full) VALUES ('optimize');
COMMIT;
"""
_TAKE: Final = "".join(
    f"DELETE FROM main.{table}; INSERT INTO main.{table} SELECT * FROM apart.{table} ORDER BY 1;"
    for table in ("name_full_data", "name_full_idx", "name_full_config")
)


class NameFullText:
    """Builds the table ``name_full`` (:data:`SCHEMA`) from batches of folded names as JSON."""

    def __init__(self, path: Path) -> None:
        self._path = path
        path.unlink(missing_ok=True)
        self._db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self._pool = ThreadPoolExecutor(1, "hydra-kg names")
        self._stopped = threading.Event()
        self._running: deque[Future[None]] = deque([self._pool.submit(self._run, _BEGIN)])

    def add(self, first: int, folds: Sequence[str]) -> None:
        """Add folded names, numbered from ``first``. Raise sqlite3.Error if adding earlier names failed."""
        while len(self._running) >= _WAITING:
            self._running.popleft().result()
        self._running.append(self._pool.submit(self._add, first, json.dumps(folds, ensure_ascii=False)))

    def move(self, db: sqlite3.Connection) -> None:
        """Finish the tables and copy them into another file.

        The tables of the same names in that file must be empty and unused, and no transaction may be open there. Raises
        sqlite3.Error.
        """
        self._running.append(self._pool.submit(self._run, _FINISH))
        while self._running:
            self._running.popleft().result()
        self._db.close()
        db.execute("ATTACH ? AS apart", (str(self._path),))
        db.executescript(f"BEGIN; {_TAKE} COMMIT; DETACH apart;")

    def close(self) -> None:
        """Stop, and remove the separate file. Safe to call twice."""
        self._stopped.set()
        with suppress(sqlite3.ProgrammingError):  # it is closed
            self._db.interrupt()
        self._pool.shutdown(cancel_futures=True)
        self._db.close()
        self._path.unlink(missing_ok=True)

    def _run(self, script: str) -> None:
        if not self._stopped.is_set():
            self._db.executescript(script)

    def _add(self, first: int, names: str) -> None:
        if not self._stopped.is_set():
            self._db.execute(_ADD, (first, names))
