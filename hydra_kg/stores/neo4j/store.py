"""The Neo4j store: pins ready loads for readers, gives out writers, flips, drops, and removes what was dropped."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from hydra_kg.domain import Source
from hydra_kg.errors import HydraError, NotFoundError, StoreBusyError
from hydra_kg.events import Listener, ignore
from hydra_kg.ports import LoadPlan
from hydra_kg.stores.common.refusals import already_loaded_error
from hydra_kg.stores.common.same_as import SameAsClasses
from hydra_kg.stores.neo4j.connection.connect import bookmark_manager, connect
from hydra_kg.stores.neo4j.connection.load_rows import check_loads
from hydra_kg.stores.neo4j.connection.migrations import migrate
from hydra_kg.stores.neo4j.connection.queries import Database, Transaction
from hydra_kg.stores.neo4j.reads.like_names import NamesSpeltAlike, make_all, state_of
from hydra_kg.stores.neo4j.reads.pinned_loads import GraphReader, pin
from hydra_kg.stores.neo4j.reads.snapshot import Neo4jSnapshot
from hydra_kg.stores.neo4j.writes.load_export import read_back
from hydra_kg.stores.neo4j.writes.owners import beating, forget_owner, is_alive, new_owner, owner_text
from hydra_kg.stores.neo4j.writes.same_as_resolution import fuse_same_as
from hydra_kg.stores.neo4j.writes.writer import CLASS_ROWS, ROWS, Neo4jLoadWriter, remove_rows, write_stage
from hydra_kg.util.fast_dataclass import dataclass

if TYPE_CHECKING:
    from neo4j import Driver

CLASS_GENERATIONS = 4  # generations whose classes stay for readers that pinned them


@dataclass(eq=False)
class _OpenSnapshot:
    """A snapshot of a generation in this process, with the number of its users."""

    snapshot: Neo4jSnapshot
    users: int = 0


class Neo4jStore:
    """A store in a Neo4j database (port Store), with its schema migrated, for many threads and processes.

    ``driver`` is an open driver, and ``folder`` has the name indexes. Raises UsageError, StoreError.
    """

    def __init__(self, url: str, *, driver: Driver | None = None, folder: Path | None = None) -> None:
        self.url, self._folder = url, folder
        driver = driver or connect(url)
        seen = bookmark_manager()
        try:
            migrate(driver, url=url, bookmarks=seen)
        except BaseException:
            driver.close()
            raise
        self.db = Database(driver, url=url, bookmarks=seen)
        self._mutex = threading.Lock()
        self._open: dict[int, _OpenSnapshot] = {}
        self._latest = -1

    @contextmanager
    def snapshot(self) -> Iterator[Neo4jSnapshot]:
        """Pin the ready loads and yield a reader. Raise StoreError at the end if another program removed one."""
        pinned = pin(self.db)
        with self._mutex:
            entry = self._open.get(pinned.generation)
            if entry is None:
                snapshot = Neo4jSnapshot(reader := GraphReader(self.db, pinned), NamesSpeltAlike(reader, self._folder))
                entry = self._open[pinned.generation] = _OpenSnapshot(snapshot)
                self._latest = max(self._latest, pinned.generation)
            entry.users += 1
        try:
            _ = entry.snapshot.reader.classes  # now: a generation's classes are not kept for ever
            try:
                yield entry.snapshot
            except Exception as e:
                if not isinstance(e, HydraError):
                    entry.snapshot.reader.fail_if_closed()  # else it is a fault of the one who asked
                raise
            entry.snapshot.reader.fail_if_closed()
        finally:
            with self._mutex:
                entry.users -= 1
            self._forget()

    def index_names(self, listener: Listener = ignore) -> None:
        """Make the missing name indexes. Raise StoreError if they cannot be stored."""
        make_all(self.db, self._folder, pin(self.db).loads, self.all_loads(), listener=listener)

    def name_index(self) -> Mapping[str, Any]:
        """Return facts about the name index: see :class:`hydra_kg.ports.NameIndexing`."""
        return state_of(self.db, self._folder, pin(self.db).loads)

    def begin(self, load: LoadPlan) -> Neo4jLoadWriter:
        """Start a load, or resume a killed one. Raise StoreBusyError, or StoreError if it is ready."""
        self.tidy()
        owner, sources = new_owner(), _sources_json(load.sources)
        try:
            number, resumed = self.db.write(lambda tx: _take(tx, load.name, sources, owner, replace=load.replace))
        except BaseException:
            forget_owner(owner)
            raise
        return Neo4jLoadWriter(self, load, number=number, owner=owner, resumed=resumed)

    def loads(self) -> list[Mapping[str, Any]]:
        """Return all loads, oldest first: id, name, state, dates, facts, counts, sources, details.

        For a load in progress, ``running`` says whether its process is alive.
        """
        return [
            {
                "id": str(r["id"]),
                "name": r["name"],
                "state": r["state"],
                "created": r["created"],
                "flipped": r["flipped"],
                "facts": r["facts"],
                "checksum": r["checksum"],
                "counts": json.loads(r["counts"]),
                "bytes": 0,
                "sources": json.loads(r["sources"]),
                "details": json.loads(r["details"]),
                "running": r["state"] == "staging" and is_alive(r["owner"], idle=r["idle"]),
            }
            for r in self.all_loads()
        ]

    def drop(self, name: str) -> Mapping[str, Any]:
        """Drop a load or, if none has that name, a source from all its loads. Return counts.

        Leftovers of a killed load are removed as well. Raises NotFoundError, StoreBusyError.
        """
        self.tidy()
        rows = self.all_loads()
        unfinished = [r for r in rows if r["name"] == name and r["state"] == "staging"]
        if any(is_alive(r["owner"], idle=r["idle"]) for r in unfinished):
            raise StoreBusyError(f"{name} is being loaded.", remedy="Wait until it has finished, or stop it.")
        ready = [r for r in rows if r["state"] == "ready"]
        hit = [r for r in ready if r["name"] == name] or [r for r in ready if name in _names(r)]
        if not hit and not unfinished:
            raise NotFoundError(f"No load or source is called {name}.", remedy="hydra-kg sources list shows all names.")
        for row in unfinished:
            self.purge(row["id"], owner=row["owner"])
        left = rewritten = 0
        for row in hit:
            if row["name"] == name or _names(row) == {name}:
                self._flip(dropped=[row["id"]])
            else:
                left += self._rewrite(row, without=name)
                rewritten += 1
        self.tidy()
        return {
            "name": name,
            "loads": len(hit) - rewritten,
            "rewritten": rewritten,
            "unfinished": len(unfinished),
            "facts": sum(r["facts"] for r in hit) - left,
        }

    def close(self) -> None:
        """Close the connections."""
        self.db.close()

    def __enter__(self) -> Neo4jStore:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def flip(
        self, *, ready: int, owner: str, name: str, sources: Sequence[Source], details: Mapping[str, Any], replace: bool
    ) -> None:
        """Make a load ready and drop those that it replaces, in one transaction. Raise StoreBusyError."""
        what = {
            "id": ready,
            "details": json.dumps(dict(details), ensure_ascii=False, sort_keys=True),
            "owner": owner,
            "file": str(details.get("file", "")),
            "flipped": _now(),
        }

        def work(tx: Transaction) -> None:
            if not tx.run("load_ready", what):
                raise StoreBusyError(
                    "Another process has taken this load over, or removed it.",
                    remedy="Let it finish; hydra-kg sources list shows what is ready.",
                )
            tx.run("load_sources", {"id": ready, "sources": [_source_properties(s) for s in sources]})

        self._flip(ready=ready, name=name, replace=replace, work=work)
        self.tidy()

    def tidy(self) -> None:
        """Remove leftovers of killed processes: hidden classes, and dropped loads without a reader here."""
        self._show()
        self._purge_dropped()

    def purge(self, number: int, *, owner: str) -> None:
        """Remove a load and all it wrote, if it is not ready and still belongs to its owner."""

        def begin(tx: Transaction) -> bool:
            tx.run("store_lock")
            return bool(tx.run("load_purge", {"id": number, "owner": owner}))

        if self.db.write(begin):
            self.empty(number)
            self.db.write(lambda tx: tx.run("delete_load", {"id": number}))

    def empty(self, number: int) -> None:
        """Remove everything that a load wrote, but not the load itself."""
        remove_rows(self.db, number)

    def _flip(
        self,
        *,
        ready: int | None = None,
        name: str = "",
        dropped: Sequence[int] = (),
        replace: bool = True,
        work: Callable[[Transaction], None] | None = None,
    ) -> None:
        """Derive the classes of the loads that will be ready, then flip; again if others flipped meanwhile."""
        while True:
            pinned = pin(self.db)
            numbers = [load.number for load in pinned.loads]
            if ready in numbers or (ready is None and not set(dropped) & set(numbers)):
                return  # it was done, but the answer got lost
            old = sorted({*dropped, *(x.number for x in pinned.loads if ready is not None and x.info.name == name)})
            if old and not replace:
                raise already_loaded_error(name)
            after = sorted({*numbers, *([ready] if ready is not None else [])} - set(old))
            fusion = fuse_same_as(self.db, after)

            def flip(
                tx: Transaction,
                generation: int = pinned.generation,
                fusion: SameAsClasses = fusion,
                old: Sequence[int] = old,
            ) -> bool:
                ((current, _),) = tx.run("store_lock")
                if current != generation:
                    return False
                for n, low in enumerate(range(0, len(fusion.member), CLASS_ROWS)):
                    here = slice(low, low + CLASS_ROWS)
                    tx.run(
                        "class_write",
                        {
                            "generation": generation + 1,
                            "n": n,
                            "member": fusion.member[here].tolist(),
                            "representative": fusion.representative[here].tolist(),
                        },
                    )
                if old:
                    tx.run("load_dropped", {"ids": list(old), "flipped": _now()})
                if work is not None:
                    work(tx)
                tx.run("class_forget", {"generation": generation + 1 - CLASS_GENERATIONS})
                tx.run("store_flip", {"generation": generation + 1})
                return True

            if self.db.write(flip):
                return

    def _show(self) -> None:
        """Write changed classes on the nodes, for people who browse. A process that flips meanwhile does the rest."""
        found = self.db.read("generation_shown")
        if not found or found[0][0] == found[0][1]:
            return
        generation, shown = found[0]
        available = generation - CLASS_GENERATIONS < shown
        rows = self.db.read("classes", {"generation": shown}) if available else self.db.read("class_shown")
        old = {m: r for row in rows for m, r in zip(*row, strict=True)}
        new = {m: r for row in self.db.read("classes", {"generation": generation}) for m, r in zip(*row, strict=True)}
        changed = [[i, new.get(i)] for i in sorted({*old, *new}) if old.get(i) != new.get(i)]
        for low in range(0, max(1, len(changed)), CLASS_ROWS):
            here, last = changed[low : low + CLASS_ROWS], low + CLASS_ROWS >= len(changed)

            def show(tx: Transaction, here: list[Any] = here, last: bool = last) -> bool:
                ((current, _),) = tx.run("store_lock")
                if current == generation:
                    tx.run("class_show", {"rows": here})
                    tx.run("store_shown", {"generation": generation if last else -1})
                return bool(current == generation)

            if not self.db.write(show):
                return

    def _rewrite(self, row: Mapping[str, Any], *, without: str) -> int:
        """Replace a load by one without one of its sources. Return the number of facts that remain."""
        sources = tuple(Source(**s) for s in json.loads(row["sources"]) if s["name"] != without)
        with (
            TemporaryDirectory(prefix="hydra-kg-") as scratch,
            read_back(self.db, row, Path(scratch), without=without) as stage,
        ):
            owner = new_owner()
            try:
                number, _ = self.db.write(
                    lambda tx: _take(tx, row["name"], _sources_json(sources), owner, replace=True)
                )
                with beating(self.db, number, owner):
                    counts = write_stage(self.db, number, owner, stage, sources=sources)
                    if counts is None:  # a killed load of another stage
                        self.empty(number)
                        counts = write_stage(self.db, number, owner, stage, sources=sources)
                details = json.loads(row["details"])
                details = {**details, "without": [*details.get("without", ()), without]}
                self.flip(ready=number, owner=owner, name=row["name"], sources=sources, details=details, replace=True)
            finally:
                forget_owner(owner)
        return sum((counts or {}).get(kind, 0) for kind in ("links", "values"))

    def _purge_dropped(self) -> None:
        with self._mutex:
            in_use = {n for entry in self._open.values() if entry.users for n in entry.snapshot.reader.numbers}
        for row in self.all_loads():
            if row["state"] == "dropped" and row["id"] not in in_use:
                self.purge(row["id"], owner=row["owner"])

    def all_loads(self) -> list[dict[str, Any]]:
        """Return the stored properties of every load, oldest first."""
        return check_loads(self.db.read("loads"))

    def _forget(self) -> None:
        """After a question, release generations that are neither newest nor in use, and remove dropped loads."""
        with self._mutex:
            old = [g for g, entry in self._open.items() if g < self._latest and not entry.users]
            for generation in old:
                del self._open[generation]
        if old:
            with suppress(HydraError):  # the question was answered; whoever writes next does it
                self._purge_dropped()


def _rows(tx: Transaction, name: str) -> list[dict[str, Any]]:
    return [row for row in check_loads(tx.run("loads")) if row["name"] == name]


def _take(tx: Transaction, name: str, sources: str, owner: str, *, replace: bool) -> tuple[int, bool]:
    """Return the number of a new or resumed load, which is then ours, and whether it is resumed.

    A load that a killed process left behind is resumed.
    """
    tx.run("store_lock")
    rows = _rows(tx, name)
    unfinished = [r for r in rows if r["state"] == "staging"]
    for row in unfinished:
        if row["owner"] == owner:
            return int(row["id"]), True  # it was done, but the answer got lost
    if not replace and any(r["state"] == "ready" for r in rows):
        raise already_loaded_error(name)
    if busy := [r["owner"] for r in unfinished if is_alive(r["owner"], idle=r["idle"])]:
        raise StoreBusyError(
            f"{name} is being loaded by {owner_text(busy[0])}.",
            remedy="Wait until it has finished, or stop it. One that was killed on another machine is "
            "taken over three minutes after its last sign of life.",
        )
    if unfinished:
        tx.run("load_dropped", {"ids": [r["id"] for r in unfinished[:-1]], "flipped": _now()})
        tx.run("load_resume", {"id": unfinished[-1]["id"], "sources": sources, "owner": owner})
        return int(unfinished[-1]["id"]), True
    what = {"name": name, "sources": sources, "owner": owner, "created": _now(), "rows": ROWS}
    return int(tx.run("load_create", what)[0][0]), False


def _names(row: Mapping[str, Any]) -> set[str]:
    return {s["name"] for s in json.loads(row["sources"])}


def _sources_json(sources: Sequence[Source]) -> str:
    return json.dumps([asdict(s) for s in sources], ensure_ascii=False)


def _source_properties(source: Source) -> dict[str, Any]:
    return {k: v for k, v in asdict(source).items() if v is not None}


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
