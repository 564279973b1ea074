"""What must hold of every input of every parser: the invariants that bench/faults/fuzz.py and
tests/unit/bench/test_corpus.py check.

A target takes a batch of inputs and says which of them broke something. Parsers of lines are given whole files, as
loads are: every line must be kept, dropped, blank or rejected with a reason, and the reader that works by columns must
agree with the strict one, line by line.
"""

from __future__ import annotations

import contextlib
import json
import random
import re
import shutil
import signal
import sqlite3
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import pyoxigraph

from hydra_kg.text.quoting import fts5_words

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.faults.fuzz_tokens import JSON, QUERY, RDF, TABLE, TRIPLES, WIKI
from hydra_kg import ids
from hydra_kg.errors import FormatError, HydraError, UsageError
from hydra_kg.events import ignore
from hydra_kg.ingest.contract.choices import LoadOptions, Options
from hydra_kg.ingest.contract.loader import loaders
from hydra_kg.ingest.contract.work import Work
from hydra_kg.ingest.formats.ntriples import REASONS, LineError, literal_text, parse_line
from hydra_kg.ingest.load import load_files
from hydra_kg.ingest.report import reconcile
from hydra_kg.ingest.staging.sorting import prepare
from hydra_kg.stores.common.passages import words
from hydra_kg.stores.embedded.segments.name_full_text import TOKENS
from hydra_kg.stores.embedded.store import EmbeddedStore
from hydra_kg.text.folding import fold, tokens
from hydra_kg.text.plain_text import storable
from hydra_kg.util.fact_details import UNIT
from hydra_kg_loaders.passages import loader as passages
from hydra_kg_loaders.passages.relations import MOST_FACTS, fits
from hydra_kg_loaders.rdf import loader as rdf
from hydra_kg_loaders.rdf import parse as rdf_parse
from hydra_kg_loaders.rdf.recognition import LINES, recognise_format
from hydra_kg_loaders.tables import grid as tables_rows
from hydra_kg_loaders.tables import mapping as tables_mapping
from hydra_kg_loaders.tables.text_rows import CELL
from hydra_kg_loaders.terms import FREEBASE, WIKIDATA, short
from hydra_kg_loaders.wikidata import entities
from hydra_kg_loaders.wikidata.nt_loader import DIRECT
from hydra_kg_loaders.wikipedia.dump import PageError, Piece, cut_pages, read_page
from hydra_kg_loaders.wikipedia.wikitext import LONGEST, paragraphs
from hydra_kg_loaders.wikipedia.worker import BAD, Job, clean_piece

SECONDS: Final = 5.0
"""Longest processor time of one input."""

MAX_LINE: Final = 8192
_CONTROL: Final = re.compile("[\x00-\x1f\x7f]")
_RAW: Final = re.compile("[\x00-\x08\x0a-\x1f]")
_ROOM: Final = 4096  # characters that an output may have besides what its input explains


@dataclass(frozen=True, slots=True)
class Failure:
    """An input that broke something; none if it is not known which one it was."""

    data: bytes
    what: str


Check = Callable[[Sequence[bytes], Path, Counter[str], bool], list[Failure]]


@dataclass(frozen=True, slots=True)
class Target:
    """One parser. ``every``: one batch of so many goes through the whole load."""

    reads: str
    check: Check
    tokens: Sequence[bytes]
    batch: int = 5_000
    every: int = 20
    shape: str = ""


class Slow(BaseException):
    """An input took too long."""


class Broken(Exception):
    """An invariant does not hold."""


def require(holds: object, what: str) -> None:
    """Raise Broken unless something holds."""
    if not holds:
        raise Broken(what)


def each(one: Callable[[bytes, Counter[str]], None]) -> Check:
    """A check of a batch that looks at each input alone, within its time."""

    def ring(*_: object) -> None:
        raise Slow

    def run(inputs: Sequence[bytes], folder: Path, seen: Counter[str], whole: bool) -> list[Failure]:
        failures = []
        before = signal.signal(signal.SIGPROF, ring)
        longest = 0.0
        try:
            for data in inputs:
                signal.setitimer(signal.ITIMER_PROF, SECONDS)
                begun = time.process_time()
                try:
                    one(data, seen)
                except Slow:
                    failures.append(Failure(data, f"over {SECONDS} s"))
                except Exception as e:  # whatever it is: it was not expected
                    failures.append(Failure(data, f"{type(e).__name__}: {e}"))
                longest = max(longest, time.process_time() - begun)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.signal(signal.SIGPROF, before)
        seen["slowest µs"] = max(seen["slowest µs"], int(longest * 1e6))
        return failures

    return run


def is_text(text: str, what: str, *, control: bool = False) -> None:
    """A text that UTF-8 can hold, without control characters unless they are allowed."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as e:
        raise Broken(f"{what} is no UTF-8: {text!r:.200}") from e
    require(control or not _CONTROL.search(text), f"{what} holds a control character: {text!r:.200}")


# ---------------------------------------------------------------------------------------------- lines of triples


def judge(data: bytes, seen: Counter[str]) -> None:
    """The strict parser: a triple, nothing, or a reason with a place; and what an independent parser says."""
    line = data.replace(b"\n", b" ").decode("utf-8", "replace")
    try:
        found = parse_line(line)
    except LineError as e:
        seen[e.reason] += 1
        require(e.reason in REASONS and 0 <= e.position <= len(line), f"reason {e.reason}, position {e.position}")
        if e.reason not in {"iri", "tag"} and "\r" not in line:  # of these the other parser thinks otherwise
            require(not oxigraph(line), f"refused as {e.reason}; another parser takes it")
        return
    if found is None:
        seen["blank"] += 1
        return
    seen["repaired" if found.repaired else "triple"] += 1
    text = found.line()
    require(not _RAW.search(text), "the line holds a control character")
    require(len(text.split("\t")) == 4, "not four columns")
    require(len(text) <= 6 * len(line) + 8, "the line grew")
    again = parse_line(text)
    require(again == type(found)(found.subject, found.predicate, found.object), "its own line reads differently")
    if found.object.startswith('"'):
        is_text(literal_text(found.object), "the literal", control=True)
    if not found.repaired and (other := oxigraph(line)):
        (triple,) = other
        mine = literal_text(found.object) if found.object.startswith('"') else found.object.strip("<>")
        require(found.object.startswith("_:") or getattr(triple.object, "value", "") == mine, "the object differs")
        require(triple.predicate.value == found.predicate[1:-1], "the predicate differs")


def oxigraph(line: str) -> list[Any]:
    """The triples that pyoxigraph reads in a line."""
    try:
        return list(pyoxigraph.parse(line.encode(), format=pyoxigraph.RdfFormat.N_TRIPLES))
    except (SyntaxError, ValueError):
        return []


def bulk(name: str, spaces: Sequence[str], names: tuple[str, str, str, str]) -> Check:
    """A reader by columns against the strict one; ``names``: its columns of subject id and text, object id and text."""
    s_id, s_text, o_id, o_text = names

    def run(inputs: Sequence[bytes], folder: Path, seen: Counter[str], whole: bool) -> list[Failure]:
        lines = [data.replace(b"\n", b" ") for data in inputs]
        lines[0] = lines[0].removeprefix(b"\xef\xbb\xbf")
        file = folder / "lines.nt"
        file.write_bytes(b"".join(line + b"\n" for line in lines))
        wanted = [expected(line) for line in lines]
        failures: list[Failure] = []
        with working(name, [file], folder / "stage") as work:
            prepared = prepare(work, work.loader)
            rejected = dict(work.db.execute("SELECT line, reason FROM reject").fetchall())
            found = {
                row[0]: row[1:]
                for row in work.db.execute(f"SELECT line, {s_id}, {s_text}, {o_id}, {o_text} FROM row").fetchall()
            }
            for n, (line, (reason, triple)) in enumerate(zip(lines, wanted, strict=True), 1):
                seen[reason or "triple"] += 1
                try:
                    agree(reason, triple, rejected.get(n, ""), found.get(n), spaces)
                except Broken as e:
                    failures.append(Failure(line, str(e)))
            failures += accounted(work, prepared)
        if whole:
            failures += loaded([file], folder, name)
        return failures

    return run


def expected(line: bytes) -> tuple[str, Any]:
    """What the strict parser makes of a line as the feed hands it over: a reason or "blank", or its triple."""
    line = line.removesuffix(b"\r")
    if len(line) > MAX_LINE:
        return "too-long", None
    try:
        text = line.decode()
    except UnicodeDecodeError:
        return "encoding", None
    if b"\0" in line:
        return "nul", None
    try:
        triple = parse_line(text)
    except LineError as e:
        return e.reason, None
    return ("", triple) if triple is not None else ("blank", None)


ALIEN = {FREEBASE: re.compile("[QP][1-9][0-9]*"), WIKIDATA: re.compile("[mg][.].*")}


def agree(reason: str, triple: Any, rejected: str, row: tuple[Any, ...] | None, spaces: Sequence[str]) -> None:
    """Whether a line came out as the strict parser has it."""
    same = rejected == ("" if reason == "blank" else reason) or (reason and rejected == "iri")  # a predicate, alone
    if triple is not None and (
        triple.predicate[1:-1] in {*spaces, DIRECT} or (rejected == "unsupported" and blank(triple))
    ):
        return  # a predicate without a name; a blank node where only entities can be meant
    require(same, f"strict: {reason or triple}; bulk: {rejected or row}")
    require((row is not None) == (triple is not None), f"strict: {reason or triple}; bulk: {row}")
    if row is None:
        return
    for term, number, text in ((triple.subject, row[0], row[1]), (triple.object, row[2], row[3])):
        key = term[1:-1] if term.startswith("<") else term
        space = next((space for space in spaces if key.startswith(space)), "")
        rest = key.removeprefix(space)
        if not (space in ALIEN and ALIEN[space].fullmatch(rest)):  # else it keeps its name space
            key = rest
        if number is not None:
            require(number == ids.encode(key), f"{key!r} has the id {number}, should be {ids.encode(key)}")
            require(text is None or text == key, f"{key!r} has the text {text!r}")


def blank(triple: Any) -> bool:
    """Whether a blank node is at either end."""
    return bool(triple.subject.startswith("_:") or triple.object.startswith("_:"))


@contextlib.contextmanager
def working(name: str, files: Sequence[Path], folder: Path, **extra: str) -> Iterator[Work]:
    """The stage of a load with small limits."""
    loader = loaders()[name]
    options = Options(max_line=MAX_LINE, memory="512MB", threads=1, extra=extra)
    sources = loader.sources(files, source=loader.source, options=options)
    with Work(folder, loader, files, options=options, listener=ignore, sources=sources) as work:
        yield work
    shutil.rmtree(folder)


def accounted(work: Work, prepared: Any) -> list[Failure]:
    """Whether every line is accounted for, and every text can be stored."""
    try:
        reconcile(work, prepared)
        for table, column in (("term", "text"), ("name", "text"), ("passage", "text")):
            for (text,) in work.db.execute(f"SELECT {column} FROM {table}").fetchall():
                is_text(text, f"a {table}", control=True)
    except (HydraError, Broken) as e:
        return [Failure(b"", f"{type(e).__name__}: {e}")]
    return []


def loaded(files: Sequence[Path], folder: Path, name: str, **extra: str) -> list[Failure]:
    """Whether a store takes all of it, twice with the same outcome."""
    sums = []
    for n in range(2):
        with EmbeddedStore(folder / f"store{n}") as store:
            report = load_files(
                store, files, LoadOptions(format=name, source="fuzz", threads=1, memory="512MB", extra=extra)
            )
            (result,) = report.loads
            findings = [f.what for f in store.doctor() if f.level == "error"]
            with store.snapshot() as snapshot:
                sums.append(snapshot.manifest()[0].checksum)
        if findings or not result.balanced():
            return [Failure(b"", f"loaded: {findings or 'not balanced'}")]
        shutil.rmtree(folder / f"store{n}")
    return [Failure(b"", f"two loads of one file differ: {sums}")] if sums[0] != sums[1] else []


# ---------------------------------------------------------------------------------------------------------- JSON

_ENTITIES: Final = {
    "rules": frozenset(
        ("deprecated", "unknown", "language", "origins", "qualifier-edges", "guid", "same-as", "other", "properties")
    ),
    "languages": ("en", "de"),
}


def entity(data: bytes, seen: Counter[str]) -> None:
    """One line of Wikidata's dump: rows of eight fields, or one that says why not; each line is counted once."""
    line = data.replace(b"\n", b" ").replace(b"\0", b" ")
    made = entities.Entities(**_ENTITIES)  # type: ignore[arg-type]
    rows: list[str] = []
    made.line(line, 7, rows)
    rejects = 0
    for row in rows:
        require("\n" not in row, "a row holds a line feed")
        fields = row.split("\t")
        require(len(fields) == 8, f"{len(fields)} fields: {row!r:.200}")
        kind, s, p, o = (int(field) for field in fields[:4])
        require(0 <= kind <= 10 and all(-(1 << 63) <= i < 1 << 63 for i in (s, p, o)), f"numbers of {row!r:.200}")
        require(fields[5] == ("0" if kind == entities.TERM else "7"), "line")
        is_text(fields[4].encode("utf-8", "replace").decode(), "a text")
        rejects += kind == entities.REJECT
        if kind == entities.VALUE and fields[4].startswith('"'):
            value = fields[4].replace("^^xsd:", "^^<http://www.w3.org/2001/XMLSchema#", 1)
            value += ">" if value != fields[4] else ""
            if value.isascii() or not re.search("[\ud800-\udfff]", value):
                require(parse_line(f"<a:s> <a:p> {value} .") is not None, f"no literal: {value!r:.200}")
        more = fields[6].split(UNIT) if fields[6] else ["", "", ""]
        require(len(more) == 3 and more[0] in {"", "1", "2"}, f"source, rank and qualifiers: {row!r:.200}")
        if more[2]:
            pairs = json.loads(more[2])
            require(all(len(pair) == 2 and all(isinstance(x, str) for x in pair) for pair in pairs), "qualifiers")
    require(sum(map(len, rows)) <= 60 * len(line) + _ROOM, "the rows are too long for their line")
    counts = made.counts
    found = {"rejected": rejects, **{kind: counts[kind] for kind in ("entities", "other", "blank")}}
    seen.update(found)
    require(sum(found.values()) == 1, f"not counted once: {found}")


def passage(data: bytes, seen: Counter[str]) -> None:
    """One line of passages: a row, or a reason."""
    line = data.replace(b"\n", b" ").replace(b"\0", b" ").decode("utf-8", "replace").encode()  # as it is handed over
    try:
        node, title, url, text, number, key, facts = passages._passage(7, line)
    except passages._NoPassage as e:
        seen[e.reason] += 1
        return
    seen["passages"] += 1
    for part in (title, url, text, key or ""):
        is_text(part, "a passage", control=True)
    require(number == 7 and -(1 << 63) <= node < 1 << 63, "numbers")
    require((key is None) == (node == 0 or ids.is_inline(node)), "the key")
    require(len(title) + len(url) + len(text) <= len(line) + 8, "the passage grew")
    if facts is not None:
        seen["passages with facts"] += 1
        by, rows = json.loads(facts)
        require(0 < len(rows) <= MOST_FACTS and all(map(fits, rows)), f"facts: {rows!r:.200}")
        for part in (by, *(word for row in rows for word in row[:3])):
            is_text(part, "a fact", control=True)


def by_line(one: Check, name: str) -> Check:
    """Each input alone; sometimes all of them as one file through the load of a format."""

    def run(inputs: Sequence[bytes], folder: Path, seen: Counter[str], whole: bool) -> list[Failure]:
        failures = one(inputs, folder, seen, whole)
        if whole:
            file = folder / "lines"
            file.write_bytes(b"".join(data.replace(b"\n", b" ") + b"\n" for data in inputs))
            with working(name, [file], folder / "stage") as work:
                failures += accounted(work, prepare(work, work.loader))
            failures += loaded([file], folder, name)
        return failures

    return run


# ----------------------------------------------------------------------------------------------------- Wikipedia


def pages(inputs: Sequence[bytes], folder: Path, seen: Counter[str], whole: bool) -> list[Failure]:
    """Pages of a dump: how the bytes come in pieces does not matter, each page has one row, texts are clean."""
    draw = random.Random(len(inputs[-1]))
    kept: list[tuple[bytes, bytes, bool]] = []  # input, page, whether it can be read

    def one(data: bytes, seen: Counter[str]) -> None:
        cut, ends = _cut([data])
        places = sorted(draw.randrange(len(data) + 1) for _ in range(3))
        parts = [data[a:b] for a, b in zip([0, *places], [*places, len(data)], strict=True)]
        require((cut, ends) == _cut(parts), f"cut at {places} gives other pages")
        for page in cut:
            try:
                found = read_page(page)
            except PageError as e:
                require(0 <= e.place <= len(page), "place")
                seen[f"rejected: {e.reason}"] += 1
                kept.append((data, page, False))
                continue
            seen["pages"] += 1
            kept.append((data, page, True))
            for text in (found.title, found.redirect, found.text, found.model):
                is_text(text, "a page", control=True)
        if not cut:
            seen["no page"] += 1

    failures = each(one)(inputs, folder, seen, whole)
    plain = b"".join(page + b"\n" for _, page, _ in kept)
    file = folder / "pages.xml"
    file.write_bytes(plain)
    done = clean_piece(Job(Piece(str(file), False, 0, len(plain)), str(folder / "out")))
    failures += [Failure(data, what) for data, what in _cleaned(folder, kept, done.pages, len(done.rejected), seen)]
    return failures


def _cleaned(
    folder: Path, kept: Sequence[tuple[bytes, bytes, bool]], count: int, rejected: int, seen: Counter[str]
) -> Iterator[tuple[bytes, str]]:
    """What is wrong in the tables that were made of pages."""
    rows = _table(folder / "out.page", 6)
    if [int(r[0]) for r in rows] != [*range(1, len(kept) + 1)] or count != len(kept):
        yield b"", f"{len(kept)} pages, {count} counted, {len(rows)} rows"
        return
    if sum(int(r[1]) == BAD for r in rows) != rejected:
        yield b"", "rejected pages"
    for row, (data, _, read) in zip(rows, kept, strict=True):
        if (int(row[1]) != BAD) != read:
            yield data, "read or not"
    size = [0] * len(kept)
    for number, _, section, text in _table(folder / "out.paragraph", 4):
        at = int(number) - 1
        size[at] += len(text)
        if _CONTROL.search(section + text) or len(text) > LONGEST:
            yield kept[at][0], f"a paragraph: {text!r:.200}"
    for written, (data, page, _) in zip(size, kept, strict=True):
        if written > 3 * len(page) + _ROOM:
            yield data, "more text than there was"
    for relation in _table(folder / "out.relation", 9):
        seen["relations"] += 1
        if not (0 <= int(relation[3]) < int(relation[4]) <= LONGEST and 0 <= float(relation[8]) <= 1):
            yield kept[int(relation[0]) - 1][0], f"relation {relation}"


def _table(file: Path, width: int) -> list[list[str]]:
    rows = [line.split("\t") for line in file.read_text("utf-8").split("\n")[:-1]]
    require(all(len(row) == width for row in rows), f"{file.suffix}: fields")
    return rows


def _cut(parts: Sequence[bytes]) -> tuple[list[bytes], bool]:
    found: list[bytes] = []
    try:
        for page in cut_pages(iter(parts), most=4096):
            found.append(page)
    except EOFError:
        return found, False
    return found, True


def wikitext(data: bytes, seen: Counter[str]) -> None:
    """Wikitext to paragraphs: clean text within bounds, links that lie in it, the same every time."""
    source = data.decode("utf-8", "replace")
    found = list(paragraphs(source))
    seen["paragraphs"] += len(found)
    size = 0
    for p in found:
        is_text(p.text, "a paragraph")
        is_text(p.section, "a section")
        require(p.text == p.text.strip() and len(p.text) <= LONGEST, f"{p.text!r:.200}")
        require(not re.search(r"\[\[|\]\]|\{\{|\}\}", p.text), f"markup in {p.text!r:.300}")
        last = 0
        for start, end, _ in p.links:
            seen["links"] += 1
            require(last <= start < end <= len(p.text), f"links {p.links} of {p.text!r:.200}")
            last = end
        size += len(p.text)
    require(size <= 3 * len(source) + _ROOM, "more text than there was")
    if len(data) % 16 == 0:
        require(found == list(paragraphs(source)), "another result the second time")


# -------------------------------------------------------------------------------------------------------- tables


def table(suffix: str) -> Check:
    """Small files of a table: every row is a canonical row, blank, the header or rejected; numbers ascend."""

    def run(inputs: Sequence[bytes], folder: Path, seen: Counter[str], whole: bool) -> list[Failure]:
        file = folder / f"table{suffix}"

        def one(data: bytes, seen: Counter[str]) -> None:
            file.write_bytes(data)
            rejects: list[tuple[int, str]] = []
            try:
                rows = tables_rows.open_rows(file, max_line=MAX_LINE)
                text = "".join(rows.blocks(lambda row, reason, place, text: rejects.append((row, reason))))
            except FormatError as e:
                require(e.remedy and str(e), "an error without a remedy")
                seen["files refused"] += 1
                seen["records"] += 1
                return
            counts = rows.counts
            seen.update({"files": 1, "records": max(1, counts.rows)})
            lines = [line.split(CELL) for line in text.split("\n")[:-1]]
            seen.update({"rows": len(lines), "blank": counts.blank, **Counter(f"rejected: {r}" for _, r in rejects)})
            require(
                len(lines) + counts.blank + counts.continued + len(rejects) + bool(counts.header) == counts.rows,
                f"{len(lines)} rows, {counts}, rejected {rejects[:5]}",
            )
            numbers = [int(line[0]) for line in lines]
            require(numbers == sorted(set(numbers)) and not set(numbers) & {row for row, _ in rejects}, "numbers")
            require(all(1 <= n <= counts.rows for n in (*numbers, *(row for row, _ in rejects))), "numbers")
            require(all(len(line) <= len(rows.columns) + 1 for line in lines), "more cells than columns")
            folded = [name.casefold() for name in rows.columns] if suffix == ".csv" else rows.columns
            require(len(set(folded)) == len(folded), f"columns repeat: {rows.columns[:9]}")
            require(len(text) <= 20 * len(data) + _ROOM * 16, "more text than there was")
            for line in lines:
                is_text("".join(line).translate(_MARKS), "a cell", control=True)
            if whole and lines and len(data) % 64 == 0:
                _mapped(file, folder, counts.rows, seen)

        return each(one)(inputs, folder, seen, whole)

    return run


_MARKS: Final = dict.fromkeys(range(0x1C, 0x20), " ")


def _mapped(file: Path, folder: Path, read: int, seen: Counter[str]) -> None:
    """A table through the guess of its columns and all of the load's steps."""
    try:
        with working("tables", [file], folder / "stage") as work:
            prepared = prepare(work, work.loader)
            require(sum(work.lines) == read, f"{sum(work.lines)} of {read} rows were read")
            for failure in accounted(work, prepared):
                raise Broken(failure.what)
        seen["whole loads"] += 1
    except (UsageError, FormatError) as e:
        require(e.remedy, "an error without a remedy")
        seen["no mapping"] += 1


def mapping(data: bytes, seen: Counter[str]) -> None:
    """Names of columns, some rows and a person's choices: a role for each column, or an error with a remedy."""
    head, _, rest = data.decode("utf-8", "replace").partition("\n")
    names = list(dict.fromkeys(name.strip() or "x" for name in head.split("|")))
    *body, last = rest.split("\n")
    rows = [(line.split("|") + [""] * len(names))[: len(names)] for line in body]
    choices = {"map": last} if "=" in last else {"entity": last} if last else {}
    try:
        found = tables_mapping.guess(names, rows, choices)
    except UsageError as e:
        require(e.remedy, "an error without a remedy")
        seen["refused"] += 1
        return
    seen["long" if found.long else "wide"] += 1
    require(len(found.roles) == len(found.names) == len(names), "a role for each column")
    require(all(role.kind in tables_mapping.ROLES for role in found.roles), "roles")
    for kind in ("entity", "source", "attribute"):
        require(len(found.of(kind)) <= 1, f"several columns are the {kind}")
    require(found.one("entity") is not None, "no entity")
    require(len(found.lines()) == len(names) + 1, "lines")


def cells(inputs: Sequence[bytes], folder: Path, seen: Counter[str], whole: bool) -> list[Failure]:
    """Cells of one long table, thousands at a time, through types, links, names and ids to the store."""
    file = folder / "cells.csv"
    rows = ["entity,attribute,value,source"]
    for n, data in enumerate(inputs):
        text = "".join(c for c in data[:300].decode("utf-8", "replace") if c >= " " or c in "\t\n")
        entity_, attribute, value, source = [*text.split("|"), "", "", ""][:4]
        row = (entity_ or f"e{n}", f"{attribute[:20] or 'a'} {n % 7}", value or text, source[:12] or f"s{n % 5}")
        rows.append(",".join('"' + cell.replace('"', '""') + '"' for cell in row))
    file.write_text("\n".join([*rows, ""]), "utf-8", "replace", "\n")
    try:
        with working("tables", [file], folder / "stage") as work:
            prepared = prepare(work, work.loader)
            failures = accounted(work, prepared)
            seen.update({"records": sum(work.lines), "facts": prepared.rows()["links"] + prepared.rows()["values"]})
        return failures + (loaded([file], folder, "tables") if whole else [])
    except (UsageError, FormatError) as e:
        seen[f"refused: {str(e)[:40]}"] += 1
        return []


# ----------------------------------------------------------------------------------------------------------- RDF


def small_rdf(inputs: Sequence[bytes], folder: Path, seen: Counter[str], whole: bool) -> list[Failure]:
    """Small RDF: recognised, checked, and read into statements that ours can read back."""
    file = folder / "graph"

    def one(data: bytes, seen: Counter[str]) -> None:
        kind, sure = recognise_format(data[:65536], file)
        require(0 <= sure <= 1 and (kind == "") == (sure == 0), "how sure")
        if not kind or kind in LINES:
            seen[kind or "not recognised"] += 1
            return
        said: list[list[Any]] = []
        try:
            rdf_parse.parse(kind, data, "file:///graph", "graph", rdf_parse.StatementWriter(said.append))
        except FormatError as e:
            require(e.remedy, "an error without a remedy")
            seen[f"{kind} refused"] += 1
            return
        seen[f"{kind} read"] += 1
        require(len(said) <= 4 * len(data) + 64, "more statements than characters")
        for line, *terms, graph in said:
            if line == "reject":
                require(isinstance(terms[0], int) and terms[1] in REASONS, "a reject without a line or reason")
                seen["rejected"] += 1
                continue
            require(isinstance(line, int) and line >= 0, "line")
            if any(not rdf._TERM.fullmatch(term) for term in terms):
                seen["impossible IRI"] += 1
                continue
            row = rdf._row((line, *terms, graph), "fuzz:")
            seen["statements"] += 1
            for field in row:
                if isinstance(field, str):
                    is_text(field.encode("utf-8", "replace").decode(), "a term", control=True)

    return each(one)(inputs, folder, seen, whole)


# ------------------------------------------------------------------------------------------------------- queries


@cache
def searched() -> tuple[sqlite3.Connection, Any]:
    """Full-text tables as a store has them, with a few names."""
    db = sqlite3.connect(":memory:")
    db.execute(f"CREATE VIRTUAL TABLE name_full USING fts5(fold, content='', detail=none, tokenize=\"{TOKENS}\")")
    db.execute("CREATE VIRTUAL TABLE passage_full USING fts5(title, text, tokenize='porter unicode61')")
    for n, name in enumerate(("AT&T", "C++", "O'Neil", 'The "Weird" Al', "Köln", "NEAR OR AND NOT", "a-b", "東京")):
        db.execute("INSERT INTO name_full (rowid, fold) VALUES (?, ?)", (n + 1, fold(name)))
        db.execute("INSERT INTO passage_full VALUES (?, ?)", (name, f"{name} is a thing."))
    return db, None


def query(data: bytes, seen: Counter[str]) -> None:
    """What people type: folded once is folded for good, and no text is syntax of the full-text index."""
    text = data.decode("utf-8", "surrogateescape" if len(data) % 2 else "replace")
    folded = fold(storable(text))
    require(fold(folded) == folded, f"folding again gives {fold(folded)!r:.100} for {folded!r:.100}")
    is_text(folded, "a folded name")
    require(len(folded) <= 20 * len(text) + 16, "the folded name grew")
    found = sorted(set(tokens(text)))
    require(all(" " not in t and t for t in found), "tokens")
    db, _ = searched()
    for table, asked in (("name_full", [storable(t) for t in found[:200]]), ("passage_full", words(text))):
        if not asked:
            seen["no words"] += 1
            continue
        seen["matched"] += 1
        db.execute(f"SELECT rowid FROM {table} WHERE {table} MATCH ? LIMIT 5", (fts5_words(asked),)).fetchall()
    match = " AND ".join(f"({fts5_words([storable(t)])})" for t in found[:100])
    if match:
        db.execute("SELECT rowid FROM name_full WHERE name_full MATCH ? LIMIT 5", (match,)).fetchall()
    key = short(storable(text))
    number = ids.encode(key)
    require(-(1 << 63) <= number < 1 << 63, "an id out of range")
    require(not ids.is_inline(number) or ids.decode(number) == key, f"{key!r:.100} comes back as another key")


TARGETS: Final[Mapping[str, Target]] = {
    "ntriples": Target("lines of N-Triples, the strict parser", each(judge), TRIPLES, 20_000),
    "freebase": Target(
        "lines of the Freebase dump, the bulk reader",
        bulk("freebase", (FREEBASE,), ("s", "st", "o", "ot")),
        TRIPLES,
        25_000,
        10,
    ),
    "wikidata_nt": Target(
        "lines of Wikidata's truthy dump, the bulk reader",
        bulk("wikidata_nt", (WIKIDATA,), ("s", "st", "o", "ot")),
        TRIPLES,
        25_000,
        10,
    ),
    "sameas": Target(
        "lines of same-as links, the bulk reader",
        bulk("sameas", (FREEBASE, WIKIDATA), ("a", "a_text", "b", "b_text")),
        TRIPLES,
        25_000,
        10,
    ),
    "wikidata_json": Target(
        "lines of Wikidata's JSON dump", by_line(each(entity), "wikidata_json"), JSON, shape="json"
    ),
    "passages": Target("lines of passages", by_line(each(passage), "passages"), JSON, 20_000, shape="json"),
    "wikipedia": Target("pages of a MediaWiki dump", pages, WIKI, 2_000, shape="xml"),
    "wikitext": Target("texts of pages", each(wikitext), WIKI),
    "tables_text": Target("rows of small CSV and TSV files", table(".csv"), TABLE),
    "tables_json": Target("records of small JSON tables", table(".json"), TABLE + JSON, shape="json"),
    "tables_xml": Target("records of small XML tables", table(".xml"), TABLE + WIKI, shape="xml"),
    "tables_mapping": Target("columns, rows and choices", each(mapping), TABLE, 20_000),
    "tables_values": Target("records of a long table", cells, TABLE, 25_000, 10),
    "rdf": Target("small Turtle, TriG, JSON-LD and RDF/XML files", small_rdf, RDF, 2_000),
    "queries": Target("names and questions", each(query), QUERY, 20_000),
}
