"""Load relations of passages as facts: those found by rules and those that a model extracted."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any, Final

from hydra_kg import ids
from hydra_kg.extract.mentions import Gazetteer, Span, SubjectFinder, sentences
from hydra_kg.extract.relations import RelationExtractor
from hydra_kg.ingest.contract.choices import Rule
from hydra_kg.ingest.contract.work import Work

_WINDOW: Final = 20_000
_KINDS: Final = ("BIGINT", "VARCHAR", "BIGINT", "UBIGINT", "DOUBLE", "VARCHAR")
RARE: Final = 10_000
"""Number of relations from which rare phrases are left out.

Of n relations, phrases with fewer than √(n / RARE) pairs are rare.
"""

RELATIONS: Final = Rule(
    "state what a sentence says of two named things as a fact, with the phrase between them as predicate"
)
RARE_RULE: Final = Rule("of very many such facts leave out those whose phrase joins only few pairs")

Predicate = tuple[int, str, str, str]
CONFIDENCE: Final = 0.5
"""Confidence of every extracted fact, because the accuracy of the model is not known here."""

MOST_FACTS: Final = 1_000
"""Largest number of facts of one passage that are read."""

_LONGEST: Final = 300
NAMED: Final = " UNION ALL SELECT node, 'name', name, line FROM {}"


def state_relations(work: Work) -> None:
    """Fill ``stated`` from ``paragraph`` (node, title, url, text, line), ignoring ambiguous titles."""
    work.db.execute(
        "CREATE TABLE IF NOT EXISTS stated (s BIGINT, phrase VARCHAR, o BIGINT, line UBIGINT, confidence DOUBLE,"
        " locator VARCHAR)"
    )
    names = dict(
        work.db.execute(
            "SELECT title, min(node) FROM paragraph WHERE node <> 0 AND NOT ends_with(title, ')')"
            " GROUP BY title HAVING count(DISTINCT node) = 1"
        ).fetchall()
    )
    work.insert("stated", _extract_relations(work, Gazetteer(names)), _KINDS)


def _extract_relations(work: Work, gazetteer: Gazetteer) -> Iterator[tuple[Any, ...]]:
    """Yield a row for each relation that a sentence states between two names."""
    extractor = RelationExtractor()
    last: int = work.one("SELECT coalesce(max(rowid), -1) FROM paragraph")
    for start in range(0, last + 1, _WINDOW):
        window = f"rowid >= {start} AND rowid < {start + _WINDOW} ORDER BY rowid"
        rows = work.db.execute(f"SELECT node, title, text, line FROM paragraph WHERE text <> '' AND {window}")
        for node, title, text, line in rows.fetchall():
            places = sentences(text)
            mentions = merge_mentions(
                SubjectFinder(title, node).spans(text, places) if node and title else [], gazetteer.spans(text)
            )
            for begin, stop in places if len(mentions) > 1 else ():
                inside = [(s - begin, e - begin, n) for s, e, n in mentions if begin <= s and e <= stop]
                for r in extractor.relations(text[begin:stop], inside):
                    place = f"{title} [{begin + r.start}:{begin + r.end}]"
                    yield r.subject, r.phrase, r.object, line, r.confidence, place


def merge_mentions(own: list[Span], others: list[Span]) -> list[Span]:
    """Return the mentions of both lists in order. Where they overlap, those of the first list stay."""
    free = [m for m in others if not any(m[0] < end and start < m[1] for start, end, _ in own)]
    return sorted(own + free)


def extract_links(work: Work, *, rare: bool) -> tuple[str, tuple[Predicate, ...], dict[str, int]]:
    """Return links, predicates and counts from the table ``stated``.

    The table has the columns s, phrase, o, line, confidence and locator. Each fact gets its first line and its best
    confidence. With ``rare``, rare phrases are dropped (Fader, Soderland and Etzioni 2011, §3.2).
    """
    total = work.one("SELECT count(*) FROM stated")
    least = max(1, math.isqrt(total // RARE)) if rare else 1
    work.db.execute("CREATE TABLE open AS SELECT phrase, count(DISTINCT (s, o)) AS pairs FROM stated GROUP BY phrase")
    left = work.one(
        f"SELECT count(*) FROM stated SEMI JOIN (SELECT phrase FROM open WHERE pairs < {least}) USING (phrase)"
    )
    phrases = [row[0] for row in work.db.execute(f"SELECT phrase FROM open WHERE pairs >= {least}").fetchall()]
    predicates = tuple(sorted((ids.encode(ids.OPEN + p), ids.OPEN + p, p, "") for p in phrases))
    work.db.execute("CREATE TABLE phrase (phrase VARCHAR, p BIGINT)")
    work.insert("phrase", [(text, p) for p, _, text, _ in predicates], ("VARCHAR", "BIGINT"))
    links = (
        "SELECT s, p, o, min(line) AS line, max(confidence) AS confidence, arg_min(locator, (line, locator)) AS"
        " locator FROM stated JOIN phrase USING (phrase) GROUP BY s, p, o"
    )
    return links, predicates, {"relations": total, "relations of rare phrases": left}


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
