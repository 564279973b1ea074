"""JSON objects of several arrays of records, as in `{"films": [{…}], "directors": [{…}]}`: each array is a table."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final

MOST: Final = 16 << 20
"""Bytes of such a file, which is read as a whole. Of a larger one only the first array is read."""

_OBJECT: Final = re.compile(rb'\s*\{\s*"(?:[^"\\]|\\.){0,100}"\s*:\s*[^\s{]')


def read_arrays(file: Path) -> dict[str, list[dict[str, Any]]]:
    """Return the arrays of a JSON object that holds two or more arrays of records; nothing for any other file.

    Numbers are texts as in the file.
    """
    if file.suffix.casefold() != ".json" or file.stat().st_size > MOST:
        return {}
    data = file.read_bytes().removeprefix(b"\xef\xbb\xbf")
    if not _OBJECT.match(data):
        return {}
    try:
        found = json.loads(data, parse_float=str, parse_int=str)
    except (ValueError, RecursionError):
        return {}
    arrays = {name: value for name, value in found.items() if isinstance(value, list)}
    several = len(arrays) > 1 and all(value and all(isinstance(v, dict) for v in value) for value in arrays.values())
    return arrays if several else {}
