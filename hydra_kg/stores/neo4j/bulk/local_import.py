"""``load --bulk`` into the local server: stage, import into a new data folder, check it, and swap."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any, Final

from hydra_kg.errors import DiskFullError, StoreBusyError, StoreError, UsageError
from hydra_kg.events import Event, Listener, ignore
from hydra_kg.stores.neo4j.bulk.import_files import properties, write_files
from hydra_kg.stores.neo4j.bulk.import_tool import run_import
from hydra_kg.stores.neo4j.bulk.same_as import derive_staged_classes
from hydra_kg.stores.neo4j.bulk.second_server import SecondServer, carry, check, clear_quietly
from hydra_kg.stores.neo4j.bulk.staging_store import BulkStore
from hydra_kg.stores.neo4j.bulk.stored_streams import Staged, copy_stage, read_staged
from hydra_kg.stores.neo4j.connection.connect import connect, database, is_local, statement
from hydra_kg.stores.neo4j.connection.hydra_labels import TYPES, foreign_words, list_own_labels
from hydra_kg.stores.neo4j.connection.local_home import Home, get_default_home
from hydra_kg.stores.neo4j.local_server import java
from hydra_kg.stores.neo4j.local_server.locking import take_lock
from hydra_kg.stores.neo4j.local_server.server import LocalServer, silent
from hydra_kg.stores.neo4j.reads.pinned_loads import pin
from hydra_kg.stores.neo4j.store import Neo4jStore
from hydra_kg.stores.neo4j.traces.traces import Neo4jTraces
from hydra_kg.stores.neo4j.writes.load_export import export_attached_files, read_back
from hydra_kg.stores.neo4j.writes.owners import is_alive
from hydra_kg.stores.neo4j.writes.scratch_tables import faults

READ_BACK: Final = 2_000_000  # facts of loads without a stage of ours that are read back into memory
SYSTEM: Final = ("databases/system", "transactions/system")
"""Folders below ``data`` with users and passwords. An import leaves them as they are."""

Tell = Callable[[str], None]


class LocalImport:
    """One bulk load into the local server: ``target`` stages loads, :meth:`finish` imports and swaps.

    ``keep`` keeps the stages for the next bulk load.
    """

    def __init__(self, url: str, home: Home, *, keep: bool, tell: Tell) -> None:
        self.url, self.home, self.keep, self.tell = url, home, keep, tell
        self.server, self.fresh = LocalServer(home), SecondServer(home)
        self._driver = connect(url)
        self._store = Neo4jStore(url, driver=self._driver)
        try:
            self.rows = self._store.all_loads()
            self._check_quiet()
            ((self.generation, newest),) = self._store.db.write(lambda tx: tx.run("store_lock"))
        except BaseException:
            self._store.close()
            raise
        ready = [properties(row) for row in self.rows if row["state"] == "ready"]
        self.target = BulkStore(url, home.bulk / "stage", ready=ready, newest=newest)

    def stages(self) -> dict[int, Staged]:
        """Return the stages of ready loads that were kept, by load number."""
        found = {}
        for row in self.target.ready:
            staged = read_staged(self.home.bulk / "kept" / f"{row['id']}.duckdb")
            same = ("id", "name", "created", "checksum")
            if staged is not None and all(staged.load[key] == row[key] for key in same):
                found[staged.number] = replace(staged, load=row)
        return found

    def missing(self) -> list[Mapping[str, Any]]:
        """Return the ready loads that would have to be read back from the server."""
        there = self.stages()
        return [row for row in self.target.retained() if row["id"] not in there]

    def foreign(self) -> str:
        """Describe data of other programs in this database, or return "" if there is none."""
        db = self._store.db
        nodes = foreign_words(db.read("bulk_foreign", {"labels": list_own_labels()}))
        return nodes or foreign_words(db.read("bulk_foreign_links", {"types": list(TYPES)}), what="relationships")

    def can_read_back(self) -> bool:
        """Return True if the missing loads are small enough to be read back."""
        return sum(int(row["facts"]) for row in self.missing()) <= READ_BACK

    def finish(self, *, listener: Listener = ignore) -> None:
        """Import everything, check it, and swap it in.

        Raises StoreError, DiskFullError, StoreBusyError; then nothing was changed.
        """
        try:
            if foreign := self.foreign():
                raise StoreError(
                    f"The database holds {foreign}: an import would leave them out.",
                    remedy="Load without --bulk, or move them to a server of their own.",
                )
            loads = [*self._retained(), *self.target.staged]
            self._check_room(loads)
            scratch = self.home.bulk / "csv"
            shutil.rmtree(scratch, ignore_errors=True)
            with faults(self.home.bulk):
                fusion = derive_staged_classes(loads, self.home.bulk)
                files = write_files(
                    loads,
                    scratch,
                    generation=self.generation + len(self.target.staged),
                    newest=self.target.newest,
                    fusion=fusion,
                    listener=listener,
                )
            self.fresh.make()
            run_import(java.find_java(), self.fresh.home, files, listener=listener)
            shutil.rmtree(scratch)
            made = self.fresh.open(listener=listener, tell=self.tell)
            begun = time.monotonic()
            listener(Event("load.check", {"done": 0, "total": 1, "unit": "stores"}))
            check(made.db, files)
            ((pushed,),) = self._store.db.read("bulk_pushed")
            done = carry(Neo4jTraces(self._store.db), Neo4jTraces(made.db), {})
            listener(Event("load.check", {"done": 1, "total": 1, "unit": "stores"}, time.monotonic() - begun))
            self._swap(made, done, listener)
            if pushed:
                self.tell(
                    f"{pushed} explorations were pushed here from other stores (show --to): they stay, but "
                    "the facts that came with them do not; push them again to browse these."
                )
        except BaseException:
            clear_quietly(self.fresh)
            raise
        self._tidy(loads)

    def close(self) -> None:
        """Close the connections and remove temporary files."""
        with suppress(Exception):  # the server may have gone
            self._store.close()
        for name in ("stage", "csv", "spill"):
            shutil.rmtree(self.home.bulk / name, ignore_errors=True)

    def _swap(self, made: Neo4jStore, done: dict[str, str], listener: Listener) -> None:
        """Replace the server's data by the imported data, and keep stored answers."""
        begun = time.monotonic()
        listener(Event("load.swap", {"done": 0, "total": 1, "unit": "stores"}))
        with self._frozen():
            carry(Neo4jTraces(self._store.db), Neo4jTraces(made.db), done)
            self.fresh.close()
            self.server.exchange(self.fresh.home.data, keep=SYSTEM, tell=self.tell)
        self.fresh.clear()
        listener(Event("load.swap", {"done": 1, "total": 1, "unit": "stores"}, time.monotonic() - begun))

    @contextmanager
    def _frozen(self) -> Iterator[None]:
        """Keep the store's lock until its server is stopped. Raise StoreBusyError if loads changed."""
        from neo4j.exceptions import DriverError, Neo4jError

        session = self._driver.session(database=database(self.url))
        try:
            session.begin_transaction().run(statement("store_lock")).consume()
            self._check_unchanged()
            yield
        finally:
            with suppress(DriverError, Neo4jError, OSError):  # its server is gone
                session.close()

    def _check_unchanged(self) -> None:
        """Raise StoreBusyError if the loads changed meanwhile."""
        now = {(row["id"], row["state"], row["owner"]) for row in self._store.all_loads()}
        then = {(row["id"], row["state"], row["owner"]) for row in self.rows}
        # What was dropped may have been removed meanwhile.
        if pin(self._store.db).generation != self.generation or now - then:
            raise StoreBusyError(
                "Another program loaded or dropped something meanwhile.",
                remedy="Run the same command again; nothing was changed.",
            )

    def _check_quiet(self) -> None:
        for row in self.rows:
            if row["state"] == "staging" and is_alive(row["owner"], idle=row["idle"]):
                raise StoreBusyError(
                    f"{row['name']} is being loaded.", remedy="Wait until it has finished, or stop it."
                )

    def _retained(self) -> list[Staged]:
        """Return the loads that stay: from the stages that were kept, or read back from the server."""
        there, loads = self.stages(), []
        for row in self.target.retained():
            staged = there.get(row["id"])
            if staged is None:
                if not self.can_read_back():
                    raise StoreError(
                        f"{row['name']} has no stage here, and is too large to be read back.",
                        remedy="Load without --bulk.",
                    )
                self.tell(f"reading {row['name']} back from the server …")
                staged = self._read_back(row)
            loads.append(staged)
        return loads

    def _read_back(self, row: Mapping[str, Any]) -> Staged:
        """Return the stage of a load that is read back from the server."""
        folder = self.home.bulk / "stage"
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / f"{row['id']}.duckdb"
        with read_back(self._store.db, row, folder) as stage:
            copied = copy_stage(stage, file)
        attached = export_attached_files(self._store.db, row["id"], folder / f"{row['id']}.files")
        staged = Staged(file, {**row, "counts": json.dumps(copied.counts)}, tuple(attached))
        staged.note()
        return staged

    def _check_room(self, loads: Sequence[Staged]) -> None:
        need, free = disk_needed(loads), shutil.disk_usage(self.home.root).free
        if need > free:
            raise DiskFullError(
                f"The import needs about {need / 1e9:.1f} GB more of disk, and {free / 1e9:.1f} GB are free.",
                remedy="Free space, or load without --bulk, which needs less. The store is as it was.",
            )

    def _tidy(self, loads: Sequence[Staged]) -> None:
        """Keep the stages of the loads that are there now, and remove all others."""
        retained = self.home.bulk / "kept"
        wanted = {f"{load.number}{suffix}" for load in loads for suffix in (".duckdb", ".json", ".files")}
        retained.mkdir(parents=True, exist_ok=True)
        for load in loads if self.keep else ():
            if load.file.parent != retained:
                files = load.file.with_suffix(".files")
                if files.is_dir():
                    shutil.rmtree(retained / files.name, ignore_errors=True)
                    files.rename(retained / files.name)
                load.file.replace(retained / load.file.name)
                load.file.with_suffix(".json").replace(retained / load.file.with_suffix(".json").name)
        for old in retained.iterdir():
            if old.name not in wanted or not self.keep:
                shutil.rmtree(old) if old.is_dir() else old.unlink()


def disk_needed(loads: Sequence[Staged]) -> int:
    """Estimate the bytes that an import takes in addition to stages and old data.

    The estimate was measured on 1 to 5 million facts.
    """
    facts = sum(load.counts.get("links", 0) for load in loads)
    rows = sum(n for load in loads for name, n in load.counts.items() if name != "links")
    return 600_000_000 + 220 * facts + 350 * rows + 4 * sum(load.file.stat().st_size for load in loads) // 3


@contextmanager
def local_import(url: str, *, keep: bool, tell: Tell = silent) -> Iterator[LocalImport]:
    """Start a bulk load into the local server, after cleaning up a killed one.

    Raises StoreError, StoreBusyError.
    """
    home = get_default_home()
    home.bulk.mkdir(parents=True, exist_ok=True)
    with take_lock(home.bulk / "lock", waiting=lambda: tell("another bulk load is under way; waiting …")):
        SecondServer(home).clear()
        for name in ("stage", "csv", "spill"):
            shutil.rmtree(home.bulk / name, ignore_errors=True)
        LocalServer(home).start(tell=tell)
        if not is_local(url):  # another program has the port that the server had before
            raise UsageError(
                f"The local server is not at {url}: another program has its port.",
                remedy="hydra-kg up says where it is now.",
            )
        opened = LocalImport(url, home, keep=keep, tell=tell)
        try:
            yield opened
        finally:
            opened.close()
