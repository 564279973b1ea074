"""Reads a database's rows about loads as untrusted data, and numbers the streams and chunks of a load's rows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from hydra_kg.domain import Source
from hydra_kg.errors import StoreCorruptError
from hydra_kg.stores.common.kept_answer import ANY, Shape, find_misfit

_LOAD: Final[Shape] = {
    "id": int,
    "name": str,
    "state?": str,
    "sources": [{"name": str, "kind": str}],
    "facts": int,
    "checksum": str,
    "flipped": str,
    "file": str,
    "rows": int,
    "texts": {ANY: int},
    "counts": dict,
    "details": dict,
    "owner?": str,
    "created?": str,
    "beat?": int,
}
_JSON: Final = ("sources", "texts", "counts", "details")
"""Properties that contain JSON."""

NODES, LINKS, VALUES, NAMES, WORDS, PASSAGES, PASSAGE_WORDS, PREDICATES, SAME_AS = range(9)
"""Streams of a load. Nodes come first, because all others refer to them, and are removed last."""

KINDS: Final = {"name": 0, "alias": 1, "title": 2, "description": 3}
LONGEST_KEY: Final = 1000  # characters of a key that an index takes as it is
TEXTS: Final = 200  # passages of a chunk: each may be long


def check_load(load: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the properties of a load unchanged. Raise StoreCorruptError if hydra-kg cannot have written them."""
    try:
        read = {name: json.loads(value) if name in _JSON else value for name, value in load.items()}
        _ = [Source(**source) for source in read["sources"]]
        wrong = find_misfit(read, _LOAD, "load") or ("rows" if load["rows"] < 1 or load["facts"] < 0 else "")
    except (KeyError, TypeError, ValueError, RecursionError):
        wrong = "description"
    if wrong:
        raise StoreCorruptError(
            f"Load {load.get('id')} of this database was changed by another program: its {wrong} cannot be read.",
            remedy="Restore a backup of the database, or remove the load's node and load the sources again.",
        )
    return load


def check_loads(rows: Iterable[Any]) -> list[dict[str, Any]]:
    """Return loads with their ``idle`` time, except those being removed. Raise StoreCorruptError."""
    return [{**check_load(load), "idle": now - load["beat"]} for load, now in rows if "beat" in load]


def chunk_number(stream: int, n: int) -> int:
    """Return the number of a chunk of a stream within its load."""
    return stream << 40 | n
