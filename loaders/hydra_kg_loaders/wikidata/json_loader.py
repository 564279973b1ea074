"""Load Wikidata's JSON dump (``latest-all.json``).

It has names, sitelinks, and statements with rank, qualifiers and origin.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

from hydra_kg import ids
from hydra_kg.domain import Source
from hydra_kg.ingest.contract.choices import Options, Rule, rules_in_force
from hydra_kg.ingest.contract.feed import Feed
from hydra_kg.ingest.contract.loader import HEAD, BaseLoader, Streams, head_of
from hydra_kg.ingest.contract.splits import EngineFeed
from hydra_kg.ingest.contract.work import Work
from hydra_kg.ingest.neighbourhood.reach import Part
from hydra_kg.ingest.workers import run_workers
from hydra_kg.text.quoting import sql_path
from hydra_kg.util.fact_details import UNIT
from hydra_kg_loaders.terms import property_label
from hydra_kg_loaders.wikidata import entities as e
from hydra_kg_loaders.wikidata.entity_links import EntityLines
from hydra_kg_loaders.wikidata.json_layout import entity_chunks, has_entity_lines
from hydra_kg_loaders.wikidata.worker import handler

LONGEST_LINE: Final = 32 << 20
"""Number of bytes of the longest line. The longest entities of Wikidata have a few million."""

_SMALL: Final = 1 << 20  # bytes of files, packed or not, for which no processes are started
_FIRST: Final = re.compile(
    rb'\s*(?:\[\s*)?\{\s*"(?:type|id|pageid|ns|title|lastrevid|modified|labels|descriptions|aliases|claims|sitelinks)"\s*:'
    rb'|\s*\{[^{}]*"entities"\s*:\s*[{\[]'
)
_ENTITY: Final = re.compile(rb'"type"\s*:\s*"(?:item|property|lexeme)"')
_KEY: Final = re.compile(rb'"id"\s*:\s*"[QPL][1-9]')

RULES: Final[Mapping[str, Rule]] = {
    "deprecated": Rule("drop statements of deprecated rank"),
    "best-rank": Rule(
        "drop statements of normal rank where there is a preferred one, as the truthy dump does", default=False
    ),
    "unknown": Rule("drop statements of an unknown value or of none"),
    "properties": Rule("drop what is said about properties; their labels become the texts of the predicates"),
    "language": Rule("drop texts in other languages than English (or those asked for), and sitelinks to other wikis"),
    "other": Rule("drop lexemes and media files"),
    "origins": Rule(
        "attribute statements whose references only say that they came from a Wikipedia (P143) or from"
        " Freebase (P248) to sources of their own, which do not count as independent of those"
    ),
    "qualifier-edges": Rule("an item in a qualifier also gives an edge from the subject, with predicate P161/P453"),
    "guid": Rule("keep the id of each statement as its locator (some 80 bytes a statement on disk)"),
    "same-as": Rule("take P646 and P2671 (Freebase and Google ids) as same-as links too"),
}

_NAMES: Final = {e.NAME: "name", e.ALIAS: "alias", e.DESCRIPTION: "description", e.TITLE: "title"}


class WikidataJsonLoader(BaseLoader):
    """Loader of Wikidata's JSON, with one entity per line.

    The lines are in an array, with ``[``, a comma at the end of each line, and ``]``, or they come without it. Any
    layout is accepted that :mod:`~hydra_kg_loaders.wikidata.json_layout` brings into that form, such as
    ``EntityData.json``.

    A statement is a fact. Its details are its qualifiers, unit, bounds, calendar and precision, and its locator is its
    GUID. Times become xsd:date, gYearMonth, gYear or dateTime by their precision. Quantities become xsd:integer or
    xsd:decimal, coordinates WKT points, urls IRIs, and everything else text. An edge of ``qualifier-edges`` is a fact
    of its own with the locator of its statement.
    """

    name = "wikidata_json"
    version = 2
    source = Source("wikidata", "kg", licence="CC0", url="https://www.wikidata.org")
    rules: Mapping[str, Rule] = RULES
    in_ranges = True
    disk_per_byte = 0.35
    """Bytes of stage and store for each byte of JSON, measured on entities of 14 KB, which is the size in the dump."""
    sample_lines = 5_000

    def sniff(self, head: bytes, path: Path) -> float:
        """Return a high score if the file begins with an entity, alone, in an array or under ``entities``."""
        if not _FIRST.match(head.removeprefix(b"\xef\xbb\xbf")):
            return 0.0
        known = b'"labels"' in head or b'"claims"' in head or b'"lemmas"' in head or len(head) >= HEAD
        return 0.97 if known and _ENTITY.search(head) and _KEY.search(head) else 0.0

    def sources(self, files: Sequence[Path], *, source: Source, options: Options) -> tuple[Source, ...]:
        """Return Wikidata and, as sources, what it took from Wikipedias and Freebase (``entities.origin``)."""
        if not rules_in_force(self, options.rules)["origins"]:
            return (source,)
        return (
            source,
            replace(source, name=f"{source.name} (from Wikipedia)", origin="wikipedia"),
            replace(source, name=f"{source.name} (from Freebase)", origin="freebase"),
        )

    def read(self, work: Work) -> Mapping[str, int]:
        """Make the tables ``row`` (see :data:`~hydra_kg_loaders.wikidata.entities.COLUMNS`) and ``counted``."""
        # To look for what texts have in common takes longer than to write them as they are.
        kinds = {
            k: f"{kind} USING COMPRESSION uncompressed" if kind == "VARCHAR" else kind for k, kind in e.COLUMNS.items()
        }
        work.db.execute(f"CREATE TABLE row ({', '.join(f'{name} {kind}' for name, kind in kinds.items())})")
        counts: Counter[str] = Counter()
        options = work.options
        longest = max(options.max_line, LONGEST_LINE)
        here = Feed(
            work.files,
            work.folder / "aside.bin",
            limit=options.limit,
            max_line=longest,
            progress=work.progress(),
            read=entity_chunks,
        )
        feed: Feed | EngineFeed = here
        arguments = (",".join(name for name, on in work.rules.items() if on), ",".join(options.languages))
        work.db.execute("BEGIN")  # one commit, not one for each piece
        if work.engine is not None and all(has_entity_lines(head_of(file)) for file in work.files):
            feed = EngineFeed(work, work.engine, partial(_convert_piece, arguments=arguments), max_line=longest)
            _gather(work, feed, counts)
        elif sum(f.stat().st_size for f in work.files) < _SMALL:
            _inline(work, here, arguments, counts)
        else:
            command = ["-m", "hydra_kg_loaders.wikidata.worker", *arguments]
            for made, answer in run_workers(
                here.numbered(work.folder), command=command, workers=max(1, options.threads), folder=work.folder
            ):
                counts.update(json.loads(answer))
                _insert(work, made)
        work.lines = feed.lines
        _aside(work, feed, arguments, counts)
        work.db.execute("COMMIT")
        work.reject_found(f"SELECT line, text, s, locator FROM row WHERE kind = {e.REJECT}")
        work.db.execute("CREATE TABLE counted (name VARCHAR, n UBIGINT)")
        work.insert("counted", sorted(counts.items()), ("VARCHAR", "UBIGINT"))
        return {
            "blank": counts["blank"],
            "repaired": counts["repaired"],
            "statements": counts["statements"],
            "odd values": counts["odd"],
            **{
                f"statements dropped as {name}": counts[name]
                for name in ("deprecated", "best-rank", "unknown", "language")
            },
        }

    def reach(self, files: Sequence[Path], options: Options, folder: Path) -> Part:
        rules = ",".join(name for name, on in rules_in_force(self, options.rules).items() if on)
        return EntityLines(files, (rules, ",".join(options.languages)), options, folder, LONGEST_LINE)

    def clean(self, work: Work) -> Streams:
        """See :class:`hydra_kg.ingest.contract.loader.Loader`."""
        counted = dict(work.db.execute("SELECT name, n FROM counted").fetchall())
        part = f"nullif(split_part(more, chr({ord(UNIT)}), {{}}), '')"
        more = (
            f"line, {part.format(1)}::USMALLINT AS source, {part.format(2)} AS rank,"
            f" {part.format(3)} AS qualifiers, locator"
        )
        kinds = " ".join(f"WHEN {kind} THEN '{name}'" for kind, name in _NAMES.items())
        return Streams(
            links=f"SELECT s, p, o, {more} FROM row WHERE kind = {e.LINK}",
            values=f"SELECT s, p, text AS key, {more} FROM row WHERE kind = {e.VALUE}",
            names=f"SELECT s AS node, CASE kind {kinds} END AS kind, text, line FROM row"
            f" WHERE kind IN ({', '.join(map(str, _NAMES))}) AND text IS NOT NULL",
            same_as=f"SELECT s AS a, o AS b, line FROM row WHERE kind = {e.SAME_AS}" if work.rules["same-as"] else "",
            predicates=_predicates(work),
            dropped={"other": counted.get("other", 0)},
            kept={"entities": counted.get("entities", 0)},
            derived=("links", "values", "names", "passages", "same_as"),
        )


def _inline(work: Work, feed: Feed, arguments: tuple[str, str], counts: Counter[str]) -> None:
    """Read a small file in this process."""
    handle = handler(*arguments)
    piece, made, first = work.folder / "work-0", work.folder / "made-0", 1
    for block in feed.blocks():
        piece.write_bytes(block)
        counts.update(json.loads(handle(piece, made, first)))
        _insert(work, made)
        first += block.count(b"\n")


def _convert_piece(
    piece: Path, made: Path, first: int, *, arguments: tuple[str, str]
) -> tuple[bytes, Mapping[str, int]]:
    """Return the rows of a piece of a range in the form that a worker process writes."""
    counts = json.loads(handler(*arguments)(piece, made, first))
    return made.read_bytes(), counts


def _gather(work: Work, feed: EngineFeed, counts: Counter[str]) -> None:
    """Insert the rows of all ranges. Their lines are counted from the beginning of each range."""
    path = work.folder / "made-0"
    for made, found, before in feed:
        path.write_bytes(made)
        _insert(work, path, before)
        counts.update(found)


def _aside(work: Work, feed: Feed | EngineFeed, arguments: tuple[str, str], counts: Counter[str]) -> None:
    """Insert the lines that were set aside. Odd ones are read, and those that are lost are rejected."""
    entities = e.Entities(rules=frozenset(arguments[0].split(",")), languages=work.options.languages)
    rows: list[str] = []
    made = work.folder / "made-0"
    for line in feed.set_aside():
        if line.reason:
            rows.append(entities.rejected(line.reason, line.line, line.data))
        else:
            entities.line(line.data, line.line, rows)
        if len(rows) > 100_000:
            made.write_text("\n".join([*rows, ""]), "utf-8", "replace", "\n")
            _insert(work, made)
            rows = []
    made.write_text("\n".join([*rows, ""]), "utf-8", "replace", "\n")
    _insert(work, made)
    made.unlink()
    counts.update(entities.counts)


def _insert(work: Work, made: Path, before: int = 0) -> None:
    """Insert the rows of a file, whose lines are counted after the first ``before`` ones.

    Line 0 means that there is none.
    """
    columns = ", ".join(f"{name!r}: {kind!r}" for name, kind in e.COLUMNS.items())
    shifted = f"* REPLACE (if(line = 0, 0, line + {before}) AS line)" if before else "*"
    if made.stat().st_size > 1:
        work.db.execute(
            f"INSERT INTO row SELECT {shifted} FROM read_csv({sql_path(made)}, delim = '\t', quote = '', escape = '',"
            f" header = false, new_line = '\\n', columns = {{{columns}}}, auto_detect = false,"
            f" max_line_size = {4 * e.LONGEST + 64}, buffer_size = {16 * (e.LONGEST + 64)})"
        )


def _predicates(work: Work) -> tuple[tuple[int, str, str, str], ...]:
    """Return every predicate that is used, with its label and its declared inverse.

    The label is that of the dump, or else the bundled one.
    """

    def texts(kind: int) -> dict[int, str]:
        rows = work.db.execute(f"SELECT s, min(text) FROM row WHERE kind = {kind} AND text IS NOT NULL GROUP BY s")
        return dict(rows.fetchall())

    labels, inverse, terms = texts(e.LABEL), texts(e.INVERSE), texts(e.TERM)
    used = work.db.execute(f"SELECT DISTINCT p FROM row WHERE kind IN ({e.LINK}, {e.VALUE}) ORDER BY p").fetchall()
    found = []
    for (number,) in used:
        key = ids.decode(number) or terms[number]
        text = " / ".join(labels.get(ids.encode(part)) or property_label(part) or part for part in key.split("/"))
        found.append((number, key, text, inverse.get(number, "")))
    return tuple(found)
