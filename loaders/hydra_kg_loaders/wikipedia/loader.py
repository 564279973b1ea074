"""Load Wikipedia's ``pages-articles-multistream.xml.bz2``: passages, names, and relations between linked pages.

Pages are the units and locators. They become the entities of sitelinks, or else their addresses.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from hydra_kg import ids
from hydra_kg.domain import Source
from hydra_kg.errors import LoadError, UsageError
from hydra_kg.ingest.contract.choices import Rule
from hydra_kg.ingest.contract.feed import chunks
from hydra_kg.ingest.contract.loader import HEAD, BaseLoader, Streams
from hydra_kg.ingest.contract.work import Work
from hydra_kg.ingest.formats import sql
from hydra_kg.text.quoting import sql_path, sql_text
from hydra_kg_loaders.links.sitelinks import SITELINKS, read_sitelinks
from hydra_kg_loaders.passages.relations import RARE_RULE, RELATIONS, Predicate, extract_links
from hydra_kg_loaders.wikipedia.dump import (
    Piece,
    Site,
    describe_damage,
    is_multistream,
    site,
    stream_pieces,
    unpack_pieces,
)
from hydra_kg_loaders.wikipedia.pool import clean_jobs, elsewhere
from hydra_kg_loaders.wikipedia.worker import ARTICLE, EMPTY, MODEL, REDIRECT, SPACE, Job

_COLUMNS: Final = {
    "page": "number UBIGINT, kind UTINYINT, title VARCHAR, id VARCHAR, revision VARCHAR, redirect VARCHAR",
    "paragraph": "number UBIGINT, place UINTEGER, section VARCHAR, text VARCHAR",
    "relation": "number UBIGINT, place UINTEGER, section VARCHAR, start UINTEGER, stop UINTEGER, subject VARCHAR,"
    " phrase VARCHAR, object VARCHAR, confidence DOUBLE",
}
_MOST_LINE: Final = 1 << 20
_NO_FACTS: Final = (
    "No facts were found: the rules read English sentences that link two pages."
    " The passages are loaded and can be asked."
)


class WikipediaLoader(BaseLoader):
    """Loader of the dump of a wiki, in one or several files."""

    name = "wikipedia"
    version = 2
    unit = "pages"
    unit_end = b"</page>"  # what a forecast counts in a file
    sample_lines = 2_000
    disk_per_byte = 1.2
    in_ranges = True
    source = Source("wikipedia", "wiki", origin="wikipedia", licence="CC BY-SA", url="https://en.wikipedia.org")
    rules: Mapping[str, Rule] = {
        "spaces": Rule("drop pages that are no articles: talk, templates, files, categories"),
        "models": Rule("drop pages that are not wikitext (scripts, styles, data)"),
        "empty": Rule("drop articles without a paragraph of text"),
        "redirects": Rule("drop redirects to pages that are not there; others become aliases"),
        "apparatus": Rule("leave out the sections references, notes, further reading, external links, see also"),
        "relations": RELATIONS,
        "rare": RARE_RULE,
    }

    def sniff(self, head: bytes, path: Path) -> float:
        """Return a high score for an export of MediaWiki."""
        if b"<mediawiki" in head[:4096]:
            return 0.98
        return 0.8 if b"<page>" in head and b"<title>" in head and b"<revision>" in head else 0.0

    def describe(self, head: bytes) -> Source:
        """Return the wiki named in the dump."""
        base = site(head).base
        home = base.removesuffix("wiki/").rstrip("/")
        if home == self.source.url or b"<base>" not in head:
            return self.source
        host = home.partition("//")[2]
        ours = host.endswith(".wikipedia.org")
        name = f"wikipedia-{host.partition('.')[0]}" if ours else host
        return Source(name, "wiki", origin="wikipedia" if ours else host, licence="CC BY-SA" if ours else "", url=home)

    def read(self, work: Work) -> Mapping[str, int]:
        """Make ``page``, ``paragraph`` (number, place in its section, section, text), ``relation`` and ``site``."""
        for table, columns in _COLUMNS.items():
            work.db.execute(f"CREATE TABLE {table} ({columns})")
        work.db.execute("CREATE TABLE site (line UBIGINT, base VARCHAR)")
        work.db.execute("CREATE TABLE sitelink (title VARCHAR, node BIGINT)")
        links = 0
        if path := work.options.extra.get(SITELINKS, ""):
            wiki = site(_head(work.files[0])).base.partition("//")[2].partition(".")[0]
            links = read_sitelinks(work, Path(path), wiki=wiki)
        for left in work.folder.glob("pages-*"):  # of a run that was killed
            shutil.rmtree(left, ignore_errors=True)
        # A name of its own: processes of a killed run may still be writing for a moment.
        scratch = Path(tempfile.mkdtemp(prefix="pages-", dir=work.folder))
        total, done = sum(f.stat().st_size for f in work.files), 0
        plain = pages = 0
        for file in work.files:
            if work.options.limit and pages >= work.options.limit:
                break
            here, more = self._file(work, file, scratch, pages, done, total)
            pages, plain, done = pages + here, plain + more, done + file.stat().st_size
            work.lines.append(here)
        shutil.rmtree(scratch, ignore_errors=True)
        if not pages:
            raise LoadError(
                "No page was found.",
                remedy="Is it a dump of a MediaWiki? A file for --as wikipedia holds <page> elements.",
            )
        return {"plain bytes": plain, "sitelinks": links}

    def clean(self, work: Work) -> Streams:
        """See :class:`hydra_kg.ingest.contract.loader.Loader`."""
        kinds = dict(work.db.execute("SELECT kind, count(*) FROM page GROUP BY kind").fetchall())
        _resolve(work)
        aliases = work.one("SELECT count(*) FROM alias")
        relations = kinds.get(ARTICLE, 0) and work.rules["relations"]
        items = work.one(f"SELECT count(*) FROM article WHERE node & 7 = {ids.QID}")
        notes = {"paragraphs": work.one("SELECT count(*) FROM paragraph"), "articles with an item": items}
        links = ""
        predicates: tuple[Predicate, ...] = ()
        if relations:
            _make_stated(work)
            links, predicates, found = extract_links(work, rare=work.rules["rare"])
            notes |= found
        return Streams(
            links=links,
            predicates=predicates,
            passages="SELECT node, title || if(section = '', '', ' § ' || section) AS title,"
            f" base || {_address('title')} || if(revision = '', '', '?oldid=' || revision)"
            f" || if(section = '', '', '#' || {_address('section')}) AS url, text, paragraph.number AS line"
            " FROM paragraph JOIN article ON line = number",
            names="SELECT node, 'title' AS kind, title AS text, line FROM article"
            " UNION ALL SELECT node, 'alias', regexp_replace(title, ' \\([^()]*\\)$', ''), line FROM article"
            " WHERE ends_with(title, ')') AND NOT starts_with(title, '(')"
            " UNION ALL SELECT node, 'alias', title, line FROM alias"
            " UNION ALL SELECT node, 'title', title, line FROM stranger",
            terms=f"SELECT node AS id, key AS text FROM article WHERE node & 7 = {ids.HASHED}"
            " UNION ALL SELECT node, key FROM stranger",
            dropped={
                "spaces": kinds.get(SPACE, 0),
                "models": kinds.get(MODEL, 0),
                "empty": kinds.get(EMPTY, 0),
                "redirects": kinds.get(REDIRECT, 0) - aliases,
            },
            kept={"articles": kinds.get(ARTICLE, 0), "redirects": aliases},
            derived=("links", "values", "names", "passages", "same_as"),
            notes=notes,
            described={"lines": [_NO_FACTS]} if relations and not notes["relations"] else {},
        )

    def _file(self, work: Work, file: Path, scratch: Path, before: int, done: int, total: int) -> tuple[int, int]:
        """Read one file whose first page is number ``before`` + 1. Return its pages and decompressed bytes."""
        head = _head(file)
        if b"<!DOCTYPE" in head or b"<!ENTITY" in head:
            raise LoadError(
                f"{file.name} declares a document type, as no Wikipedia dump does.",
                remedy="Nothing of it was read. Remove the declaration if you trust the file.",
            )
        about = site(head)
        work.db.execute("INSERT INTO site VALUES (?, ?)", [before, about.base])
        pages = plain = 0
        left = work.options.limit - before if work.options.limit else 1 << 62
        several = is_multistream(file)
        read = 0

        def count(more: int, _: int) -> None:
            nonlocal read
            read += more

        if work.engine is not None and not several:
            raise UsageError(
                f"{file.name} is not a bzip2 file of several streams, so it cannot be read in parts.",
                remedy="Load the dump called multistream, or leave --engine out.",
            )
        pieces = stream_pieces(file) if several else unpack_pieces(chunks(file, count), scratch)
        jobs = _jobs(work, pieces, about, scratch)
        if work.engine is not None:
            results = elsewhere(list(jobs), work.engine)
        else:
            results = clean_jobs(jobs, processes=work.options.threads if _large(file) else 1)
        try:
            for job, made in results:
                for table in _COLUMNS:
                    _insert(
                        work, table, Path(f"{job.out}.{table}"), before + pages, before + min(pages + made.pages, left)
                    )
                work.reject(
                    (before + pages + n, reason, place, shown)
                    for n, reason, place, shown in made.rejected
                    if pages + n <= left
                )
                pages, plain = pages + made.pages, plain + made.plain
                place = job.piece.start + job.piece.length if several else read
                work.emit("load.read", {"done": done + place, "total": total, "unit": "bytes", "lines": before + pages})
                if pages >= left:
                    break
        except EOFError as e:
            raise describe_damage(Piece(str(file), False, 0, 0), "it ends in the middle of a page") from e
        return min(pages, left), plain


def _jobs(work: Work, pieces: Iterator[Piece], about: Site, scratch: Path) -> Iterator[Job]:
    """Yield a job for each piece of a dump."""
    for n, piece in enumerate(pieces):
        yield Job(
            piece,
            str(scratch / f"piece-{n}"),
            tuple(sorted(about.spaces)),
            tuple(sorted(about.hidden)),
            apparatus=not work.rules["apparatus"],
            relations=work.rules["relations"],
            remove=not piece.bz2,
        )


def _head(file: Path) -> bytes:
    head = b""
    for data in chunks(file):
        head += data
        if len(head) >= HEAD:
            break
    return head.partition(b"<page>")[0]


def _large(file: Path) -> bool:
    return file.stat().st_size > 4 << 20  # below, starting processes takes longer than cleaning


def _insert(work: Work, table: str, file: Path, before: int, most: int) -> None:
    """Add the rows of a file up to page ``most``, with their page numbers increased by ``before``."""
    if not file.stat().st_size:
        return
    columns = [c.strip().split(" ") for c in _COLUMNS[table].split(",")]
    kinds = ", ".join(f"{sql_text(name)}: {sql_text(kind)}" for name, kind in columns)
    texts = ", ".join(f"coalesce({n}, '') AS {n}" if kind == "VARCHAR" else n for n, kind in columns[1:])
    work.db.execute(
        f"INSERT INTO {table} SELECT number + {before}, {texts} FROM read_csv({sql_path(file)}, delim = '\t',"
        f" quote = '', escape = '', header = false, auto_detect = false, columns = {{{kinds}}}, new_line = '\\n',"
        f" max_line_size = {_MOST_LINE}, null_padding = false) WHERE number + {before} <= {most}"
    )


def _resolve(work: Work) -> None:
    """Make ``article`` (line, title, id, revision, base, key, node), ``known`` (title, node), ``alias``."""
    work.db.execute(
        "CREATE TABLE article AS SELECT line, title, id, revision, base, key,"
        f" coalesce(node, {sql.hash_id_sql('key')}) AS node FROM (SELECT number AS line, title, id, revision, base,"
        f" base || {_address('title')} AS key, node FROM page"
        " ASOF JOIN site ON page.number > site.line LEFT JOIN sitelink USING (title)"
        f" WHERE kind = {ARTICLE}) ORDER BY line"
    )
    both = "SELECT title, node FROM article UNION ALL SELECT title, node FROM sitelink"
    work.db.execute(f"CREATE TABLE target AS SELECT title, min(node) AS node FROM ({both}) GROUP BY title")
    moved = (
        "SELECT title, replace(upper(redirect[1]) || redirect[2:], '_', ' ') AS redirect, number AS line FROM page"
        f" WHERE kind = {REDIRECT}"
    )
    # A redirect to a redirect is followed once more, as MediaWiki's bots do; longer chains and rings lead nowhere.
    work.db.execute(
        f"CREATE TABLE alias AS WITH moved AS ({moved})"
        " SELECT coalesce(a.node, b.node) AS node, moved.title, moved.line FROM moved"
        " LEFT JOIN target a ON a.title = moved.redirect"
        " LEFT JOIN (SELECT DISTINCT ON (title) title, redirect FROM moved ORDER BY title, line) again"
        " ON again.title = moved.redirect LEFT JOIN target b ON b.title = again.redirect"
        " WHERE coalesce(a.node, b.node) IS NOT NULL ORDER BY moved.line"
    )
    work.db.execute(
        "CREATE TABLE known AS SELECT title, node FROM target UNION ALL SELECT title, min(node) FROM alias"
        " WHERE title NOT IN (SELECT title FROM target) GROUP BY title"
    )
    work.db.execute("CREATE TABLE stranger (title VARCHAR, key VARCHAR, node BIGINT, line UBIGINT)")


def _make_stated(work: Work) -> None:
    """Make ``stated`` of :mod:`hydra_kg_loaders.passages.relations`.

    Linked pages are added to ``stranger`` and ``known``.
    """
    work.db.execute(
        "CREATE TABLE end_title AS SELECT DISTINCT title, base FROM (SELECT unnest([subject, object]) AS"
        " title, number FROM relation) ASOF JOIN site ON number > site.line WHERE title <> ''"
        " AND title NOT IN (SELECT title FROM known)"
    )
    work.db.execute(
        f"INSERT INTO stranger SELECT title, key, {sql.hash_id_sql('key')}, 0 FROM (SELECT DISTINCT ON (title) title,"
        f" base || {_address('title')} AS key FROM end_title ORDER BY title, base)"
    )
    work.db.execute("INSERT INTO known SELECT title, node FROM stranger")
    # The page itself is "" as subject or object.
    work.db.execute(
        "CREATE TABLE stated AS SELECT coalesce(a.node, article.node) AS s, phrase,"
        " coalesce(b.node, article.node) AS o,"
        " number AS line, confidence, article.title || if(section = '', '', ' § ' || section)"
        " || if(place = 1, '', ' ¶ ' || place) || ' [' || start || ':' || stop || ']' AS locator"
        " FROM relation JOIN article ON article.line = number"
        " LEFT JOIN known a ON a.title = subject LEFT JOIN known b ON b.title = object"
    )
    work.db.execute("DELETE FROM stated WHERE s = o")


def _address(title: str) -> str:
    """Return SQL for a title or heading as MediaWiki writes it into an address."""
    text = f"url_encode(replace({title}, ' ', '_'))"
    for c in ";@$!*(),/:":
        text = f"replace({text}, '%{ord(c):02X}', '{c}')"
    return text
