"""Define ``hydra-kg db backup`` and ``restore``: a consistent copy of a store in a folder, and a store from it."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import click

from hydra_kg.cli.options import common_options, settings_from, store_with
from hydra_kg.cli.terminal import json_text, number, out
from hydra_kg.text.folding import bytes_text
from hydra_kg.text.plain_text import clean


@click.command()
@click.argument("target", metavar="FOLDER|FILE.tar[.zst]", type=click.Path(path_type=Path))
@common_options
def backup(target: Path, *, store: str, as_json: bool) -> None:
    """Copy what is ready now, and the stored answers, while others load and ask; every checksum is compared.

    A backup in a folder is itself a store: --store FOLDER opens it. A .tar or .tar.zst becomes one with db restore.
    """
    from hydra_kg.cli.progress import progress
    from hydra_kg.stores.embedded.operations.abilities import Backupable
    from hydra_kg.stores.embedded.operations.backup import backup as copy

    address = settings_from(store=store).store
    refusal = "The loads of a Neo4j server are backed up by copying them to a store in a folder."
    remedy = f"hydra-kg db copy {address} FOLDER"
    with store_with(Backupable, address, refusal, remedy) as opened, progress() as listener:
        done = copy(opened, target, listener=listener)
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
