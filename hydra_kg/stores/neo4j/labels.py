"""The labels of the nodes that hydra-kg writes; nobody else has them, so that what others keep stays theirs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

LABELS: Final = tuple(
    f"Hydra{kind}"
    for kind in (
        "Answer", "Claim", "ClassChunk", "Document", "Entity", "Exploration", "KeptAnswer", "Load", "LoadChunk",
        "LoadFile", "Mediator", "Mention", "Name", "Passage", "PassageWord", "Path", "Predicate", "Pruned", "Question",
        "Source", "Store", "Value", "Voice1", "Voice2", "Voice3", "Voice4", "Voice5", "Voice6", "Voice7", "Voice8",
        "Word",
    )
)  # fmt: skip
"""Of all nodes of ours, but for the chain of migrations."""

CHAIN: Final = ("__Neo4jMigration", "__Neo4jMigrationsLock")
"""Of the chain, in the format that other tools read too."""


def foreign_words(rows: Sequence[Sequence[Any]]) -> str:
    """What somebody else keeps in a database, in words; "" if nothing. ``rows``: of ``bulk_foreign``."""
    ((nodes, labels),) = rows
    named = ", ".join(labels) or "without a label"
    return f"{nodes:,} nodes that hydra-kg did not write ({named})" if nodes else ""


def own_labels() -> list[str]:
    """The parameter of ``bulk_foreign``."""
    return [*LABELS, *CHAIN]
