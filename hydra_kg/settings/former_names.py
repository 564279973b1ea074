"""Names that settings no longer have, so that an old file or variable gets a remedy instead of an error.

Learned weights, costs and bounds were settings once, and are constants of the program now.
"""

from __future__ import annotations

from typing import Final

FORMER_GROUPS: Final = ("operators", "own_tables", "own_words")
"""Groups of which no setting is left."""


def explain_former_name(name: str) -> str:
    """Return what became of a setting, by its former name or by that of its variable (``own_tables_beam``).

    "" if there never was one.
    """
    if f"{name.replace('.', '_')}_".startswith(tuple(f"{group}_" for group in FORMER_GROUPS)):
        return "is fixed in the program now, remove it"
    return ""
