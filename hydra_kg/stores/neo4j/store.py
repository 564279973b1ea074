"""The Neo4j store: pins ready loads for readers, hands out writers, flips, drops, and removes what was dropped."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from types import TracebackType
from typing import TYPE_CHECKING, Any

from hydra_kg.domain import Source
from hydra_kg.errors import NotFoundError, StoreBusyError, StoreError
from hydra_kg.ports import LoadPlan
from hydra_kg.stores.classes import Fusion
from hydra_kg.stores.neo4j.connect import connect
from hydra_kg.stores.neo4j.fusing import fused
from hydra_kg.stores.neo4j.migrations import migrate
from hydra_kg.stores.neo4j.queries import Database, Transaction
from hydra_kg.stores.neo4j.reading import Reader, pin
from hydra_kg.stores.neo4j.removing import remove_rows
from hydra_kg.stores.neo4j.rest import rest_of
from hydra_kg.stores.neo4j.snapshot import Neo4jSnapshot
from hydra_kg.stores.neo4j.writer import ROWS, Neo4jLoadWriter, forget_owner, is_alive, new_owner, write_stage

if TYPE_CHECKING:
    from neo4j import Driver

CLASS_ROWS = 10_000  # members of classes in one node
KEPT = 4  # generations whose classes stay for readers that pinned them


@dataclass(eq=False)
class _Open:
    """A generation that this process reads, and how many questions use it."""

    snapshot: Neo4jSnapshot
    users: int = 0


class Neo4jStore:
    """A store in a Neo4j database (port Store). Threads may share one; any number of processes may read and load.

    ``driver``: one that is open already (it is closed with the store); by default one is made for ``url``. The schema
    is brought up to date first. Raises UsageError and StoreError as :func:`hydra_kg.stores.neo4j.connect.connect`.
    """

    def __init__(self, url: str, *, driver: Driver | None = None) -> None:
        self.url = url
        driver = driver or connect(url)
        try:
            migrate(driver, url=url)
        except BaseException:
            driver.close()
            raise
        self.db = Database(driver, url=url)
        self._mutex = threading.Lock()
        self._open: dict[int, _Open] = {}
        self._latest = -1

    @contextmanager
    def snapshot(self) -> Iterator[Neo4jSnapshot]:
        """Pin the ready set and read it; loads and drops meanwhile change nothing of it.

        Raises StoreError at the end if another program removed one of the loads meanwhile.
        """
        pinned = pin(self.db)
        with self._mutex:
            entry = self._open.get(pinned.generation)
            if entry is None:
                entry = self._open[pinned.generation] = _Open(Neo4jSnapshot(Reader(self.db, pinned)))
                self._latest = max(self._latest, pinned.generation)
            entry.users += 1
        try:
            _ = entry.snapshot.reader.classes  # now: a generation's classes are not kept for ever
            yield entry.snapshot
            entry.snapshot.reader.fail_if_closed()
        finally:
            with self._mutex:
                entry.users -= 1
            self._forget()

    def begin(self, load: LoadPlan) -> Neo4jLoadWriter:
        """Start a load, or take up what a killed one of the same name left.

        Raises StoreBusyError if another process loads that name, StoreError if it is ready and ``replace`` is not set.
        """
        self.tidy()
        owner, sources = new_owner(), _sources_json(load.sources)

        def work(tx: Transaction) -> tuple[int, bool]:
            tx.run("store_lock")
            rows = _rows(tx, load.name)
            if not load.replace and any(r["state"] == "ready" for r in rows):
                raise _taken(load.name)
            killed = [r for r in rows if r["state"] == "staging"]
            if busy := [r for r in killed if is_alive(r["owner"], idle=r["idle"])]:
                host, process, _ = busy[0]["owner"].split(" ")
                raise StoreBusyError(f"{load.name} is being loaded by process {process} on {host}.",
                                     remedy="Wait until it has finished, or stop it.")  # fmt: skip
            if killed:
                tx.run("load_resume", {"id": killed[-1]["id"], "sources": sources, "owner": owner})
                return killed[-1]["id"], True
            return _create(tx, load.name, sources, owner), False

        try:
            number, resumed = self.db.write(work)
        except BaseException:
            forget_owner(owner)
            raise
        return Neo4jLoadWriter(self, load, number=number, owner=owner, resumed=resumed)

    def loads(self) -> list[Mapping[str, Any]]:
        """All loads, oldest first: id, name, state, dates, facts, counts, sources, details; for a load under way
        ``running`` says whether its process lives."""
        return [
            {
                "id": str(r["id"]), "name": r["name"], "state": r["state"], "created": r["created"],
                "flipped": r["flipped"], "facts": r["facts"], "checksum": r["checksum"],
                "counts": json.loads(r["counts"]), "bytes": 0, "sources": json.loads(r["sources"]),
                "details": json.loads(r["details"]),
                "running": r["state"] == "staging" and is_alive(r["owner"], idle=r["idle"]),
            }
            for r in self._all()
        ]  # fmt: skip

    def drop(self, name: str) -> Mapping[str, Any]:
        """Drop a load, or, if none has that name, a source out of all loads that have it; a load that keeps other
        sources is written anew. What a killed load of that name left goes as well. Returns counts.

        Raises NotFoundError if nothing has that name, StoreBusyError if a load of that name is under way.
        """
        rows = self._all()
        unfinished = [r for r in rows if r["name"] == name and r["state"] == "staging"]
        if any(is_alive(r["owner"], idle=r["idle"]) for r in unfinished):
            raise StoreBusyError(f"{name} is being loaded.", remedy="Wait until it has finished, or stop it.")
        ready = [r for r in rows if r["state"] == "ready"]
        hit = [r for r in ready if r["name"] == name] or [r for r in ready if name in _names(r)]
        if not hit and not unfinished:
            raise NotFoundError(f"Nothing that is loaded is called {name}.",
                                remedy="hydra-kg sources list shows all names.")  # fmt: skip
        for row in unfinished:
            self.purge(row["id"])
        left = rewritten = 0
        for row in hit:
            if row["name"] == name or _names(row) == {name}:
                self._flip(dropped=[row["id"]])
            else:
                left += self._rewrite(row, without=name)
                rewritten += 1
        self.tidy()
        return {"name": name, "loads": len(hit) - rewritten, "rewritten": rewritten, "unfinished": len(unfinished),
                "facts": sum(r["facts"] for r in hit) - left}  # fmt: skip

    def close(self) -> None:
        """Close the connections."""
        self.db.close()

    def __enter__(self) -> Neo4jStore:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:  # fmt: skip
        self.close()

    def flip(self, *, ready: int, name: str, sources: Sequence[Source], details: Mapping[str, Any],
             replace: bool) -> None:  # fmt: skip
        """Make a load ready, and drop ready loads of its name if it replaces them, in one transaction."""
        old = [r["id"] for r in self._all() if r["name"] == name and r["state"] == "ready" and r["id"] != ready]
        if old and not replace:
            raise _taken(name)
        what = {"id": ready, "details": json.dumps(dict(details), ensure_ascii=False, sort_keys=True),
                "file": str(details.get("file", "")), "flipped": _now()}  # fmt: skip

        def work(tx: Transaction) -> None:
            tx.run("load_ready", what)
            tx.run("load_sources", {"id": ready, "sources": [_plain(s) for s in sources]})

        self._flip(ready=ready, dropped=old, work=work)
        self.tidy()

    def tidy(self) -> None:
        """Remove what was dropped and no question of this process reads any more."""
        with self._mutex:
            held = {n for entry in self._open.values() if entry.users for n in entry.snapshot.reader.numbers}
        for row in self._all():
            if row["state"] == "dropped" and row["id"] not in held:
                self.purge(row["id"])

    def purge(self, number: int) -> None:
        """Remove a load that is not ready, with all it wrote."""
        self.db.write(lambda tx: tx.run("load_purge", {"id": number}))
        self.empty(number)
        self.db.write(lambda tx: tx.run("delete_load", {"id": number}))

    def empty(self, number: int) -> None:
        """Remove what a load wrote, but not the load."""
        remove_rows(self.db, number)

    def _flip(self, *, ready: int | None = None, dropped: Sequence[int] = (),
              work: Callable[[Transaction], None] | None = None) -> None:  # fmt: skip
        """Derive the classes over what will be ready, then make it so, unless others flipped meanwhile: then again."""
        while True:
            pinned = pin(self.db)
            numbers = [load.number for load in pinned.loads]
            if ready in numbers or (ready is None and not set(dropped) & set(numbers)):
                return  # it was done, but the answer got lost
            after = sorted({*numbers, *([ready] if ready is not None else [])} - set(dropped))
            fusion = fused(self.db, after)

            def flip(tx: Transaction, generation: int = pinned.generation, fusion: Fusion = fusion) -> bool:
                ((current, _),) = tx.run("store_lock")
                if current != generation:
                    return False
                for n, low in enumerate(range(0, len(fusion.member), CLASS_ROWS)):
                    here = slice(low, low + CLASS_ROWS)
                    tx.run("class_write", {"generation": generation + 1, "n": n, "member": fusion.member[here].tolist(),
                                           "representative": fusion.representative[here].tolist()})  # fmt: skip
                if dropped:
                    tx.run("load_dropped", {"ids": list(dropped), "flipped": _now()})
                if work is not None:
                    work(tx)
                tx.run("class_forget", {"generation": generation + 1 - KEPT})
                tx.run("store_flip", {"generation": generation + 1})
                return True

            if self.db.write(flip):
                self._show(pinned.generation, fusion)
                return

    def _show(self, before: int, fusion: Fusion) -> None:
        """Write the classes that changed on the nodes, for people who browse."""
        rows = self.db.read("classes", {"generation": before})
        old = {m: r for row in rows for m, r in zip(*row, strict=True)}
        new = dict(zip(fusion.member.tolist(), fusion.representative.tolist(), strict=True))
        changed = [[i, new.get(i)] for i in sorted({*old, *new}) if old.get(i) != new.get(i)]
        for i in range(0, len(changed), CLASS_ROWS):
            here = changed[i : i + CLASS_ROWS]
            self.db.write(lambda tx, here=here: tx.run("class_show", {"rows": here}))  # type: ignore[misc]

    def _rewrite(self, row: Mapping[str, Any], *, without: str) -> int:
        """A load without one of its sources in the place of it; the number of facts it has left."""
        sources = tuple(Source(**s) for s in json.loads(row["sources"]) if s["name"] != without)
        stage = rest_of(self.db, row["id"], [s["name"] for s in json.loads(row["sources"])], without=without)
        owner = new_owner()

        def work(tx: Transaction) -> int:
            tx.run("store_lock")
            return _create(tx, row["name"], _sources_json(sources), owner)

        try:
            number = self.db.write(work)
            counts = write_stage(self.db, number, owner, stage, sources=sources)
        finally:
            forget_owner(owner)
        facts = sum((counts or {}).get(kind, 0) for kind in ("links", "values"))
        details = json.loads(row["details"])
        details = {**details, "without": [*details.get("without", ()), without]}
        self.flip(ready=number, name=row["name"], sources=sources, details=details, replace=True)
        return facts

    def _all(self) -> list[dict[str, Any]]:
        return [{**load, "idle": now - load["beat"]} for load, now in self.db.read("loads")]

    def _forget(self) -> None:
        """After a question: let go of generations that are neither the newest nor read, and of what was dropped."""
        with self._mutex:
            old = [g for g, entry in self._open.items() if g < self._latest and not entry.users]
            for generation in old:
                del self._open[generation]
        if old:
            self.tidy()


def _rows(tx: Transaction, name: str) -> list[dict[str, Any]]:
    rows = ({**load, "idle": now - load["beat"]} for load, now in tx.run("loads"))
    return [row for row in rows if row["name"] == name]


def _create(tx: Transaction, name: str, sources: str, owner: str) -> int:
    """A new load; its number. Comes after the lock was taken."""
    what = {"name": name, "sources": sources, "owner": owner, "created": _now(), "rows": ROWS}
    return int(tx.run("load_create", what)[0][0])


def _names(row: Mapping[str, Any]) -> set[str]:
    return {s["name"] for s in json.loads(row["sources"])}


def _sources_json(sources: Sequence[Source]) -> str:
    return json.dumps([asdict(s) for s in sources], ensure_ascii=False)


def _plain(source: Source) -> dict[str, Any]:
    return {k: v for k, v in asdict(source).items() if v is not None}


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _taken(name: str) -> StoreError:
    return StoreError(f"{name} is loaded already.",
                      remedy="Load it with --replace, or give the new one another source name.")  # fmt: skip
