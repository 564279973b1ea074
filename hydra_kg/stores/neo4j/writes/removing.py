"""Removes what a load wrote, chunk by chunk. If it is killed, the next removal continues."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from hydra_kg.stores.neo4j.connection.chunk_layout import LINKS, NODES, SAME_AS, chunk_number
from hydra_kg.stores.neo4j.connection.queries import SPAN, Database, TakenError, Transaction

BATCH: Final = 10_000
TRIES: Final = 5
_ROWS: Final = tuple(
    (
        "delete_values delete_names delete_words delete_passages delete_passage_words delete_predicates delete_files"
    ).split()
)


def remove_rows(db: Database, load: int) -> None:
    """Remove everything of a load except the load itself, and nodes that no load uses any more."""
    ((numbers, _),) = db.read("chunks_done", {"load": load})
    # Rows go before the marks of their chunks: whoever dies in between must leave no mark that says they are there.
    db.write(lambda tx: tx.run("chunks_spoil", {"load": load, "numbers": numbers}))
    for query in _ROWS:
        while _run(db, query, {"load": load, "limit": BATCH})[0][0] == BATCH:
            pass
    for number in sorted(numbers, reverse=True):  # nodes last
        stream = number // chunk_number(1, 0)
        if stream == LINKS:
            _run(db, "delete_links", {"load": load, "n": number, "low": load * SPAN, "high": (load + 1) * SPAN})
        elif stream == SAME_AS:
            _run(db, "delete_same_as", {"load": load, "n": number})
        elif stream == NODES:
            _run(db, "delete_nodes", {"load": load, "n": number, "span": SPAN}, locked=True)
        else:
            _run(db, "delete_chunk", {"load": load, "n": number})


def _run(db: Database, query: str, parameters: Mapping[str, Any], *, locked: bool = False) -> list[list[Any]]:
    """Run a query of a removal, again for a node that just got a relationship.

    ``locked`` means that no load writes nodes meanwhile.
    """

    def work(tx: Transaction) -> list[list[Any]]:
        if locked:
            tx.run("store_lock")
        return tx.run(query, parameters)

    for _ in range(TRIES - 1):
        try:
            return db.write(work)
        except TakenError:
            continue
    return db.write(work)
