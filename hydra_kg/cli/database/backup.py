"""``hydra-kg db backup`` and ``restore``: a consistent copy of a store in a folder, and a store out of it."""

from __future__ import annotations

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
    """Copy what is ready now, and the kept answers, while others load and ask; every checksum is compared.

    A folder is a store itself: --store FOLDER opens it. A .tar or .tar.zst becomes one with db restore.
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
@common_options
def restore(source: Path, *, store: str, as_json: bool) -> None:
    """Restore the store from a backup, whose checksums are verified. Nothing may be in its place."""
    from hydra_kg.cli.progress import progress
    from hydra_kg.errors import UsageError
    from hydra_kg.stores import is_server, store_path
    from hydra_kg.stores.embedded.operations.backup import restore as make

    address = settings_from(store=store).store
    if is_server(address):
        raise UsageError("A backup is restored into a folder.", remedy=f"Then hydra-kg db copy FOLDER {address}")
    with progress() as listener:
        done = make(source, store_path(address), listener=listener)
    out(
        json_text(done)
        if as_json
        else f"Restored {number(done['loads'])} loads, {bytes_text(done['bytes'])}: {clean(done['path'])}"
    )
