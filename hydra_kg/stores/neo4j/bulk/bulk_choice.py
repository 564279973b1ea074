"""``load --bulk``: estimates which way is quicker and takes it; writes import files for other servers."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final, Literal, TypeVar

from hydra_kg.errors import DiskFullError, HydraError, StoreError, UsageError
from hydra_kg.events import Event, Listener, ignore
from hydra_kg.ports import Store
from hydra_kg.stores import is_server, open_store
from hydra_kg.stores.neo4j.bulk.import_files import write_files
from hydra_kg.stores.neo4j.bulk.import_tool import ARGUMENTS, command_text
from hydra_kg.stores.neo4j.bulk.local_import import LocalImport, local_import
from hydra_kg.stores.neo4j.bulk.same_as import derive_staged_classes
from hydra_kg.stores.neo4j.bulk.staging_store import BulkStore
from hydra_kg.stores.neo4j.connection.connect import connect, database, is_local, read, statement
from hydra_kg.stores.neo4j.connection.hydra_labels import foreign_words, list_own_labels
from hydra_kg.stores.neo4j.connection.local_home import DATABASE, get_default_home
from hydra_kg.stores.neo4j.writes.scratch_tables import faults
from hydra_kg.util.fast_dataclass import dataclass

R = TypeVar("R")

Way = Literal["auto", "import", "online", "files"]
ONLINE: Final = 20_000  # facts a second
IMPORTED: Final = 120_000  # facts a second: files, import, indexes
RESTART: Final = 25.0  # seconds: the importer's start, a second server, the swap
READ_BACK: Final = 40_000  # facts a second of loads whose stage was not kept
BYTES: Final = 400  # of disk for a fact: files of the import and new data, while the old data stays
BYTES_ONLINE: Final = 270
FOLDER: Final = Path("neo4j-import")

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Forecast:
    """Estimated seconds and bytes of disk for bulk import and for online writing, without reading the files."""

    new: int
    there: int
    read_back: int
    possible: bool

    @property
    def seconds_import(self) -> float:
        """Return the seconds for an import, which imports all existing data again."""
        return RESTART + (self.new + self.there) / IMPORTED + self.read_back / READ_BACK

    @property
    def seconds_online(self) -> float:
        """Return the seconds for writing online, which writes only new data."""
        return self.new / ONLINE

    @property
    def bytes_import(self) -> int:
        """Return the bytes of import files and new data, in addition to the old data."""
        return BYTES * (self.new + self.there)

    @property
    def way(self) -> Literal["import", "online"]:
        """Return the quicker way that is possible."""
        return "import" if self.possible and self.seconds_import < self.seconds_online else "online"

    def event(self, chosen: str) -> Event:
        """Return the event that reports the estimate, so that users can choose the other way."""
        return Event(
            "load.ways",
            {
                "chosen": chosen,
                "facts": self.new,
                "facts_there": self.there,
                "read_back": self.read_back,
                "import": {
                    "seconds": round(self.seconds_import),
                    "bytes": self.bytes_import,
                    "possible": self.possible,
                },
                "online": {"seconds": round(self.seconds_online), "bytes": BYTES_ONLINE * self.new},
            },
        )


def bulk_load(
    address: str,
    run: Callable[[Store, bool], R],
    *,
    expected: Callable[[R], int],
    way: Way = "auto",
    folder: Path | None = None,
    keep: bool = True,
    dry_run: bool = False,
    listener: Listener,
    tell: Callable[[str], None],
) -> tuple[R, bool]:
    """Load with ``neo4j-admin database import``, or online if that is quicker.

    In a local server that ``hydra-kg up`` started, all existing data is imported again together with the new data,
    checked, and put in the place of the old data.

    Args:
        run: loads the files into a store, or (with True) only says what that takes.
        expected: returns the number of facts from what ``run`` returned.
        way: chooses the way, unless it is ``auto``.
        folder: only write the import files there. Any other server always gets files only.
        keep: keep the stages for the next bulk load.

    Sends these events in addition to those of a load: ``load.ways`` (both times), ``load.files``, ``load.import``,
    ``load.index``, ``load.check``, ``load.swap``, ``load.command`` (the command to run elsewhere).

    Returns the report, and whether the store has the loads now. Raises UsageError for a store that is no server, and
    StoreError, StoreBusyError or DiskFullError, after which nothing was changed.
    """
    if not is_server(address):
        raise UsageError(
            "--bulk is for Neo4j servers; a store in a folder always loads at full speed.",
            remedy="Leave --bulk out, or name a server with --store neo4j://host:port.",
        )
    if way == "files" or folder is not None or not is_ours(address):
        if way in ("import", "online"):
            raise UsageError(
                f"--bulk-way {way} is for the server that hydra-kg up starts.",
                remedy="Leave it out; without --bulk a load goes online.",
            )
        return _write_import_files(address, run, folder, dry_run=dry_run, listener=listener, tell=tell)
    with local_import(address, keep=keep, tell=tell) as job:
        if way == "auto":
            way = _chosen(job, run, expected, dry_run, listener)
        if dry_run:
            return run(job.target, True), False
        if way == "import":
            report = run(job.target, False)
            job.finish(listener=listener)
            return report, True
    with closing(open_store(address)) as store:
        return run(store, False), True


def _chosen(
    job: LocalImport, run: Callable[[Store, bool], R], expected: Callable[[R], int], dry_run: bool, listener: Listener
) -> Way:
    """Return the faster way to load by a forecast. Raises DiskFullError if an import would not fit."""
    new = expected(run(job.target, True))
    there = sum(row["facts"] for row in job.target.ready)
    found = Forecast(new, there, sum(row["facts"] for row in job.missing()), job.can_read_back() and not job.foreign())
    chosen: Way = found.way if job.target.ready or not found.possible else "import"
    listener(found.event(chosen))
    free = shutil.disk_usage(job.home.root).free
    if not dry_run and chosen == "import" and found.bytes_import > free:
        need = f"The import needs about {found.bytes_import / 1e9:.1f} GB of disk"
        raise DiskFullError(
            f"{need}, and {free / 1e9:.1f} GB are free on that of {job.home.root}.",
            remedy="Free space, load a part with --limit, or load without --bulk.",
        )
    return chosen


def _write_import_files(
    address: str,
    run: Callable[[Store, bool], R],
    folder: Path | None,
    *,
    dry_run: bool,
    listener: Listener,
    tell: Callable[[str], None],
) -> tuple[R, bool]:
    """Write the files of an import and the command for it, without running the command."""
    with import_files(address, folder, tell=tell) as job:
        report = run(job.target, dry_run)
        if not dry_run:
            command, after = job.finish(listener=listener)
            listener(Event("load.command", {"command": command, "after": after, "folder": str(job.folder)}))
        return report, False


def is_ours(address: str) -> bool:
    """Return True for the address of the local server that ``hydra-kg up`` started."""
    instance = get_default_home().instance()
    return instance is not None and instance.kind == "local" and is_local(address)


class RemoteImport:
    """Writes files for an import. ``target`` takes the loads, and :meth:`finish` writes the files."""

    def __init__(self, url: str, folder: Path) -> None:
        self.url, self.folder = url, folder
        self.target = BulkStore(url, folder / "stage")

    def finish(self, *, listener: Listener = ignore) -> tuple[str, str]:
        """Write the files. Return the command to run where the server is, and the one to run here afterwards."""
        scratch, loads = self.folder / "stage", self.target.staged
        with faults(self.folder):
            fusion = derive_staged_classes(loads, scratch)
            files = write_files(
                loads, self.folder, generation=len(loads), newest=self.target.newest, fusion=fusion, listener=listener
            )
        command = command_text(files, database=database(self.url) or DATABASE)
        return command, f"hydra-kg db migrate --store {self.url}"


@contextmanager
def import_files(url: str, folder: Path | None, *, tell: Tell) -> Iterator[RemoteImport]:
    """Prepare import files for the server at ``url`` in a new or reusable folder.

    Raises UsageError for another folder, StoreError if the import would remove data.
    """
    folder = (folder or FOLDER).absolute()
    if any(c in str(folder) for c in ",;\n"):
        raise UsageError(f"{folder} has a comma, semicolon or line end in its name.", remedy="Give another folder.")
    if folder.exists() and (not folder.is_dir() or (any(folder.iterdir()) and not (folder / ARGUMENTS).is_file())):
        raise UsageError(f"{folder} holds something else.", remedy="Give --bulk-files an empty or new folder.")
    _check_empty(url, tell)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / ARGUMENTS).touch()  # it is ours, should we not come to the end
    try:
        yield RemoteImport(url, folder)
    finally:
        for name in ("stage", "staging", "spill"):
            shutil.rmtree(folder / name, ignore_errors=True)


def _check_empty(url: str, tell: Tell) -> None:
    """Raise StoreError if the server has data, because an import replaces everything in a database."""
    try:
        with connect(url) as driver:
            loads = read(driver, lambda tx: tx.run(statement("loads")).data(), url=url)
            rows = read(
                driver, lambda tx: tx.run(statement("bulk_foreign"), labels=list_own_labels()).values(), url=url
            )
    except HydraError as e:
        tell(
            f"Whether the server holds something already could not be seen ({str(e).splitlines()[0]})"
            " The import replaces all of its database."
        )
        return
    if names := sorted(str(row["load"]["name"]) for row in loads if row["load"]["state"] == "ready"):
        raise StoreError(
            f"The server at {url} holds {', '.join(names)}, which an import would remove.",
            remedy="Load without --bulk, or name an empty database with NEO4J_DATABASE.",
        )
    if foreign := foreign_words(rows):
        raise StoreError(
            f"The server at {url} holds {foreign}, which an import would remove.",
            remedy="Load without --bulk, or name an empty database with NEO4J_DATABASE.",
        )
