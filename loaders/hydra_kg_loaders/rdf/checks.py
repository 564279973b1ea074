"""Refuse RDF that could expand without bounds or reach outside the file, before a parser sees it."""

from __future__ import annotations

import json
import re
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final
from xml.parsers import expat

from hydra_kg.errors import FormatError
from hydra_kg.ingest.contract.feed import chunks
from hydra_kg.util.fast_dataclass import dataclass

CONTEXT_IRIS: Final = frozenset(
    f"{scheme}://{host}{path}"
    for scheme in ("http", "https")
    for host in ("schema.org", "www.schema.org")
    for path in (
        "",
        "/docs/jsonldcontext.jsonld",
        "/docs/jsonldcontext.json",
        "/version/latest/schemaorgcontext.jsonld",
    )
)
"""Addresses of schema.org's context, without a slash at the end."""


@cache
def schema_org_context() -> dict[str, Any]:
    """Return schema.org's context. Callers must not change it."""
    context: dict[str, Any] = json.loads(files("hydra_kg_loaders.rdf").joinpath("schema_org.json").read_bytes())
    return context


MOST: Final = 200 << 20
"""Largest file, in decompressed bytes, that is read as a whole."""

_DECLARED: Final = re.compile(rb"""<\?xml[^>]*?\sencoding\s*=\s*["']([\w.-]+)["']""")
_ENCODING: Final = re.compile(r"""(<\?xml[^>]*?)\sencoding\s*=\s*["'][\w.-]+["']""")
_MOST_DEPTH: Final = 200
_MOST_ENTITY: Final = 2_000


@dataclass(frozen=True, slots=True)
class XmlParts:
    """Offsets in an XML document.

    They are the end of the root's start tag, and the beginning and end of each child of the root.
    """

    root_end: int
    children: tuple[tuple[int, int], ...]


def spool(file: Path, target: Path) -> Path:
    """Write the decompressed file for the process that reads it. Raises FormatError over :data:`MOST` bytes."""
    size = 0
    with target.open("wb") as out:
        for data in chunks(file):
            size += len(data)
            if size > MOST:
                raise FormatError(
                    f"{file.name} has over {MOST >> 20} MB of RDF in a form that cannot be read in parts.",
                    remedy="Turn it into N-Triples or N-Quads (rapper, riot), which are read line by line whatever"
                    " their size; dumps of Freebase and Wikidata have formats of their own (--as freebase,"
                    " wikidata_nt).",
                )
            out.write(data)
    return target


def xml_as_utf8(data: bytes, name: str) -> bytes:
    """Return an XML document in UTF-8, whatever encoding it declares. Raises FormatError."""
    declared = _DECLARED.match(data)
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        encoding = "utf-16"
    elif declared is not None:
        encoding = declared[1].decode("ascii")
    else:
        encoding = "utf-8"
    if encoding.lower() in {"utf-8", "utf8"}:
        return data.removeprefix(b"\xef\xbb\xbf")
    try:
        text = data.decode(encoding)
    except (LookupError, ValueError) as e:
        raise FormatError(f"{name} cannot be read as XML: {e}.", remedy="Save it in UTF-8.") from e
    return _ENCODING.sub(r"\1", text, count=1).encode()


def check_xml(data: bytes, name: str) -> XmlParts:
    """Return the offsets of a document's parts. Raises FormatError if it reaches outside or expands without bounds."""
    parser = expat.ParserCreate()
    depth = root_end = begin = 0
    children: list[tuple[int, int]] = []

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
            refuse("declares an entity outside of the file")
        elif "&" in value or "%" in value or len(value) > _MOST_ENTITY:
            refuse("declares an entity that expands to others")

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth, begin, root_end
        depth += 1
        if depth > _MOST_DEPTH:
            refuse("is nested too deeply")
        if depth == 2:
            begin = parser.CurrentByteIndex
        elif depth == 1:
            root_end = _tag_end(data, parser.CurrentByteIndex)

    def end(tag: str) -> None:
        nonlocal depth
        depth -= 1
        if depth == 1:
            children.append((begin, _tag_end(data, parser.CurrentByteIndex)))

    parser.StartDoctypeDeclHandler, parser.EntityDeclHandler = doctype, entity
    parser.StartElementHandler, parser.EndElementHandler = start, end
    try:
        parser.Parse(data, True)
    except expat.ExpatError as e:
        raise FormatError(
            f"{name} is not well-formed XML: {expat.ErrorString(e.code)} (line {e.lineno}).",
            remedy="Correct that place; nothing was loaded.",
        ) from e
    except (LookupError, ValueError) as e:
        raise FormatError(f"{name} cannot be read as XML: {e}.", remedy="Save it in UTF-8.") from e
    return XmlParts(root_end, tuple(children))


def _tag_end(data: bytes, begin: int) -> int:
    """Return the end of the tag that begins at a place. Quoted attributes may contain ``>``."""
    match = _TAG.match(data, begin)
    return match.end() if match is not None else begin


_TAG: Final = re.compile(rb"""<(?:[^"'>]|"[^"]*"|'[^']*')*>""")


def check_json(data: bytes, name: str) -> Any:
    """Return the document with schema.org's context inlined. Raises FormatError for other contexts or deep nesting."""
    try:
        document = json.loads(data)
    except RecursionError as e:
        raise _deep(name) from e
    except ValueError as e:
        raise FormatError(
            f"{name} is not JSON: {str(e)[:200]}.", remedy="Correct that place; nothing was loaded."
        ) from e
    stack: list[tuple[Any, int]] = [(document, 0)]
    while stack:
        value, depth = stack.pop()
        if depth > _MOST_DEPTH:
            raise _deep(name)
        if isinstance(value, list):
            stack.extend((inner, depth + 1) for inner in value)
        elif isinstance(value, dict):
            _resolve_contexts(value, name)
            stack.extend((inner, depth + 1) for key, inner in value.items() if inner is not schema_org_context())
    return document


def _resolve_contexts(value: dict[str, Any], name: str) -> None:
    """Replace the IRIs of known JSON-LD contexts by their content. Raises FormatError for others."""
    for key in ("@context", "@import"):
        stated = value.get(key)
        for context in stated if isinstance(stated, list) else [stated]:
            if isinstance(context, str) and context.rstrip("/") not in CONTEXT_IRIS:
                raise FormatError(
                    f"{name} takes its context from elsewhere: {context[:200]}",
                    remedy="Put the context itself in its place: nothing is fetched while loading.",
                )
        if isinstance(stated, str):
            value[key] = schema_org_context()
        elif isinstance(stated, list):
            value[key] = [schema_org_context() if isinstance(context, str) else context for context in stated]


def _deep(name: str) -> FormatError:
    return FormatError(f"{name} is nested too deeply.", remedy=f"At most {_MOST_DEPTH} levels are read.")
