"""Load passages of text from JSON lines with title, text, subject (``qid``, ``mid``) and place (``url``)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from hydra_kg import ids
from hydra_kg.domain import Source
from hydra_kg.ingest.contract.choices import Rule
from hydra_kg.ingest.contract.feed import GAP, Feed
from hydra_kg.ingest.contract.loader import BaseLoader, Streams
from hydra_kg.ingest.contract.splits import EngineFeed
from hydra_kg.ingest.contract.work import Rejected, Work, escape_line
from hydra_kg.ingest.formats import sql
from hydra_kg.text.plain_text import fold_compatibility, storable
from hydra_kg.text.quoting import sql_text
from hydra_kg_loaders.passages.relations import (
    MOST_FACTS,
    NAMED,
    RARE_RULE,
    RELATIONS,
    Predicate,
    extract_links,
    fits,
    state_extracted,
    state_relations,
)

_KINDS: Final = ("BIGINT", "VARCHAR", "VARCHAR", "VARCHAR", "UBIGINT", "VARCHAR", "VARCHAR")
_LINE: Final = 4  # the place of the line in a row
_MOST: Final = 50_000  # rejects held before they are written down


class PassagesLoader(BaseLoader):
    """Loader of passages as JSON lines.

    A line has ``text`` (or ``abstract``, ``paragraph``), ``title``, ``url``, ``qid``, ``mid`` and ``facts``.
    """

    name = "passages"
    version = 4
    in_ranges = True
    source = Source("passages", "wiki")
    rules: Mapping[str, Rule] = {
        "empty": Rule("drop passages without text"),
        "relations": Rule(RELATIONS.text, default=False),
        "rare": RARE_RULE,
        "extracted": Rule("state the facts that hydra-kg extract added to passages, marked as extracted"),
    }

    def sniff(self, head: bytes, path: Path) -> float:
        """Return a high score if the first lines are JSON objects with a text."""
        lines = [line for line in head.split(b"\n")[:20] if line.startswith(b"{")]
        return 0.9 if lines and sum(b'"text"' in line for line in lines) > len(lines) // 2 else 0.0

    def describe(self, head: bytes) -> Source:
        """Return Wikipedia as the source of its pages. Of other texts only the file is known."""
        if b"wikipedia.org/wiki/" not in head:
            return self.source
        return Source("wikipedia", "wiki", origin="wikipedia", licence="CC BY-SA", url="https://en.wikipedia.org")

    def read(self, work: Work) -> Mapping[str, int]:
        """Make the table ``paragraph`` (node or 0, title, url, text, line, key of a hashed node, facts as JSON)."""
        work.db.execute(
            "CREATE TABLE paragraph (node BIGINT, title VARCHAR, url VARCHAR, text VARCHAR, line UBIGINT, key VARCHAR,"
            " facts VARCHAR)"
        )
        counts, most = Counter({"blank": 0, "empty": 0}), work.options.max_line
        feed: Feed | EngineFeed
        if work.engine is None:
            feed = Feed(
                work.files, work.folder / "aside.bin", limit=work.options.limit, max_line=most, progress=work.progress()
            )
            work.insert("paragraph", _rows(_lines(feed), counts, work.reject), _KINDS)
        else:
            feed = EngineFeed(work, work.engine, _convert_piece, max_line=most)
            for (rows, rejected), found, before in feed:
                work.insert("paragraph", ((*r[:_LINE], r[_LINE] + before, *r[_LINE + 1 :]) for r in rows), _KINDS)
                work.reject((number + before, *rest) for number, *rest in rejected)
                counts.update(found)
        aside = ((a.line, a.reason, a.data) for a in feed.set_aside())
        work.insert("paragraph", _rows(aside, counts, work.reject), _KINDS)
        work.lines = feed.lines
        return counts

    def clean(self, work: Work) -> Streams:
        """Return the passages. A title names the subject of its passage, or identifies it if no passage has an id."""
        empty = work.one("SELECT count(*) FROM paragraph WHERE text = ''")
        table = "paragraph" if work.one("SELECT count(*) FROM paragraph WHERE node <> 0") else _entities_by_title(work)
        links = ""
        notes: Mapping[str, int] = {}
        predicates: tuple[Predicate, ...] = ()
        things = ""
        by_rule = work.rules["relations"] and work.one("SELECT count(*) FROM paragraph") > empty
        if by_rule:
            state_relations(work)
        if work.rules["extracted"] and work.one("SELECT count(*) FROM paragraph WHERE facts IS NOT NULL"):
            things = state_extracted(work, table)
        if by_rule or (things and work.one("SELECT count(*) FROM stated")):
            links, predicates, notes = extract_links(work, rare=work.rules["rare"])
        return Streams(
            links=links,
            predicates=predicates,
            passages=f"SELECT node, title, url, text, line FROM {table} WHERE text <> ''",
            terms=f"SELECT node AS id, key AS text FROM {table} WHERE key IS NOT NULL"
            f"{f' UNION ALL SELECT node, key FROM {things}' if things else ''}",
            names=f"SELECT node, 'title' AS kind, title AS text, line FROM {table}"
            " WHERE text <> '' AND node <> 0 AND title <> ''"
            f"{NAMED.format(things) if things else ''}",
            dropped={"empty": empty},
            derived=("names", "links"),
            notes=notes,
        )


def _rows(
    lines: Iterable[tuple[int, str, bytes]], counts: Counter[str], reject: Callable[[list[Rejected]], object]
) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of lines. A blank line is counted, and a line that is not a passage is rejected."""
    rejected: list[Rejected] = []
    for number, reason, data in lines:
        if reason:
            rejected.append((number, reason, 0, escape_line(data)))
        elif not data.strip():
            counts["blank"] += 1
        else:
            try:
                yield _passage(number, data)
            except _NoPassage as e:
                rejected.append((number, e.reason, e.position, escape_line(data)))
        if len(rejected) >= _MOST:
            reject(rejected)
            rejected = []
    reject(rejected)


def _convert_piece(piece: Path, made: Path, first: int) -> tuple[Any, Mapping[str, int]]:
    """Return the rows of a piece of a range, and its rejects."""
    counts: Counter[str] = Counter()
    rejected: list[Rejected] = []
    with piece.open("rb") as file:
        lines = ((number, "", line.removesuffix(b"\n")) for number, line in enumerate(file, first))
        rows = list(_rows((one for one in lines if one[2] != GAP), counts, rejected.extend))
    return (rows, rejected), counts


def _entities_by_title(work: Work) -> str:
    """Return a table of passages with an entity of this load for each title, if no passage has an id of its subject."""
    work.db.execute(
        f"CREATE TABLE by_title AS SELECT if(title = '', 0, {sql.hash_id_sql('key')}) AS node, title, url, text, line,"
        f" if(title = '', NULL, key) AS key FROM (SELECT *, {sql_text(work.name + ':')} || title AS key FROM"
        " (SELECT title, url, text, line FROM paragraph)) ORDER BY line"
    )
    return "by_title"


class _NoPassage(ValueError):
    def __init__(self, reason: str, position: int = 0) -> None:
        super().__init__(reason)
        self.reason, self.position = reason, position


def _passage(number: int, data: bytes) -> tuple[Any, ...]:
    """Return the row of a passage. Raises an error with a reason for an invalid one."""
    try:
        doc = json.loads(data)
    except json.JSONDecodeError as e:
        raise _NoPassage("json", e.pos) from e
    except RecursionError as e:
        raise _NoPassage("json") from e
    if not isinstance(doc, dict):
        raise _NoPassage("object")
    text = fold_compatibility(_string(doc, "text", "abstract", "paragraph"))
    title, url = fold_compatibility(_string(doc, "title")), _string(doc, "url")
    key = _string(doc, "qid") or _string(doc, "mid").lstrip("/").replace("/", ".")
    node = ids.encode(key) if key else 0
    return node, title, url, text, number, key if node & 7 == ids.HASHED else None, _facts(doc)


def _facts(doc: Mapping[str, Any]) -> str | None:
    """Return extracted facts of a passage as JSON: the model, then facts. It is None if absent or malformed."""
    facts, by = doc.get("facts"), doc.get("extracted")
    if not isinstance(facts, list) or not isinstance(by, dict) or not isinstance(by.get("by"), str):
        return None
    rows = [[*map(storable, f[:3]), *f[3:]] for f in facts[:MOST_FACTS] if fits(f)]
    return json.dumps([storable(by["by"]), rows]) if rows else None


def _string(doc: Mapping[str, Any], *names: str) -> str:
    for name in names:
        value = doc.get(name)
        if value is None or value == "":
            continue
        if not isinstance(value, str):
            raise _NoPassage("type")
        return storable(value)  # a lone surrogate is legal JSON, and no character
    return ""


def _lines(feed: Feed) -> Iterator[tuple[int, str, bytes]]:
    number = 0
    for block in feed.blocks():
        for line in block[:-1].split(b"\n"):
            number += 1
            if line != GAP:
                yield number, "", line
