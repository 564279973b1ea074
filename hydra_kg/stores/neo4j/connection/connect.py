"""Opens a driver for a server's address: credentials from environment, password file or prompt, and clear errors."""

from __future__ import annotations

import getpass
import logging
import os
import re
import sys
import time
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Final, TypeVar
from urllib.parse import urlsplit

from hydra_kg.errors import HydraError, StoreError, UsageError
from hydra_kg.stores.neo4j.connection.local_home import DATABASE, USER, get_default_home
from hydra_kg.util.fast_dataclass import dataclass, field
from hydra_kg.util.package_data import find_content

if TYPE_CHECKING:
    from neo4j import Driver, ManagedTransaction
    from neo4j.api import BookmarkManager


T = TypeVar("T")

SCHEMES: Final = ("neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc")
LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})
REACH: Final = 10.0  # seconds to open a connection
RETRY: Final = 30.0  # seconds during which a transaction that met a passing fault is tried again
FIRST_RETRY: Final = 0.1  # seconds until the first of these, the next after twice the time: a deadlock is over by then
STALE: Final = 60.0  # seconds unused after which a connection is tested first: a network may have forgotten it
OLDEST: Final = (5, 26)  # the first version that takes labels and types as parameters


@dataclass(frozen=True, slots=True)
class Credentials:
    """The user name and password for a server.

    ``origin`` says where the password comes from. ``repr`` does not show the password.
    """

    username: str
    password: str = field(repr=False)
    origin: str


def address(url: str = "") -> str:
    """Return a server's address: ``url``, ``NEO4J_URI``, or the local server's. Raise UsageError for a bad one."""
    if not url:
        instance = get_default_home().instance()
        url = os.environ.get("NEO4J_URI") or (instance.uri if instance else "")
    if not url:
        raise UsageError(
            "No Neo4j server is named, and there is no local one.",
            remedy="Start a local one with hydra-kg up, or set NEO4J_URI.",
        )
    try:
        parts = urlsplit(url)
        named = parts.scheme in SCHEMES and parts.hostname and (parts.port or True)
    except ValueError:
        parts, named = urlsplit(""), False
    if "@" in parts.netloc or "@" in url:
        raise UsageError(
            "The server address contains a user or password, which other users of this machine could read.",
            remedy="Give only neo4j://host:port, and set NEO4J_USERNAME and NEO4J_PASSWORD.",
        )
    if not named or parts.path.strip("/") or parts.query or parts.fragment:
        raise UsageError(
            f"{url} is not the address of a Neo4j server.",
            remedy="Give neo4j://host:port (also neo4j+s, bolt, bolt+s); the database is NEO4J_DATABASE.",
        )
    return url


def is_local(url: str) -> bool:
    """Return True for the address of the local server that ``hydra-kg up`` manages."""
    instance, parts = get_default_home().instance(), urlsplit(url)
    return instance is not None and parts.hostname in LOOPBACK and (parts.port or 7687) == instance.bolt


def database(url: str) -> str | None:
    """Return the database to use, or None for the user's home database.

    It is ``NEO4J_DATABASE`` if that is set, else the only database of a local server.
    """
    return os.environ.get("NEO4J_DATABASE") or (DATABASE if is_local(url) else None)


def credentials(url: str, *, ask: Callable[[str], str] | None = None) -> Credentials:
    """Return the user name and password for a server, and where the password came from.

    The first source that has a password is used: ``NEO4J_USERNAME`` and ``NEO4J_PASSWORD``, the local server's file,
    then what ``ask`` returns (by default it asks at the terminal). Raises UsageError if there is no password.
    """
    username = os.environ.get("NEO4J_USERNAME") or USER
    if password := os.environ.get("NEO4J_PASSWORD"):
        return Credentials(username, password, "NEO4J_PASSWORD")
    if is_local(url) and username == USER and (password := get_default_home().password()):
        return Credentials(username, password, f"the file {get_default_home().password_file}")
    if ask is None and sys.stdin is not None and sys.stdin.isatty():
        ask = getpass.getpass
    if ask is not None:
        return Credentials(username, ask(f"Password of {username} at {url}: "), "the prompt")
    raise UsageError(
        f"There is no password for {url}.", remedy="Set NEO4J_PASSWORD (and NEO4J_USERNAME where it is not neo4j)."
    )


def connect(url: str = "", *, ask: Callable[[str], str] | None = None) -> Driver:
    """Return a driver for the server, with a checked connection. Raise UsageError, StoreError."""
    url = address(url)
    return open_driver(url, credentials(url, ask=ask), database=database(url))


def open_driver(url: str, who: Credentials, *, database: str | None) -> Driver:
    """Return a driver for the server, like ``connect``, with known credentials."""
    import neo4j
    from neo4j.exceptions import DriverError, Neo4jError

    _silence()
    driver = _driver(url, who)
    try:
        driver.verify_connectivity()
        _check_version(driver.get_server_info().agent, url)
        driver.execute_query(statement("ping"), database_=database, routing_=neo4j.RoutingControl.READ)
    except (DriverError, Neo4jError, OSError, ValueError) as e:
        driver.close()
        raise explain(_cause(e, url, who), url, who=who) from e
    except BaseException:
        driver.close()
        raise
    return driver


def _check_version(agent: str, url: str) -> None:
    """Raise StoreError for a server that is too old.

    ``agent`` is for example ``Neo4j/5.26.30``. Cloud servers have more text after it.
    """
    name, _, version = agent.partition("/")
    if name == "Neo4j" and (found := re.match(r"(\d+)\.(\d+)", version)) and (int(found[1]), int(found[2])) < OLDEST:
        raise StoreError(
            f"The server at {url} is Neo4j {version}, which is too old.",
            remedy="hydra-kg needs 5.26 or later: update the server, or start a local one with hydra-kg up.",
        )


def _driver(url: str, who: Credentials) -> Driver:
    """Return a driver with the timeouts of this program."""
    import neo4j

    return neo4j.GraphDatabase.driver(
        url,
        auth=(who.username, who.password),
        connection_timeout=REACH,
        connection_acquisition_timeout=2 * REACH,
        liveness_check_timeout=STALE,
        max_transaction_retry_time=RETRY,
        initial_retry_delay=FIRST_RETRY,
        keep_alive=True,
        user_agent="hydra-kg",
        telemetry_disabled=True,
        notifications_min_severity="OFF",  # they would be printed in the middle of an answer
    )


def _silence() -> None:
    """Stop Python from printing what the driver logs, because the driver raises the same errors."""
    logger = logging.getLogger("neo4j")
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())


def _cause(error: Exception, url: str, who: Credentials) -> Exception:
    """Return the cause of a missing routing table.

    The driver does not report it, but a direct connection does.
    """
    from neo4j.exceptions import DriverError, Neo4jError, ServiceUnavailable

    if not url.startswith("neo4j") or not isinstance(error, ServiceUnavailable):
        return error
    with _driver("bolt" + url.removeprefix("neo4j"), who) as driver:
        try:
            driver.verify_connectivity()
        except (DriverError, Neo4jError, OSError, ValueError) as e:
            return e
    return error


def read(
    driver: Driver,
    work: Callable[[ManagedTransaction], T],
    *,
    url: str,
    seconds: float | None = None,
    bookmarks: BookmarkManager | None = None,
) -> T:
    """Run ``work`` in a read transaction, and again after passing faults for ``RETRY`` seconds.

    ``work`` must be repeatable. ``seconds`` is the server's limit per attempt, and ``bookmarks`` are those of a
    cluster. Raises StoreError.
    """
    import neo4j
    from neo4j.exceptions import DriverError, Neo4jError

    try:
        with driver.session(
            database=database(url), default_access_mode=neo4j.READ_ACCESS, bookmark_manager=bookmarks
        ) as session:
            return persistent(lambda: session.execute_read(neo4j.unit_of_work(timeout=seconds)(work)))
    except (DriverError, Neo4jError, OSError) as e:
        raise explain(e, url) from e


def persistent(transaction: Callable[[], T]) -> T:
    """Run a managed transaction and return its result, again if the connection broke before the server confirmed it.

    The driver itself does not repeat such transactions, not even reads. Use this only for work that may be done twice.
    """
    from neo4j.exceptions import IncompleteCommit

    end = time.monotonic() + RETRY
    while True:
        try:
            return transaction()
        except IncompleteCommit:
            if time.monotonic() > end:
                raise


def explain(error: Exception, url: str, *, who: Credentials | None = None) -> HydraError:
    """Return an error of the driver or the server as one of our errors, with a remedy."""
    from neo4j.exceptions import DriverError, Neo4jError, ServiceUnavailable, SessionExpired

    code = (getattr(error, "code", None) or "") if isinstance(error, Neo4jError) else ""
    if code.endswith(("Security.Unauthorized", "Security.TokenExpired")):
        name, origin = (who.username, who.origin) if who else ("the user", "where it was found")
        return StoreError(
            f"The server at {url} refuses the password of {name} (taken from {origin}).",
            remedy="Set NEO4J_USERNAME and NEO4J_PASSWORD to those of this server, "
            "or unset them to use the local server's password file.",
        )
    if code.endswith("AuthenticationRateLimit"):
        return StoreError(
            f"The server at {url} was given wrong passwords too often.",
            remedy="Wait some seconds, correct NEO4J_PASSWORD, and run the command again.",
        )
    if code.endswith("CredentialsExpired"):
        return StoreError(
            f"The server at {url} wants its first password changed.",
            remedy="Log in once in Neo4j Browser and set a new one.",
        )
    if code.endswith("DatabaseNotFound"):
        return StoreError(
            f"The server at {url} has no database {database(url)}.", remedy="Set NEO4J_DATABASE to one that it has."
        )
    if code.endswith(("ReadOnlyDatabase", "ReadOnlyAccessDatabase", "Security.Forbidden")):
        what = "may only be read" if "ReadOnly" in code else "does not let the user do that"
        return StoreError(
            f"The database {database(url) or ''} at {url} {what}.".replace("  ", " "),
            remedy="Loading, dropping and keeping answers need a database that may be written "
            "(server.databases.read_only) and a user who may write and make indexes.",
        )
    again = "hydra-kg down and up" if is_local(url) else "start the server again"
    if code.endswith(("TransactionLogError", "TransactionCommitFailed")) or "No space left" in str(error):
        return StoreError(
            f"The server at {url} cannot write to its disk, which may be full.",
            remedy=f"Free space there, {again}, then run the same command again.",
        )
    if code.endswith("Cluster.NotALeader"):
        return StoreError(
            f"The cluster at {url} has no leader that takes writes.",
            remedy="Look at its members (SHOW SERVERS); when there is one, run the same command again.",
        )
    if code.endswith("DatabaseUnavailable") or "needs to be restarted" in str(error):
        return StoreError(
            f"The server at {url} runs, but its database is stopped or failed.",
            remedy="Look into its log (a full disk stops a database); when the cause is gone "
            f"{again}, then run the same command again.",
        )
    if _speaks_something_else(error):
        return StoreError(
            f"What answers at {url} is not Neo4j's Bolt protocol.",
            remedy="Give the Bolt port (7687 where nothing was changed), not that of HTTP.",
        )
    if "SSL" in str(error):
        return StoreError(
            f"No encrypted connection to {url} can be made.",
            remedy="Without encryption the address begins with neo4j:// or bolt://; for a certificate of "
            "your own with neo4j+ssc://.",
        )
    if isinstance(error, (ServiceUnavailable, SessionExpired, OSError)):
        remedy = "Start it with hydra-kg up." if is_local(url) else "Start it, or correct host and port."
        return StoreError(f"The server at {url} cannot be reached.", remedy=remedy)
    if isinstance(error, (DriverError, Neo4jError, ValueError)):
        message = (error.message or str(error)) if isinstance(error, Neo4jError) else str(error)
        return StoreError(f"The server at {url} could not do it: {message}", remedy="hydra-kg db doctor may say more.")
    raise error


def _speaks_something_else(error: BaseException | None) -> bool:
    """Return True if an error means that the server does not use the Bolt protocol.

    The driver reports this with one of several classes and texts, some of them only as the cause of another error.
    """
    for _ in range(8):
        if error is None:
            return False
        kind, text = type(error).__name__, str(error)
        if kind in ("BoltHandshakeError", "BoltProtocolError", "UnsupportedServerProduct") or "looks like HTTP" in text:
            return True
        error = error.__cause__ or error.__context__
    return False


def bookmark_manager() -> BookmarkManager:
    """Return a record of a store's own writes, so that it reads them on every server of a cluster."""
    from neo4j import GraphDatabase

    return GraphDatabase.bookmark_manager()


@lru_cache(maxsize=256)
def statement(name: str) -> str:
    """Return the query in ``cypher/NAME.cypher``. Raise NotFoundError."""
    lines = find_content("cypher", f"{name}.cypher").read_text("utf-8").splitlines()
    return "\n".join(line for line in lines if not line.startswith("//")).strip()
