"""Tell files of nested JSON or XML, and read them as the tables of their records."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from hydra_kg_loaders.nested.json_files import is_nested_json, read_json
from hydra_kg_loaders.nested.shred import NestedTable, shred
from hydra_kg_loaders.nested.xml_files import is_nested_xml, read_records
from hydra_kg_loaders.tables import grid
from hydra_kg_loaders.tables.parts import table_name


def is_nested(file: Path, head: bytes) -> bool:
    """Return True if a file of JSON or XML is several tables. Raises FormatError for XML that is refused."""
    kind = _kind(head)
    if not kind:
        return False
    stat = file.stat()
    return _decided(file, stat.st_mtime_ns, stat.st_size, head, kind)


@lru_cache(maxsize=256)
def _decided(file: Path, changed: int, size: int, head: bytes, kind: str) -> bool:
    return is_nested_json(file, head, size) if kind == "json" else is_nested_xml(file, head, size)


def shredded(file: Path, head: bytes) -> tuple[list[NestedTable], list[tuple[str, str]]]:
    """Return the tables of a nested file, and (reason, text) of records that are no rows. Raises FormatError."""
    if _kind(head) == "json":
        root, bad = read_json(file)
        return shred(root, name=table_name(file)), bad
    return shred(read_records(file, head), name=table_name(file), maps=False), []


def _kind(head: bytes) -> str:
    kind = grid.kind_of(head)
    if not kind and head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{":
        return "json"
    return kind if kind in {"json", "xml"} else ""
