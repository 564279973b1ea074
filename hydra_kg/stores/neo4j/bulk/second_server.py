"""A second server next to the local one, on the data folder of an import: indexes, checks, saved answers."""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from hydra_kg.errors import StoreError
from hydra_kg.events import Event, Listener
from hydra_kg.stores.neo4j.bulk.csv_files import ImportFiles
from hydra_kg.stores.neo4j.bulk.import_tool import stop_import
from hydra_kg.stores.neo4j.connection.connect import Credentials, explain, open_driver
from hydra_kg.stores.neo4j.connection.local_home import DATABASE, USER, Home
from hydra_kg.stores.neo4j.connection.migrations import find_needed_migrations, migrations
from hydra_kg.stores.neo4j.connection.queries import SPAN, Database
from hydra_kg.stores.neo4j.local_server import java
from hydra_kg.stores.neo4j.local_server.conf import free_port
from hydra_kg.stores.neo4j.local_server.server import LocalServer, silent
from hydra_kg.stores.neo4j.store import Neo4jStore

if TYPE_CHECKING:
    from neo4j import Driver

    from hydra_kg.stores.neo4j.traces.traces import Neo4jTraces

_INDEX: Final = re.compile(r"CREATE (FULLTEXT )?INDEX \w+ IF NOT EXISTS")
_COUNTED: Final = 1_000_000  # relationships up to which all are looked at; beyond, the server's counts must do


class SecondServer(LocalServer):
    """Temporary second server for the new data folder, on its own ports, so that the old one stays available."""

    def __init__(self, main: Home) -> None:
        super().__init__(Home(main.bulk / "new"))
        self.main = main
        self.store: Neo4jStore | None = None

    def make(self) -> None:
        """Make its folder again, with the jars and the password of the main server."""
        self.clear()
        home = self.home
        home.make()
        home.data.mkdir()
        home.lib.symlink_to(self.main.lib)
        home.plugins.symlink_to(self.main.plugins)
        home.conf.joinpath("neo4j.conf").touch()
        for file in (self.main.conf / "custom.conf", self.main.password_file):
            if file.is_file():
                shutil.copy2(file, home.root / file.relative_to(self.main.root))

    def clear(self) -> None:
        """Remove its folder, and end processes that a killed load left running in it."""
        if self.home.root.is_dir():
            stop_import(self.home)
            self.stop()
            for place in (self.home.lib, self.home.plugins):
                place.unlink(missing_ok=True)
            shutil.rmtree(self.home.root)

    def open(self, *, listener: Listener, tell: Callable[[str], None] = silent) -> Neo4jStore:
        """Start the server and bring its schema up to date, which fills all indexes."""
        begun = time.monotonic()
        before = self.main.instance()
        bolt = free_port(0)
        what: dict[str, Any] = {"done": 0, "total": 2, "unit": "steps"}
        listener(Event("load.index", what))
        status = self.start(
            bolt=bolt,
            http=free_port(0, reserved=frozenset({bolt})),
            heap=before.heap if before else None,
            page_cache=before.page_cache if before else None,
            tell=tell,
        )
        assert status.instance is not None  # it runs
        listener(Event("load.index", {**what, "done": 1}, time.monotonic() - begun))
        url = f"bolt://localhost:{status.instance.bolt}"
        who = Credentials(USER, self.home.password() or "", f"the file {self.home.password_file}")
        driver = open_driver(url, who, database=DATABASE)
        try:
            _begin_indexes(driver, url)
        except BaseException:
            driver.close()
            raise
        self.store = Neo4jStore(url, driver=driver)  # which migrates: what is begun it waits for
        listener(Event("load.index", {**what, "done": 2}, time.monotonic() - begun))
        return self.store

    def close(self) -> None:
        """Stop the server."""
        if self.store is not None:
            self.store.close()
            self.store = None
        self.stop()

    def _first_password(self, found: java.Java) -> None:
        """Copy the password of the main server, or set it, which takes a start of Java."""
        auth_file = self.main.data / "dbms" / "auth.ini"
        if auth_file.is_file():
            (self.home.data / "dbms").mkdir(exist_ok=True)
            shutil.copy2(auth_file, self.home.data / "dbms" / "auth.ini")
        else:
            super()._first_password(found)


def _begin_indexes(driver: Driver, url: str) -> None:
    """Create all indexes of the migrations (IF NOT EXISTS) in one transaction.

    The server then fills them in one pass.
    """
    from neo4j.exceptions import DriverError, Neo4jError

    made = [
        text for one in find_needed_migrations(migrations(), set()) for text in one.statements if _INDEX.match(text)
    ]
    try:
        with driver.session(database=DATABASE) as session, session.begin_transaction() as tx:
            for text in made:
                tx.run(text).consume()
            tx.commit()
    except (DriverError, Neo4jError, OSError) as e:
        raise explain(e, url) from e


def check(db: Database, files: ImportFiles) -> None:
    """Raise StoreError if the database does not contain exactly what was staged."""
    found: Mapping[str, int] = {label: n for label, n in db.read("bulk_labels") if n}
    expected = {label: n for label, n in files.labels.items() if n}
    if wrong := sorted(label for label in {*found, *expected} if found.get(label, 0) != expected.get(label, 0)):
        label = wrong[0]
        raise _differs(f"{found.get(label, 0):,} nodes :{label}", f"{expected.get(label, 0):,}")
    totals: Mapping[str, int] = {what: n for what, n in db.read("bulk_totals")}  # noqa: C416
    nodes, relationships = totals["nodes"], totals["relationships"]
    if nodes != files.node_count or relationships != files.relationship_count:
        raise _differs(
            f"{nodes:,} nodes and {relationships:,} relationships",
            f"{files.node_count:,} and {files.relationship_count:,}",
        )
    for kind, wanted in files.types.most_common(32):
        ((there,),) = db.read("bulk_type", types=[kind])
        if there != wanted:
            raise _differs(f"{there:,} relationships of type {kind}", f"{wanted:,}")
    if relationships <= _COUNTED:
        facts: Mapping[int, int] = {load: n for load, n in db.read("bulk_facts", {"span": SPAN})}  # noqa: C416
        for load, wanted in files.facts.items():
            if facts.get(load, 0) != wanted:
                raise _differs(f"{facts.get(load, 0):,} facts of load {load}", f"{wanted:,}")


def carry(old: Neo4jTraces, new: Neo4jTraces, done: dict[str, str]) -> dict[str, str]:
    """Copy the saved answers that are missing or changed, oldest first. Return all ids with their dates."""
    missing = [row for row in old.list(limit=1 << 31) if done.get(row["id"]) != row["created"]]
    for row in reversed(missing):
        new.save(old.get(row["id"]))
        dated = {"id": row["id"], "created": row["created"]}
        new.db.write(lambda tx, dated=dated: tx.run("bulk_dated", dated))  # type: ignore[misc]
        done[row["id"]] = row["created"]
    return done


def clear_quietly(fresh: SecondServer) -> None:
    """Clean up after a failure, without errors that would hide the cause of the failure."""
    with suppress(OSError, StoreError):
        fresh.close()
        fresh.clear()


def _differs(found: str, expected: str) -> StoreError:
    return StoreError(
        f"The import gave {found} where {expected} were staged.",
        remedy="The store is as it was. Please report this as a bug.",
    )
