"""A real Neo4j for the tests: the one of NEO4J_URI, a container, or a local server; without any, tests say so.

Environment: ``NEO4J_URI`` (with its credentials) names a server; ``HYDRA_TEST_WIPE=1`` lets the tests delete what is in
it; ``HYDRA_TEST_APOC=0`` makes the local server one without APOC; ``CI=true`` turns a missing server from a skip into a
failure, unless ``HYDRA_REQUIRE_NEO4J=0``.
"""

from __future__ import annotations

import contextlib
import os
import random
import secrets
import shutil
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from helpers.run_once import once

if TYPE_CHECKING:
    from hydra_kg.stores.neo4j.connection.local_home import Home

HEAP, PAGE_CACHE = 512, 64  # MiB: the sample is small, and so are machines of CI
# A server of the tests lives a minute: it starts with half the processor's time where nothing is compiled twice,
# nothing collects beside it and no class of its jars is verified.
SHORT_LIVED = (
    "-XX:TieredStopAtLevel=1",
    "-XX:-UseG1GC",
    "-XX:+UseSerialGC",
    "-XX:+UnlockDiagnosticVMOptions",
    "-XX:-BytecodeVerificationRemote",
)
# Logs are made as large as they may become when they begin; a test writes a few megabytes.
SMALL = ("db.tx_log.rotation.size=16M", "db.tx_log.preallocate=false")
CLEAR = "MATCH (n) WHERE NOT n:__Neo4jMigration CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 5000 ROWS"
NAMES = ("NEO4J_URI", "NEO4J_USERNAME", "NEO4J_PASSWORD", "NEO4J_DATABASE", "HYDRA_NEO4J_HOME")


@dataclass(frozen=True)
class Server:
    """Where the server is. ``home`` is None where it is not a local one of ours, ``browser`` "" where it says itself
    where its Neo4j Browser is."""

    uri: str
    username: str
    password: str = field(repr=False)
    home: Path | None = None
    browser: str = ""

    def environment(self) -> dict[str, str]:
        """What a program needs to find it."""
        browser = {"NEO4J_BROWSER": self.browser} if self.browser else {}
        return {"NEO4J_URI": self.uri, "NEO4J_USERNAME": self.username, "NEO4J_PASSWORD": self.password, **browser}


@pytest.fixture(scope="session")
def neo4j_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A running server with an empty database, once for all tests. It is emptied by ``empty_neo4j``."""
    with contextlib.ExitStack() as stack:
        if os.environ.get("NEO4J_URI"):
            server = _named()
        elif _engine_runs():
            server = stack.enter_context(_container())
        else:
            server = stack.enter_context(_local(tmp_path_factory, apoc=os.environ.get("HYDRA_TEST_APOC") != "0"))
        yield server


@pytest.fixture(scope="module")
def neo4j_without_apoc(neo4j_server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A second server, with an empty database and without APOC, beside one that has it."""
    if neo4j_server.home is None and not _engine_runs():
        pytest.skip("a server that was named for the tests is the only one; a second one without APOC is not started")
    if os.environ.get("HYDRA_TEST_APOC") == "0":
        pytest.skip("HYDRA_TEST_APOC=0: the server of all tests is one without APOC")
    started = _local(tmp_path_factory, apoc=False) if neo4j_server.home else _container(plugins="[]")
    with started as server:
        yield server


@pytest.fixture
def neo4j_named(neo4j_server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Server:
    """The server as it is, its address and credentials in the environment."""
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HYDRA_NEO4J_HOME", str(tmp_path / "no-local-server"))
    for name, value in neo4j_server.environment().items():
        monkeypatch.setenv(name, value)
    return neo4j_server


@pytest.fixture
def empty_neo4j(neo4j_named: Server) -> Iterator[Server]:
    """The server with nothing in it, no schema either, before and after, and its address in the environment."""
    with driver_of(neo4j_named) as driver:
        wipe(driver)
        yield neo4j_named
        wipe(driver)


@pytest.fixture
def neo4j_cleared(neo4j_named: Server) -> Iterator[Server]:
    """The same without nodes; a schema stays, since it takes seconds to make."""
    with driver_of(neo4j_named) as driver:
        clear(driver)
        yield neo4j_named
        clear(driver)


@contextlib.contextmanager
def local_server(shared: Server, factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The shared server if it is a local one, else another that is; found by its home, as a user's is."""
    with pytest.MonkeyPatch.context() as patch, contextlib.ExitStack() as stack:
        for name in NAMES:
            patch.delenv(name, raising=False)
        patch.setenv("XDG_DATA_HOME", str(factory.mktemp("data")))
        made = shared if shared.home else stack.enter_context(_local(factory, apoc=True))
        patch.setenv("HYDRA_NEO4J_HOME", str(made.home))
        yield made


def query(driver: Any, text: str, **parameters: object) -> Any:
    """Run it without the driver's bookmarks: after a bulk load they would wait for a state that never comes."""
    return driver.execute_query(text, parameters, bookmark_manager_=None)


def driver_of(server: Server) -> Any:
    """Connections of its own to a server."""
    from neo4j import GraphDatabase

    return GraphDatabase.driver(server.uri, auth=(server.username, server.password), notifications_min_severity="OFF")


def clear(driver: Any) -> None:
    """All nodes go but the chain of migrations."""
    with driver.session() as session:
        session.run(CLEAR).consume()


def wipe(driver: object) -> None:
    """Nodes, constraints and indexes go; so does the chain of migrations."""
    with driver.session() as session:  # type: ignore[attr-defined]
        session.run("MATCH (n) CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 5000 ROWS").consume()
        made = [
            ("CONSTRAINT", session.run("SHOW CONSTRAINTS YIELD name").value()),
            (
                "INDEX",
                session.run(
                    "SHOW INDEXES YIELD name, type, owningConstraint WHERE type <> 'LOOKUP'"
                    " AND owningConstraint IS NULL"
                ).value(),
            ),
        ]
        with session.begin_transaction() as tx:  # one for all: each has its price
            for kind, names in made:
                for name in names:
                    tx.run(f"DROP {kind} `{name}` IF EXISTS").consume()
            tx.commit()


def _named() -> Server:
    """Tests write and delete, so a server that somebody uses is refused."""
    from neo4j import GraphDatabase

    server = Server(
        os.environ["NEO4J_URI"], os.environ.get("NEO4J_USERNAME") or "neo4j", os.environ.get("NEO4J_PASSWORD", "")
    )
    with GraphDatabase.driver(server.uri, auth=(server.username, server.password)) as driver:
        nodes = query(driver, "MATCH (n) RETURN count(n) AS nodes").records[0]["nodes"]
    if nodes and os.environ.get("HYDRA_TEST_WIPE") != "1":
        pytest.fail(
            f"The server at NEO4J_URI holds {nodes} nodes, and the tests would delete them. "
            "Name an empty one, or set HYDRA_TEST_WIPE=1 if they may go.",
            pytrace=False,
        )
    return server


def _engine_runs() -> bool:
    for program in ("docker", "podman"):
        if shutil.which(program):
            with contextlib.suppress(OSError, subprocess.TimeoutExpired):
                done = subprocess.run([program, "info"], capture_output=True, check=False, timeout=20)
                if done.returncode == 0 and b"Cannot connect" not in done.stderr:
                    return True
    return False


@contextlib.contextmanager
def _container(*, plugins: str = '["apoc"]') -> Iterator[Server]:
    from testcontainers.core.container import DockerContainer

    from hydra_kg.errors import StoreError
    from hydra_kg.stores.neo4j.connection.connect import Credentials, open_driver
    from hydra_kg.stores.neo4j.local_server.conf import browser_commands

    password = secrets.token_urlsafe(18)
    made = DockerContainer("neo4j:5.26-community").with_exposed_ports(7687, 7474)
    made = made.with_env("NEO4J_browser_post__connect__cmd", browser_commands())
    made = made.with_env("NEO4J_AUTH", f"neo4j/{password}").with_env("NEO4J_PLUGINS", plugins)
    with made as container:
        # bolt, not neo4j: the routing table of the container names a port inside it.
        uri = f"bolt://{container.get_container_host_ip()}:{container.get_exposed_port(7687)}"
        for left in reversed(range(180)):
            try:
                open_driver(uri, Credentials("neo4j", password, "the test"), database=None).close()
                break
            except StoreError:
                if not left:
                    raise
                time.sleep(1)
        http = f"http://{container.get_container_host_ip()}:{container.get_exposed_port(7474)}/browser/"
        yield Server(uri, "neo4j", password, browser=http)


@contextlib.contextmanager
def _local(factory: pytest.TempPathFactory, *, apoc: bool) -> Iterator[Server]:
    from hydra_kg.errors import StoreError
    from hydra_kg.stores.neo4j.connection.local_home import Home
    from hydra_kg.stores.neo4j.local_server.conf import free_port
    from hydra_kg.stores.neo4j.local_server.server import LocalServer

    home = Home(factory.mktemp("neo4j"))
    local = LocalServer(home)
    # Whoever runs the tests may have a server at the usual ports; and one of those that outgoing connections get may be
    # taken while the server is down.
    bolt = free_port(random.Random().randrange(20_000, 30_000, 2))
    try:
        jars = once("neo4j-jars", _get_jars, factory=factory)
        # Without APOC: an empty folder of plugins.
        prepare(home, *(() if apoc else ("server.directories.plugins=import",)), jars=jars)
        status = local.start(
            bolt=bolt,
            http=free_port(bolt + 1, reserved=frozenset({bolt})),
            heap=HEAP,
            page_cache=PAGE_CACHE,
            tell=print,
        )
    except StoreError as e:
        missing(str(e))
    assert status.instance is not None
    try:
        yield Server(status.instance.uri, "neo4j", home.password() or "", home.root)
    finally:
        local.stop()


def _get_jars(folder: Path) -> None:
    from hydra_kg.stores.neo4j.connection.local_home import Home
    from hydra_kg.stores.neo4j.local_server.java import ensure_jars, find_java, lock

    home = Home(folder)
    home.make()
    # Maven takes five seconds of a processor to copy what an earlier run has got; all is checked either way.
    kept = {path.name: path for path in (Path.home() / ".m2" / "repository").rglob("*.jar")}
    if all(Path(name).name in kept for name in lock()):
        for name in lock():
            (home.root / name).parent.mkdir(exist_ok=True)
            shutil.copyfile(kept[Path(name).name], home.root / name)
    ensure_jars(home, java=find_java().path, tell=print)


def prepare(home: Home, *own: str, jars: Path | None = None) -> None:
    """Make the folder of a local server that starts quickly. ``own``: more lines of ``custom.conf`` · ``jars``: the
    folder of another local server, whose jars are shared, so that nothing is fetched."""
    home.make()
    lines = (*own, *SMALL, *(f"server.jvm.additional={option}" for option in SHORT_LIVED))
    (home.conf / "custom.conf").write_text("\n".join(lines) + "\n", "utf-8")
    for place in ("lib", "plugins") if jars else ():
        shutil.copytree(jars / place, home.root / place, copy_function=os.link)


def missing(why: str) -> None:
    """Skip loudly; where a server was asked for, fail."""
    text = f"no Neo4j server for the tests: {why}"
    if os.environ.get("CI") == "true" and os.environ.get("HYDRA_REQUIRE_NEO4J") != "0":
        pytest.fail(text, pytrace=False)
    print(f"\nNOT TESTED: {text}")
    pytest.skip(text)
