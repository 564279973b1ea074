"""A Neo4j store on the server that the tests have, emptied: for tests that several kinds of stores share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from helpers.excerpt import excerpt
from helpers.servers.neo4j_server import Server, clear

from hydra_kg.ports import Store

SAMPLE = ("freebase.nt.gz", "wikidata.nt.gz", "fb2w.nt.gz", "passages.jsonl")

_opened: dict[str, Any] = {}


@pytest.fixture(scope="session")
def neo4j_database(neo4j_server: Server) -> Iterator[Server]:
    """The server, opened once for :func:`empty`; whatever is in its database goes."""
    from hydra_kg.stores.neo4j.connection.connect import Credentials, open_driver

    who = Credentials(neo4j_server.username, neo4j_server.password, "the test")
    _opened["url"] = neo4j_server.uri
    _opened["driver"] = open_driver(neo4j_server.uri, who, database=None)
    yield neo4j_server
    _opened.pop("driver").close()


@pytest.fixture(scope="session")
def neo4j_sample(neo4j_database: Server, excerpt_files: Sequence[Path]) -> Store:
    """An excerpt of the sample on the server, only to be read. It is loaded once: the tests that ask for it run before
    all others (tests/conftest.py), which empty the database."""
    from hydra_kg.ingest.load import load_files

    with empty() as store:
        load_files(store, excerpt_files)
        return store


@pytest.fixture(scope="session")
def excerpt_files(tmp_path_factory: pytest.TempPathFactory) -> Sequence[Path]:
    """What :func:`neo4j_sample` holds: a quarter of the sample's questions can be answered from it."""
    return excerpt(tmp_path_factory.mktemp("excerpt"))


@contextmanager
def empty() -> Iterator[Store]:
    """A new store on the emptied database; connections are shared and stay open."""
    from hydra_kg.stores.neo4j.store import Neo4jStore

    clear(_opened["driver"])
    yield Neo4jStore(_opened["url"], driver=_opened["driver"])


def opened() -> Any:
    """The driver behind :func:`empty`; it needs the fixture."""
    return _opened["driver"]


def hurry(server: Server, patch: pytest.MonkeyPatch, home: Path, *, rows: int) -> None:
    """Be at a server with nothing of this machine's user: chunks of so many rows, and little patience."""
    for name, value in server.environment().items():
        patch.setenv(name, value)
    patch.setenv("XDG_DATA_HOME", str(home))
    patch.setenv("HYDRA_NEO4J_HOME", str(home / "none"))
    patch.setattr("hydra_kg.stores.neo4j.connection.connect.FIRST_RETRY", 0.01)
    small_chunks(patch, rows)


def small_chunks(patch: pytest.MonkeyPatch, rows: int) -> None:
    """Write so many rows in one transaction."""
    for module in ("writes.writer", "store"):
        patch.setattr(f"hydra_kg.stores.neo4j.{module}.ROWS", rows)


def forget_connections() -> None:
    """After a restart of the server: those of before are dead, and the driver learns it one by one."""
    from neo4j.exceptions import DriverError, Neo4jError

    for _ in range(5 if _opened else 0):
        with suppress(DriverError, Neo4jError), opened().session() as session:
            session.run("RETURN 1").consume()
