"""Define ``hydra-kg export``: one kept answer in a standard format, or all claims of a store as JSON-LD."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import click

from hydra_kg.cli import completing
from hydra_kg.cli.options import debug_option, file_option, settings_from, store_option
from hydra_kg.cli.private_files import create_shared_files
from hydra_kg.cli.terminal import note, number
from hydra_kg.export.formats import ENDINGS, FORMATS


@click.command(
    short_help="Write an answer in other formats, or all claims.",
    epilog="Example: hydra-kg export last --format prov-o -o answer.prov.ttl",
)
@click.argument("answer", metavar="[ID]", default="", shell_complete=completing.answers)
@click.option(
    "--format",
    "form",
    type=click.Choice(list(FORMATS)),
    default=None,
    help="How it came about (prov-…), what was explored with a graph for each source (nquads, trig) or without "
    "(turtle, graphml, csv). Without it, as the end of FILE says.",
)
@file_option("--output", "-o", "output", text="Default: stdout.")
@file_option(
    "--jsonld", "file", text="Without ID: write all claims of the store with their sources and places to this file."
)
@store_option
@debug_option
def export(*, answer: str, form: str | None, output: Path | None, file: Path | None, store: str) -> None:
    """Write the stored answer ID, or "last", in a standard format; with --jsonld every claim of the store.

    The claims are JSON-LD 1.1 with its context inside: each with its source, file, row and column, path or span, and
    every source with its columns. Names of entities, links to nodes without a name of their own and sources without
    trust are not included.
    """
    if file is not None:
        if answer or form or output:
            raise click.UsageError("--jsonld writes all claims of a store; leave out ID, --format and -o.")
        _claims(file, store)
        return
    if not answer:
        raise click.UsageError("Name the answer: hydra-kg export last --format prov-o (or all claims: --jsonld FILE).")
    chosen = form or ENDINGS.get(output.suffix.lower() if output else "", "")
    if not chosen:
        raise click.UsageError(f"Name the format: --format {' | '.join(FORMATS)}")
    from hydra_kg.client import Hydra
    from hydra_kg.export.formats import export_answer

    with Hydra(settings=settings_from(store=store)) as hydra:
        text = export_answer(hydra.show("" if answer == "last" else answer), chosen)
    if output is None:
        click.echo(text.encode(), nl=False)
    else:
        with create_shared_files():
            output.write_text(text, encoding="utf-8", newline="")
        note(f"Wrote {output} ({chosen}).")


def _claims(file: Path, store: str) -> None:
    """Write all claims of a store as JSON-LD."""
    from hydra_kg.cli.progress import progress
    from hydra_kg.fusion.gathering.jsonld import document
    from hydra_kg.fusion.gathering.store_claims import every_statement
    from hydra_kg.stores import open_store

    count = 0
    with (
        closing(open_store(settings_from(store=store).store)) as opened,
        opened.snapshot() as snapshot,
        progress() as listener,
        create_shared_files(),
        file.open("w", encoding="utf-8") as out,
    ):
        stated = every_statement(snapshot, listener=listener)
        for piece in document(stated, snapshot.manifest()):
            out.write(piece)
            count += 1
    sources = sum(len(load.sources) for load in snapshot.manifest())
    note(f"Wrote {number(count - 2 - sources)} claims of {number(sources)} sources to {file}.")
