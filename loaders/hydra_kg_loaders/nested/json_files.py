"""Read a JSON file as one nested value: an object, an array of records, or records by line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Final

from hydra_kg_loaders.nested.document_shape import are_maps
from hydra_kg_loaders.nested.element import MOST_BYTES, PlacedObject, Value, is_empty
from hydra_kg_loaders.tables.dialect import encoding_of
from hydra_kg_loaders.tables.json_rows import looks_like_records
from hydra_kg_loaders.tables.text_rows import texts

SAMPLE: Final = 500
"""Number of records that decide whether a file is nested."""

_DECODER: Final = json.JSONDecoder(parse_float=str, parse_int=str)
_SPACE: Final = re.compile(r"[\s,]*")


def is_nested_json(file: Path, head: bytes, size: int) -> bool:
    """Return True for records in records, several arrays, or values around an array.

    The first :data:`SAMPLE` records decide. ``head`` has the first bytes of the file, and ``size`` is its size.
    """
    if size > MOST_BYTES or not (looks_like_records(head) or head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{"):
        return False
    text = _text(file)
    if text is None:
        return False
    if text.startswith("{") and (root := _whole(text)) is not None:
        if not isinstance(root, dict):
            return False
        nested = [v for v in root.values() if isinstance(v, dict | list) and v]
        records = any(isinstance(v, list) and isinstance(v[0], dict) for v in nested)
        return (records and len(root) > 1) or any(map(_has_records, nested)) or are_maps([root], whole_file=True)
    return any(
        _has_records(value)
        for record in islice(_records(text), SAMPLE)
        if isinstance(record, dict)
        for value in record.values()
        if isinstance(value, dict | list)
    )


def read_json(file: Path) -> tuple[Value, list[tuple[str, str]]]:
    """Return the value of a file, with numbers as texts, and (reason, text) of lines that are not records."""
    text = _text(file) or ""
    root = _whole(text)
    bad: list[tuple[str, str]] = []
    if root is None:
        root = []
        for number, line in enumerate(text.split("\n"), 1):
            if not line.strip(" \t\r,"):
                continue
            record = _whole(line.strip(" \t\r,"))
            if isinstance(record, dict):
                root.append(PlacedObject(record, place=f"line {number}"))
            else:
                bad.append(("json" if record is None else "object", line))
    elif isinstance(root, list):
        bad = [("object", json.dumps(one)) for one in root if not isinstance(one, dict)]
        root = [one for one in root if isinstance(one, dict)]
    return _features(root), bad


def _text(file: Path) -> str | None:
    """Return the text of a file, None if it is not text or has more than :data:`MOST_BYTES` when decompressed."""
    pieces: list[bytes] = []
    size = 0
    encoding = ""
    for piece in texts(file, "utf-8"):
        encoding = encoding or encoding_of(piece) or "?"
        size += len(piece)
        if size > MOST_BYTES or encoding == "?":
            return None
        pieces.append(piece)
    if encoding != "utf-8":
        pieces = list(texts(file, encoding or "utf-8"))
    return b"".join(pieces).decode("utf-8", "replace").lstrip("\ufeff").strip()


def _whole(text: str) -> Value:
    """Return a text as one JSON value, None if it is not one."""
    try:
        return _DECODER.decode(text)
    except (ValueError, RecursionError):
        return None


def _records(text: str) -> Iterator[Value]:
    """Yield the records of an array or of lines, until one cannot be read."""
    at = 1 if text.startswith("[") else 0
    while True:
        found = _SPACE.match(text, at)
        at = found.end() if found else at
        if at >= len(text) or text[at] in "]}":
            return
        try:
            value, at = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            return
        yield value


def _has_records(value: Value, depth: int = 0) -> bool:
    """Return True if a value contains an array of at least two records with several values each, or objects by key."""
    if depth > 8 or not isinstance(value, dict | list):
        return False
    if isinstance(value, list):
        objects = [one for one in value if isinstance(one, dict)]
        if len(objects) > 1 and any(sum(not is_empty(v) for v in one.values()) > 1 for one in objects):
            return True
        return any(_has_records(one, depth + 1) for one in value[:50])
    return are_maps([value]) or any(_has_records(one, depth + 1) for one in value.values())


def _features(root: Value) -> Value:
    """Return GeoJSON with the properties of each feature as its own fields, and points as longitude and latitude."""
    if not isinstance(root, dict):
        return [_feature(one) for one in root] if isinstance(root, list) else root
    features = root.get("features")
    if root.get("type") == "FeatureCollection" and isinstance(features, list):
        return PlacedObject({**root, "features": [_feature(one) for one in features]})
    return _feature(root)


def _feature(value: Value) -> Value:
    """Return a GeoJSON feature as a flat object, other values unchanged."""
    if not isinstance(value, dict) or value.get("type") != "Feature" or "geometry" not in value:
        return value
    own = {k: v for k, v in value.items() if k not in {"type", "properties", "geometry"}}
    properties = value.get("properties")
    fields = properties if isinstance(properties, dict) else {}
    out = PlacedObject({**own, **{k if k not in own else f"properties.{k}": v for k, v in fields.items()}})
    out.place = value.place if isinstance(value, PlacedObject) else ""
    geometry = value.get("geometry")
    if isinstance(geometry, dict):
        point = geometry.get("coordinates")
        if geometry.get("type") == "Point" and isinstance(point, list) and 2 <= len(point) <= 3:
            named = zip(("longitude", "latitude", "altitude"), point, strict=False)
            for name, number in named:
                out[name if name not in out else f"geometry.{name}"] = number
            geometry = {k: v for k, v in geometry.items() if k != "coordinates"}
        out["geometry" if "geometry" not in out else "geometry of feature"] = geometry
    return out
