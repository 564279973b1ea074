"""Define ``hydra-kg sources trust``: let a store of your own show lines of the files that it names."""

from __future__ import annotations

from collections import Counter
from contextlib import closing

import click

from hydra_kg.cli.options import common_options, settings_from, yes_option
from hydra_kg.cli.terminal import confirm_or_abort, json_text, number, out
from hydra_kg.text.plain_text import clean

_SHOWN = 30
"""Most files that are listed by name; of more, the folders are listed."""


@click.command("trust")
@yes_option
@common_options
def trust_files(*, yes: bool, store: str, as_json: bool) -> None:
    """Let a store of your own show lines of the files that it names.

    Use it for a store that was loaded on another machine or by an older version; your own loads do not need it. The
    files are listed first, because a store from a stranger may name any file of this machine.
    """
    from hydra_kg.ingest.loaded_files import LoadedFiles, files_of
    from hydra_kg.stores import open_store

    with closing(open_store(settings_from(store=store).store)) as opened:
        files = files_of(opened.loads())
    record = LoadedFiles()
    unknown = record.unknown(files)
    if unknown and not yes:
        paths = [f"{file['folder']}/{file['name']}" for file in unknown]
        folders = Counter(str(file["folder"]) for file in unknown)
        many = [f"{folder} ({number(count)} files)" for folder, count in folders.items()]
        click.echo("This store names files that no load of yours on this machine has read:", err=True)
        for line in paths if len(paths) <= _SHOWN else many:
            click.echo(f"  {clean(line)}", err=True)
        confirm_or_abort("Show lines of them where they are cited?", remedy="Trust them with `--yes`.")
    trusted = record.record(unknown)
    if as_json:
        out(json_text({"trusted": trusted, "files": len(files)}))
    elif trusted:
        out(f"Lines of {number(trusted)} files are shown from now on, as long as the files are what was loaded.")
    else:
        out("There is nothing to trust: every file that this store names a place for is one that you loaded.")
