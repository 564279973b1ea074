"""Read YAML files as tables: a list of records, or lists of records under the names of tables."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from hydra_kg.errors import FormatError
from hydra_kg_loaders.table_files.canonical_rows import CellRows, FoundTable
from hydra_kg_loaders.tables.text_rows import header

ENDINGS: Final = (".yaml", ".yml")
MOST: Final = 16 << 20
"""Largest YAML file in bytes. It is read as a whole."""

_RECORDS: Final = re.compile(
    rb"(?:\s*(?:#[^\n]*)?\n|---[^\n]*\n)*"
    rb"(?:-[ \t]+\{?[^:\n#{\[]+:|[^\s#:-][^:\n]*:[ \t]*\n(?:\s*#[^\n]*\n)*[ \t]*-[ \t]+\{?[^:\n#{\[]+:)"
)


def looks_like_records(head: bytes) -> bool:
    """Return True if a file begins like a list of records, or like such a list under a name."""
    return b"\0" not in head and _RECORDS.match(head.removeprefix(b"\xef\xbb\xbf")) is not None


def yaml_tables(path: Path, *, max_line: int) -> list[FoundTable]:
    """Return the tables of a YAML file.

    Raises FormatError for other files, and for aliases, which can expand without end.
    """
    if path.stat().st_size > MOST:
        raise FormatError(f"{path.name} is over {MOST >> 20} MB.", remedy="Save it as JSON lines or CSV.")
    found = read_yaml(path)
    tables = found if isinstance(found, dict) else {path.stem: found}
    out = []
    for name, records in tables.items():
        if isinstance(records, list) and records and all(isinstance(r, dict) for r in records):
            out.append(FoundTable(str(name), _rows(records, path, max_line)))
    if not out:
        raise FormatError(f"{path.name} holds no list of records.", remedy="Each record is a mapping: name: Alice.")
    return out


def read_yaml(path: Path) -> Any:
    """Return the content of a YAML file, without aliases and Python types. Raises FormatError."""
    import yaml

    class Plain(yaml.SafeLoader):  # type: ignore[misc]
        """Loader without aliases and dates: a text stays as it is."""

        def compose_node(self, parent: Any, index: Any) -> Any:
            if self.check_event(yaml.events.AliasEvent):
                raise yaml.YAMLError("aliases (*name) are not read")
            return super().compose_node(parent, index)

    Plain.yaml_implicit_resolvers = {
        first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }
    try:
        return yaml.load(path.read_text("utf-8"), Loader=Plain)  # a SafeLoader
    except (yaml.YAMLError, UnicodeDecodeError, ValueError, RecursionError) as e:
        mark = e.problem_mark if isinstance(e, yaml.MarkedYAMLError) else None
        where = f" in line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        reason = (isinstance(e, yaml.MarkedYAMLError) and e.problem) or " ".join(str(e).split())[:200]
        raise FormatError(
            f"{path.name} is not valid YAML{where}: {reason}.",
            remedy="Correct that line. YAML indents with spaces and writes `name: value`.",
        ) from e


def _rows(records: list[Mapping[Any, Any]], path: Path, max_line: int) -> CellRows:
    keys = list(dict.fromkeys(key for record in records for key in record))
    return CellRows(
        header([str(key) for key in keys], path), lambda: ([r.get(key) for key in keys] for r in records), max_line
    )
