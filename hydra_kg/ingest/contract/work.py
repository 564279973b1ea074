"""One load in progress, with its staging database, its events and its steps.

Each step is done once, even after a crash.
"""

from __future__ import annotations

import errno
import hashlib
import json
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from copy import copy
from dataclasses import asdict
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from hydra_kg.domain import Source
from hydra_kg.errors import DiskFullError, LoadError, StoreBusyError
from hydra_kg.events import Event, Listener, Progress
from hydra_kg.ingest.contract.choices import Format, Options, rules_in_force
from hydra_kg.quiet_dependencies import connect_duckdb
from hydra_kg.text.quoting import sql_text
from hydra_kg.util.interrupts import interrupts_later

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb

    from hydra_kg.ingest.contract.choices import Engine

T = TypeVar("T")

VERSION: Final = 1
"""Version of ingest. It changes when ingest would make another result from what a loader read."""

SHOWN: Final = 200
"""Number of bytes of a rejected line in the file of rejects."""

Rejected = tuple[int, str, int, str]
"""A rejected line: its number from 1 over all files, a reason, the first illegal character, its first bytes as shown.
"""

_BATCH: Final = 50_000
_SMALL: Final = 256 << 20  # bytes of files whose stage is not worth compressing, which is a tenth of the work
_AGAIN: Final = 0.1  # seconds between two interruptions of a query


class Work:
    """The staging database of a load and everything that a loader needs. Use it as a context manager.

    Attributes:
        files: The files in the order in which they are read.
        sources: The sources of the plan: the load's own, or those of :meth:`Loader.sources`.
        name: The name of the load.
        rules: Every rule with whether it is on.
        lines: The number of lines of each file, set by :meth:`Loader.read`.
        db: The DuckDB database, on disk and within the memory limit.
        seconds: The wall time of each step of this run.
        engine: The engine that reads ranges of the files. If it is None, this process reads all.
    """

    db: duckdb.DuckDBPyConnection

    def __init__(
        self,
        folder: Path,
        loader: Format,
        files: Sequence[Path],
        *,
        options: Options,
        listener: Listener,
        sources: Sequence[Source] = (),
        name: str = "",
        start: float | None = None,
        engine: Engine | None = None,
    ) -> None:
        self.engine = engine
        self.sources = tuple(sources) or (loader.source,)
        self.name = name or self.sources[0].name
        self.folder, self.loader, self.files, self.options = folder, loader, tuple(files), options
        self.rules = rules_in_force(loader, options.rules)
        self.listener = listener
        self.lines: list[int] = []
        self.seconds: dict[str, float] = {}
        self.resumed: list[str] = []
        self._step, self._clean = "", False
        self._start = time.monotonic() if start is None else start

    @property
    def unit(self) -> str:
        """Return the unit that is counted instead of lines, such as ``pages``."""
        return self.loader.unit

    def signature(self) -> dict[str, Any]:
        """Return the values that must be equal for a killed load to be resumed."""
        options = {k: v for k, v in asdict(self.options).items() if k not in {"memory", "threads", "rules"}}
        named = [Path(value) for value in self.options.extra.values() if is_file(value)]  # such as sitelinks
        files = [[str(f.resolve()), (stat := f.stat()).st_size, stat.st_mtime_ns] for f in (*self.files, *named)]
        signature = {
            "ingest": VERSION,
            "loader": [self.loader.name, self.loader.version],
            "rules": self.rules,
            "options": options,
            "files": files,
            "sources": [s.name for s in self.sources],
            "code": code_of(self.loader),
        }
        same: dict[str, Any] = json.loads(json.dumps(signature))  # as it is read again
        return same

    def __enter__(self) -> Work:
        with interrupts_later():
            import duckdb

        self.folder.mkdir(parents=True, exist_ok=True)
        signature, plan = self.signature(), self.folder / "plan.json"
        try:
            same = json.loads(plan.read_text("utf-8")) == signature
        except (OSError, ValueError):
            same = False
        if not same:
            self._clear()
        try:
            self._open()
        except duckdb.Error as e:  # the process died in the first moments of the file, or another DuckDB wrote it
            if "lock" in str(e):
                raise StoreBusyError(
                    f"The stage in {self.folder} is in use by another process.",
                    remedy="Wait until it has finished, or stop it.",
                ) from e
            self._clear()
            self._open()
        plan.write_text(json.dumps(signature), "utf-8")
        return self

    def __exit__(self, *error: object) -> None:
        self.db.close()

    def step(self, name: str, do: Callable[[], T]) -> T:
        """Run one step and store its JSON result, or skip it if an earlier run did it.

        The remains of an interrupted run are removed first, so a step must not change earlier tables. Raises
        DiskFullError, LoadError.
        """
        results: dict[str, T] = self._done([name])
        return results[name] if results else self._run(name, do, self._tables)

    def in_parallel(self, steps: Mapping[str, tuple[Sequence[str], Callable[[Work], T]]]) -> dict[str, T]:
        """Run independent steps two at a time if threads and memory allow, each with its own connection and tables.

        Raises the first error in order and stops the rest.
        """
        results: dict[str, T] = self._done(list(steps))
        before = set(self._tables())  # of steps that were done, or of an interrupted run of one of these
        before -= {table for tables, _ in steps.values() for table in tables}
        own = {name: copy(self) for name in steps if name not in results}
        with ThreadPoolExecutor(2 if self._has_room() else 1, "hydra-kg step") as pool:
            running = {}
            try:
                for name, work in own.items():
                    work.db = self.db.cursor()
                    tables, do = steps[name]
                    made = before.union(tables)
                    running[name] = pool.submit(work._run, name, partial(do, work), partial(sorted, made))
                return results | {name: one.result() for name, one in running.items()}
            except BaseException:
                for one in running.values():
                    one.cancel()
                while left := wait(running.values(), _AGAIN).not_done:
                    for name in (name for name, one in running.items() if one in left):
                        own[name].db.interrupt()  # again and again: between two queries it is not heard
                raise
            finally:
                wait(running.values())
                for name in running:
                    own[name].db.close()

    def _done(self, names: Sequence[str]) -> dict[str, Any]:
        """Return the results of the steps that an earlier run finished, and remove the remains of others once a run."""
        if not self._clean:
            with self.errors(names[0]):
                self._remove_unfinished()
        found = dict(self.db.execute("SELECT name, result FROM step").fetchall())
        if found and not self._clean:
            self.emit("load.resume", {"before": list(found)})
        self._clean = True
        done = [name for name in names if name in found]
        self.resumed += done
        return {name: json.loads(found[name]) for name in done}

    def _run(self, name: str, do: Callable[[], T], tables: Callable[[], Iterable[str]]) -> T:
        """Run a step, or return its stored result if an earlier run finished it."""
        before = time.monotonic()
        with self.errors(name):
            self._step = name
            try:
                result = do()
            except BaseException:
                self._rollback()
                raise
            made = json.dumps(sorted(tables()))
            self.db.execute("INSERT INTO step VALUES (?, ?, ?)", [name, json.dumps(result), made])
        self.seconds[name] = time.monotonic() - before
        return result

    def _has_room(self) -> bool:
        """Return True if two steps can run at a time.

        They share the memory, and the disk that they need in addition to it.
        """
        size = "total_blocks * block_size <= 2 * parse_formatted_bytes(memory_limit)"
        return self.options.threads > 1 and bool(self.one(f"SELECT {size} FROM pragma_database_size()"))

    def emit(self, kind: str, data: Mapping[str, Any]) -> None:
        """Notify the listener of an event. The thread that reads may call this."""
        self.listener(Event(kind, data, time.monotonic() - self._start))

    def progress(self) -> Callable[[int, int, int], None]:
        """Return a callback (bytes read, bytes decompressed, lines) that notifies the listener now and then."""
        total = sum(f.stat().st_size for f in self.files)
        progress = self.measured("load.read", total=total, unit="bytes")

        def report(done: int, plain: int, lines: int) -> None:
            progress.reach(done, lines=lines)

        return report

    def measured(self, kind: str, *, total: int, unit: str, done: int = 0) -> Progress:
        """Measure how far a part of the load is, with rate and time left. Its events count the seconds of the load."""
        return Progress(kind, total=total, unit=unit, listener=self.listener, start=self._start, done=done, eta=True)

    def reject(self, rows: Iterable[Rejected]) -> None:
        """Record rejected lines."""
        kinds = ("UBIGINT", "VARCHAR", "UBIGINT", "VARCHAR", "VARCHAR")
        self.insert("reject", ((*row, self._step) for row in rows), kinds)

    def reject_found(self, sql: str) -> None:
        """Record the lines that a query returns as (line, reason, character, first bytes as shown)."""
        self.db.execute(f"INSERT INTO reject SELECT *, {sql_text(self._step)} FROM ({sql})")

    def insert(self, table: str, rows: Iterable[Sequence[Any]], kinds: Sequence[str]) -> int:
        """Add rows to a table in batches, far faster than one by one. Return their number."""
        total, batch = 0, []
        for row in rows:
            batch.append(row)
            if len(batch) >= _BATCH:
                total += self._insert(table, batch, kinds)
                batch = []
        return total + self._insert(table, batch, kinds)

    def one(self, sql: str) -> Any:
        """Return the first column of the first row of a query."""
        rows = self.db.execute(sql).fetchall()  # to the end: DuckDB refuses other work before that
        return rows[0][0] if rows else None

    def _insert(self, table: str, batch: Sequence[Sequence[Any]], kinds: Sequence[str]) -> int:
        if batch:
            columns = ", ".join(f"unnest(?::{kind}[])" for kind in kinds)
            lists = [list(column) for column in zip(*batch, strict=True)]
            self.db.execute(f"INSERT INTO {table} SELECT {columns}", lists)
        return len(batch)

    def _open(self) -> None:
        """Open the stage's database with the options' limits of memory and threads."""
        self.db = connect_duckdb(str(self.folder / "stage.duckdb"))
        spill = self.folder / "spill"
        self.db.execute(f"SET memory_limit = {sql_text(self.options.memory)}")
        self.db.execute(f"SET threads = {int(self.options.threads)}")
        self.db.execute(f"SET temp_directory = {sql_text(str(spill))}")
        # Whether these would be smaller is costly to find out, and dictionaries nearly always are.
        self.db.execute("PRAGMA disabled_compression_methods = 'fsst,dict_fsst,zstd'")
        if sum(file.stat().st_size for file in self.files) <= _SMALL:
            self.db.execute("SET force_compression = 'uncompressed'")
        self.db.execute("SET enable_progress_bar = false")
        self.db.execute("PRAGMA disable_checkpoint_on_shutdown")
        self.db.execute("CREATE TABLE IF NOT EXISTS step (name VARCHAR, result VARCHAR, tables VARCHAR)")
        self.db.execute(
            "CREATE TABLE IF NOT EXISTS reject (line UBIGINT, reason VARCHAR, place UBIGINT, head VARCHAR,"
            " step VARCHAR)"
        )

    def _clear(self) -> None:
        """Remove all files of an earlier, different run."""
        import shutil

        if hasattr(self, "db"):
            self.db.close()
        for old in self.folder.iterdir():
            if old.is_dir():
                shutil.rmtree(old, ignore_errors=True)
            else:
                old.unlink(missing_ok=True)

    def _rollback(self) -> None:
        import duckdb

        with suppress(duckdb.Error):  # mostly there is no transaction
            self.db.execute("ROLLBACK")

    def _tables(self) -> dict[str, str]:
        """Return the tables and views of the loader and of ingest, each with its kind."""
        views = "SELECT view_name, 'VIEW' FROM duckdb_views() WHERE NOT internal"
        found = self.db.execute(f"SELECT table_name, 'TABLE' FROM duckdb_tables() UNION ALL {views}").fetchall()
        return {name: kind for name, kind in found if name not in {"step", "reject"}}

    def _remove_unfinished(self) -> None:
        """Remove the remains of a step that was not finished."""
        done = self.db.execute("SELECT name, tables FROM step").fetchall()
        keep = {table for _, tables in done for table in json.loads(tables)}
        for name, kind in self._tables().items():
            if name not in keep:
                self.db.execute(f'DROP {kind} "{name}"')
        names = ", ".join(sql_text(name) for name, _ in done) or "''"
        self.db.execute(f"DELETE FROM reject WHERE step NOT IN ({names})")

    @contextmanager
    def errors(self, step: str) -> Iterator[None]:
        """Translate errors of DuckDB and the system in the block into DiskFullError, LoadError or KeyboardInterrupt."""
        import duckdb

        try:
            yield
        except (duckdb.Error, OSError) as e:
            raise translate_error(e, step, self.folder) from e
        except RuntimeError as e:
            if "interrupted" not in str(e).lower():
                raise
            raise KeyboardInterrupt from e  # as which DuckDB got it


def is_file(text: str) -> bool:
    """Return True if an option names an existing file."""
    try:
        return Path(text).is_file()
    except OSError:  # too long for a path
        return False


def code_of(loader: Format) -> str:
    """Return a checksum of the loader's code and its base, so that a killed load restarts after an upgrade."""
    module = sys.modules.get(type(loader).__module__)
    return _code_of(getattr(module, "__file__", None), getattr(module, "__package__", "") or "")


@cache
def _code_of(own: str | None, package: str) -> str:
    """Return a hash of the code that a stage depends on, so that a resumed load notices new code."""
    import duckdb

    home = Path(__file__).parents[2]
    folders = [home / "ingest", home / "extract"]
    files = [home / "ids.py", home / "phrases.py", home / "text" / "literals.py", home / "text" / "folding.py"]
    if own is not None:
        (folders if package else files).append(Path(own).parents[package.count(".")] if package else Path(own))
    files += sorted(file for folder in folders for file in folder.rglob("*.py"))
    total = hashlib.sha256(duckdb.__version__.encode())
    for file in files:
        total.update(file.name.encode() + b"\0" + file.read_bytes())
    return total.hexdigest()[:16]


def translate_error(error: Exception, step: str, folder: Path) -> BaseException:
    """Return an error of DuckDB or the system as an error of this program with a remedy. Others are unchanged."""
    import duckdb

    text = str(error)
    if isinstance(error, duckdb.InterruptException):
        return KeyboardInterrupt()
    full = isinstance(error, OSError) and error.errno in {errno.ENOSPC, errno.EFBIG, errno.EDQUOT}
    if full or "No space left" in text or "File too large" in text or "max_temp_directory_size" in text:
        return DiskFullError(
            f"No space left in the step {step}.",
            remedy=f"Nothing of it is visible. Free space on the disk of {folder} and run the same"
            " command again: it goes on where it stopped.",
        )
    if isinstance(error, duckdb.OutOfMemoryException):
        return LoadError(
            f"The step {step} needs more memory than its limit.",
            remedy="Give it more, for example --memory 2GB, and run the same command again.",
        )
    if isinstance(error, duckdb.Error):
        return LoadError(
            f"The step {step} failed: {text.splitlines()[0] if text else error!r}",
            remedy="Run the same command again; if it fails again, please report it.",
        )
    return error


def escape_line(line: bytes | str) -> str:
    r"""Return the first bytes of a line as reversible printable ASCII: ``\\t``, ``\\xe9``, doubled backslashes."""
    data = line if isinstance(line, bytes) else line[:SHOWN].encode("utf-8", "surrogatepass")
    return data[:SHOWN].decode("latin-1").encode("unicode_escape").decode("ascii")
