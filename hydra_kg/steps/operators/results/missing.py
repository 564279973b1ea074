"""What is in doubt of a set because no source states the value that decides of some things."""

from __future__ import annotations

from typing import Final

from hydra_kg.steps.operators.results.found import ThingSet

_BELONGS: Final = 0.5
"""Members that a set lacks if things without a value are like the others, from which it is in doubt."""


def without_value(unknown: int, of: int, what: str) -> str:
    """What is in doubt of a set, some of whose members have no such value."""
    return f"{unknown} of {of} without a stated {what}"


def may_belong(found: ThingSet) -> tuple[str, ...]:
    """Return how many lack a deciding value, if probably one belongs: 2 of 4 people, not 3 of 28 films."""
    unknown, known = len(found.unknown), found.sought - len(found.unknown)
    likely = unknown * (len(found) + 0.5) / (max(known, 0) + 1)
    if not found.lacks or likely < _BELONGS:
        return ()
    return (without_value(unknown, found.sought, found.lacks),)
