"""What tables are called after their files, and which files are parts of one table."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

_SUFFIX: Final = re.compile(
    r"(\.(csv|tsv|tab|txt|parquet|json|geojson|jsonl|ndjson|xml|ya?ml|gz|bz2|zst))+$", re.IGNORECASE
)
_PART: Final = re.compile(r"[-_. ]*(part|chunk)?[-_. ]*[0-9]{1,10}([-_][0-9a-f-]{20,}.*)?$", re.IGNORECASE)


def table_name(file: Path) -> str:
    """Return what the table of a file is called: the name of the file without endings."""
    return _SUFFIX.sub("", file.name) or file.name


def part_of(file: Path) -> str:
    """Return the table of a numbered part (``orders-00017.parquet``); of a bare number the folder's."""
    name = table_name(file)
    return _PART.sub("", name) or file.parent.name or name
