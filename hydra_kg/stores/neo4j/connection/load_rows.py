"""Reads a database's rows about loads as untrusted data, because other programs can write to them as well."""

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
