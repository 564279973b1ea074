"""``load --bulk`` for a server that hydra-kg did not start: writes import files and says what to run there."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from hydra_kg.errors import HydraError, StoreError, UsageError
from hydra_kg.events import Listener, ignore
from hydra_kg.stores.neo4j.bulk.import_files import write_files
from hydra_kg.stores.neo4j.bulk.import_tool import ARGUMENTS, command_text
from hydra_kg.stores.neo4j.bulk.same_as import derive_staged_classes
from hydra_kg.stores.neo4j.bulk.staging_store import BulkStore
from hydra_kg.stores.neo4j.connection.connect import connect, database, read
from hydra_kg.stores.neo4j.connection.cypher_files import statement
from hydra_kg.stores.neo4j.connection.hydra_labels import foreign_words, list_own_labels
from hydra_kg.stores.neo4j.connection.local_home import DATABASE
from hydra_kg.stores.neo4j.writes.scratch_tables import faults

FOLDER: Final = Path("neo4j-import")

Tell = Callable[[str], None]


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
