"""Write a document as rows of tables. Each of its values becomes a cell, once."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from hydra_kg.errors import FormatError
from hydra_kg.util.fast_dataclass import dataclass, field
from hydra_kg_loaders.nested.document_shape import Path, Shape, below, leaves
from hydra_kg_loaders.nested.element import TEXT, PlacedObject, Value, is_empty, text_of
from hydra_kg_loaders.tables.text_rows import MOST_COLUMNS

MOST_TABLES: Final = 200
NAME: Final = "name"
KEY: Final = "key"
VALUE: Final = "value"
"""Columns of a map for its keys (:data:`KEY` if its objects have names) and for plain values."""

ROOT: Final = "(root)"
"""Key of a map's entry whose key is empty and which has no name."""

Entry = tuple[str, str]
"""The column of the keys of a map, and a key."""


@dataclass(slots=True)
class NestedTable:
    """The rows of one path.

    Attributes:
        cells: The cells of each row, by column.
        parents: The table and row number of each row's parent, or None.
        places: The place of each row in the file.
    """

    path: Path
    name: str = ""
    columns: dict[str, int] = field(default_factory=dict)
    cells: list[dict[str, list[str]]] = field(default_factory=list)
    parents: list[Parent | None] = field(default_factory=list)
    places: list[str] = field(default_factory=list)

    def add(self, cells: dict[str, list[str]], parent: Parent | None, place: str) -> int:
        """Add a row. Returns its number, from 0."""
        self.cells.append(cells)
        self.parents.append(parent)
        self.places.append(place)
        return len(self.cells) - 1

    def note_columns(self) -> None:
        """Note the columns of all rows in the order in which they first appear."""
        self.columns = {column: n for n, column in enumerate(dict.fromkeys(c for row in self.cells for c in row))}

    def values(self, column: str) -> list[str]:
        """Return the values of a column, each as often as it occurs."""
        return [text for row in self.cells for text in row.get(column, ())]

    def is_single(self, column: str) -> bool:
        """Return True if no row has several values there."""
        return all(len(row.get(column, ())) < 2 for row in self.cells)


Parent = tuple[NestedTable, int]


def shred(root: Value, *, name: str, maps: bool = True) -> list[NestedTable]:
    """Return the filled tables of a document, outermost first.

    The document is an object or a list of records, and its root gets the name ``name``. Each scalar becomes the value
    of one cell. For ``maps`` see :class:`Shape`. Raises FormatError.
    """
    found = _Shredder(Shape(root, maps=maps), name)
    if isinstance(root, list):
        for number, record in enumerate(root):
            line = record.place if isinstance(record, PlacedObject) else ""
            found.row((), record, None, f"{line} " if line else f"/{number}")
    elif found.shape.is_map(()):
        found.entries((), root, None, "")
    else:
        found.row((), root, None, "")
    tables = list(found.tables.values())
    first = tables[0] if tables else None
    if first is not None and not isinstance(root, list) and first.cells == [{}]:  # an object of nothing but arrays
        tables.remove(first)
        for table in tables:
            table.parents = [None if p is not None and p[0] is first else p for p in table.parents]
    for table in tables:
        table.note_columns()
        if len(table.columns) > MOST_COLUMNS:
            raise FormatError(
                f"The records of {'.'.join(table.path) or name} have over {MOST_COLUMNS:,} fields.",
                remedy="Make it long: one record for each entity, attribute and value.",
            )
    _name_tables(tables, name)
    return tables


class _Shredder:
    def __init__(self, shape: Shape, name: str) -> None:
        self.shape, self.name = shape, name
        self.tables: dict[Path, NestedTable] = {}

    def row(self, path: Path, value: Value, parent: Parent | None, place: str, *, key: Entry | None = None) -> None:
        """Add a row for a value, and rows of other tables for the values inside it."""
        table = self.tables.get(path)
        if table is None:
            if len(self.tables) >= MOST_TABLES:
                raise FormatError(
                    f"{self.name} holds over {MOST_TABLES} kinds of nested records.",
                    remedy="Save the records that matter as a file of their own.",
                )
            table = self.tables[path] = NestedTable(path)
        own = value.place if isinstance(value, PlacedObject) else ""
        cells: dict[str, list[str]] = {}
        number = table.add(cells, parent, own or place or "/")
        if key is not None:
            _add(cells, *key)
        if isinstance(value, dict):
            self._fields(path, value, (), (table, number), place)
        elif not is_empty(value):
            self._scalars(cells, VALUE if key is not None or not path else path[-1], value)

    def entries(self, path: Path, value: Mapping[str, Value], parent: Parent | None, place: str) -> None:
        """Add a row for each entry of an object by key."""
        objects = [one for v in value.values() for one in (v if isinstance(v, list) else [v]) if isinstance(one, dict)]
        column = next((c for c in (NAME, KEY) if not any(c in inner for inner in objects)), "entry")
        for key, inner in value.items():
            named = key
            if not key.strip() and isinstance(inner, dict) and isinstance(inner.get(NAME), str):
                named = inner[NAME]
            several = isinstance(inner, list) and any(isinstance(one, dict | list) for one in inner)
            for one in inner if several else [inner]:
                self.row(path, one, parent, f"{place}/{_pointer(key)}", key=(column, named or ROOT))

    def _fields(self, path: Path, value: Mapping[str, Value], column: Path, row: Parent, place: str) -> None:
        """Add the fields of an object to a row."""
        cells = row[0].cells[row[1]]
        for key, inner in value.items():
            if is_empty(inner):
                continue
            under, here = below(path, key, inner), f"{place}/{_pointer(key)}"
            at = column if key == TEXT else (*column, key)
            if isinstance(inner, dict) and self.shape.is_map(under):
                self.entries(under, inner, row, here)
            elif isinstance(inner, dict | list) and self.shape.is_table(under):
                for n, one in enumerate(inner if isinstance(inner, list) else [inner]):
                    if not is_empty(one):
                        self.row(under, one, row, f"{here}/{n}" if isinstance(inner, list) else here)
            elif isinstance(inner, dict):
                self._fields(under, inner, at, row, here)
            elif isinstance(inner, list) and any(isinstance(one, dict) for one in inner):
                for n, one in enumerate(inner):
                    if isinstance(one, dict) and self.shape.is_mixed(under):
                        self._scalars(cells, _column(at), list(leaves(one)))
                    elif isinstance(one, dict):
                        self._fields(under, one, at, row, f"{here}/{n}")
                    elif not is_empty(one):
                        self._scalars(cells, _column(at or (VALUE,)), one)
            else:
                self._scalars(cells, _column(at or path[-1:]), inner)

    @staticmethod
    def _scalars(cells: dict[str, list[str]], column: str, value: Value) -> None:
        """Add a scalar, or those of a list; an array of arrays (coordinates) stays one text."""
        if isinstance(value, list):
            if any(isinstance(one, list) and one for one in value):
                _add(cells, column, _compact(value))
                return
            for one in value:
                if not is_empty(one):
                    _add(cells, column, text_of(one))
            return
        _add(cells, column, text_of(value))


def _add(cells: dict[str, list[str]], column: str, text: str) -> None:
    if text.strip():
        cells.setdefault(column, []).append(text)


def _column(at: Path) -> str:
    return " ".join(".".join(at).split()) or VALUE


def _compact(value: Value) -> str:
    """Return arrays of arrays as JSON, with numbers as in the file."""
    if isinstance(value, list):
        return f"[{', '.join(map(_compact, value))}]"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else text_of(value)


def _pointer(key: str) -> str:
    """Return a key as a part of a JSON pointer (RFC 6901)."""
    return key.replace("~", "~0").replace("/", "~1")


def _name_tables(tables: Sequence[NestedTable], name: str) -> None:
    """Name each table after the last part of its path.

    More parts are added where several tables would have the same name.
    """
    for table in tables:
        table.name = table.path[-1] if table.path else name
    for length in range(2, 40):
        count = Counter(table.name.casefold() for table in tables)
        alike = [t for t in tables if count[t.name.casefold()] > 1 and len(t.path) >= length]
        if not alike:
            return
        for table in alike:
            table.name = ".".join(table.path[-length:])
