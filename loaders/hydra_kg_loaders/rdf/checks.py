"""What a small RDF file is, and what is refused before any parser of RDF sees it: bombs, addresses, other files."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final
from xml.parsers import expat

from hydra_kg.errors import FormatError
from hydra_kg.ingest.contract.feed import chunks

MOST: Final = 200 << 20
"""Decompressed bytes that rdflib is given; it needs some 20 times that in memory."""

LINES: Final = frozenset({"ntriples", "nquads"})
"""Formats of one statement a line, which are streamed whatever their size."""

_RDF: Final = b"http://www.w3.org/1999/02/22-rdf-syntax-ns#"
_EMPTY: Final = re.compile(r"\n\s*\n")
_FLAGS: Final = re.MULTILINE | re.IGNORECASE
_PREFIX: Final = re.compile(r"^\s*(?:@prefix\b|@base\b|prefix\s+[\w.-]*:\s*<|base\s+<)", _FLAGS)
_GRAPH: Final = re.compile(r"^\s*(?:graph\s+)?(?:<[^>\s]*>|[\w.-]*:[\w.-]*|_:\w+|\[\s*\])?\s*\{", _FLAGS)
_LITERAL: Final = r'"(?:[^"\\]|\\.)*"(?:@[\w-]+|\^\^<[^>]*>)?'
_NODE: Final = r"<[^>]*>|_:\S+"
_STATEMENT: Final = re.compile(rf"\s*(?:{_NODE})\s*<[^>]*>\s*(?:{_NODE}|{_LITERAL})\s*({_NODE})?\s*\.\s*(?:#.*)?")
_MOST_DEPTH: Final = 200
_MOST_ENTITY: Final = 2_000


def format_of(head: bytes, path: Path) -> tuple[str, float]:
    """``turtle``, ``trig``, ``ntriples``, ``nquads``, ``json-ld``, ``xml`` or "", and how sure that is."""
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    if start.startswith((b"<?xml", b"<rdf:RDF", b"<!DOCTYPE")):
        return ("xml", 0.95) if _RDF in head and b"<html" not in head[:2000].lower() else ("", 0.0)
    if start.startswith((b"{", b"[")):
        found = re.search(rb'"@(?:context|id|graph)"\s*:', head) is not None
        return ("json-ld", 0.95) if found else ("", 0.0)
    if b"\0" in head:
        return "", 0.0
    text = _EMPTY.sub("\n", head.decode("utf-8", "replace"))  # which the patterns look through from every line on
    suffix = "".join(path.suffixes[-2:]).lower()
    if _PREFIX.search(text):
        return ("trig" if _GRAPH.search(text) or ".trig" in suffix else "turtle"), 0.8
    first = text.split("\n")[:-1][:100] or [text]
    lines = [line for line in first if line.strip() and not line.lstrip().startswith("#")]
    stated = [match for line in lines if (match := _STATEMENT.fullmatch(line.rstrip("\r"))) is not None]
    if lines and len(stated) >= 0.5 * len(lines):
        return ("nquads", 0.6) if any(match[1] for match in stated) else ("ntriples", 0.4)
    if re.search(r"\.(ttl|trig|n3)\b", suffix):
        return ("trig" if ".trig" in suffix else "turtle"), 0.6
    return "", 0.0


def spool(file: Path, target: Path) -> Path:
    """The decompressed file, for the process that reads it. Raises FormatError for more than :data:`MOST` bytes."""
    size = 0
    with target.open("wb") as out:
        for data in chunks(file):
            size += len(data)
            if size > MOST:
                raise FormatError(
                    f"{file.name} has over {MOST >> 20} MB of RDF that must be read as a whole.",
                    remedy="Turn it into N-Triples or N-Quads (rapper, riot), which are read line by line whatever"
                    " their size; dumps of Freebase and Wikidata have formats of their own (--as freebase,"
                    " wikidata_nt).",
                )
            out.write(data)
    return target


def check(form: str, file: Path, name: str) -> None:
    """Raise FormatError for what could make a parser expand without bounds or reach outside the file."""
    if form == "xml":
        _check_xml(file, name)
    elif form == "json-ld":
        _check_json(file, name)


def _check_xml(file: Path, name: str) -> None:
    parser = expat.ParserCreate()
    depth = 0

    def refuse(why: str) -> None:
        raise FormatError(
            f"{name} {why} (line {parser.CurrentLineNumber}).",
            remedy="Remove that declaration, or convert the file to Turtle.",
        )

    def doctype(root: str, system: str | None, public: str | None, inside: int) -> None:
        if system or public:
            refuse("refers to a document type elsewhere")

    def entity(entity: str, parameter: int, value: str | None, *others: object) -> None:
        if value is None or parameter:
            refuse("declares an entity that lies outside of it")
        elif "&" in value or "%" in value or len(value) > _MOST_ENTITY:
            refuse("declares an entity that expands to others")

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > _MOST_DEPTH:
            refuse("is nested too deeply")

    def end(tag: str) -> None:
        nonlocal depth
        depth -= 1

    parser.StartDoctypeDeclHandler, parser.EntityDeclHandler = doctype, entity
    parser.StartElementHandler, parser.EndElementHandler = start, end
    try:
        with file.open("rb") as f:
            parser.ParseFile(f)
    except expat.ExpatError as e:
        raise FormatError(
            f"{name} is not well-formed XML: {expat.ErrorString(e.code)} (line {e.lineno}).",
            remedy="Mend that place; nothing was loaded.",
        ) from e
    except (LookupError, ValueError) as e:
        raise FormatError(f"{name} cannot be read as XML: {e}.", remedy="Save it in UTF-8.") from e


def _check_json(file: Path, name: str) -> None:
    try:
        doc = json.loads(file.read_bytes())
    except RecursionError as e:
        raise _deep(name) from e
    except ValueError as e:
        raise FormatError(f"{name} is not JSON: {str(e)[:200]}.", remedy="Mend that place; nothing was loaded.") from e
    stack: list[tuple[Any, int]] = [(doc, 0)]
    while stack:
        value, depth = stack.pop()
        if depth > _MOST_DEPTH:
            raise _deep(name)
        if isinstance(value, list):
            stack.extend((inner, depth + 1) for inner in value)
        elif isinstance(value, dict):
            for key in ("@context", "@import"):
                named = value.get(key)
                for context in named if isinstance(named, list) else [named]:
                    if isinstance(context, str):
                        raise FormatError(
                            f"{name} takes its context from elsewhere: {context[:200]}",
                            remedy="Put the context itself in its place: nothing is fetched while loading.",
                        )
            stack.extend((inner, depth + 1) for inner in value.values())


def _deep(name: str) -> FormatError:
    return FormatError(f"{name} is nested too deeply.", remedy=f"At most {_MOST_DEPTH} levels are read.")
