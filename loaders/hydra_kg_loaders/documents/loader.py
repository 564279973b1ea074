"""Load people's own texts as pages.

A file is about the subject of its title, and its paragraphs are passages about it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from hydra_kg import ids
from hydra_kg.domain import Source
from hydra_kg.errors import LoadError
from hydra_kg.extract.reading.page import Page, Paragraph
from hydra_kg.extract.reading.subject_statements import statements
from hydra_kg.ingest.contract.choices import Rule
from hydra_kg.ingest.contract.loader import BaseLoader, Streams
from hydra_kg.ingest.contract.work import Work, escape_line
from hydra_kg.ingest.formats import sql
from hydra_kg.text.quoting import sql_text
from hydra_kg_loaders.documents.cell_facts import cell_facts
from hydra_kg_loaders.documents.document import aliases, title_of
from hydra_kg_loaders.documents.document_reader import KINDS, check_libraries, documents, kind_of

_TABLES: Final = {
    "paragraph": "node BIGINT, title VARCHAR, heading VARCHAR, text VARCHAR, line UBIGINT",
    "called": "node BIGINT, kind VARCHAR, text VARCHAR, line UBIGINT",
    "thing": "node BIGINT, key VARCHAR",
    "stated": "s BIGINT, relation VARCHAR, name VARCHAR, key VARCHAR, line UBIGINT, confidence DOUBLE, locator VARCHAR,"
    " turned BOOLEAN",
    "unread": "words VARCHAR",
}
_SURENESS: Final = {"pdf": 0.95, "docx": 0.95, "html": 0.6, "markdown": 0.5, "text": 0.2}
_HTML: Final = re.compile(rb"<(?:!doctype html|html|head|body|article|main|h1|p)[\s>]", re.IGNORECASE)
_SHOWN: Final = 10  # unread files and pages that the report names; all are in the list of rejects
_BINARY: Final = 1024  # bytes at the beginning of a text in which there is no zero


class DocumentsLoader(BaseLoader):
    """Loader of plain text, Markdown, HTML, Word and PDF, recognised by the endings of file names."""

    name = "documents"
    version = 4
    unit = "paragraphs"
    unit_end = b"\n\n"
    disk_per_byte = 4.0
    source = Source("documents", "wiki")
    rules: Mapping[str, Rule] = {
        "relations": Rule(
            "state what a page says of its subject in plain words as facts: founders, dates, places, sizes"
        )
    }

    def sniff(self, head: bytes, path: Path) -> float:
        """Return a score by the ending, if the first bytes agree. More specific formats have higher scores."""
        kind = kind_of(path)
        fits = {
            "pdf": b"%PDF-" in head[:_BINARY],
            "docx": head.startswith(b"PK"),
            "html": _HTML.search(head) is not None,
            "markdown": b"\0" not in head[:_BINARY],
            "text": b"\0" not in head[:_BINARY] or head.startswith((b"\xff\xfe", b"\xfe\xff")),
        }
        return _SURENESS[kind] if kind and fits[kind] else 0.0

    def check_installed(self, file: Path) -> None:
        """See :class:`hydra_kg.ingest.contract.loader.BaseLoader`."""
        check_libraries([file])

    def named(self, path: Path) -> Source:
        """Return a source named after the folder of the file."""
        return Source(path.resolve().parent.name or self.source.name, "wiki")

    def read(self, work: Work) -> Mapping[str, int]:
        """Make the tables of :data:`_TABLES`. A file that cannot be read is one rejected paragraph."""
        if unknown := [f.name for f in work.files if not kind_of(f)]:
            raise LoadError(f"{unknown[0]} has an ending that cannot be read.", remedy=f"Endings: {', '.join(KINDS)}.")
        check_libraries(work.files)
        for table, columns in _TABLES.items():
            work.db.execute(f"CREATE TABLE {table} ({columns})")
        rows: dict[str, list[tuple[Any, ...]]] = {table: [] for table in _TABLES}
        done, total = 0, sum(f.stat().st_size for f in work.files)
        for file, page in documents(work.files):
            before = sum(work.lines)
            paragraphs = page.paragraphs
            if work.options.limit:
                paragraphs = paragraphs[: max(0, work.options.limit - before)]
            unread = [(page.reason, page.words)] if page.reason else [("unread-pages", words) for words in page.unread]
            for number, (reason, words) in enumerate(unread, before + len(paragraphs) + 1):
                work.reject([(number, reason, 0, escape_line(f"{file.name}: {words}".encode()))])
                rows["unread"].append((f"{file.name}: {words or reason}",))
            title = page.title or title_of(file.name.partition(".")[0])
            for table, row in self._rows(work, title, paragraphs, before):
                rows[table].append(row)
            if work.rules["relations"]:
                headings = [heading for heading, _ in paragraphs]
                for table, row in cell_facts(work.name, title, page.cells, headings, before=before):
                    rows[table].append(row)
            work.lines.append(len(paragraphs) + len(unread))
            done += file.stat().st_size
            work.emit("load.read", {"done": done, "total": total, "unit": "bytes", "lines": before + work.lines[-1]})
            if work.options.limit and sum(work.lines) >= work.options.limit:
                break
        for table, found in rows.items():
            work.insert(table, found, [column.split()[1] for column in _TABLES[table].split(", ")])
        return {}

    def clean(self, work: Work) -> Streams:
        """Return paragraphs as passages called ``Title § Heading``, facts, and named things as entities."""
        unread = [row[0] for row in work.db.execute("SELECT words FROM unread").fetchall()]
        if unread and not work.one("SELECT count(*) FROM paragraph"):
            raise LoadError(
                f"No text was found. {'; '.join(unread[:_SHOWN])}.",
                remedy="Nothing was loaded. Correct the files, or load them together with readable ones.",
            )
        relations = [row[0] for row in work.db.execute("SELECT DISTINCT relation FROM stated ORDER BY 1").fetchall()]
        predicates = tuple(sorted((ids.encode(ids.OPEN + r), ids.OPEN + r, r, "") for r in relations))
        work.db.execute("CREATE TABLE said_by_text (relation VARCHAR, p BIGINT)")
        work.insert("said_by_text", [(text, p) for p, _, text, _ in predicates], ("VARCHAR", "BIGINT"))
        work.db.execute(
            "CREATE TABLE titled AS SELECT text, min(node) AS node FROM called GROUP BY text"
            " HAVING count(DISTINCT node) = 1"
        )
        work.db.execute(
            f"CREATE TABLE untitled AS SELECT name, key, {sql.hash_id_sql('key')} AS node, line FROM (SELECT name,"
            f" {sql_text(work.name + ':')} || name AS key, min(line) AS line FROM stated"
            " WHERE name <> '' AND name NOT IN (SELECT text FROM titled) GROUP BY name)"
        )
        known = "(SELECT text AS name, node FROM titled UNION ALL SELECT name, node FROM untitled)"
        return Streams(
            links="SELECT if(turned, node, s) AS s, p, if(turned, s, node) AS o, line, confidence, locator"
            f" FROM stated JOIN said_by_text USING (relation) JOIN {known} USING (name) WHERE s <> node",
            values="SELECT s, p, key, line, confidence, locator FROM stated JOIN said_by_text USING (relation)"
            " WHERE name = ''",
            predicates=predicates,
            notes={"facts of the text": work.one("SELECT count(*) FROM stated")},
            passages="SELECT node, title || if(heading = '', '', ' § ' || heading) AS title, '' AS url, text, line"
            " FROM paragraph",
            names="SELECT node, kind, text, line FROM called UNION ALL SELECT node, 'name', name, line FROM untitled",
            terms="SELECT DISTINCT node AS id, key AS text FROM thing UNION ALL SELECT node, key FROM untitled",
            derived=("names", "links", "values"),
            described={"lines": [f"Not read: {words}." for words in unread[:_SHOWN]]} if unread else {},
        )

    @staticmethod
    def _rows(
        work: Work, title: str, paragraphs: list[tuple[str, str]], before: int
    ) -> Iterator[tuple[str, tuple[Any, ...]]]:
        """Yield (table, row) for the document, its paragraphs and the names in it."""
        if not paragraphs:
            return
        key = f"{work.name}:{title}"
        node = ids.encode(key)
        yield "thing", (node, key)
        yield "called", (node, "title", title, before + 1)
        called = aliases(title, [text for _, text in paragraphs])
        for alias in called:
            yield "called", (node, "alias", alias, before + 1)
        for number, (heading, text) in enumerate(paragraphs, before + 1):
            yield "paragraph", (node, title, heading, text, number)
        if not work.rules["relations"]:
            return
        page = Page([title, *called], [Paragraph(text, heading) for heading, text in paragraphs])
        for s in statements(page):
            heading = paragraphs[s.paragraph][0]
            place = f"{title}{f' § {heading}' if heading else ''} [{s.start}:{s.end}]"
            name = s.text if s.kind == "name" else ""
            yield "stated", (node, s.relation, name, s.key, before + 1 + s.paragraph, s.confidence, place, s.turned)
