"""Read Turtle, TriG, RDF/XML and JSON-LD with pyoxigraph.

Each statement has its line, and each faulty one is reported separately.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from typing import IO, Any, Final, cast

import pyoxigraph as ox

from hydra_kg.errors import FormatError
from hydra_kg.util.fast_dataclass import dataclass
from hydra_kg_loaders.rdf.checks import XmlParts

_FORMATS: Final = {"turtle": ox.RdfFormat.TURTLE, "trig": ox.RdfFormat.TRIG}
_SHOWN: Final = 300

Emit = Callable[[int, Any], None]
"""A function that is called with the line and the quad of each statement."""

Reject = Callable[[int, str, int, str], None]
"""A function that is called with line, reason, column (from 0) and text of each fault."""

_NAME: Final = rb"[^\s<>\"'\[\](){};,.#\\]"
_TOKEN: Final = re.compile(
    rb"#[^\n]*"  # comment
    rb"|<[^>\n]*>"
    rb'|"""(?:[^\\]|\\.)*?"""|\'\'\'(?:[^\\]|\\.)*?\'\'\''
    rb'|"(?:[^"\\\n]|\\.)*"?|\'(?:[^\'\\\n]|\\.)*\'?'  # one that is not closed ends with its line
    rb"|[\[\](){};.,]"
    rb"|(?:" + _NAME + rb"|\\.|\.+(?=" + _NAME + rb"|\\))+"
    rb"|\S",
    re.DOTALL,
)
_DIRECTIVES: Final = {b"prefix": 2, b"base": 1}
"""Number of terms after a SPARQL directive, which does not end with a dot."""


@dataclass(slots=True)
class _LineFeed:
    """A stream that feeds a parser line by line, so that ``line`` is the end of the current statement.

    Args:
        before: Bytes that are read first, without a line.
        stops: Offsets that end a piece.
    """

    data: bytes
    offset: int
    next_line: int
    before: bytes = b""
    stops: Sequence[int] = ()
    line: int = 0

    def read(self, size: int) -> bytes:
        """Return the next piece: at most a line, at most ``size`` bytes, nothing at the end."""
        if self.before:
            piece, self.before = self.before[:size], self.before[size:]
            return piece
        end = min(self.data.find(b"\n", self.offset) + 1 or len(self.data), self.offset + size)
        if self.stops:
            stop = bisect_right(self.stops, self.offset)
            end = min([end, *self.stops[stop : stop + 1]])
        piece = self.data[self.offset : end]
        if piece:
            self.line = self.next_line
            self.next_line += piece.endswith(b"\n")
            self.offset = end
        return piece


def read_turtle(form: str, data: bytes, base: str, emit: Emit, reject: Reject) -> None:
    """Read Turtle or TriG. After a fault, continue at the next statement, or at the next predicate after a ``;``."""
    place: StatementPlace | None = StatementPlace(0)
    line, reported = 1, 0
    prefixes: dict[str, str] = {}
    while place is not None:
        before = _prelude(prefixes) + b" ".join((place.graph, place.subject, b""))
        feed = _LineFeed(data, place.offset, line, before.lstrip())
        parser = ox.parse(cast("IO[bytes]", feed), format=_FORMATS[form], base_iri=base)
        try:
            for quad in parser:
                reported = 0
                emit(feed.line, quad)
            return
        except SyntaxError as e:
            fault, number, column = _locate(data, place, line, len(feed.before or before.lstrip()), e, feed)
            if number != reported:  # a line without any statement is one fault
                text = data[data.rfind(b"\n", 0, fault) + 1 : fault + _SHOWN].partition(b"\n")[0]
                reject(number, _reason(e), column, text.decode("utf-8", "backslashreplace"))
            reported = number
            prefixes, base = dict(parser.prefixes), parser.base_iri or base
            found = _after(data, place, fault, e)
            if found is not None:
                line += data.count(b"\n", place.offset, found.offset)
            place = found


def _after(data: bytes, place: StatementPlace, fault: int, error: SyntaxError) -> StatementPlace | None:
    """Return where reading continues. If only the dot before a new line is missing, that line is read."""
    alone = not data[data.rfind(b"\n", 0, fault) + 1 : fault].strip()
    if alone and fault > place.offset and "expected at the end of" in str(error.msg):
        graph = find_next_place(data, place, place.offset)
        return StatementPlace(fault, graph.graph if graph is not None and place.graph else place.graph)
    return find_next_place(data, place, fault)


def _prelude(prefixes: dict[str, str]) -> bytes:
    return " ".join(f"@prefix {name}: <{iri}> ." for name, iri in prefixes.items()).encode() + b" "


def _locate(
    data: bytes, place: StatementPlace, line: int, prelude: int, error: SyntaxError, feed: _LineFeed
) -> tuple[int, int, int]:
    """Return offset, line and column of the token that could not be read."""
    if error.lineno is None or error.offset is None:
        begin = data.rfind(b"\n", 0, max(place.offset, feed.offset - 1)) + 1
        return max(begin, place.offset), feed.line, 0
    start = place.offset
    for _ in range(error.lineno - 1):
        start = data.find(b"\n", start) + 1
    column = error.offset - 1 - (prelude if error.lineno == 1 else 0)
    fault = start + len(data[start : start + 4 * max(0, column)].decode("utf-8", "replace")[: max(0, column)].encode())
    fault = min(fault, len(data))
    return fault, line + error.lineno - 1, fault - data.rfind(b"\n", 0, fault) - 1


def read_xml(data: bytes, parts: XmlParts, base: str, emit: Emit, reject: Reject) -> None:
    """Read RDF/XML in UTF-8. After a fault, continue at the next element below the root."""
    stops = sorted({offset for child in parts.children for offset in child[:2]})
    begins = [child[0] for child in parts.children]
    offset, line, before = 0, 1, b""
    while True:
        feed = _LineFeed(data, offset, line, before, stops)
        try:
            for quad in ox.parse(cast("IO[bytes]", feed), format=ox.RdfFormat.RDF_XML, base_iri=base):
                emit(feed.line, quad)
            return
        except SyntaxError as e:
            child = bisect_right(begins, max(offset, feed.offset - 1)) - 1
            if child < 0 or not offset < parts.children[child][1] >= feed.offset:  # a fault of the root
                reject(feed.line, _reason(e), 0, str(e.msg))
                return
            begin, end = parts.children[child]
            reject(feed.line, _reason(e), 0, data[begin : min(end, begin + _SHOWN)].decode("utf-8", "replace"))
            line += data.count(b"\n", offset, end)
            offset, before = end, data[: parts.root_end]


def read_json(document: Any, base: str, emit: Emit, reject: Reject) -> None:
    """Read JSON-LD. If it has a fault, the items of its list or ``@graph`` are read one by one. Raises FormatError."""
    quads: list[Any] = []
    try:
        quads.extend(ox.parse(json.dumps(document).encode(), format=ox.RdfFormat.JSON_LD, base_iri=base))
    except SyntaxError as e:
        items = document if isinstance(document, list) else document.get("@graph")
        if not isinstance(items, list):
            raise FormatError(
                f"It cannot be read as JSON-LD: {e.msg}", remedy="Correct that place and load it again."
            ) from e
        shared = {} if isinstance(document, list) else {k: v for k, v in document.items() if k != "@graph"}
        quads.clear()
        for item in items:
            try:
                one = {**shared, "@graph": [item]} if shared else item
                quads.extend(ox.parse(json.dumps(one).encode(), format=ox.RdfFormat.JSON_LD, base_iri=base))
            except SyntaxError as fault:
                reject(0, _reason(fault), 0, json.dumps(item, ensure_ascii=False)[:_SHOWN])
    for quad in quads:
        emit(0, quad)


def _reason(error: SyntaxError) -> str:
    """Return a key of the reasons for rejected statements."""
    return "iri" if "IRI" in str(error.msg) and "prefix" not in str(error.msg) else "syntax"


@dataclass(frozen=True, slots=True)
class StatementPlace:
    """An offset at which reading can begin, with the text to read before it: the open graph and the subject."""

    offset: int
    graph: bytes = b""
    subject: bytes = b""


def find_next_place(data: bytes, start: StatementPlace, fault: int) -> StatementPlace | None:
    """Return where the next statement, or predicate of its subject, begins after a ``fault``.

    Reading begins at ``start``. In ``ex:a ex:p <bad iri> ; ex:q 1 .`` the place is ``ex:q``. Returns None if there is
    none.
    """
    graph, subject, depth, begin, skip = start.graph, start.subject, 0, -1, 0
    tokens = _tokens(data, start.offset)
    for token in tokens:
        word, end = token[0], token.end()
        if skip:
            skip -= 1
            continue
        closed = word in {b".", b"}", b"{"}
        if word == b"{":
            graph = (data[begin : token.start()].strip() if begin >= 0 else b"") + b" {"
        elif word == b"}":
            graph = b""
        if closed:
            subject, depth, begin = b"", 0, -1
            if end > fault:
                return StatementPlace(end, graph)
            continue
        if begin < 0:
            begin = token.start()
            if not start.subject or subject != start.subject:
                subject = word if word[:1] == b"<" or (b":" in word and word[:1] not in b"\"'@") else b""
            skip = _DIRECTIVES.get(word.lower(), 0)
            if skip:
                begin = -1
                continue
        if word in b"[(":
            depth += 1
        elif word in b"])":
            depth = max(0, depth - 1)
        elif word == b";" and not depth and subject and end > fault:
            following = next(_tokens(data, end), None)
            if following is not None and following[0] not in {b".", b";", b"}"}:
                return StatementPlace(end, graph, subject)
    return None


def _tokens(data: bytes, start: int) -> Iterator[re.Match[bytes]]:
    return (token for token in _TOKEN.finditer(data, start) if token[0][:1] != b"#")
