"""Save questions with their answers in a SQLite file next to the store, to ask them again."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Final

from hydra_kg.errors import NotFoundError, UsageError
from hydra_kg.util.fast_dataclass import dataclass
from hydra_kg.util.sidecar_db import changing, is_made, open_shared_db

FILE: Final = "saved.sqlite"
"""Name of the file in the folder of an embedded store, or in this user's folder for a server."""

MOST: Final = 1_000
"""Most questions that are saved in a store, because each change of the store asks all of them again."""

_VERSION: Final = 2
_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS saved (
    number INTEGER PRIMARY KEY AUTOINCREMENT, question TEXT NOT NULL, strategy TEXT NOT NULL, names TEXT NOT NULL,
    answer_text TEXT NOT NULL, verdict TEXT NOT NULL, answer TEXT NOT NULL,
    created TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now')),
    topics TEXT NOT NULL DEFAULT '[]', relation TEXT NOT NULL DEFAULT '');
CREATE UNIQUE INDEX IF NOT EXISTS saved_question ON saved(question, strategy, topics, relation);
"""
_UPGRADES: Final = {
    1: """
ALTER TABLE saved ADD COLUMN topics TEXT NOT NULL DEFAULT '[]';
ALTER TABLE saved ADD COLUMN relation TEXT NOT NULL DEFAULT '';
DROP INDEX saved_question;
CREATE UNIQUE INDEX saved_question ON saved(question, strategy, topics, relation)
"""
}
_COLUMNS: Final = "number, question, strategy, names, answer_text, verdict, answer, created, topics, relation"


@dataclass(frozen=True, slots=True)
class SavedQuestion:
    """A question and its expected answer.

    ``names``: names of the answers, sorted. ``answer``: id of the saved answer. ``created``: UTC, ISO 8601. ``topics``
    and ``relation``: what a person chose that names and words mean, as for ``Hydra.ask``.
    """

    number: int
    question: str
    strategy: str
    names: tuple[str, ...]
    answer_text: str
    verdict: str
    answer: str
    created: str
    topics: tuple[str, ...] = ()
    relation: str = ""

    @property
    def is_chosen(self) -> bool:
        """Return whether a person chose what a name or a relation means, which the question alone does not say."""
        return bool(self.topics or self.relation)

    def to_json(self) -> dict[str, Any]:
        """Return the fields as a document."""
        fields = {name: getattr(self, name) for name in self.__slots__}
        return {**fields, "names": list(self.names), "topics": list(self.topics)}


class SavedQuestions:
    """The saved questions of a store, in a file that several processes may read and write."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def all(self) -> list[SavedQuestion]:
        """Return the saved questions, oldest first. Raise StoreCorruptError."""
        if not is_made(self.path):
            return []
        with self._opened() as db:
            return [_saved(row) for row in db.execute(f"SELECT {_COLUMNS} FROM saved ORDER BY number")]

    def save(self, doc: Mapping[str, Any]) -> SavedQuestion:
        """Save the question of an answer with the answer, replacing the expected one. Raise UsageError.

        Args:
            doc: the answer as ``ask --json`` gives it; a follow-up is saved in full.
        """
        question = str(doc["understood_as"] if doc.get("after") and doc.get("understood_as") else doc["question"])
        expected = (json.dumps(names_of(doc)), str(doc["answer_text"]), str(doc["verdict"]), str(doc["id"]))
        asked = question, str(doc["strategy"]), json.dumps(_chosen_topics(doc)), _chosen_relation(doc)
        with self._opened(write=True) as db, changing(db):
            (there,) = db.execute("SELECT count(*) FROM saved").fetchone()
            if there >= MOST:
                raise UsageError(f"{MOST:,} questions are saved.", remedy="Remove some: hydra-kg saved remove NUMBER")
            db.execute(
                "INSERT INTO saved (question, strategy, topics, relation, names, answer_text, verdict, answer) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?) "
                "ON CONFLICT (question, strategy, topics, relation) DO UPDATE SET names = excluded.names, "
                "answer_text = excluded.answer_text, verdict = excluded.verdict, answer = excluded.answer",
                (*asked, *expected),
            )
            where = "question = ? AND strategy = ? AND topics = ? AND relation = ?"
            return _saved(db.execute(f"SELECT {_COLUMNS} FROM saved WHERE {where}", asked).fetchone())

    def remove(self, number: int) -> SavedQuestion:
        """Forget a saved question and return it. Raise NotFoundError."""
        found = next((one for one in self.all() if one.number == number), None)
        if found is None:
            raise NotFoundError(f"No question {number} is saved.", remedy="hydra-kg saved list shows those that are.")
        with self._opened(write=True) as db, changing(db):
            db.execute("DELETE FROM saved WHERE number = ?", (number,))
        return found

    def _opened(self, *, write: bool = False) -> AbstractContextManager[sqlite3.Connection]:
        return open_shared_db(self.path, schema=_SCHEMA, version=_VERSION, write=write, upgrades=_UPGRADES)


def names_of(doc: Mapping[str, Any]) -> list[str]:
    """Return the names of an answer's values, sorted, or the sentence of a yes or no without names."""
    names = sorted({str(answer["name"]) for answer in doc["answers"]})
    return names or ([str(doc["answer_text"])] if doc["answer_text"] and not doc["abstained"] else [])


def _chosen_topics(doc: Mapping[str, Any]) -> list[str]:
    """Return the names that a person gave a meaning ("Germany=m.0345h"), without meanings that were taught.

    An answer by a chosen relation is about one thing, which its question need not name.
    """
    if _chosen_relation(doc):
        return next([f"{x['topics'][0]['name']}={x['topics'][0]['id']}"] for x in doc["explorations"] if x["topics"])
    taught = {one["meaning"] for one in doc.get("manifest", {}).get("teachings", ()) if one["entity"]}
    chosen = [(m["text"], m["chosen"]) for m in doc.get("mentions", ()) if m["chosen"]]
    return [f"{text}={c['id']}" for text, c in chosen if c.get("how") == "given" and c["id"] not in taught]


def _chosen_relation(doc: Mapping[str, Any]) -> str:
    return str(doc.get("manifest", {}).get("relation", ""))


def _saved(row: Sequence[Any]) -> SavedQuestion:
    number, question, strategy, names, answer_text, verdict, answer, created, topics, relation = row
    answers, given = tuple(json.loads(names)), tuple(json.loads(topics))
    return SavedQuestion(
        number, question, strategy, answers, answer_text, verdict, answer, created, topics=given, relation=relation
    )
