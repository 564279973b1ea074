"""Define ``hydra-kg db copy``: copy all ready loads of one store into another, in folders or on Neo4j servers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from hydra_kg.cli.loading.bulk import command_lines, listening
from hydra_kg.cli.options import debug_option, json_option
from hydra_kg.cli.terminal import json_text, note, number, out, out_all
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
