"""Recognise the syntax of an RDF file by its content. The name decides only if the content is ambiguous."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

LINES: Final = frozenset({"ntriples", "nquads"})
"""Formats with one statement per line, which are streamed at any size."""

_RDF: Final = b"http://www.w3.org/1999/02/22-rdf-syntax-ns#"
_SUFFIXES: Final = {
    "ttl": "turtle",
    "turtle": "turtle",
    "n3": "turtle",
    "trig": "trig",
    "nt": "ntriples",
    "ntriples": "ntriples",
    "nq": "nquads",
    "nquads": "nquads",
    "jsonld": "json-ld",
    "rdf": "xml",
    "owl": "xml",
}
_PACKED: Final = frozenset({".gz", ".bz2", ".zst", ".xz"})
_COMMENTS: Final = re.compile(rb"(?:\s+|#[^\n]*(?:\n|\Z))*")
_PROLOGUE: Final = re.compile(rb"(?:\s+|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>)*", re.DOTALL)
_OPENED: Final = re.compile(rb"<([A-Za-z][\w.:-]*)[\s>]")
_CLOSED: Final = re.compile(rb"</([A-Za-z][\w.:-]*)\s*>")
_TAG: Final = re.compile(rb"<(?:[\w.-]+:)?([\w.-]+)(?=[\s/>])[^>]*>?")
_JSON: Final = re.compile(rb'\{\s*(?:"|\})|\[\s*(?:[\[{"]|\]\s*\Z|-?\d|(?:true|false|null)\s*[,\]])')
_JSON_LD: Final = re.compile(rb'"@(?:context|id|graph)"\s*:')
_KEYWORD: Final = re.compile(rb'"@(?:type|value|list|set|language|reverse|included|index|base|vocab)"\s*:')
_IRI_KEY: Final = re.compile(rb'[\[{,]\s*"[A-Za-z][\w+.-]*:[^"\s]+"\s*:')
_DIRECTIVE: Final = re.compile(rb"@(?:prefix|base)\b|(?:prefix\s+[\w.-]*:\s*<|base\s+<)", re.IGNORECASE)
_STATEMENT: Final = re.compile(rb"[<\[({]|_:|graph\b", re.IGNORECASE)
_LITERAL: Final = r'"(?:[^"\\]|\\.)*"(?:@[\w-]+|\^\^<[^>]*>)?'
_NODE: Final = r"<[^>]*>|_:\S+"
_LINE: Final = re.compile(rf"\s*(?:{_NODE})\s*<[^>]*>\s*(?:{_NODE}|{_LITERAL})\s*({_NODE})?\s*\.\s*(?:#.*)?")
_WHOLE: Final = 60_000
"""Number of bytes from which the last line that a loader sees may be incomplete."""

_LOOKED_AT: Final = 100
"""Number of lines that decide whether a file has one statement per line."""


def recognise_format(head: bytes, path: Path) -> tuple[str, float]:
    """Return ``turtle``, ``trig``, ``ntriples``, ``nquads``, ``json-ld``, ``xml`` or "", and a score."""
    named = format_of_name(path)
    start = _text_of(head)
    if _looks_like_json(start):
        return _recognise_json(start, named)
    root = _PROLOGUE.match(start)
    if root is not None and start[:1] == b"<" and (tag := _TAG.match(start, root.end())):
        sure = _score_xml(start, tag, named)
        if sure or start.startswith((b"<?", b"<!")) or _closes_elements(start):
            return ("xml", sure) if sure else ("", 0.0)
    begin = _COMMENTS.match(start)
    at = begin.end() if begin is not None else 0
    if at == len(start):
        return (named, 0.3) if named else ("", 0.0)
    if named in LINES:
        return named, 0.4
    if _DIRECTIVE.match(start, at):
        return _graph_syntax(start, named) or guess_turtle_syntax(named), 0.8
    if _STATEMENT.match(start, at):
        if lines := _lines_syntax(start, named):
            return lines, 0.6 if lines == "nquads" else 0.4
        if graph := _graph_syntax(start, named):
            return graph, 0.6
    return (named, 0.6) if named in {"turtle", "trig"} else ("", 0.0)


def _closes_elements(start: bytes) -> bool:
    """Return True for XML without a declaration, which Turtle could read as IRIs.

    In XML an element is opened and closed.
    """
    return bool(set(_OPENED.findall(start)) & set(_CLOSED.findall(start)))


def guess_format(head: bytes, path: Path) -> str:
    """Return the format of a file that the user calls RDF: the recognised one, else the likeliest one."""
    if form := recognise_format(head, path)[0]:
        return form
    start = _text_of(head)
    if _looks_like_json(start):
        return "json-ld"
    if start.startswith((b"<?xml", b"<!")) or (_TAG.match(start) and format_of_name(path) in {"", "xml"}):
        return "xml"
    return format_of_name(path) or "trig"


def format_of_name(path: Path) -> str:
    """Return the format in a file's name, or ""."""
    endings = [ending.lower() for ending in path.suffixes if ending.lower() not in _PACKED]
    return _SUFFIXES.get(endings[-1][1:], "") if endings else ""


def guess_turtle_syntax(named: str) -> str:
    """Return ``trig`` for the name of a TriG file, else ``turtle``."""
    return "trig" if named == "trig" else "turtle"


def _text_of(head: bytes) -> bytes:
    """Return the bytes as UTF-8 without byte order mark and leading white space."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        head = head[: len(head) // 2 * 2].decode("utf-16", "replace").encode()
    return head.removeprefix(b"\xef\xbb\xbf").lstrip(b" \t\r\n")


def _looks_like_json(start: bytes) -> bool:
    return _JSON.match(start) is not None


def _recognise_json(start: bytes, named: str) -> tuple[str, float]:
    if _JSON_LD.search(start):
        return "json-ld", 0.95
    iris = _IRI_KEY.search(start) is not None
    if named == "json-ld" or (iris and _KEYWORD.search(start)):
        return "json-ld", 0.9
    return ("json-ld", 0.6) if iris and _IRI_KEY.match(start.lstrip(b"[ \t\r\n")) else ("", 0.0)


def _score_xml(start: bytes, tag: re.Match[bytes], named: str) -> float:
    """Return a score for a document with this root to be RDF/XML."""
    if tag[1].lower() == b"html":
        return 0.0
    known = _RDF in start
    if known and tag[1] == b"RDF":
        return 0.95
    return 0.9 if named == "xml" or (known and start.startswith(b"<?xml")) or _RDF in tag[0] else 0.0


def _lines_syntax(start: bytes, named: str) -> str:
    """Return ``ntriples`` or ``nquads`` if most first lines are statements, else ""."""
    text = start.decode("utf-8", "replace")
    first = text.split("\n")[:-1][:_LOOKED_AT] or [text]
    lines = [line.rstrip("\r") for line in first if line.strip() and not line.lstrip().startswith("#")]
    stated = [match for line in lines if (match := _LINE.fullmatch(line)) is not None]
    quads = any(match[1] for match in stated)
    if not lines or len(stated) < (1 if named else 0.5) * len(lines) or (named and quads):
        return ""
    return "nquads" if quads else "ntriples"


def _graph_syntax(start: bytes, named: str) -> str:
    """Return ``turtle`` or ``trig``, whichever reads more statements from the first bytes, "" if neither reads any."""
    import pyoxigraph

    formats = pyoxigraph.RdfFormat
    turtle, whole = _statements_read(start, formats.TURTLE)
    trig = 0 if whole else _statements_read(start, formats.TRIG)[0]
    return "trig" if trig > turtle else guess_turtle_syntax(named) if turtle else ""


def _statements_read(start: bytes, format_: Any) -> tuple[int, bool]:
    """Return the number of statements before the first fault, and whether the fault is only the end of the bytes."""
    import pyoxigraph

    if len(start) > _WHOLE:
        start = start[: start.rfind(b"\n") + 1] or start
    count = 0
    try:
        for _ in pyoxigraph.parse(start, format=format_, base_iri="file:///graph"):
            count += 1
    except SyntaxError as e:
        return count, "end of file" in str(e.msg)
    return count, True
