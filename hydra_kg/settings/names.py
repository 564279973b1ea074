"""The names of settings: ``name``, or ``group.name``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel

from hydra_kg.settings.former_names import FORMER_GROUPS


def full_names(values: Mapping[str, Any], *, groups: Iterable[str]) -> dict[str, Any]:
    """Return values by group (``{"pruning": {"w1": 7}}``) or full name (``{"pruning.w1": 7}``), under full names."""
    known, found = {*groups, *FORMER_GROUPS}, dict[str, Any]()
    for name, value in values.items():
        inside = dict(value) if isinstance(value, BaseModel) else value
        if name in known and isinstance(inside, Mapping):
            found |= {f"{name}.{field}": v for field, v in inside.items()}
        else:
            found[name] = value
    return found


def by_group(values: Mapping[str, Any]) -> dict[str, Any]:
    """Values under full names as one mapping for each group."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        group, dot, field = name.partition(".")
        if dot:
            found.setdefault(group, {})[field] = value
        else:
            found[name] = value
    return found
