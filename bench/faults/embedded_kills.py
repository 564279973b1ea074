"""Embedded store: kill -9 at random points of everything that writes, then the same command again.

Loads of files and of all that a load can hold, appended rows, links of a match, held loads that are discarded or
flipped, replacements, drops, merges, publications and a reader's updates.

``python bench/faults/embedded_kills.py [--points 1000] [--seed 1] [--folder FOLDER] [--log FILE]`` runs rounds of
operations on one store, each in a process of its own that is killed with SIGKILL: half of the kills come at a moment
drawn uniformly from the time that the operation takes undisturbed, half at a system call that changes files, drawn from
those that it makes (``strace`` injects the signal; where that is not allowed, all are drawn from the time). After each
kill a new reader opens the store and compares everything that it sees with the state before and the state after; then
the same command is run again, and its end compared with an undisturbed one, ``doctor`` and the files on disk included.
Another process reads all the time. What one kill leaves is what the next operation begins with. ``--log`` keeps each
point; points that it holds are not done again. Writes bench/results/embedded_kills.json and embedded_kills.md.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import os
import random
import re
import select
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib.metadata import entry_points
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

from bench import measure
from bench.faults.kill_log import KillLog
from bench.faults.neo4j_kills import DONE, SAMPLE, differences
from bench.memory_stage import FactRow, MemoryStage, SimpleLoadPlan
from hydra_kg.domain import Source
from hydra_kg.errors import AlreadyDoneError, NotFoundError, StoreError
from hydra_kg.ingest.contract.choices import LoadOptions
from hydra_kg.ingest.contract.loader import GROUP
from hydra_kg.ingest.load import load_files
from hydra_kg.settings import ReaderSettings
from hydra_kg.stores.embedded.catalog.generation import read_merged_name
from hydra_kg.stores.embedded.operations.pending_load import HoldingStore, discard_pending, flip_pending
from hydra_kg.stores.embedded.store import EmbeddedStore
from hydra_kg.stores.published.publication_places import open_place
from hydra_kg.stores.published.publish import current, publish, read_publication
from hydra_kg.stores.published.store import PublishedStore

LINES: Final = 400  # of the file that is loaded
KEYS: Final = tuple(f"m.0{a}{b}" for a in "bcdf" for b in "bcdfghjkl")
TOPICS: Final = ("m.02mjmr", "m.09c7w0", "Q30", *KEYS[:5])
CALLS: Final = (
    "write",
    "pwrite64",
    "fsync",
    "fdatasync",
    "rename",
    "unlink",
    "unlinkat",
    "rmdir",
    "mkdir",
    "openat",
    "ftruncate",
    "flock",
    "fcntl",
    "close",
)
"""System calls before which a process may be killed."""
ATTACHED: Final = {"rejects.tsv.gz", "manifest.json", "pairs.npy"}
"""Files that a folder's manifest does not name."""

SCRATCH: Final = "tmp"
TABLES: Final = "tables"
PUBLISHED: Final = "published"
COPY: Final = "copy"
MATCHES: Final = "match-rows"
UNTIDY: Final = ("publish", "reader update", "hold", "discard")
"""Operations, and the same again, that leave it to the next one to remove what an earlier one left."""

OUTSIDE: Final = ("published", "copy")
"""What of a state lies outside the store."""

State = dict[str, Counter[str]]


def slice_of(store: EmbeddedStore, lines: int, *, replace: bool = False) -> None:
    """The first lines of the sample."""
    load_files(store, [SAMPLE], LoadOptions(source="slice", limit=lines, replace=replace))


def tables(edition: int) -> MemoryStage:
    """Everything that a load can hold: facts of several sources, names, classes, passages, details."""
    draw = random.Random(7)
    years = [(("P580", f'"{1900 + i}"^^xsd:gYear'),) * (i % 5 == 0) for i in range(90)]
    links = [
        FactRow(draw.choice(KEYS), f"made.up.p{i % 9}", draw.choice(KEYS), i, i % edition, qualifiers=years[i % 90])
        for i in range(100 * edition)
    ]
    values = [
        FactRow(
            draw.choice(KEYS),
            "made.up.year",
            f'"{1000 + i}"^^xsd:gYear',
            i,
            i % edition,
            rank="preferred" * (i % 4 == 0),
        )
        for i in range(50 * edition)
    ]
    return MemoryStage(
        links,
        values=values,
        names=[(k, "name", f"Name of {k}") for k in KEYS],
        mediators=KEYS[:9],
        same_as=[(k, f"Q{i + 1}") for i, k in enumerate(KEYS[:20])],
        passages=[
            (k, f"About {k}", "https://example.org/w", f"{k} is a thing of which text {i} tells.", i)
            for i, k in enumerate(KEYS)
        ],
    )


def load_tables(store: EmbeddedStore, *, name: str = "tables", edition: int = 3, replace: bool = False) -> None:
    """A load of three sources with everything that a load can hold, without files and DuckDB."""
    sources = tuple(Source(f"{name[0]}{i}", "table") for i in range(3))
    load = store.begin(SimpleLoadPlan(name, sources, replace))
    try:
        load.write(tables(edition))
        load.commit({"file": name})
    except BaseException:
        load.release()
        raise


def rows(store: EmbeddedStore, *, append: bool = False) -> None:
    """Replace a table of boats by its first file, or append its second one."""
    folder = store.path.parent / TABLES
    folder.mkdir(exist_ok=True)
    for number in (1, 2):
        boats = "".join(f"boat {number} {n},{n * number}\n" for n in range(40))
        if not (file := folder / f"rows{number}.csv").exists():
            file.write_text(f"boat,berth\n{boats}", "utf-8")
    choices = {"entity": "boat"}
    if append:
        load_files(store, [folder / "rows2.csv"], LoadOptions(source="rows", append=True, extra=choices))
    else:
        load_files(store, [folder / "rows1.csv"], LoadOptions(source="rows", replace=True, extra=choices))


def match(store: EmbeddedStore) -> None:
    """Write the links of a match as a load of their own, as ``hydra-kg match`` does."""
    file = store.path.parent / "pairs.jsonl"
    pairs = [{"same_as": [a, f"Q{900 + n}"], "probability": 0.9} for n, a in enumerate(KEYS[20:30])]
    file.write_text("".join(json.dumps(pair) + "\n" for pair in pairs), "utf-8")
    load_files(store, [file], LoadOptions(format="matches", source=MATCHES, replace=True))


def reader(store: EmbeddedStore) -> None:
    """Bring a reader's copy to what is published."""
    folder = store.path.parent
    settings = ReaderSettings(copy_folder=str(folder / COPY), poll=0)
    with PublishedStore(f"file://{folder / PUBLISHED}", settings, follow=False) as copy:
        copy.update(wait=True)


def hold(store: EmbeddedStore) -> None:
    """Hold a newer load next to the ready one."""
    if not any(row.pending for row in store.catalog.loads("tables")):
        load_tables(HoldingStore(store), edition=2)


OPERATIONS: Final[Mapping[str, Callable[[EmbeddedStore], object]]] = {
    "load a file": lambda store: slice_of(store, LINES),
    "load": load_tables,
    "publish": lambda store: publish(store, str(store.path.parent / PUBLISHED)),
    "reader update": reader,
    "hold": hold,
    "discard": lambda store: discard_pending(store, "tables"),
    "hold again": hold,
    "flip": lambda store: flip_pending(store, "tables"),
    "append": lambda store: rows(store, append=True),
    "match": match,
    "publish again": lambda store: publish(store, str(store.path.parent / PUBLISHED)),
    "reader update again": reader,
    "take back": rows,
    "drop links": lambda store: store.drop(MATCHES),
    "load again": lambda store: load_tables(store, replace=True),
    "compact": lambda store: store.compact(more_than=1, everything=True),
    "replace": lambda store: load_tables(store, edition=2, replace=True),
    "drop a source of several": lambda store: store.drop("t1"),
    "compact again": lambda store: store.compact(more_than=1, everything=True),
    "replace by a file": lambda store: slice_of(store, LINES * 2 // 3, replace=True),
    "drop": lambda store: store.drop("tables"),
    "drop a file": lambda store: store.drop("slice"),
}
"""A round: each begins where the one before it ended, the last ends where the first begins."""


def base(store: EmbeddedStore) -> None:
    """What is loaded all the time, with same-as links to what comes and goes."""
    load_tables(store, name="base", edition=1)
    rows(store)
    for file in ("fb2w.nt.gz", "passages.jsonl"):
        load_files(store, [SAMPLE.parent / file], LoadOptions(source=file.partition(".")[0], limit=60))


def work(path: Path, name: str, tell: Connection) -> None:
    """One operation, begun when told; says how it ended."""
    os.environ["TMPDIR"] = str(path.parent / SCRATCH)
    tell.send("here")
    tell.recv()
    try:
        with EmbeddedStore(path) as store:
            OPERATIONS[name](store)
        tell.send("done")
    except AlreadyDoneError:
        tell.send("done before")
    except (StoreError, NotFoundError) as e:
        tell.send(f"refused: {e}" if any(words in str(e) for words in DONE) else f"error: {e}")
    except BaseException as e:
        tell.send(f"fault: {type(e).__name__}: {e}")
        raise


def contents(store: EmbeddedStore) -> State:
    """All that a reader sees in one snapshot, by kind."""
    with store.snapshot() as s:
        loads = s.pinned.loads
        seen: dict[str, Iterable[object]] = {
            "loads": ((i.name, [x.name for x in i.sources], i.facts, i.checksum) for i, _ in loads)
        }
        facts: list[object] = []
        for n, (_, segment) in enumerate(loads):
            rows = np.concatenate((np.arange(len(segment.fdst)), ~np.arange(len(segment.vobj)))).astype(np.int64)
            facts += s.facts(np.full(len(rows), n, np.int16), rows)
        classes = s.pinned.generation.classes.tolist()
        seen |= {
            "facts": facts,
            "entities": s.entities(classes),
            "passages": s.passages(classes, query="text film city", limit=1 << 20),
        }
        predicates = s.predicates()
        seen["predicates"] = zip(predicates.keys, predicates.texts, predicates.counts.tolist(), strict=True)
        merged = s.pinned.generation.merged
        seen["merged"] = [len(merged.loads) if merged is not None else 0]
        names = ["Barack Obama", "United States", *(f"Name of {k}" for k in KEYS[:4])]
        seen["names"] = [*zip(names, s.find(names), strict=True), *s.find(["of"], reach="tokens")]
        topics = [n for n in s.lookup(TOPICS) if n is not None]
        cut = s.cut(topics, depth=2)
        seen["edges"] = zip(
            cut.ids[cut.src].tolist(),
            cut.pred.tolist(),
            cut.ids[cut.dst].tolist(),
            cut.segment.tolist(),
            cut.row.tolist(),
            strict=True,
        )
        return {kind: Counter(map(repr, rows)) for kind, rows in seen.items()}


def outside(folder: Path) -> State:
    """What is published, and what a reader's copy says."""
    loads: list[object] = []
    if (folder / PUBLISHED / "CURRENT").exists():
        place = open_place(f"file://{folder / PUBLISHED}")
        pointer, _ = current(place)
        assert pointer is not None
        loads = [(load.name, load.checksum) for load in read_publication(place, pointer).loads]
    copied: list[object] = []
    if (folder / COPY / "catalog.sqlite").exists():
        with EmbeddedStore(folder / COPY) as copy:
            copied = [digest(contents(copy)), *(f.what for f in copy.doctor() if f.level == "error")]
    return {"published": Counter(map(repr, loads)), "copy": Counter(map(repr, copied))}


def digest(state: Mapping[str, Counter[str]]) -> str:
    """A state in 16 digits."""
    text = repr([(kind, sorted(rows.items())) for kind, rows in sorted(state.items())])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def read(path: Path, known: Mapping[str, str], tell: Connection) -> None:
    """A reader that looks until it is told to stop, then tells what it saw. ``known``: digests of whole states."""
    seen: Counter[str] = Counter()
    wrong: list[str] = []
    with EmbeddedStore(path) as store:
        while not tell.poll(0.2):
            try:
                found = digest(contents(store))
                seen[known.get(found, "unknown")] += 1
                if found not in known:
                    wrong.append(f"a reader saw a state that never was whole: {found}")
            except Exception as e:
                wrong.append(f"a reader met {type(e).__name__}: {e}")
    tell.send((dict(seen), wrong))


def leftovers(store: EmbeddedStore, *, scratch: Path) -> list[str]:
    """Files and folders that nothing which is ready needs."""
    current, ready = store.catalog.ready()
    rows = [*ready, *(r for r in store.catalog.loads(state="staging") if r.pending)]
    merged = Path(read_merged_name(store.path / "generations" / str(current))).name
    wanted = {"loads": {r.id for r in rows}, "generations": {str(current)}, "merged": {merged}, "staging": set[str]()}
    found = [str(p) for p in scratch.rglob("*") if not is_probe(p)]
    for entry in sorted(store.path.iterdir()):
        if entry.name not in {*wanted, "locks"} and not entry.name.startswith("catalog.sqlite"):
            found.append(entry.name)
    for part, names in wanted.items():
        for folder in sorted((store.path / part).iterdir()) if (store.path / part).is_dir() else ():
            if folder.name in names:
                manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
                listed = {e["file"] for e in manifest["arrays"].values()} | set(manifest["files"]) | ATTACHED
                found += [f"{part}/{folder.name}/{f.name}" for f in folder.iterdir() if f.name not in listed]
            else:
                found.append(f"{part}/{folder.name}")
    locks = {f"generation-{n}" for n in wanted["generations"]} | {"builder", "catalog"}
    return found + [
        f"locks/{f.name}"
        for f in sorted((store.path / "locks").iterdir())
        if f.name not in locks and not f.name.startswith("load-")
    ]


def is_probe(path: Path) -> bool:
    """Return True for the file by which Python's ``tempfile`` tries whether it can write into a folder.

    A process that is killed in that moment leaves it, with at most four bytes. It is no file of hydra-kg.
    """
    return bool(re.fullmatch(r"[a-z0-9_]{8}", path.name)) and path.is_file() and path.stat().st_size <= len(b"blat")


def stopped_at(store: EmbeddedStore, *, after: bool) -> str:
    """What a killed operation was at, by what it left."""
    for row in store.catalog.loads(state="staging"):
        folder = store.path / "loads" / row.id
        if (folder / "manifest.json").is_file():
            return "flip"
        return "write" if folder.is_dir() else "stage"
    for part in ("generations", "merged"):  # the folder is called after the generation that is being built
        if (store.path / part / str(store.catalog.generation() + 1)).is_dir():
            return "flip" if part == "generations" else "write"
    return "remove" if after else "begin"


class Ring:
    """The store, the processes that work on it, and what undisturbed operations take and leave."""

    def __init__(self, folder: Path, *, injects: bool | None = None) -> None:
        self._context = multiprocessing.get_context("forkserver")
        formats = {entry.module for entry in entry_points(group=GROUP)}
        self._context.set_forkserver_preload([__name__, "duckdb", *sorted(formats)])
        self.path, self.scratch = folder / "store", folder / SCRATCH
        self.scratch.mkdir(parents=True)
        self.injects = can_inject() if injects is None else injects
        with EmbeddedStore(self.path) as store:
            base(store)
        self.seconds: dict[str, list[float]] = {}  # of undisturbed runs of each operation
        self.calls: dict[str, dict[str, int]] = {}  # most of each system call in one thread
        self.wanted: dict[str, State] = {}
        self.pace = 1.0
        self.left: set[str] = set()
        """What the last operation left because a reader had it open."""

    def start(self, target: Callable[..., None], *arguments: Any) -> tuple[BaseProcess, Connection]:
        """A process of ours, and the way to talk with it."""
        ours, its = self._context.Pipe()
        process = self._context.Process(target=target, args=(self.path, *arguments, its), daemon=True)
        process.start()
        its.close()
        return process, ours

    def run(self, name: str, *, trace: Sequence[str] = ()) -> tuple[str, float]:
        """An operation that nobody kills: how it ended, and seconds."""
        process, tell = self.start(work, name)
        tell.recv()
        with tracing(process.pid, trace):
            tell.send("go")
            return ended(process, tell)

    def state(self) -> State:
        """What a new reader sees."""
        with EmbeddedStore(self.path) as store:
            return contents(store) | outside(self.path.parent)

    def learn(self, *, rounds: int = 2) -> None:
        """Times, system calls and results of undisturbed operations."""
        names = [*OPERATIONS]
        for name in names:  # once, so that every round begins with what a round leaves
            self.run(name)
        self.wanted[names[-1]] = self.state()
        for name in names * rounds:
            end, seconds = self.run(name)
            if end != "done":
                raise SystemExit(f"{name}, undisturbed: {end}")
            self.seconds.setdefault(name, []).append(seconds)
            found = self.state()
            if off := differences(found, self.wanted.setdefault(name, found)):
                raise SystemExit(f"{name}, undisturbed, differs from itself: {off}")
        for name in names if self.injects else ():
            log = self.scratch / "calls"
            self.run(name, trace=("-o", str(log), "-e", f"trace={','.join(CALLS)}"))
            counts = Counter(tuple(m) for m in re.findall(r"^(\d+) +(\w+)\(", log.read_text("utf-8", "replace"), re.M))
            self.calls[name] = {call: max(n for (_, c), n in counts.items() if c == call) for _, call in counts}
            log.unlink()

    def known(self) -> dict[str, str]:
        """Digests of all whole states."""
        inside = {name: {k: v for k, v in state.items() if k not in OUTSIDE} for name, state in self.wanted.items()}
        return {digest(state): name for name, state in inside.items()}

    def rescue(self, name: str) -> None:
        """After a failure: a new store, at the end of that operation."""
        for one in (self.path, self.path.parent / PUBLISHED, self.path.parent / COPY):
            shutil.rmtree(one, ignore_errors=True)
        self.left = set()
        with EmbeddedStore(self.path) as store:
            base(store)
        names = [*OPERATIONS]
        for one in [*names, *names[: names.index(name) + 1]]:
            self.run(one)


def can_inject() -> bool:
    """Whether strace may attach to a process here and kill it at a system call."""
    if shutil.which("strace") is None:
        return False
    command = ["strace", "-f", "-o", os.devnull, "-e", "inject=getppid:signal=KILL:when=1"]
    victim = [sys.executable, "-Sc", "import os; os.getppid()"]
    done = subprocess.run([*command, *victim], check=False, capture_output=True)
    return done.returncode not in (0, 1)


@contextmanager
def tracing(pid: int | None, options: Sequence[str]) -> Iterator[None]:
    """strace with these options, attached to a process; without options nothing."""
    if not options:
        yield
        return
    strace = subprocess.Popen(["strace", "-f", "-p", str(pid), *options], stderr=subprocess.PIPE, text=True)
    assert strace.stderr is not None
    line = strace.stderr.readline()
    if "attached" not in line:
        raise SystemExit(f"strace: {line}")
    try:
        yield
    finally:
        with suppress(subprocess.TimeoutExpired):
            strace.wait(5)
        strace.kill()
        strace.wait()
        strace.stderr.close()


def ended(process: BaseProcess, tell: Connection, *, limit: float = 120) -> tuple[str, float]:
    """How a process ended ("killed" if it said nothing), and seconds until then."""
    begun, said = time.monotonic(), "killed"
    select.select([tell.fileno(), process.sentinel], [], [], limit)
    with suppress(EOFError, ConnectionResetError):
        if tell.poll(0):
            said = tell.recv()
    seconds = time.monotonic() - begun
    process.join(max(0.1, limit - seconds))
    if process.is_alive():
        process.kill()
        process.join()
        return f"fault: no end after {limit} s", seconds
    tell.close()
    return said, seconds


def kill(ring: Ring, name: str, draw: random.Random) -> tuple[dict[str, Any], str]:
    """Run an operation and kill it at a point drawn at random; where that was, and how it ended."""
    process, tell = ring.start(work, name)
    tell.recv()
    if ring.injects and draw.random() < 0.5:
        call = draw.choice(sorted(ring.calls[name]))
        when = draw.randint(1, ring.calls[name][call])
        point: dict[str, Any] = {"kind": "call", "at": f"{call} {when}"}
        options = ("-o", os.devnull, "-e", f"trace={call}", "-e", f"inject={call}:signal=KILL:when={when}")
        with tracing(process.pid, options):
            tell.send("go")
            return point, ended(process, tell)[0]
    share = draw.random()
    after = share * statistics.median(ring.seconds[name][-5:]) * ring.pace
    tell.send("go")
    select.select([tell.fileno(), process.sentinel], [], [], after)
    process.kill()
    end = ended(process, tell)[0]
    if share > 0.8:
        ring.pace *= 1.05 if end == "killed" else 0.95
    return {"kind": "time", "at": f"{after:.3f} s"}, end


def disturb(ring: Ring, name: str, draw: random.Random) -> dict[str, Any]:
    """One point: an operation, a kill, what readers see then; the same again, and what is different then."""
    names = [*OPERATIONS]
    before, after = ring.wanted[names[names.index(name) - 1]], ring.wanted[name]
    point, first = kill(ring, name, draw)
    off: list[str] = []
    with EmbeddedStore(ring.path) as store:
        found = contents(store) | outside(ring.path.parent)
        flipped = found == after
        at = stopped_at(store, after=flipped) if first == "killed" else "end"
        if not flipped and found != before:
            off += [f"half: {text}" for text in differences(found, before)]
        off += [f"doctor after the kill: {f.what}" for f in store.doctor() if f.level == "error"]
    second, seconds = ring.run(name) if first == "killed" else (first, 0.0)
    if second not in ("done", "done before") and not (second.startswith("refused") and flipped):
        off.append(f"again: {second}")
    with EmbeddedStore(ring.path) as store:
        off += differences(contents(store) | outside(ring.path.parent), after)
        off += [f"doctor: {f.what}" for f in store.doctor() if f.level != "note" and "are free" not in f.what]
        if second == "done" and not name.startswith(
            UNTIDY
        ):  # and not refused because all was done: then the next operation tidies
            left = set(leftovers(store, scratch=ring.scratch))
            off += [f"left: {file}" for file in sorted(left) if not _reading(file) or file in ring.left]
            ring.left = left
    return {
        "operation": name,
        **point,
        "killed": first == "killed",
        "stopped at": at,
        "flipped": flipped,
        "again": second.partition(":")[0],
        "resume s": round(seconds, 3),
        "wrong": off,
    }


def _reading(file: str) -> bool:
    """Whether it may be what a reader still had open at the flip: the next operation removes that."""
    return file.startswith(("generations/", "locks/generation-", "merged/", "loads/"))


def run(
    ring: Ring, *, count: int, seed: int, log: Path | None = None, tell: Callable[[str], object] = print
) -> tuple[list[dict[str, Any]], dict[str, int], list[str]]:
    """Operations in rounds, each with a kill, until enough came before the end of a command.

    Returns the points, what the reader saw how often meanwhile, and what was wrong there.
    """
    kept = KillLog(log)
    rows = kept.rows
    names = list(OPERATIONS)
    draw = random.Random(f"{seed} {len(rows)}")
    reader, stop = ring.start(read, ring.known())
    for name in names[: len(rows) % len(names)]:  # a run that was cut off in the middle of a round
        ring.run(name)
    with suppress(KeyboardInterrupt):  # what was done until then is reported
        while (done := sum(r["killed"] for r in rows)) < count:
            name = names[len(rows) % len(names)]
            row = kept.point(disturb(ring, name, draw))
            tell(f"{done}/{count} {json.dumps(row, ensure_ascii=False)}")
            if row["wrong"]:
                kept.end(reader, stop, patience=60)
                ring.rescue(name)
                reader, stop = ring.start(read, ring.known())
    kept.end(reader, stop, patience=60)
    return rows, dict(kept.seen), kept.wrong


def report(
    rows: Sequence[Mapping[str, Any]],
    seen: Mapping[str, int],
    wrong: Sequence[str],
    *,
    command: str,
    note: str,
    name: str = "embedded_kills",
) -> None:
    """Tables for people and programs, as ``bench/results/NAME``."""
    hit = [r for r in rows if r["killed"]]
    made = []
    for operation in OPERATIONS:
        here = [r for r in hit if r["operation"] == operation]
        at = Counter(r["stopped at"] for r in here)
        made.append(
            {
                "operation": operation,
                "kills": len(here),
                "at a call": sum(r["kind"] == "call" for r in here),
                **{p: at[p] for p in ("begin", "stage", "write", "flip", "remove")},
                "seen before": sum(not r["flipped"] for r in here),
                "seen after": sum(r["flipped"] for r in here),
                "again: refused": sum(r["again"] == "refused" for r in here),
                "not as undisturbed": sum(bool(r["wrong"]) for r in here),
            }
        )
    made.append({"operation": "all", **{k: sum(int(r[k]) for r in made) for k in made[0] if k != "operation"}})
    faults = [f"Point {r['point']} ({r['operation']}, {r['at']}): {'; '.join(r['wrong'])}" for r in rows if r["wrong"]]
    again = sorted(r["resume s"] for r in hit) or [0.0]
    measure.save(
        name,
        title="Embedded store: kill -9 at random points",
        command=command,
        about=measure.machine("duckdb", "numpy"),
        rows=made,
        notes=[
            f"{len(hit)} kills before the end of the command; {len(rows) - len(hit)} more came too late and do not "
            "count.",
            f"The same command again: median {measure.quantile(again, 0.5):.2f} s, worst {again[-1]:.2f} s.",
            "Compared after each kill and after the same command again: loads, every fact (id, terms, source, locator, "
            "details), entity (class members, names, description, degree), passage, predicate, name lookups and a cut; "
            "then `doctor`, and that no file is left that nothing needs (what a reader had open at the flip may stay "
            "until the next operation).",
            f"A reader all the time: {sum(seen.values())} states read; half states and errors: {len(wrong)}.",
            *([note] if note else []),
            *faults,
            *wrong[:10],
        ],
    )


def main() -> None:
    """Run and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="where the store is made (default: the system's place)")
    parser.add_argument("--log", type=Path, help="keep the points here, and leave out those that are there")
    parser.add_argument("--note", default="", help="a remark for the report")
    parser.add_argument("--rounds", type=int, default=2, help="undisturbed rounds that times are taken from")
    parser.add_argument("--results", default="embedded_kills", help="name of the results")
    parser.add_argument("--only", default="", help="these operations, with commas between: a round ends as it begins")
    options = parser.parse_args()
    if options.only:
        chosen = {name: OPERATIONS[name] for name in options.only.split(",")}
        globals()["OPERATIONS"] = chosen
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # what was done until then is reported
    command = f"bench/faults/embedded_kills.py --points {options.points} --seed {options.seed}"
    command += f" --rounds {options.rounds} --only '{options.only}'" if options.only else ""
    command += f" --results {options.results}" if options.results != "embedded_kills" else ""
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        ring = Ring(Path(folder))
        ring.learn(rounds=options.rounds)
        print("undisturbed:", {name: round(s[-1], 2) for name, s in ring.seconds.items()}, flush=True)
        rows, seen, wrong = run(
            ring, count=options.points, seed=options.seed, log=options.log, tell=lambda text: print(text, flush=True)
        )
    report(rows, seen, wrong, command=command, note=options.note, name=options.results)
    sys.exit(bool(wrong or any(r["wrong"] for r in rows)))


if __name__ == "__main__":
    main()
