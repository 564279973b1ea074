"""Name tables after their files, and find files that are parts of one table."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

_SUFFIX: Final = re.compile(
    r"(\.(csv|tsv|tab|txt|parquet|json|geojson|jsonl|ndjson|xml|ya?ml|gz|bz2|zst))+$", re.IGNORECASE
)
_PART: Final = re.compile(r"[-_. ]*(part|chunk)?[-_. ]*[0-9]{1,10}([-_][0-9a-f-]{20,}.*)?$", re.IGNORECASE)


def table_name(file: Path) -> str:
    """Return the name of a file's table: the name of the file without endings."""
    return _SUFFIX.sub("", file.name) or file.name


def part_of(file: Path) -> str:
    """Return the table of a numbered part (``orders-00017.parquet``).

    If the name is only a number, the folder names it.
    """
    name = table_name(file)
    return _PART.sub("", name) or file.parent.name or name
