"""A process of its own that reads one small RDF file with rdflib: no sockets, bounded memory and time, statements out.

``python -m hydra_kg_loaders.rdf.parse FORMAT FILE BASE`` prints a statement a line, as JSON: line (0 where the format
has none), subject, predicate, object, graph; terms in N-Triples form, blank nodes numbered in the order in which they
appear, so that the same file gives the same names every time. A last line says ``["done", n]``, ``["error", line,
why]`` or ``["refused", message, remedy]``.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from rdflib.store import Store

from hydra_kg.errors import FormatError
from hydra_kg.util.sandbox import allow_seconds, confine, refuse
from hydra_kg_loaders.rdf.checks import check

CPU: Final = 60
CPU_PER_MB: Final = 5
"""Seconds of processor time that a file may take: rdflib reads 1 to 3 MB/s."""

MEMORY: Final = 1 << 30
MEMORY_PER_BYTE: Final = 20


class StatementSink(Store):
    """An rdflib store that streams every parsed statement to standard output and stores nothing."""

    context_aware = True
    graph_aware = True

    def __init__(self) -> None:
        super().__init__()
        self.count = 0
        self.default: Any = None
        self.line: Callable[[], int] = lambda: 0
        self._blank: dict[str, str] = {}

    def add(self, triple: Any, context: Any, quoted: bool = False) -> None:
        """Print one statement."""
        if quoted:
            return
        graph = getattr(context, "identifier", context)
        named = "" if graph is None or graph == self.default else self._term(graph)
        sys.stdout.write(json.dumps([self.line(), *map(self._term, triple), named]) + "\n")
        self.count += 1

    def bind(self, prefix: str, namespace: Any, override: bool = True) -> None:
        """Prefixes are of no use here."""

    def namespace(self, prefix: str) -> None:
        """None is known."""

    def prefix(self, namespace: Any) -> None:
        """None is known."""

    def namespaces(self) -> Any:
        """None."""
        return iter(())

    def add_graph(self, graph: Any) -> None:
        """A graph is named by its statements."""

    def contexts(self, triple: Any = None) -> Any:
        """None are kept."""
        return iter(())

    def triples(self, triple: Any, context: Any = None) -> Any:
        """None are kept."""
        return iter(())

    def __len__(self, context: Any = None) -> int:
        return self.count

    def _term(self, term: Any) -> str:
        from rdflib import BNode, Literal

        if isinstance(term, BNode):
            return self._blank.setdefault(str(term), f"_:b{len(self._blank) + 1}")
        if isinstance(term, Literal):
            body = "".join(_ESCAPES.get(c, c if c >= " " else f"\\u{ord(c):04X}") for c in str(term))
            if term.language:
                return f'"{body}"@{term.language}'
            return f'"{body}"^^<{term.datatype}>' if term.datatype is not None else f'"{body}"'
        return f"<{term}>"


_ESCAPES: Final = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def parse(form: str, file: Path, base: str, out: StatementSink) -> None:
    """Read a file of one of the formats turtle, trig, xml, json-ld into ``out``."""
    import rdflib
    from rdflib.plugins.parsers import notation3, rdfxml, trig

    rdflib.NORMALIZE_LITERALS = False  # "007" stays what it is
    graph = rdflib.Dataset(store=out)
    default = graph.default_graph if hasattr(graph, "default_graph") else graph.default_context
    out.default = default.identifier
    if form == "json-ld":
        with file.open("rb") as stream:
            graph.parse(stream, format="json-ld", publicID=base)
    elif form == "xml":
        with file.open("rb") as stream:
            source = rdflib.parser.InputSource(base)
            source.setByteStream(stream)
            parser = rdfxml.create_parser(source, default)
            out.line = lambda: parser.getContentHandler().locator.getLineNumber() or 0  # type: ignore[attr-defined]
            parser.parse(source)
    else:
        text = file.read_bytes().decode("utf-8-sig")
        if form == "trig":
            conjunctive = rdflib.ConjunctiveGraph(store=out, identifier=default.identifier)
            conjunctive.default_context = default
            reader: Any = trig.TrigSinkParser(notation3.RDFSink(conjunctive), baseURI=base, turtle=True)
        else:
            reader = notation3.SinkParser(notation3.RDFSink(default), baseURI=base, turtle=True)
        out.line = lambda: reader.lines + 1
        reader.loadBuf(text)


def guard(size: int) -> None:
    """No sockets, no other addresses, no more memory or time than a file of that many bytes may need."""
    parsing: Any = importlib.import_module("rdflib.parser")
    loading: Any = importlib.import_module("rdflib.plugins.shared.jsonld.util")
    parsing._urlopen = refuse
    create = loading.create_input_source

    def given(source: Any = None, **more: Any) -> Any:
        if isinstance(source, str) or more.get("location") is not None:  # a context by its address, or a file
            refuse()
        return create(source, **more)

    loading.create_input_source = given
    confine(memory=MEMORY + MEMORY_PER_BYTE * size, files=True)
    allow_seconds(CPU + CPU_PER_MB * (size >> 20))


def main(form: str, name: str, base: str) -> int:
    """See the module."""
    import warnings

    warnings.simplefilter("ignore")  # rdflib warns of its own past
    importlib.import_module("rdflib.plugins.parsers.jsonld")  # before the guard
    file = Path(name)
    guard(file.stat().st_size)
    out = StatementSink()
    message: list[Any]
    try:
        check(form, file, base.rpartition("/")[2])
        parse(form, file, base, out)
    except FormatError as e:
        message = ["refused", e.args[0], e.remedy]
    except RecursionError:
        message = ["error", out.line(), "it is nested too deeply"]
    except MemoryError:
        message = ["error", 0, "it needs more memory than a file of its size may"]
    except Exception as e:  # whatever rdflib raises is a fault of the file
        text = str(getattr(e, "_why", "") or e).strip() or type(e).__name__
        message = ["error", int(getattr(e, "lines", -1)) + 1 or out.line(), " ".join(text.split())[:300]]
    else:
        message = ["done", out.count]
    sys.stdout.write(json.dumps(message) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
