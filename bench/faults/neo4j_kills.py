"""Neo4j store: kill -9 of the client or the server at random points of loads and drops, then the same command again.

``python bench/faults/neo4j_kills.py [--points 200] [--server 40] [--seed 1] [--home FOLDER]`` starts a local server of
its own (random ports, small heap), loads and drops undisturbed to learn how long that takes and what it leaves, then
does it again and again with a kill at a moment drawn uniformly from that time. After each the same command is run
again, and everything in the database is compared. Another process asks all the time and must see complete ready
sets or a clear error, nothing else. ``--log FILE`` keeps each point; points that it holds are not done again.
Writes bench/results/neo4j_kills.json and neo4j_kills.md.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import os
import random
import signal
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench import measure
from bench.faults.kill_log import KillLog
from bench.memory_stage import FactRow, MemoryStage, SimpleLoadPlan
from hydra_kg.domain import Source
from hydra_kg.errors import HydraError, NotFoundError, StoreError
from hydra_kg.ingest.contract.choices import LoadOptions
from hydra_kg.ingest.load import load_files
from hydra_kg.stores.neo4j import store as stores
from hydra_kg.stores.neo4j.connection import queries
from hydra_kg.stores.neo4j.connection.local_home import Home
from hydra_kg.stores.neo4j.connection.queries import SPAN
from hydra_kg.stores.neo4j.local_server.conf import free_port, is_free
from hydra_kg.stores.neo4j.local_server.server import LocalServer
from hydra_kg.stores.neo4j.store import Neo4jStore
from hydra_kg.stores.neo4j.writes import writer
from hydra_kg.util.package_data import find_content

SAMPLE: Final = find_content("sample", "freebase.nt.gz")
ROWS: Final = 200  # of a chunk: a small load of many transactions
LINES: Final = 2500  # of the load that is killed
KEYS: Final = tuple(f"m.0{a}{b}" for a in "bcdfghj" for b in "bcdfghjklmnpqrst")
WORDS: Final = {
    "chunk_begin": "write",
    "load_written": "flip",
    "class_write": "flip",
    "load_dropped": "flip",
    "load_ready": "flip",
    "store_flip": "flip",
    "class_show": "flip",
    "load_purge": "remove",
}
DONE: Final = ("is loaded already", "No load or source is called")
"""What a command says that was killed when its work was done."""


def tables(sources: int) -> MemoryStage:
    """A load of three sources with everything that a load can hold: facts, names, classes, passages, details."""
    draw = random.Random(7)
    years = [(("P580", f'"{1900 + i}"^^xsd:gYear'),) * (i % 5 == 0) for i in range(90)]
    links = [
        FactRow(draw.choice(KEYS), f"made.up.p{i % 9}", draw.choice(KEYS), i, i % sources, qualifiers=years[i % 90])
        for i in range(800)
    ]
    values = [
        FactRow(
            draw.choice(KEYS),
            "made.up.year",
            f'"{1000 + i}"^^xsd:gYear',
            i,
            i % sources,
            rank="preferred" * (i % 4 == 0),
        )
        for i in range(400)
    ]
    return MemoryStage(
        links,
        values=values,
        names=[(k, "name", f"Name of {k}") for k in KEYS],
        mediators=KEYS[:9],
        same_as=[(k, f"Q{i + 1}") for i, k in enumerate(KEYS[:60])],
        passages=[
            (k, f"About {k}", "https://example.org/w", f"{k} is a thing of which text {i} tells.", i)
            for i, k in enumerate(KEYS)
        ],
    )


def load_tables(store: Neo4jStore) -> None:
    """The load of several sources."""
    load = store.begin(SimpleLoadPlan("tables", tuple(Source(f"t{i}", "table") for i in range(3))))
    try:
        load.write(tables(3))
        load.commit({"file": "tables"})
    except BaseException:
        load.release()
        raise


def load_slice(store: Neo4jStore, lines: int, *, replace: bool = False) -> None:
    """The first lines of the sample."""
    load_files(store, [SAMPLE], LoadOptions(source="slice", limit=lines, replace=replace))


OPERATIONS: Final[Mapping[str, Callable[[Neo4jStore], object]]] = {
    "load": lambda store: load_slice(store, LINES),
    "load tables": load_tables,
    "replace": lambda store: load_slice(store, LINES * 2 // 3, replace=True),
    "drop a source of several": lambda store: store.drop("t1"),
    "drop": lambda store: store.drop("slice"),
    "drop tables": lambda store: store.drop("tables"),
}
"""A round: each begins where the one before it ended, the last ends where the first begins."""


@dataclass(frozen=True)
class Place:
    """Where the server is, and how a process of ours says how far it is."""

    url: str
    password: str = field(repr=False)
    data: Path
    mark: Path

    def enter(self) -> None:
        """Make a process one that works there, in small chunks."""
        os.environ.update(
            NEO4J_USERNAME="neo4j",
            NEO4J_PASSWORD=self.password,
            XDG_DATA_HOME=str(self.data),
            HYDRA_NEO4J_HOME=str(self.data / "none"),
        )
        os.environ.pop("NEO4J_DATABASE", None)
        for module in (stores, writer):
            module.ROWS = ROWS  # type: ignore[misc]


def work(place: Place, name: str, tell: Connection) -> None:
    """A client: one operation, marking the statements that it runs; says "go", then how it ended."""
    place.enter()
    run, marks = queries.Transaction.run, os.open(place.mark, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)

    def marked(self: queries.Transaction, query: str, parameters: Any = None) -> Any:
        os.pwrite(marks, query.ljust(40).encode(), 0)
        return run(self, query, parameters)

    queries.Transaction.run = marked  # type: ignore[method-assign]
    tell.send("go")
    try:
        with Neo4jStore(place.url) as store:
            OPERATIONS[name](store)
        tell.send("done")
    except (StoreError, NotFoundError) as e:
        tell.send("done" if any(words in str(e) for words in DONE) else f"error: {e}")
    except BaseException as e:
        tell.send(f"fault: {type(e).__name__}: {e}")
        raise


def answer(store: Neo4jStore) -> tuple[str, str]:
    """What a reader sees: the ready set, and a digest of what it holds around some nodes."""
    with store.snapshot() as snapshot:
        ready = " ".join(f"{load.name} {load.checksum}" for load in snapshot.manifest())
        nodes = [n for n in snapshot.lookup(["m.02mjmr", "m.09c7w0", "Q1", "Q30", *KEYS[:8]]) if n is not None]
        graph = snapshot.cut(nodes, depth=1)
        facts = sorted(
            (f.id, f.source.name, f.subject, f.predicate, f.object) for f in snapshot.facts(graph.segment, graph.row)
        )
        values = sorted(snapshot.values(nodes).literal)
        names = snapshot.find([f"Name of {k}" for k in KEYS[:4]])
        texts = sorted(p.text for p in snapshot.passages(nodes))
        seen = repr((sorted(nodes), facts, values, names, texts))
    return ready, hashlib.sha256(seen.encode()).hexdigest()


def read(place: Place, wanted: Mapping[str, str], tell: Connection) -> None:
    """A reader that asks until it is told to stop, then tells what it saw."""
    place.enter()
    seen: Counter[str] = Counter()
    wrong: list[str] = []
    while not tell.poll(0.05):
        try:
            with Neo4jStore(place.url) as store:
                while not tell.poll(0.05):
                    ready, digest = answer(store)
                    seen["complete"] += 1
                    if wanted.get(ready) != digest:
                        what = "another content" if ready in wanted else "unknown"
                        wrong.append(f"{ready or 'nothing ready'}: {what}")
        except HydraError as e:
            seen[str(e).splitlines()[0].replace(place.url, "URL")] += 1
        except Exception as e:
            wrong.append(f"{type(e).__name__}: {e}")
    tell.send((dict(seen), wrong))


STATE: Final[Mapping[str, str]] = {
    "facts": """
        MATCH (a)-[r]->(b) WHERE r.fid IS NOT NULL AND r.h IS NOT NULL
        RETURN r.fid, r.source, a.key, type(r), b.key, r.loc, r.rank, r.conf, r.qualifiers, r.h % $span""",
    "values": "MATCH (v:HydraValue) RETURN v {.*, load: 0}",
    "nodes": """
        MATCH (n:HydraEntity) RETURN n.id, n.key, n.long, n.name, n.cls, labels(n),
        COLLECT { UNWIND n.parts AS p RETURN p % $span ORDER BY p % $span }""",
    "names": "MATCH (n:HydraName) RETURN n {.*, load: 0}",
    "words": "MATCH (n:HydraWord) RETURN n {.*, load: 0}",
    "passages": "MATCH (n:HydraPassage|HydraPassageWord) RETURN n {.*, load: 0}",
    "predicates": "MATCH (n:HydraPredicate) RETURN n {.*, load: 0}",
    "same-as": "MATCH (a)-[r:SAME_AS]->(b) RETURN a.id, b.id, r.loc",
    "classes": """
        MATCH (s:HydraStore) MATCH (c:HydraClassChunk {generation: s.generation})
        RETURN c.n, c.member, c.representative""",
    "chunks": "MATCH (c:HydraLoadChunk) MATCH (l:HydraLoad {id: c.load}) RETURN l.name, c.n, c.check, c.subjects",
    "loads": "MATCH (l:HydraLoad) RETURN l {.name, .state, .facts, .checksum, .counts, .texts, .sources, .owner}",
    "sources": "MATCH (l:HydraLoad)-[:STATES]->(s:HydraSource) RETURN l.name, s.name",
    "everything": "MATCH (n) WHERE NOT n:HydraClassChunk RETURN labels(n)[0], count(*)",
    "relationships": "MATCH ()-[r]->() RETURN type(r), count(*)",
}


def state(driver: Any) -> dict[str, Counter[str]]:
    """All that is in the database but what differs from run to run: dates, numbers of loads."""
    found = {}
    with driver.session() as session:
        for kind, query in STATE.items():
            rows = session.run(query, span=SPAN)
            found[kind] = Counter(json.dumps(row.values(), sort_keys=True) for row in rows)
    return found


def differences(found: Mapping[str, Counter[str]], wanted: Mapping[str, Counter[str]]) -> list[str]:
    """What is lost or doubled, by kind."""
    out = []
    for kind, rows in wanted.items():
        lost, more = rows - found[kind], found[kind] - rows
        if lost or more:
            example = next(iter([*lost, *more]))[:200]
            out.append(f"{kind}: {lost.total()} lost, {more.total()} too many, such as {example}")
    return out


class Ring:
    """The server, its clients and its reader. ``names``: the operations of a round."""

    def __init__(self, home: Home, folder: Path, *, heap: int = 512, names: Sequence[str] = (*OPERATIONS,)) -> None:
        self.names = names
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload([__name__, "duckdb", "neo4j"])
        self.server = LocalServer(home)
        # Below the ports that outgoing connections get: one of those may take the server's while that is down.
        bolt = free_port(random.Random().randrange(20_000, 30_000, 2))
        status = self.server.start(bolt=bolt, http=free_port(bolt + 1), heap=heap, page_cache=64)
        assert status.instance is not None
        self.place = Place(
            f"bolt://localhost:{status.instance.bolt}", home.password() or "", folder / "data", folder / "mark"
        )
        self.place.enter()
        self.seconds: dict[str, list[float]] = {}  # of undisturbed runs of each operation
        self.pace = {"client": 1.0, "server": 1.5}  # a server that was just started is slower; learnt on the way
        self.wanted: dict[str, dict[str, Counter[str]]] = {}
        self.answers: dict[str, str] = {}
        self.restarts: list[float] = []

    def start(self, target: Callable[..., None], *arguments: Any) -> tuple[BaseProcess, Connection]:
        """A process of ours, and the way to talk with it."""
        ours, its = self._context.Pipe()
        process = self._context.Process(target=target, args=(self.place, *arguments, its), daemon=True)
        process.start()
        its.close()
        return process, ours

    def run(self, name: str) -> tuple[str, float]:
        """An operation that nobody disturbs: how it ended, and seconds."""
        process, tell = self.start(work, name)
        end, seconds = _ended(process, tell)
        return end, seconds

    def kill_server(self) -> None:
        """As a power cut does, then start it again."""
        pid = self.server.status().pid
        os.kill(pid, signal.SIGKILL)
        instance = self.server.status().instance
        assert instance is not None
        while self.server.status().running or not (is_free(instance.bolt) and is_free(instance.http)):
            time.sleep(0.02)  # threads of a killed process may hold its ports for a while
        begun = time.monotonic()
        self.server.start()
        self.restarts.append(time.monotonic() - begun)

    def state(self) -> dict[str, Counter[str]]:
        """What is in the database."""
        from hydra_kg.stores.neo4j.connection.connect import connect

        with connect(self.place.url) as driver:
            return state(driver)

    def learn(self, *, rounds: int = 2) -> None:
        """Times and results of undisturbed operations."""
        self.remember("nothing")
        for name in [*self.names] * rounds:
            end, seconds = self.run(name)
            if end != "done":
                raise SystemExit(f"{name}, undisturbed: {end}")
            self.seconds.setdefault(name, []).append(seconds)
            self.remember(name)
        for times in self.seconds.values():
            del times[:-1]  # the first ones are of a server that was just started

    def moment(self, name: str, target: str, share: float) -> float:
        """Seconds after which to kill: a share of what the operation has lately taken."""
        return share * statistics.median(self.seconds[name][-5:]) * self.pace[target]

    def remember(self, name: str) -> None:
        """What the database holds after an operation."""
        found = self.state()
        if name in self.wanted and (off := differences(found, self.wanted[name])):
            raise SystemExit(f"{name}, undisturbed, differs from itself: {off}")
        self.wanted[name] = found
        with Neo4jStore(self.place.url) as store:
            ready, digest = answer(store)
        if self.answers.setdefault(ready, digest) != digest:
            raise SystemExit(f"the reader's answer of {ready} differs from itself")

    def rescue(self, name: str) -> None:
        """After a failure: begin anew, at the end of that operation."""
        from hydra_kg.stores.neo4j.connection.connect import connect

        with connect(self.place.url) as driver, driver.session() as session:
            session.run("MATCH (n) WHERE NOT n:__Neo4jMigration CALL (n) { DETACH DELETE n } IN TRANSACTIONS").consume()
        for one in self.names:
            self.run(one)
            if one == name:
                return


def _ended(process: BaseProcess, tell: Connection, *, limit: float = 240) -> tuple[str, float]:
    """How a client ended ("killed" if it said nothing), and seconds since it began."""
    begun, said = time.monotonic(), ""
    with suppress(EOFError, ConnectionResetError):
        while tell.poll(limit):
            said = tell.recv()
            if said == "go":
                begun = time.monotonic()
            else:
                break
    seconds = time.monotonic() - begun
    process.join(5)
    if process.is_alive():
        process.kill()
        return f"fault: no end after {limit} s", seconds
    return "killed" if said in {"", "go"} else said, seconds


def disturb(ring: Ring, name: str, target: str, share: float) -> dict[str, Any]:
    """One point: an operation, a kill after a share of its time, the same again, and what is different then."""
    at = ring.moment(name, target, share)
    with suppress(FileNotFoundError):
        ring.place.mark.unlink()
    process, tell = ring.start(work, name)
    assert tell.recv() == "go"
    over = tell.poll(at)
    marked = ring.place.mark.read_text("ascii").strip() if ring.place.mark.exists() else ""
    if target == "client" and not over:
        process.kill()
    elif not over:
        ring.kill_server()
    if over or share > 0.8:
        ring.pace[target] *= 0.9 if over else 1.05
    first, _ = _ended(process, tell)
    second, seconds = ring.run(name) if first != "done" else ("done", 0.0)
    if first == "killed" and phase(marked) == "stage":
        ring.seconds[name].append(seconds)  # all was still to be done
    off = [text for text in (first, second) if text.startswith("fault")]
    if second != "done":
        off.append(f"again: {second}")
    off += differences(ring.state(), ring.wanted[name])
    return {
        "operation": name,
        "target": target,
        "share": round(share, 4),
        "at s": round(at, 3),
        "statement": marked,
        "before its end": not over,
        "ended": first.split("\n")[0],
        "resume s": round(seconds, 2),
        "wrong": off,
    }


def phase(statement: str) -> str:
    """What an operation was at when it ran a statement."""
    if statement.startswith("write_"):
        return "write"
    if statement.startswith("delete_"):
        return "remove"
    return WORDS.get(statement, "flip" if statement.startswith(("class", "load_sources", "store_s")) else "stage")


def run(
    ring: Ring, *, count: int, servers: int, seed: int, log: Path | None = None, tell: Callable[[str], object] = print
) -> tuple[list[dict[str, Any]], dict[str, int], list[str]]:
    """Operations in rounds, kinds of kills drawn for each, until enough came before the end of a command.

    Returns the points, what the reader saw how often meanwhile, and what was wrong there.
    """
    kept = KillLog(log)
    rows = kept.rows
    for row in kept.before:
        ring.restarts += row.get("restarts", [])
    draw, earlier = random.Random(f"{seed} {len(rows)}"), len(ring.restarts)
    reader, stop = ring.start(read, dict(ring.answers))
    names = list(ring.names)
    for name in names[: len(rows) % len(names)]:  # a run that was cut off in the middle of a round
        ring.run(name)
    with suppress(KeyboardInterrupt):  # what was done until then is reported
        while (done := sum(r["before its end"] for r in rows)) < count:
            left = servers - sum(r["before its end"] and r["target"] == "server" for r in rows)
            name, share = names[len(rows) % len(names)], draw.random()
            target = "server" if draw.random() < left / (count - done) else "client"
            row = kept.point(disturb(ring, name, target, share))
            tell(f"{done}/{count} {json.dumps(row, ensure_ascii=False)}")
            if row["wrong"]:
                ring.rescue(name)
    kept.end(reader, stop, patience=90, restarts=ring.restarts[earlier:])
    return rows, dict(kept.seen), kept.wrong


def report(
    rows: Sequence[Mapping[str, Any]],
    ring: Ring,
    seen: Mapping[str, int],
    wrong: Sequence[str],
    *,
    command: str,
    note: str,
) -> None:
    """Tables for people and programs."""
    hit = [r for r in rows if r["before its end"]]
    made = []
    for target in ("client", "server"):
        for name in OPERATIONS:
            here = [r for r in hit if (r["target"], r["operation"]) == (target, name)]
            phases = Counter(phase(r["statement"]) for r in here)
            ended = Counter("went on" if r["ended"] == "done" else r["ended"].partition(":")[0] for r in here)
            made.append(
                {
                    "kill -9 of the": target,
                    "operation": name,
                    "points": len(here),
                    **{p: phases[p] for p in ("stage", "write", "flip", "remove")},
                    "command went on": ended["went on"],
                    "ended with a clear error": ended["error"],
                    "not as undisturbed": sum(bool(r["wrong"]) for r in here),
                }
            )
    total = {"kill -9 of the": "", "operation": "all"}
    made.append({**total, **{k: sum(r[k] for r in made) for k in made[0] if k not in total}})
    faults = [
        f"Point {r['point']} ({r['operation']}, {r['target']}): {'; '.join(r['wrong'])}" for r in rows if r["wrong"]
    ]
    again = sorted(r["resume s"] for r in hit if r["resume s"]) or [0.0]
    restarts = sorted(ring.restarts) or [0.0]
    measure.save(
        "neo4j_kills",
        title="Neo4j store: kill -9 at random points",
        command=command,
        about=measure.machine("neo4j", "duckdb"),
        rows=made,
        notes=[
            f"{len(hit)} kills before the end of the command; {len(rows) - len(hit)} came after it and do not count.",
            f"The same command again: median {measure.quantile(again, 0.5):.1f} s, worst {again[-1]:.1f} s; the server "
            f"after a kill: median {measure.quantile(restarts, 0.5):.1f} s, worst {restarts[-1]:.1f} s.",
            "Compared after each: every fact (id, source, subject, predicate, object, locator, details), value, name, "
            "passage, same-as link, class, chunk, node, source, and the number of everything there is.",
            "A reader all the time: "
            + ", ".join(f"{n} × {what}" for what, n in sorted(seen.items()))
            + f"; half states seen: {len(wrong)}.",
            *([note] if note else []),
            *faults,
            *wrong[:10],
        ],
    )


def main() -> None:
    """Run and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=200)
    parser.add_argument("--server", type=int, default=0, help="how many of them kill the server (default: 20 %%)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--home", type=Path, help="folder of the server (default: one that is removed)")
    parser.add_argument("--log", type=Path, help="keep the points here, and leave out those that are there")
    parser.add_argument("--note", default="", help="a remark for the report")
    options = parser.parse_args()
    servers = options.server or options.points // 5
    command = f"bench/faults/neo4j_kills.py --points {options.points} --server {servers} --seed {options.seed}"
    with tempfile.TemporaryDirectory() as folder:
        ring = Ring(Home((options.home or Path(folder) / "neo4j").absolute()), Path(folder))
        try:
            ring.learn()
            print("undisturbed:", {name: round(s[-1], 2) for name, s in ring.seconds.items()}, flush=True)
            rows, seen, wrong = run(
                ring,
                count=options.points,
                servers=servers,
                seed=options.seed,
                log=options.log,
                tell=lambda text: print(text, flush=True),
            )
        finally:
            ring.server.stop()
    report(rows, ring, seen, wrong, command=command, note=options.note)
    sys.exit(bool(wrong or any(r["wrong"] for r in rows)))


if __name__ == "__main__":
    main()
