"""Load RDF. N-Triples and N-Quads are read line by line; Turtle, TriG, JSON-LD and RDF/XML in a separate process."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from hydra_kg import ids
from hydra_kg.domain import Source
from hydra_kg.errors import FormatError, UsageError
from hydra_kg.ingest.contract.choices import Engine, Options, Rule
from hydra_kg.ingest.contract.feed import ASIDE_BYTES, GAP, Feed
from hydra_kg.ingest.contract.loader import BaseLoader, Streams
from hydra_kg.ingest.contract.splits import EngineFeed
from hydra_kg.ingest.contract.work import Rejected, Work, escape_line
from hydra_kg.ingest.formats.ntriples import LineError, literal_text, parse_quad
from hydra_kg.text.quoting import sql_text, sql_texts
from hydra_kg_loaders.rdf.checks import spool
from hydra_kg_loaders.rdf.rdf_names import NAMES, SKOS, name_nodes, name_predicates
from hydra_kg_loaders.rdf.recognition import LINES, guess_format, recognise_format
from hydra_kg_loaders.tables.grid import head_of
from hydra_kg_loaders.terms import short

_XSD: Final = "http://www.w3.org/2001/XMLSchema#"

SAME: Final = frozenset({"http://www.w3.org/2002/07/owl#sameAs", SKOS + "exactMatch"})
_COLUMNS: Final = {
    "line": "UBIGINT",
    "s": "BIGINT",
    "st": "VARCHAR",
    "p": "VARCHAR",
    "o": "BIGINT",
    "ot": "VARCHAR",
    "g": "VARCHAR",
    "kind": "VARCHAR",
    "lang": "VARCHAR",
}
_SUFFIX: Final = re.compile(
    r"(\.(ttl|n3|trig|nt|nq|ntriples|nquads|jsonld|json|rdf|owl|xml|gz|bz2|zst))+$", re.IGNORECASE
)
_IRI: Final = r'<[^\x00-\x20<>"{}|^`\\]*>'
_TERM: Final = re.compile(rf'{_IRI}|_:\S+|"[^"\\]*(?:\\.[^"\\]*)*"(?:@[\w-]+|\^\^{_IRI})?', re.DOTALL)
"""Pattern of a term in N-Triples form. IRIs of nodes and datatypes have only characters that IRIs may have."""
_ESCAPES: Final = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_MOST: Final = 50_000
_KEY: Final = (
    "'\"' || replace(replace(regexp_replace(ot, '[\\x00-\\x1f]', ' ', 'g'), '\\', '\\\\'), '\"', '\\\"') || '\"'"
    " || CASE WHEN lang = '' THEN '' ELSE '@' || lang END"
)
"""SQL for the key of the literal of an alias's or description's text."""

_Statement = tuple[int, str, str, str, str]
"""Line, subject, predicate, object and graph ("" for the default) in N-Triples form."""


class RdfLoader(BaseLoader):
    """Loader of RDF statements. Blank nodes become mediators called ``<load>:b1`` in the order of the file."""

    name = "rdf"
    version = 2
    in_ranges = True
    source = Source("rdf", "kg")
    rules: Mapping[str, Rule] = {
        "language": Rule("drop names in other languages than English (or those asked for) where there is one in it"),
        "graphs": Rule("make every named graph a source of its own", default=False),
        "local-names": Rule("name things without a label after the last part of their IRI, in words"),
        "mediators": Rule("take blank nodes without a name as mediators: what they join is one hop apart"),
    }

    def sniff(self, head: bytes, path: Path) -> float:
        """Return a high score for prefixes and graphs. Plain lines score lower than with the loaders of known dumps."""
        return recognise_format(head, path)[1]

    def named(self, path: Path) -> Source:
        """Return a source named after the file."""
        return Source(_SUFFIX.sub("", path.name) or path.name, "kg")

    def sources(self, files: Sequence[Path], *, source: Source, options: Options) -> tuple[Source, ...]:
        """Return the load itself and, with the rule ``graphs``, every named graph."""
        if not options.rules.get("graphs", False):
            return (source,)
        import tempfile

        graphs: set[str] = set()
        with tempfile.TemporaryDirectory(prefix="hydra-kg-") as folder:
            for file in files:
                found = _statements(file, Path(folder), lambda *_: None, options)
                graphs |= {graph for _, _, _, _, graph in found if graph}
        return (
            source,
            *(
                Source(name, source.kind)
                for name in sorted(short(g.strip("<>")) for g in graphs)
                if name != source.name
            ),
        )

    def read(self, work: Work) -> Mapping[str, int]:
        """Make the table ``stated`` (line, s, o, st, ot, p, g, kind, lang). Raises FormatError."""
        work.db.execute(f"CREATE TABLE stated ({', '.join(f'{name} {kind}' for name, kind in _COLUMNS.items())})")
        blank = 0
        for number, file in enumerate(work.files):
            met = _Met(work.reject, f"{work.name}:{number or ''}")
            if work.engine is not None:
                found = _gather_ranges(work, work.engine, file, met)
            else:
                found = met.rows(_statements(file, work.folder, met.reject, work.options))
            inserted = work.insert("stated", found, tuple(_COLUMNS.values()))
            met.flush()
            work.lines.append(inserted + met.rejected + met.blank)
            blank += met.blank
            done = {"done": number + 1, "total": len(work.files), "unit": "files", "lines": sum(work.lines)}
            work.emit("load.read", done)
        return {"blank": blank}

    def clean(self, work: Work) -> Streams:
        """See :class:`hydra_kg.ingest.contract.loader.Loader`."""
        named = "kind IN ('name', 'alias', 'description')"
        tags = sql_texts(work.options.languages)
        mine = f"(lang = '' OR lang IN ({tags}) OR split_part(lang, '-', 1) IN ({tags}))"
        foreign = f"{named} AND NOT {mine} AND (s, kind) IN (SELECT (s, kind) FROM stated WHERE {named} AND {mine})"
        foreign = foreign if work.rules["language"] else "false"
        dropped = work.one(f"SELECT count(*) FROM stated WHERE {foreign}")
        rows = f"(SELECT * FROM stated WHERE NOT ({foreign}))"
        facts = "kind IN ('link', 'value', 'alias', 'description')"
        used = work.db.execute(f"SELECT DISTINCT p FROM stated WHERE {facts} ORDER BY p").fetchall()
        keys = [p for (p,) in used]
        work.db.execute("CREATE TABLE pid (p VARCHAR, id BIGINT)")
        work.insert("pid", [(p, ids.encode(p)) for p in keys], ("VARCHAR", "BIGINT"))
        work.db.execute("CREATE TABLE graph (g VARCHAR, i USMALLINT)")
        place = {s.name: n for n, s in enumerate(work.sources)}
        graphs = [g for (g,) in work.db.execute("SELECT DISTINCT g FROM stated WHERE g <> '' ORDER BY g").fetchall()]
        work.insert("graph", [(g, place.get(g, 0)) for g in graphs], ("VARCHAR", "USMALLINT"))
        own = place.get(work.name, 0)
        at = "CASE WHEN g <> '' THEN 'graph ' || g END AS locator" if graphs else "NULL::VARCHAR AS locator"
        fact = f"s, id AS p, line, coalesce(i, {own})::USMALLINT AS source, {at}"
        joined = f"FROM {rows} JOIN pid USING (p) LEFT JOIN graph USING (g)"
        blank = sql_text(f"{work.name}:")
        if work.rules["local-names"]:
            name_nodes(work, f"{work.name}:")
        local = " UNION ALL SELECT * FROM local_name" if work.rules["local-names"] else ""
        nameless = "SELECT DISTINCT s AS id FROM stated WHERE kind = 'name'"
        mediators = (
            f"SELECT DISTINCT s AS id FROM stated WHERE starts_with(st, {blank})"
            f" AND regexp_matches(st, ':[0-9]*b[0-9]+$') AND s NOT IN ({nameless})"
        )
        return Streams(
            links=f"SELECT {fact}, o {joined} WHERE kind = 'link'",
            values=f"SELECT {fact}, ot AS key {joined} WHERE kind = 'value'"
            f" UNION ALL SELECT {fact}, {_KEY} AS key {joined} WHERE kind IN ('alias', 'description')",
            terms=f"SELECT s AS id, st AS text FROM {rows} WHERE st IS NOT NULL UNION ALL SELECT o, ot FROM {rows}"
            " WHERE kind IN ('link', 'same') AND ot IS NOT NULL",
            names=f"SELECT s AS node, kind, ot AS text, line FROM {rows} WHERE {named}{local}",
            same_as="SELECT s AS a, o AS b, line FROM stated WHERE kind = 'same'",
            mediators=mediators if work.rules["mediators"] else "",
            predicates=tuple((ids.encode(p), p, text, "") for p, text in name_predicates(work, keys).items()),
            dropped={"language": dropped},
            kept={"statements": work.one("SELECT count(*) FROM stated") - dropped},
            derived=("links", "values", "names", "same_as"),
        )


class _Met:
    """Counts and blank-node scope of a parsed file. ``note`` is called with batches of rejects."""

    def __init__(self, note: Callable[[list[Rejected]], object], scope: str) -> None:
        self.note, self.scope = note, scope
        self.blank = self.rejected = 0
        self._waiting: list[Rejected] = []

    def reject(self, line: int, reason: str, place: int, text: bytes | str) -> None:
        """Reject a line that is not a statement. Without a reason it counts as blank."""
        if not reason:
            self.blank += 1
            return
        self.rejected += 1
        self._waiting.append((line, reason, place, escape_line(text)))
        if len(self._waiting) >= _MOST:
            self.flush()

    def flush(self) -> None:
        """Write the waiting rejects."""
        self.note(self._waiting)
        self._waiting = []

    def rows(self, statements: Iterator[_Statement]) -> Iterator[tuple[Any, ...]]:
        """Yield rows of the table ``stated``. Statements with an impossible IRI are rejected."""
        for number, statement in enumerate(statements, 1):
            terms = statement[1:4]
            if any(not _TERM.fullmatch(term) for term in terms):
                self.reject(statement[0] or number, "iri", 0, " ".join(terms))
            else:
                yield _row(statement, self.scope)


def _gather_ranges(work: Work, engine: Engine, file: Path, met: _Met) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a file of lines that an engine reads in ranges. Raises UsageError for any other file."""
    if (form := guess_format(head_of(file), file)) not in LINES:
        raise UsageError(
            f"{file.name} is {form}, which cannot be read in parts.",
            remedy="Turn it into N-Triples or N-Quads (rapper, riot), or leave --engine out.",
        )
    make = partial(_convert_piece, scope=met.scope)
    feed = EngineFeed(work, engine, make, max_line=work.options.max_line, files=[file])
    for (rows, rejected), counts, before in feed:
        work.reject((line + before, *rest) for line, *rest in rejected)
        met.rejected += len(rejected)
        met.blank += counts["blank"]
        yield from ((line + before, *rest) for line, *rest in rows)
    aside = (_line(one.line, one.data, one.reason, met.reject) for one in feed.set_aside())
    yield from met.rows(one for one in aside if one is not None)


def _convert_piece(piece: Path, made: Path, first: int, *, scope: str) -> tuple[Any, Mapping[str, int]]:
    """Return the rows of a piece of a range, and its rejects."""
    rejected: list[Rejected] = []
    met = _Met(rejected.extend, scope)
    with piece.open("rb") as file:
        lines = ((number, line.removesuffix(b"\n")) for number, line in enumerate(file, first))
        found = (_line(number, line, "", met.reject) for number, line in lines if line != GAP)
        rows = list(met.rows(one for one in found if one is not None))
    met.flush()
    return (rows, rejected), {"blank": met.blank}


def _statements(file: Path, folder: Path, reject: Any, options: Options) -> Iterator[_Statement]:
    """Yield the statements of a file.

    ``reject`` is called for faulty ones, and with the reason "" for blank lines.
    """
    form = guess_format(head_of(file), file)
    if form in LINES:
        yield from statements_of_lines(file, folder, reject, options)
        return
    plain = spool(file, folder / "rdf")
    try:
        yield from _parse_in_process(form, plain, file, reject, options)
    finally:
        plain.unlink(missing_ok=True)


def _parse_in_process(form: str, plain: Path, file: Path, reject: Any, options: Options) -> Iterator[_Statement]:
    """Yield the statements that a separate process reads. Raises FormatError for a file that it cannot read."""
    base = f"file:///{quote(file.name)}"
    words = [sys.executable, "-m", "hydra_kg_loaders.rdf.parse", form, str(plain), base, file.name]
    paths = {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    with subprocess.Popen(
        words, env={**os.environ, **paths}, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="utf-8"
    ) as child:
        last: list[Any] = []
        count = 0
        try:
            assert child.stdout is not None
            for line in child.stdout:
                message = json.loads(line)
                if message[0] in {"done", "error", "refused"}:
                    last = message
                    break
                if message[0] == "reject":
                    reject(*message[1:])
                    continue
                count += 1
                if options.limit and count > options.limit:
                    return
                yield message[0], message[1], message[2], message[3], message[4]
        finally:
            child.kill()
    if not last:
        last = ["error", "it takes more memory or time than a file of its size may"]
    if last[0] == "refused":
        raise FormatError(last[1], remedy=last[2])
    if last[0] == "error":
        raise FormatError(f"{file.name} cannot be read: {last[1]}.", remedy="Split it, or turn it into N-Triples.")


def statements_of_lines(file: Path, folder: Path, reject: Any, options: Options) -> Iterator[_Statement]:
    """Yield the statements of N-Triples or N-Quads, line by line.

    ``reject`` is called for faulty lines, and with the reason "" for blank ones.
    """
    feed = Feed([file], folder / "aside.bin", limit=options.limit, max_line=options.max_line)
    number = 0
    for block in feed.blocks():
        for line in block[:-1].split(b"\n"):
            number += 1
            if line != GAP and (found := _line(number, line, "", reject)) is not None:
                yield found
    for aside in feed.set_aside():
        if (found := _line(aside.line, aside.data, aside.reason, reject)) is not None:
            yield found


def _line(number: int, data: bytes, reason: str, reject: Any) -> _Statement | None:
    """Return the statement of a line, or reject it and return None."""
    try:
        if reason and not (reason == "nul" and len(data) < ASIDE_BYTES):  # a literal may hold NUL; cut lines are lost
            raise LineError(reason, 0)
        quad = parse_quad(data.decode("utf-8"))
    except UnicodeDecodeError:
        reject(number, "encoding", 0, data)
        return None
    except LineError as e:
        reject(number, e.reason, e.position, data)
        return None
    if quad is None:
        reject(number, "", 0, data)
        return None
    triple, graph = quad
    return number, triple.subject, triple.predicate, triple.object, graph


def _row(statement: _Statement, scope: str) -> tuple[Any, ...]:
    """Return a statement as a row of the table ``stated``."""
    line, subject, predicate, obj, graph = statement
    s, p = _key(subject, scope), short(predicate[1:-1])
    number = ids.encode(s)
    st = None if ids.is_inline(number) else s
    named = short(graph.strip("<>")) if graph else ""
    if not obj.startswith('"'):
        o = _key(obj, scope)
        other = ids.encode(o)
        kind = "same" if predicate[1:-1] in SAME else "link"
        return line, number, st, p, other, None if ids.is_inline(other) else o, named, kind, ""
    kind = NAMES.get(predicate[1:-1], "value")
    tag = re.search(r'"@([A-Za-z0-9-]+)$', obj)
    if kind != "value":
        text = " ".join(literal_text(obj).split())
        return line, number, st, p, None, text, named, kind, tag[1].lower() if tag else ""
    return line, number, st, p, None, _literal(obj), named, kind, tag[1].lower() if tag else ""


def _key(term: str, scope: str) -> str:
    return f"{scope}{term[2:]}" if term.startswith("_:") else short(term[1:-1])


def _literal(term: str) -> str:
    """Return a literal's key, with only the escapes of N-Triples and without ``xsd:string``."""
    if "\\u" in term or "\\U" in term:
        end = term.rindex('"')
        text = literal_text(term[: end + 1])
        term = '"' + "".join(_ESCAPES.get(c) or (c if c >= " " else f"\\u{ord(c):04X}") for c in text) + term[end:]
    term = term.removesuffix(f"^^<{_XSD}string>")
    at = term.rfind(f'"^^<{_XSD}')
    return f"{term[: at + 1]}^^xsd:{term[at + 4 + len(_XSD) : -1]}" if at >= 0 else term
