"""The store's only way to a server: Cypher by file name, in retried transactions, with translated errors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, TypeVar

from hydra_kg.errors import StoreError
from hydra_kg.stores.neo4j.connection.connect import bookmark_manager, database, explain, persistent, statement
from hydra_kg.text.quoting import cypher_name

if TYPE_CHECKING:
    from neo4j import Driver, ManagedTransaction
    from neo4j import Transaction as DriverTransaction
    from neo4j.api import BookmarkManager

T = TypeVar("T")
Row = list[Any]

PLACEHOLDER: Final = "/*TYPES*/"
STEPS: Final = "1/*DEPTH*/"
"""Placeholder for the greatest length of a pattern of variable length, which cannot be a query parameter."""

MOST_TYPES: Final = 64
"""Most literal types in one query. With more, the untyped form is used."""

SHARED: Final = "STATES"
"""The relationship type of all predicates that got none of their own.

The property ``p`` is the name that the type would have.
"""

OWN_TYPES: Final = 60_000
"""Most predicates with a relationship type of their own. A database has 65,536 types and never forgets one."""

SPAN: Final = 1 << 40
"""Size of the range of handles of one load.

The ``h`` of a relationship is ``load * SPAN + row``. Parts of nodes begin in the same way.
"""


def type_name(key: str) -> str:
    """Return the relationship type of a predicate.

    Neo4j allows neither the empty name nor NUL, so these are replaced.
    """
    return key.replace("\0", "\u2400") or "_"


def query_text(name: str, *, types: Sequence[str] = (), depth: int = 1) -> str:
    """Return the text of ``cypher/NAME.cypher`` with its placeholders filled.

    ``types`` are the literal types (none means any type), and ``depth`` is the number of steps.
    """
    text = statement(name).replace(STEPS, str(int(depth)))
    return text.replace(PLACEHOLDER, ":" + "|".join(map(cypher_name, types)) if types else "")


_OF_THE_QUERY: Final = tuple(
    (
        "Neo.ClientError.Statement Neo.ClientError.Transaction.TransactionTimedOut "
        "Neo.TransientError.Transaction.Terminated Neo.TransientError.General.MemoryPoolOutOfMemoryError "
        "Neo.ClientError.General.TransactionOutOfMemoryError"
    ).split()
)
"""Error codes for faults of a query, not of the server."""


class TakenError(StoreError):
    """Raised if a uniqueness constraint refused a write. Callers that write something once know what it means."""


class Transaction:
    """Statements of one write transaction, by file name."""

    def __init__(self, inner: ManagedTransaction | DriverTransaction) -> None:
        self._inner = inner

    def run(self, name: str, parameters: Mapping[str, Any] | None = None) -> list[Row]:
        """Run a query file. Return all its rows."""
        return [record.values() for record in self._inner.run(query_text(name), dict(parameters or {}))]


class Database:
    """One database of a server. Threads may share it; reads and writes are retried after passing faults."""

    def __init__(self, driver: Driver, *, url: str, bookmarks: BookmarkManager | None = None) -> None:
        self.url = url
        self._driver, self._name = driver, database(url)
        # On a cluster a reader sees what this process wrote.
        self._bookmarks = bookmarks or bookmark_manager()

    def read(
        self, query: str, parameters: Mapping[str, Any] | None = None, *, types: Sequence[str] = (), depth: int = 1
    ) -> list[Row]:
        """Run a query file in a read transaction. Return all its rows."""
        text = query_text(query, types=types, depth=depth)

        def work(tx: ManagedTransaction) -> list[Row]:
            return [record.values() for record in tx.run(text, dict(parameters or {}))]

        with self._session("READ") as session:
            rows: list[Row] = persistent(lambda: session.execute_read(work))
            return rows

    def read_limited(
        self, work: Callable[[ManagedTransaction], T], *, seconds: float, otherwise: Callable[[str], T]
    ) -> T:
        """Run a query that is not ours in one read transaction of at most ``seconds`` seconds.

        If the server does not understand the query or does not finish it, its message is passed to ``otherwise``, whose
        result is returned.
        """
        from neo4j import unit_of_work
        from neo4j.exceptions import ClientError, DatabaseError, TransientError

        with self._session("READ") as session:
            try:
                found: T = session.execute_read(unit_of_work(timeout=seconds)(work))
            except (ClientError, DatabaseError, TransientError) as e:
                if not str(e.code).startswith(_OF_THE_QUERY):
                    raise
                return otherwise(str(e.message).partition("\n")[0])
            return found

    def write(self, work: Callable[[Transaction], T]) -> T:
        """Run ``work`` in one write transaction, and again after passing faults.

        ``work`` must be safe to repeat after a commit. Raises TakenError for a violated constraint, else StoreError.
        """

        def transaction() -> T:
            done: T = session.execute_write(lambda tx: _attempt(work, tx))
            return done

        with self._session("WRITE") as session:
            return persistent(transaction)

    def write_once(self, work: Callable[[Transaction], T]) -> T:
        """Run ``work`` in one write transaction if it can be done now, without trying again."""
        with self._session("WRITE") as session, session.begin_transaction() as tx:
            done = work(Transaction(tx))
            tx.commit()
            return done

    def close(self) -> None:
        """Close the connections."""
        self._driver.close()

    @contextmanager
    def _session(self, access: str) -> Iterator[Any]:
        """Yield a session. Errors of the driver become StoreErrors."""
        from neo4j.exceptions import DriverError, Neo4jError

        try:
            with self._driver.session(
                database=self._name, default_access_mode=access, bookmark_manager=self._bookmarks
            ) as session:
                yield session
        except (DriverError, Neo4jError, OSError) as e:
            if _says(e, "Schema.ConstraintValidationFailed"):
                raise TakenError("The server refused what is there already.", remedy="Run the command again.") from e
            if _says(e, "Transaction.BookmarkTimeout"):  # what we last saw is in no later state of it
                self._bookmarks = bookmark_manager()
                raise StoreError(
                    f"The database at {self.url} was replaced meanwhile.", remedy="Run the command again."
                ) from e
            raise explain(e, self.url) from e


def _attempt(work: Callable[[Transaction], T], tx: ManagedTransaction) -> T:
    """Run ``work`` in a transaction, and treat data that another transaction removed meanwhile as a passing fault.

    The server does not call this a passing fault, but the transaction can be repeated.
    """
    from neo4j.exceptions import ClientError, TransientError

    try:
        return work(Transaction(tx))
    except ClientError as e:
        if _says(e, "Statement.EntityNotFound"):
            raise TransientError("Something was removed meanwhile.") from e
        raise


def _says(error: BaseException, code: str) -> bool:
    return str(getattr(error, "code", "")).endswith(code)
