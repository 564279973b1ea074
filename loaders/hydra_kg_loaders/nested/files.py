"""Recognise files of nested JSON or XML, and read them as tables of their records."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Final

from hydra_kg_loaders.nested.document_shape import Shape
from hydra_kg_loaders.nested.element import MOST_BYTES, TEXT, PlacedObject, Value, is_empty
from hydra_kg_loaders.nested.json_files import is_nested_json, read_json
from hydra_kg_loaders.nested.marc import is_marc, marc_record
from hydra_kg_loaders.nested.shred import NestedTable, shred
from hydra_kg_loaders.tables import grid
from hydra_kg_loaders.tables.table_references import table_name
from hydra_kg_loaders.tables.xml_rows import ParserPosition, parse_with_expat

_SAMPLE: Final = 1 << 20
_OWN: Final = "@"  # before the name of an attribute that an element inside has, too


def is_nested_xml(file: Path, head: bytes, size: int) -> bool:
    """Return True for XML with nested or mixed records, or values around them. Raises FormatError."""
    if size > MOST_BYTES:
        return False
    if is_marc(head):
        return True
    root = read_xml(file, most=_SAMPLE)
    if not isinstance(root, dict):
        return False
    shape = Shape(root, maps=False)
    records = [key for key, value in root.items() if shape.is_table((key,))]
    if not records:
        return any(isinstance(v, dict) and _holds_tables(shape, (key,), v) for key, v in root.items())
    if len(records) > 1 or any(key not in records for key in root):
        return True
    return any(_holds_tables(shape, (records[0],), one) for one in root[records[0]])


def read_xml(file: Path, *, most: int = 0) -> Value:
    """Return the root of an XML file as an object of its attributes and elements.

    The keys are local names, and repeated elements are arrays. Reading stops after ``most`` bytes (0 for no limit).
    Raises FormatError.
    """
    stack: list[PlacedObject] = [PlacedObject()]
    text: list[list[str]] = [[]]
    position = ParserPosition()

    def start(name: str, attributes: dict[str, str]) -> None:
        made = PlacedObject(place=f"line {position.line()}")
        for key, value in attributes.items():
            if key != "xmlns" and not key.startswith("xmlns:") and not is_empty(value):
                made[_OWN + key.rpartition(":")[2]] = value
        stack.append(made)
        text.append([])

    def characters(data: str) -> None:
        text[-1].append(data)

    def end(name: str) -> None:
        _close(stack, text, name.rpartition(":")[2])

    seen = 0
    for size in parse_with_expat(file, start=start, characters=characters, end=end, position=position):
        seen += size
        if seen > MOST_BYTES or (most and seen >= most):
            break
    while len(stack) > 1:  # cut after ``most``
        _close(stack, text, "")
    root = next(iter(stack[0].values()), None)
    return root


def _close(stack: list[PlacedObject], text: list[list[str]], name: str) -> None:
    """Hand a finished element to the one around it."""
    made, content = stack.pop(), "".join(text.pop())
    plain = " ".join(content.split()) if "\n" in content else content.strip()
    for key in [key for key in made if key.startswith(_OWN)]:
        if key[1:] not in made:
            made[key[1:]] = made.pop(key)
    value: Value = made
    if not made:
        value = plain
    elif plain:
        made[TEXT] = plain
    around = stack[-1]
    known = around.get(name)
    if known is None:
        around[name] = value
    elif isinstance(known, list):
        known.append(value)
    else:
        around[name] = [known, value]


def _holds_tables(shape: Shape, path: tuple[str, ...], value: Value) -> bool:
    if not isinstance(value, dict):
        return False
    for key, inner in value.items():
        if shape.is_table((*path, key)):
            return True
        if any(_holds_tables(shape, (*path, key), one) for one in (inner if isinstance(inner, list) else [inner])):
            return True
    return False


def read_records(file: Path, head: bytes) -> Value:
    """Return the root of an XML file. MARC records get the names of their fields. Raises FormatError."""
    root = read_xml(file)
    if not is_marc(head) or not isinstance(root, dict):
        return root
    records = root.get("record", root)
    return {"record": [marc_record(one) for one in (records if isinstance(records, list) else [records])]}


def is_nested(file: Path, head: bytes) -> bool:
    """Return True if a file of JSON or XML is several tables. Raises FormatError for refused XML."""
    kind = _kind(head)
    if not kind:
        return False
    stat = file.stat()
    return _is_nested(file, stat.st_mtime_ns, stat.st_size, head, kind)


@lru_cache(maxsize=256)
def _is_nested(file: Path, changed: int, size: int, head: bytes, kind: str) -> bool:
    return is_nested_json(file, head, size) if kind == "json" else is_nested_xml(file, head, size)


def shred_file(file: Path, head: bytes) -> tuple[list[NestedTable], list[tuple[str, str]]]:
    """Return the tables of a nested file, and (reason, text) of records that are not rows. Raises FormatError."""
    if _kind(head) == "json":
        root, bad = read_json(file)
        return shred(root, name=table_name(file)), bad
    return shred(read_records(file, head), name=table_name(file), maps=False), []


def _kind(head: bytes) -> str:
    kind = grid.kind_of(head)
    if not kind and head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{":
        return "json"
    return kind if kind in {"json", "xml"} else ""
