"""Load facts that a model extracted from passages (hydra-kg extract): checked, resolved to things, and marked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from hydra_kg import ids
from hydra_kg.ingest.contract.work import Work

CONFIDENCE: Final = 0.5
"""Confidence of every extracted fact, because the accuracy of the model is not known here."""

MOST_FACTS: Final = 1_000
"""Largest number of facts of one passage that are read."""

_LONGEST: Final = 300
_KINDS: Final = ("BIGINT", "VARCHAR", "BIGINT", "UBIGINT", "DOUBLE", "VARCHAR")
NAMED: Final = " UNION ALL SELECT node, 'name', name, line FROM {}"


def fits(fact: object) -> bool:
    """Return True for a fact in the form of hydra-kg extract: subject, relation, object, start, end."""
    if not isinstance(fact, list) or len(fact) != 5:
        return False
    *words, start, end = fact
    if not all(isinstance(w, str) and w.strip() and len(w) <= _LONGEST for w in words):
        return False
    return type(start) is int and type(end) is int and 0 <= start <= end < 1 << 31


def state_extracted(work: Work, table: str) -> str:
    """Fill ``stated`` from the facts of the passages in ``table``.

    Returns the table of named things: node, key, name, line.
    """
    work.db.execute(
        "CREATE TABLE IF NOT EXISTS stated (s BIGINT, phrase VARCHAR, o BIGINT, line UBIGINT, confidence DOUBLE,"
        " locator VARCHAR)"
    )
    work.db.execute("CREATE TABLE extracted_thing (node BIGINT, key VARCHAR, name VARCHAR, line UBIGINT)")
    titles: dict[str, int] = dict(
        work.db.execute(
            f"SELECT title, min(node) FROM {table} WHERE node <> 0 GROUP BY title HAVING count(DISTINCT node) = 1"
        ).fetchall()
    )
    things: dict[str, tuple[int, str, str, int]] = {}

    def node(name: str, line: int) -> int:
        if name in titles:
            return titles[name]
        key = f"{work.name}:{name}"
        return things.setdefault(name, (ids.encode(key), key, name, line))[0]

    def rows() -> Iterator[tuple[Any, ...]]:
        found = work.db.execute("SELECT title, facts, line FROM paragraph WHERE facts IS NOT NULL ORDER BY line")
        for title, text, line in found.fetchall():
            by, facts = json.loads(text)
            for subject, relation, obj, start, end in facts:
                s, o = node(subject, line), node(obj, line)
                place = f"{title}, extracted by {by} [{start}:{end}]"
                if s != o:
                    yield s, relation, o, line, CONFIDENCE, place

    work.insert("stated", list(rows()), _KINDS)
    work.insert("extracted_thing", list(things.values()), ("BIGINT", "VARCHAR", "VARCHAR", "UBIGINT"))
    return "extracted_thing"
