"""Read records of XML as rows, where the repeated element is the record. Entities and document types are refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final
from xml.parsers import expat

from hydra_kg.errors import FormatError
from hydra_kg.ingest.contract.feed import chunks
from hydra_kg.util.fast_dataclass import dataclass, field
from hydra_kg_loaders.tables.json_rows import canonical
from hydra_kg_loaders.tables.text_rows import CELL, MOST_COLUMNS, Counts, Reject

MOST_DEPTH: Final = 100
_SAMPLE: Final = 4 << 20


@dataclass(slots=True)
class XmlRows:
    """A file of XML records, read once. ``path/of/element`` and ``@attribute`` below ``record`` are columns."""

    file: Path
    record: tuple[str, ...]
    columns: list[str] = field(default_factory=list)
    max_line: int = 1 << 20
    counts: Counts = field(default_factory=Counts)
    places: set[int] = field(default_factory=set)

    @property
    def many(self) -> frozenset[int]:
        """Return the columns in which some cell has several values."""
        return frozenset(self.places)

    def blocks(self, reject: Reject, *, limit: int = 0, start: int = 0) -> Iterator[str]:
        """Yield rows by record. Reasons of rejects: ``too-long``, ``columns``. Raises FormatError with the line."""
        known = {name: place for place, name in enumerate(self.columns)}
        out: list[str] = []
        for cells, size in self._records():
            if limit and self.counts.rows >= limit:
                break
            self.counts.rows += 1
            row = start + self.counts.rows
            if size > self.max_line or len(known.keys() | cells.keys()) > MOST_COLUMNS:
                reject(row, "too-long" if size > self.max_line else "columns", 0, "/".join(self.record))
                continue
            if not cells:
                self.counts.blank += 1
                continue
            for name, values in cells.items():
                if name not in known:
                    known[name] = len(self.columns)
                    self.columns.append(name)
                if len(values) > 1:
                    self.places.add(known[name])
            out.append(f"{row}{CELL}" + canonical(cells, known, len(self.columns)) + "\n")
            if len(out) >= 2_000:
                yield "".join(out)
                out = []
        if out:
            yield "".join(out)

    def _records(self) -> Iterator[tuple[dict[str, list[str]], int]]:
        """Yield the cells of each record, with its line."""
        ready: list[tuple[dict[str, list[str]], int]] = []
        path: list[str] = []
        inside: list[str] = []  # path below the record
        text: list[list[str]] = []
        cells: dict[str, list[str]] = {}
        size = 0

        def start(name: str, attributes: dict[str, str]) -> None:
            nonlocal cells, size
            path.append(name)
            if tuple(path[: len(self.record)]) != self.record:
                return
            if len(path) == len(self.record):
                cells, size = {}, 0
                inside.clear()
            else:
                inside.append(_local(name))
            text.append([])
            for key, value in attributes.items():
                size += len(value)
                if value.strip() and size <= self.max_line:
                    cells.setdefault("/".join([*inside, "@" + _local(key)]), []).append(value.strip())

        def characters(data: str) -> None:
            nonlocal size
            size += len(data)
            if text and size <= self.max_line:
                text[-1].append(data)

        def end(name: str) -> None:
            if text and tuple(path[: len(self.record)]) == self.record:
                content = "".join(text.pop()).strip()
                if content:
                    cells.setdefault("/".join(inside) or "text", []).append(content)
                if len(path) == len(self.record):
                    ready.append((cells, size))
                else:
                    inside.pop()
            path.pop()

        for _ in parse_with_expat(self.file, start=start, characters=characters, end=end):
            yield from ready
            ready.clear()


def open_xml(file: Path, *, max_line: int = 1 << 20) -> XmlRows:
    """Return a file of XML records. Raises FormatError if no element repeats or it is no XML."""
    counts: Counter[tuple[str, ...]] = Counter()
    path: list[str] = []
    seen = 0

    def start(name: str, attributes: dict[str, str]) -> None:
        path.append(name)
        if 1 < len(path) <= 6:
            counts[tuple(path)] += 1

    for size in parse_with_expat(file, start=start, characters=lambda data: None, end=lambda name: path.pop()):
        seen += size
        if seen >= _SAMPLE:
            break
    for depth in range(2, 7):
        level = {p: n for p, n in counts.items() if len(p) == depth}
        best = max(level, key=lambda p: (level[p], p), default=None)
        if best is not None and level[best] > 1:
            return XmlRows(file, best, max_line=max_line)
    record = min((p for p in counts if len(p) == 2), default=None)
    if record is None:
        raise FormatError(
            f"No element of {file.name} is a record.",
            remedy="A table in XML is one element that repeats, such as <row>, inside the root.",
        )
    return XmlRows(file, record, max_line=max_line)


class ParserPosition:
    """The position of expat in a file that :func:`parse_with_expat` reads."""

    parser: expat.XMLParserType | None = None

    def line(self) -> int:
        """Return the line of the current event, 0 before the beginning."""
        return self.parser.CurrentLineNumber if self.parser is not None else 0


def parse_with_expat(
    file: Path, *, start: Any, characters: Any, end: Any, position: ParserPosition | None = None
) -> Iterator[int]:
    """Parse a file piece by piece with expat, and yield the sizes of the pieces. Raises FormatError.

    A document type is refused.
    """
    parser = expat.ParserCreate()
    parser.buffer_text = True
    if position is not None:
        position.parser = parser
    depth = 0

    def refuse(*_: object) -> None:
        raise FormatError(
            f"{file.name} declares a document type (line {parser.CurrentLineNumber}), through which XML"
            " can expand without bounds or reach other files.",
            remedy="Remove the <!DOCTYPE …> declaration.",
        )

    def deeper(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > MOST_DEPTH:
            raise FormatError(
                f"{file.name} is nested deeper than {MOST_DEPTH} elements (line {parser.CurrentLineNumber}).",
                remedy="That is not a table.",
            )
        start(name, attributes)

    def higher(name: str) -> None:
        nonlocal depth
        depth -= 1
        end(name)

    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    parser.StartElementHandler, parser.EndElementHandler = deeper, higher
    parser.CharacterDataHandler = characters
    try:
        for data in chunks(file):
            parser.Parse(data, False)
            yield len(data)
        parser.Parse(b"", True)
    except expat.ExpatError as e:
        raise FormatError(
            f"{file.name} is not well-formed XML: {expat.ErrorString(e.code)} (line {e.lineno}, character {e.offset}).",
            remedy="Correct that place; nothing was loaded.",
        ) from e
    except (LookupError, ValueError) as e:
        raise FormatError(f"{file.name} cannot be read as XML: {e}.", remedy="Save it in UTF-8.") from e
    yield 0


def _local(name: str) -> str:
    return name.rpartition(":")[2]
