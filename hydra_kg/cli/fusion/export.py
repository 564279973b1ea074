"""``hydra-kg export``: all claims of a store in the normal form of MultiRAG (Definition 1), as JSON-LD."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import click

from hydra_kg.cli.options import debug_option, settings_from, store_option
from hydra_kg.cli.terminal import note, number


@click.command(short_help="Write all claims as JSON-LD.", epilog="Example: hydra-kg export --jsonld claims.jsonld")
@click.option(
    "--jsonld",
    "file",
    required=True,
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    metavar="FILE",
    help="Write the claims with their sources and places to this file.",
)
@store_option
@debug_option
def export(*, file: Path, store: str) -> None:
    """Write every claim with its source, file, row and column, path or span, and every source with its columns.

    The document is JSON-LD 1.1 with its context inside: nothing is fetched to read it. Names of entities, links to
    nodes without a name of their own and sources without trust are not part of it.
    """
    from hydra_kg.cli.progress import progress
    from hydra_kg.fusion.gathering.jsonld import document
    from hydra_kg.fusion.gathering.store_claims import every_statement
    from hydra_kg.stores import open_store

    count = 0
    with (
        closing(open_store(settings_from(store=store).store)) as opened,
        opened.snapshot() as snapshot,
        progress() as listener,
        file.open("w", encoding="utf-8") as out,
    ):
        stated = every_statement(snapshot, listener=listener)
        for piece in document(stated, snapshot.manifest()):
            out.write(piece)
            count += 1
    sources = sum(len(load.sources) for load in snapshot.manifest())
    note(f"Wrote {number(count - 2 - sources)} claims of {number(sources)} sources to {file}.")
