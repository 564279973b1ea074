"""Find relations in passages without links, where titles of the file name things and a passage's title its subject."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from hydra_kg.extract.mentions import Gazetteer, Span, SubjectFinder
from hydra_kg.extract.path_rules import sentences
from hydra_kg.extract.relations import RelationExtractor
from hydra_kg.ingest.contract.work import Work

_WINDOW: Final = 20_000
_KINDS: Final = ("BIGINT", "VARCHAR", "BIGINT", "UBIGINT", "DOUBLE", "VARCHAR")


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
