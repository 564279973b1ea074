"""Reads one RDF file with pyoxigraph in a process: no sockets, bounded memory and time, statements out.

``python -m hydra_kg_loaders.rdf.parse FORMAT FILE BASE NAME`` prints JSON lists: ``[line, subject, predicate, object,
graph]``, line 0 where unknown, blank nodes numbered; ``["reject", line, reason, column, text]``; last ``["done", n]``,
``["error", why]`` or ``["refused", message, remedy]``.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pyoxigraph as ox

from hydra_kg.errors import FormatError
from hydra_kg.util.sandbox import allow_seconds, confine
from hydra_kg_loaders.rdf.checks import check_json, check_xml, xml_as_utf8
from hydra_kg_loaders.rdf.graph_reader import read_json, read_turtle, read_xml

CPU: Final = 60
CPU_PER_MB: Final = 5
"""Seconds of processor time that a file may take."""

MEMORY: Final = 1 << 30
MEMORY_PER_BYTE: Final = 20

_ESCAPES: Final = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}

Write = Callable[[list[Any]], None]


class StatementWriter:
    """Writer of quads as statements in N-Triples form, with counts."""

    def __init__(self, write: Write) -> None:
        self.count = 0
        self._write = write
        self._blank: dict[str, str] = {}

    def emit(self, line: int, quad: Any) -> None:
        """Write one statement. A triple about a triple is rejected."""
        if isinstance(quad.object, ox.Triple):
            self.reject(line, "unsupported", 0, str(quad))
            return
        graph = "" if isinstance(quad.graph_name, ox.DefaultGraph) else self._term(quad.graph_name)
        self._write([line, self._term(quad.subject), self._term(quad.predicate), self._term(quad.object), graph])
        self.count += 1

    def reject(self, line: int, reason: str, column: int, text: str) -> None:
        """Report a statement that could not be read."""
        self._write(["reject", line, reason, column, text])

    def _term(self, term: Any) -> str:
        if isinstance(term, ox.BlankNode):
            return self._blank.setdefault(term.value, f"_:b{len(self._blank) + 1}")
        if isinstance(term, ox.Literal):
            body = "".join(_ESCAPES.get(c, c if c >= " " else f"\\u{ord(c):04X}") for c in term.value)
            if term.language:
                return f'"{body}"@{term.language}'
            return f'"{body}"' if term.datatype.value == _STRING else f'"{body}"^^<{term.datatype.value}>'
        return f"<{term.value}>"


_STRING: Final = "http://www.w3.org/2001/XMLSchema#string"


def parse(form: str, data: bytes, base: str, name: str, out: StatementWriter) -> None:
    """Read a file of one of the formats turtle, trig, xml, json-ld. Raises FormatError."""
    if form == "json-ld":
        read_json(check_json(data, name), base, out.emit, out.reject)
    elif form == "xml":
        data = xml_as_utf8(data, name)
        read_xml(data, check_xml(data, name), base, out.emit, out.reject)
    else:
        read_turtle(form, data.removeprefix(b"\xef\xbb\xbf"), base, out.emit, out.reject)


def main(form: str, file: str, base: str, name: str) -> int:
    """Parse the file named on the command line. See the module."""
    path = Path(file)
    size = path.stat().st_size
    confine(memory=MEMORY + MEMORY_PER_BYTE * size, files=True)
    allow_seconds(CPU + CPU_PER_MB * (size >> 20))
    out = StatementWriter(_print)
    message: list[Any]
    try:
        parse(form, path.read_bytes(), base, name, out)
    except FormatError as e:
        message = ["refused", e.args[0], e.remedy]
    except MemoryError:
        message = ["error", "it needs more memory than a file of its size may"]
    else:
        message = ["done", out.count]
    _print(message)
    return 0


def _print(message: list[Any]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
