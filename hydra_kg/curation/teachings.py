"""Store meanings that people taught in a SQLite file next to the store, and read questions with them.

A teaching says what words of a question mean: other words ("turnover" means "revenue") or one entity ("the Big Apple"
means Q60). It is used from the next question on, says who taught it and when, and can be undone. A meaning that begins
with = is a formula: it was made a column of its table when it was taught, and questions find it there.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Final

from hydra_kg.answer import Answer
from hydra_kg.errors import NotFoundError, UsageError
from hydra_kg.language.morphology import stem
from hydra_kg.language.tokens import Splitter
from hydra_kg.ports import Snapshot
from hydra_kg.text.folding import fold
from hydra_kg.text.plain_text import storable
from hydra_kg.util.fast_dataclass import dataclass, replace
from hydra_kg.util.sidecar_db import changing, is_made, open_shared_db

FILE: Final = "teachings.sqlite"
"""Name of the file in the folder of an embedded store, or in this user's folder for a server."""

LETTERS: Final = 200
"""Most characters of a phrase, a meaning or an author's name."""

MOST: Final = 10_000
"""Most teachings of a store that are in use."""

_VERSION: Final = 1
_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS teaching (
    number INTEGER PRIMARY KEY AUTOINCREMENT, phrase TEXT NOT NULL, stems TEXT NOT NULL, meaning TEXT NOT NULL,
    entity INTEGER NOT NULL, author TEXT NOT NULL,
    created TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now')), undone TEXT NOT NULL DEFAULT '');
"""
_COLUMNS: Final = "number, phrase, meaning, entity, author, created"
_split: Final = Splitter("'-&", quotes=True)


@dataclass(frozen=True, slots=True)
class Teaching:
    """A meaning of a phrase: other words, or with ``entity`` the thing with this key. ``created``: UTC, ISO 8601."""

    number: int
    phrase: str
    meaning: str
    entity: bool
    author: str
    created: str

    @property
    def note(self) -> str:
        """Return the sentence that an answer has if the teaching was used."""
        meaning, day = self.meaning if self.entity else f"“{self.meaning}”", self.created[:10]
        taught = f"taught by {self.author} on {day}" if self.author else f"taught on {day}"
        return f"“{self.phrase}” was understood as {meaning} ({taught})."

    def to_json(self) -> dict[str, Any]:
        """Return the fields as a document."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class TaughtQuestion:
    """A question after teachings were applied. ``topics``: as for ``Hydra.ask``. ``used``: the teachings."""

    text: str
    topics: tuple[str, ...] = ()
    used: tuple[Teaching, ...] = ()

    def marked_on(self, answer: Answer, question: str) -> Answer:
        """Return an answer to ``text`` as an answer to the original question, with the teachings that were used."""
        if not self.used:
            return answer
        manifest = {**answer.manifest, "teachings": [one.to_json() for one in self.used]}
        notes = (*(one.note for one in self.used), *answer.notes)
        return replace(answer, question=question, understood_as=self.text, notes=notes, manifest=manifest)


class Teachings:
    """The teachings of a store, in a file that several processes may read and write."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def all(self) -> list[Teaching]:
        """Return the teachings in use, oldest first. Raise StoreCorruptError."""
        if not is_made(self.path):
            return []
        with self._opened() as db:
            rows = db.execute(f"SELECT {_COLUMNS} FROM teaching WHERE undone = '' ORDER BY number").fetchall()
        return [_teaching(row) for row in rows]

    def teach(self, phrase: str, meaning: str, *, entity: bool = False, author: str = "") -> Teaching:
        """Record what a phrase means from now on, replacing its earlier meaning. Raise UsageError."""
        texts = [" ".join(storable(text).split()) for text in (phrase, meaning, author)]
        if not (stems := _stems(texts[0])) or not texts[1]:
            raise UsageError("A teaching needs words and their meaning.", remedy='hydra-kg teach "turnover" "revenue"')
        if any(len(text) > LETTERS for text in texts):
            raise UsageError(f"Words, meaning and author have at most {LETTERS} characters each.")
        if not entity and not is_formula(texts[1]) and any(f" {sign} " in texts[1] for sign in SIGNS):
            raise UsageError(
                f"“{texts[1]}” looks like a formula, and a formula begins with =.",
                remedy=f'hydra-kg teach "{texts[0]}" "= {texts[1]}"',
            )
        if not entity and stems == _stems(texts[1]):
            raise UsageError(f"“{texts[0]}” means “{texts[1]}” already.", remedy="Name other words, or an --entity.")
        with self._opened(write=True) as db, changing(db):
            db.execute(f"UPDATE teaching SET undone = {_NOW} WHERE stems = ? AND undone = ''", (stems,))
            (there,) = db.execute("SELECT count(*) FROM teaching WHERE undone = ''").fetchone()
            if there >= MOST:
                raise UsageError(f"{MOST:,} teachings are in use.", remedy="Undo some: hydra-kg teach --undo NUMBER")
            row = (texts[0], stems, texts[1], int(entity), texts[2])
            asked = "INSERT INTO teaching (phrase, stems, meaning, entity, author) VALUES (?, ?, ?, ?, ?)"
            number = db.execute(asked, row).lastrowid
            new = db.execute(f"SELECT {_COLUMNS} FROM teaching WHERE number = ?", (number,)).fetchone()
        return _teaching(new)

    def undo(self, number: int) -> Teaching:
        """Take a teaching out of use and return it. Raise NotFoundError."""
        found = next((one for one in self.all() if one.number == number), None)
        if found is None:
            raise NotFoundError(f"No teaching {number} is in use.", remedy="hydra-kg teach lists those that are.")
        with self._opened(write=True) as db, changing(db):
            db.execute(f"UPDATE teaching SET undone = {_NOW} WHERE number = ?", (number,))
        return found

    def read(self, question: str, *, pinned: Collection[str] = ()) -> TaughtQuestion:
        """Return a question with taught meanings in place of its words, longest phrases first.

        ``pinned``: names whose meaning the person who asks chose, which keep that meaning.
        """
        known = self.all()
        return apply_teachings(question, known, pinned=pinned) if known else TaughtQuestion(question)

    def _opened(self, *, write: bool = False) -> AbstractContextManager[sqlite3.Connection]:
        return open_shared_db(self.path, schema=_SCHEMA, version=_VERSION, write=write)


SIGNS: Final = "+-*/×÷−"
"""Signs of formulas."""
_NOW: Final = "strftime('%Y-%m-%dT%H:%M:%SZ', 'now')"


def is_formula(meaning: str) -> bool:
    """Return True if a meaning is a formula: "= (price - cost) / price"."""
    return meaning.lstrip().startswith("=")


def check_entity(snapshot: Snapshot, key: str) -> None:
    """Raise NotFoundError if no ready load knows the entity with this key."""
    if snapshot.lookup([key])[0] is None:
        raise NotFoundError(f"No ready load knows {key}.", remedy="An id looks like m.042f1 or Q60.")


def apply_teachings(question: str, known: Sequence[Teaching], *, pinned: Collection[str] = ()) -> TaughtQuestion:
    """Return a question with the taught meanings of its words. No meaning is replaced again.

    Words match by their stems ("turnovers" is "turnover"). Of overlapping phrases the longest counts. Text in quotation
    marks is a name and stays, and so do the ``pinned`` names.
    """
    words = _split(question)
    low = question.casefold() if len(question.casefold()) == len(question) else question
    names = [re.finditer(rf"(?<!\w){re.escape(name.casefold())}(?!\w)", low) for name in pinned if name]
    taken = {at for found in names for one in found for at in range(*one.span())}
    said = [stem(fold(word.text)) if word.kind == "word" else "" for word in words]
    by_stems = {tuple(_stems(one.phrase).split()): one for one in known if not is_formula(one.meaning)}
    sizes = sorted({len(stems) for stems in by_stems}, reverse=True)
    text, topics, used, at, done = "", list[str](), list[Teaching](), 0, 0
    while at < len(words):
        found = next((one for n in sizes if (one := by_stems.get(tuple(said[at : at + n])))), None)
        if found is None:
            at += 1
            continue
        first, last = words[at], words[at + len(_stems(found.phrase).split()) - 1]
        if not taken.isdisjoint(range(first.start, last.end)):
            at += 1
            continue
        if found.entity:
            topics.append(f"{question[first.start : last.end]}={found.meaning}")
        else:
            text, done = text + question[done : first.start] + found.meaning, last.end
        used.append(found)
        at += len(_stems(found.phrase).split())
    return TaughtQuestion(text + question[done:], tuple(topics), tuple(dict.fromkeys(used)))


def _stems(phrase: str) -> str:
    return " ".join(stem(fold(word.text)) for word in _split(phrase))


def _teaching(row: Sequence[Any]) -> Teaching:
    number, phrase, meaning, entity, author, created = row
    return Teaching(number, phrase, meaning, bool(entity), author, created)
