"""Define ``hydra-kg db publish`` and ``follow``: publish ready loads, and copy them on other machines."""

from __future__ import annotations

from contextlib import closing

import click

from hydra_kg.cli.options import common_options, debug_option, json_option, settings_from, store_with
from hydra_kg.cli.private_files import create_shared_files
from hydra_kg.cli.terminal import json_text, number, out
from hydra_kg.errors import UsageError
from hydra_kg.text.folding import bytes_text
from hydra_kg.text.plain_text import clean


@click.command(epilog="Example: hydra-kg db publish s3://bucket/store --store my-store")
@click.argument("target", metavar="FOLDER|s3://…|gs://…")
@click.option("--check", is_flag=True, help="Read again what is published already, and write again what is damaged.")
@click.option(
    "--keep",
    type=click.IntRange(0),
    default=0,
    metavar="N",
    show_default="all",
    help="Keep the files of the newest N publications; those of others are removed.",
)
@common_options
def publish(target: str, *, check: bool, keep: int, store: str, as_json: bool) -> None:
    """Publish what is ready now, while others load and ask.

    Files that are there already are not written again; run the command again to continue a publication that was killed.
    Readers (hydra-kg serve --from, --store s3://…) see nothing of it before its last file is there.
    """
    from hydra_kg.cli.progress import progress
    from hydra_kg.stores.embedded.operations.abilities import Backupable
    from hydra_kg.stores.published.publish import publish as write

    address = settings_from(store=store).store
    refusal = "A Neo4j server is not published: readers ask it itself."
    with (
        store_with(Backupable, address, refusal, "Give --store a folder.") as opened,
        progress() as listener,
        create_shared_files(),
    ):
        done = write(opened, target, check=check, keep=keep, listener=listener)
    if as_json:
        out(json_text(done))
        return
    what = f"{number(done['loads'])} loads, {bytes_text(done['bytes'])}"
    new = f"{number(done['files'])} files written, {bytes_text(done['uploaded'])}"
    out(f"Generation {done['generation']}: {what}; {new if done['files'] else 'all was there'}: {clean(target)}")
    if done["removed"]:
        out(f"{number(done['removed'])} files of older publications removed.")


@click.command(epilog="Example: hydra-kg db follow s3://bucket/store --back")
@click.argument("address", metavar="file://…|s3://…|gs://…")
@click.option("--back", is_flag=True, help="Also go back to an older generation, if the publisher did.")
@click.option(
    "--copy",
    "folder",
    default="",
    metavar="DIR",
    show_default="in your cache folder",
    help="The folder of the copy, as serve --from ADDRESS --store DIR names it.",
)
@json_option
@debug_option
def follow(address: str, *, back: bool, folder: str, as_json: bool) -> None:
    """Copy what is published at ADDRESS now. Processes that answer from the copy use it from their next question on.

    A reader never goes back by itself. If the publisher did, for example after restoring a backup, the reader warns and
    keeps answering from the newer generation until this command is run with --back.
    """
    from hydra_kg.stores.published.addresses import is_published
    from hydra_kg.stores.published.store import PublishedStore

    if not is_published(address):
        raise UsageError(f"{address} is not a published store.", remedy="hydra-kg db publish ADDRESS makes one.")
    readers = settings_from().readers
    if folder:
        readers = readers.model_copy(update={"copy_folder": folder})
    with closing(PublishedStore(address, readers, follow=False)) as store:
        before = store.catalog.generation()
        store.update(wait=True, back=back)
        number = store.catalog.generation()
        loads = [row.name for row in store.catalog.ready()[1]]
    if as_json:
        out(json_text({"address": address, "before": before, "generation": number, "loads": loads}))
        return
    was = f", was at {before}" if before != number else ", as before"
    out(f"The copy of {clean(address)} is at generation {number}{was}: {', '.join(map(clean, loads))}.")
