"""``hydra-kg db follow``: bring the local copy of a published store to what is published now."""

from __future__ import annotations

from contextlib import closing

import click

from hydra_kg.cli.options import debug_option, json_option, settings_from
from hydra_kg.cli.terminal import json_text, out
from hydra_kg.errors import UsageError
from hydra_kg.text.plain_text import clean


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
    """Copy what is published at ADDRESS now. Processes that answer from the copy take it with their next question.

    A reader never goes back by itself: if the publisher did, for example after restoring a backup, it warns and keeps
    answering from the newer generation until this command is run with --back.
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
