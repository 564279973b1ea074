"""Labels that only hydra-kg uses, which tell its data from other data in the same database."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

LABELS: Final = tuple(
    f"Hydra{kind}"
    for kind in (
        "Answer Claim ClassChunk Document Entity Exploration Finding KeptAnswer Load LoadChunk LoadFile Mediator "
        "Mention Name Passage PassageWord Path Predicate Pruned Question Source Store Value Voice1 Voice2 Voice3 "
        "Voice4 Voice5 Voice6 Voice7 Voice8 Word"
    ).split()
)
"""Labels of all our nodes, except the chain of migrations."""

CHAIN: Final = ("__Neo4jMigration", "__Neo4jMigrationsLock")
"""Labels of the chain of migrations, in the format that other tools read too."""


TYPES: Final = tuple(
    (
        "ABOUT ANSWERED BECAUSE CITES FOUND FROM HEARD HOP IS MIGRATED_TO RAN SAME_AS SAYS_1 SAYS_2 SAYS_3 SAYS_4 "
        "SAYS_5 STATES USED VIA"
    ).split()
)
"""Types of all our relationships that are not facts."""


def foreign_words(rows: Sequence[Sequence[Any]], *, what: str = "nodes") -> str:
    """Describe other programs' data in a database, or return "".

    ``rows`` are the result of ``bulk_foreign`` or ``bulk_foreign_links``.
    """
    ((count, kinds),) = rows
    named = ", ".join(kinds) or "without a label"
    return f"{count:,} {what} that hydra-kg did not write ({named})" if count else ""


def list_own_labels() -> list[str]:
    """Return the labels for the parameter of ``bulk_foreign``."""
    return [*LABELS, *CHAIN]
