"""Define ``hydra-kg db copy``, ``backup`` and ``restore``: copies of a store, and a store from a backup."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hydra_kg.cli.loading.reconciliation import command_lines, listening
from hydra_kg.cli.options import common_options, debug_option, json_option, settings_from, store_with
from hydra_kg.cli.terminal import json_text, note, number, out, out_all
from hydra_kg.text.folding import bytes_text
from hydra_kg.text.plain_text import clean

if TYPE_CHECKING:
    from hydra_kg.events import Event
    from hydra_kg.stores.neo4j.bulk.bulk_choice import Way


@click.command()
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
@click.option("--replace", is_flag=True, help="Replace loads of the same names in TO that are not the same.")
@click.option(
    "--bulk-way",
    type=click.Choice(["auto", "import", "online", "files"]),
    default="auto",
    show_default=True,
    help="Into a server that hydra-kg up started: import all, or write what is new online; auto does the quicker.",
)
@click.option(
    "--bulk-files",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Into another server: only write the files of an import there, and say what to run.",
)
@json_option
@debug_option
def copy(*, source: str, target: str, replace: bool, bulk_way: Way, bulk_files: Path | None, as_json: bool) -> None:
    """Copy all ready loads of the store FROM into the store TO; each is a folder or a server's address.

    Facts keep their ids, sources, places and details; names, passages, same-as links and reports come with them. Loads
    that are there already and the same are skipped: run the command again to continue, or to bring what is new. Stored
    answers are not copied.
    """
    from hydra_kg.cli.progress import progress
    from hydra_kg.stores.copying import copy_store

    events: list[Event] = []
    with progress() as listener:
        report, landed = copy_store(
            source,
            target,
            replace=replace,
            bulk_way=bulk_way,
            bulk_files=bulk_files,
            listener=listening(listener, events),
            tell=note,
        )
    bulk = {event.kind.partition(".")[2]: dict(event.data) for event in events}
    if as_json:
        out(json_text({**report.to_json(), "landed": landed, **({"bulk": bulk} if bulk else {})}))
        return
    for load in report.loads:
        what = f"copied {number(load.facts)} facts" if load.copied else "there already"
        out(f"{clean(load.name)}: {what}")
    if not report.loads:
        out("Nothing is loaded there.")
    out_all(command_lines(bulk))


@click.command()
@click.argument("target", metavar="FOLDER|FILE.tar[.zst]", type=click.Path(path_type=Path))
@common_options
def backup(target: Path, *, store: str, as_json: bool) -> None:
    """Copy what is ready now, and the stored answers, while others load and ask; every checksum is compared.

    A backup in a folder is itself a store: --store FOLDER opens it. A .tar or .tar.zst becomes one with db restore.
    """
    from hydra_kg.cli.progress import progress
    from hydra_kg.stores.embedded.operations.abilities import Backupable
    from hydra_kg.stores.embedded.operations.backup import backup as write_backup

    address = settings_from(store=store).store
    refusal = "The loads of a Neo4j server are backed up by copying them to a store in a folder."
    remedy = f"hydra-kg db copy {address} FOLDER"
    with store_with(Backupable, address, refusal, remedy) as opened, progress() as listener:
        done = write_backup(opened, target, listener=listener)
    if as_json:
        out(json_text(done))
        return
    out(
        f"{number(done['loads'])} loads, {number(done['files'])} files, {bytes_text(done['bytes'])}, checked:"
        f" {clean(target)}"
    )


@click.command()
@click.argument("source", metavar="BACKUP", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--trust-paths",
    is_flag=True,
    help="Keep where the loaded files were, so that cited lines are shown. Only for a backup of your own: a "
    "stranger's may name any file of this machine.",
)
@common_options
def restore(source: Path, *, trust_paths: bool, store: str, as_json: bool) -> None:
    """Restore the store from a backup and verify its checksums. There must be no store in its place."""
    from hydra_kg.cli.progress import progress
    from hydra_kg.errors import UsageError
    from hydra_kg.ingest.loaded_files import LoadedFiles, files_of
    from hydra_kg.stores import is_server, open_store, store_path
    from hydra_kg.stores.embedded.operations.backup import restore as make

    address = settings_from(store=store).store
    if is_server(address):
        raise UsageError(
            "A backup can be restored only into a folder.", remedy=f"Then hydra-kg db copy FOLDER {address}"
        )
    with progress() as listener:
        done = make(source, store_path(address), listener=listener, trust_paths=trust_paths)
    with closing(open_store(address)) as opened:
        files = files_of(opened.loads())
    if trust_paths:
        done["trusted"] = LoadedFiles().record(files)
    if as_json:
        out(json_text(done))
        return
    out(f"Restored {number(done['loads'])} loads, {bytes_text(done['bytes'])}: {clean(done['path'])}")
    if files and not trust_paths:
        out("The paths of the loaded files were not restored, so cited lines are not shown.")
        out("If the backup is yours, restore it with --trust-paths.")
