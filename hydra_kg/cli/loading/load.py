"""Define ``hydra-kg load``: load files into the store, with every line accounted for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hydra_kg.cli.help_all import LongCommand
from hydra_kg.cli.loading.databases import FileOrAddress, copy_databases
from hydra_kg.cli.loading.downloads import Downloads
from hydra_kg.cli.loading.engines import check_engine, engine_called, unsplit
from hydra_kg.cli.loading.feeds import keep, tell
from hydra_kg.cli.loading.mapping import agree, foretell
from hydra_kg.cli.loading.reconciliation import command_lines, listening
from hydra_kg.cli.options import common_options, no_network_option, settings_from, yes_option
from hydra_kg.cli.terminal import json_text, note, out, out_all, warn
from hydra_kg.text.plain_text import clean

if TYPE_CHECKING:
    from hydra_kg.events import Event


def _rules(ctx: click.Context, param: click.Parameter, values: Sequence[str]) -> dict[str, bool]:
    rules = {}
    for value in values:
        name, _, state = value.partition("=")
        if state.lower() not in {"on", "off"} or not name:
            raise click.BadParameter(f"{value!r} is not NAME=on or NAME=off.")
        rules[name] = state.lower() == "on"
    return rules


def _parse_size(ctx: click.Context, param: click.Parameter, value: str) -> str:
    if not re.fullmatch(r"\d+(\.\d+)? ?[KMGT]B", value, re.IGNORECASE):
        raise click.BadParameter(f"{value!r} is not a size. Write it like 500MB or 4GB.")
    return value


def _list_rules(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    """Print the rules of every loader and exit."""
    if not value or ctx.resilient_parsing:
        return
    from hydra_kg.ingest.contract.loader import loaders

    for name, loader in loaders().items():
        out(clean(name), bold=True)
        for rule, about in loader.rules.items():
            out(f"  {clean(rule):<24} {'on ' if about.default else 'off'}  {clean(about.text)}")
    ctx.exit()


@click.command(
    cls=LongCommand,
    shown=("--as", "--source", "--language", "--replace", "--append", "--dry-run", "--limit", "--store"),
    epilog="Example: hydra-kg load freebase.nt.gz wikidata.nt.gz fb2w.nt.gz wikipedia.jsonl.gz",
)
@click.argument(
    "files",
    nargs=-1,
    required=True,
    metavar="FILE...",
    type=FileOrAddress(exists=True, allow_dash=True, path_type=Path),
)
@click.option(
    "--as",
    "format_",
    default="auto",
    show_default="recognised by content",
    metavar="FORMAT",
    help="The format of the files; an unknown name lists them all.",
)
@click.option(
    "--source", default="", metavar="NAME", show_default="by format", help="Attribute the facts to this source."
)
@click.option(
    "--language",
    "languages",
    multiple=True,
    default=("en",),
    show_default=True,
    metavar="CODE",
    help="Keep names and texts in this language; repeat for more, best first.",
)
@click.option("--replace", is_flag=True, help="Replace what is loaded under that name, in one step.")
@click.option(
    "--append",
    is_flag=True,
    help="Tables: add to what is loaded under that name, in one step; a row replaces an earlier one of its key. The"
    " files that were loaded must still be there, as they were.",
)
@click.option(
    "--hold",
    is_flag=True,
    help="Load it without replacing what is loaded under that name: hydra-kg sources show NAME then shows the"
    " differences, sources flip NAME switches to it, sources discard NAME removes it.",
)
@click.option("--dry-run", is_flag=True, help="Load nothing; say what it would take: lines, time, disk.")
@click.option("--strict", is_flag=True, help="Stop with exit status 1 if a line is rejected; nothing is loaded then.")
@click.option("--limit", type=click.IntRange(0), default=0, metavar="N", show_default="all", help="Read only N lines.")
@click.option(
    "--keep-reverse",
    is_flag=True,
    help="Keep both directions of a property that is written twice, instead of the canonical one.",
)
@click.option(
    "--rule",
    "rules",
    multiple=True,
    metavar="NAME=on|off",
    callback=_rules,
    help="Switch a cleaning rule; repeat for more. --list-rules explains all.",
)
@click.option(
    "--list-rules",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_list_rules,
    help="Explain the cleaning rules of all formats and exit.",
)
@click.option(
    "--bulk",
    is_flag=True,
    help="A Neo4j server that hydra-kg up started: import into new data, check, swap. Any other server: write the"
    " files of an import and say what to run there.",
)
@click.option(
    "--bulk-way",
    type=click.Choice(["auto", "import", "online", "files"]),
    default="auto",
    show_default=True,
    help="With --bulk: import all that is there again with what is new, or write what is new online. auto says what"
    " both take and does the quicker; files only writes the files.",
)
@click.option(
    "--bulk-files",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    show_default="neo4j-import",
    help="With --bulk: where the files for another server are written.",
)
@click.option(
    "--keep-stage/--no-keep-stage",
    default=True,
    show_default=True,
    help="With --bulk: keep what was staged (about 60 bytes of disk a fact), so that the next one need not read it"
    " back from the server.",
)
@click.option("--entity", default="", metavar="COL", help="Tables: the column that says what a row is about.")
@click.option("--source-column", default="", metavar="COL", help="Tables: the column that says who states a row.")
@click.option(
    "--map",
    "mapping",
    multiple=True,
    metavar="COL=ROLE,...",
    help="Tables: what columns are, COL=ROLE or COL=ROLE:NAME; an unknown role lists all.",
)
@click.option(
    "--header-row",
    type=click.IntRange(1),
    default=None,
    metavar="N",
    show_default="found",
    help="Tables: the row with the names of the columns, counted from 1; the rows above it are left out.",
)
@click.option(
    "--comment", default="", metavar="TEXT", help="Tables of text: leave out lines that begin with TEXT, such as '#'."
)
@click.option(
    "--feeds",
    default=None,
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Folders of tables, workbooks, databases: how they are to be understood, as an edited feeds.yaml says.",
)
@click.option(
    "--around",
    default="",
    metavar="ID,...",
    help="Load only the part of the files around these ids, and no more than that into memory.",
)
@click.option("--hops", type=click.IntRange(1, 10), default=2, show_default=True, help="How far --around reaches.")
@click.option(
    "--sitelinks",
    default=None,
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Wikipedia dumps: which item a page is about, from schema:about lines or title<TAB>Q42.",
)
@click.option(
    "--engine",
    default="duckdb",
    show_default=True,
    metavar="NAME",
    callback=check_engine,
    help="Who reads the files: duckdb is this process; spark or spark=MASTER (local[4], spark://host:7077, yarn) shares"
    " plain and .bz2 dumps out among executors that see them under the same paths. The result is the same.",
)
@click.option(
    "--memory",
    default="1GB",
    show_default=True,
    metavar="SIZE",
    callback=_parse_size,
    help="Memory for sorting, such as 500MB or 4GB. What does not fit is sorted on disk.",
)
@no_network_option
@yes_option
@common_options
def load(
    *,
    files: tuple[Path | str, ...],
    format_: str,
    source: str,
    languages: tuple[str, ...],
    hold: bool,
    dry_run: bool,
    limit: int,
    entity: str,
    source_column: str,
    mapping: tuple[str, ...],
    header_row: int | None,
    comment: str,
    feeds: Path | None,
    around: str,
    hops: int,
    sitelinks: Path | None,
    engine: str,
    no_network: bool | None,
    yes: bool,
    store: str,
    as_json: bool,
    **more: Any,
) -> None:
    """Load FILEs into the store.

    They may be plain, .gz, .bz2 or .zst, which is recognised by their content; - is standard input, and a folder means
    the files in it. The address of a database (postgresql://reader@localhost/shop, mysql://…) also counts as a
    file: its tables are only read, and copied next to the store. A dump by https://…, s3://… or gs://… is fetched next
    to the store, continues where it was interrupted, and is removed when it is loaded. Tables in one folder, sheets of
    a workbook and tables of a SQLite or DuckDB file are one feed: the references between them are found, shown, and
    written as feeds.yaml into a folder next to the store.

    Each source is loaded atomically: nothing of it is visible before it is complete, and a load that was killed
    resumes where it stopped when the same command is run again. Lines read = used + dropped by a named rule +
    rejected with a reason + duplicates; rejects do not stop a load. Of several files, those that can be loaded are; the
    others are named at the end, and the exit status is 1.
    """
    from hydra_kg.cli.progress import progress
    from hydra_kg.client import Hydra
    from hydra_kg.errors import PartialLoadError
    from hydra_kg.ingest.folders import is_recognised, list_readable_files, usable_files
    from hydra_kg.ingest.languages import no_such_language
    from hydra_kg.ingest.staging.spool import spool_stdin
    from hydra_kg.stores import store_path

    extra = {"entity": entity, "source_column": source_column, "map": ",".join(mapping)}
    extra |= {"around": around, "hops": str(hops)} if around else {}
    extra |= {"sitelinks": str(sitelinks)} if sitelinks else {}
    extra |= {"feeds": str(feeds)} if feeds else {}
    extra |= {"header_row": str(header_row or ""), "comment": comment}
    extra = {name: value for name, value in extra.items() if value}
    settings = settings_from(store=store, writes=True, no_network=no_network)
    where = {"again": more["replace"] or hold, "append": more["append"], "dry_run": dry_run}
    downloads = Downloads(str(settings.store))
    files, origins = downloads.fetched(files, dry_run=dry_run, no_network=settings.no_network)
    context = click.get_current_context()
    found, keep_copies = context.with_resource(
        copy_databases(files, store=str(settings.store), source=source, no_network=settings.no_network, **where)
    )
    paths = context.with_resource(spool_stdin(found, near=store_path(str(settings.store))))
    if (header_row or comment) and format_ == "auto" and not all(map(is_recognised, paths)):
        format_ = "tables"
    usable, _ = usable_files(paths, format=format_, listener=_print_skipped)
    batched = list_readable_files(usable, format=format_)
    agree(usable, format_, source=source, extra=extra, yes=yes or bool(more["append"]), dry_run=dry_run)
    moved = keep_copies()
    paths, inside = ([moved.get(path, path) for path in some] for some in (paths, batched))
    if around and not dry_run:
        foretell(inside, format_, limit=limit, extra=extra)
    bulk_events: list[Event] = []
    partial: PartialLoadError | None = None
    with Hydra(settings=settings, warn=note) as hydra:
        path = hydra.path
        note(f"{'Would load' if dry_run else 'Loading'} into {path}")
        reading = engine_called("duckdb" if dry_run else engine, no_network=settings.no_network)
        with reading as reader, progress() as listener:
            hydra.listener = unsplit(listening(listener, bulk_events))
            try:
                report = hydra.load(
                    *paths,
                    format=format_,
                    source=source,
                    hold=hold,
                    dry_run=dry_run,
                    limit=limit,
                    languages=languages,
                    extra=extra,
                    origins=origins,
                    beginnings=downloads.beginnings,
                    engine=reader,
                    **more,  # what only Hydra.load needs to know, under its names
                )
            except PartialLoadError as e:
                partial, report = e, e.report
    if partial is None:
        downloads.remove()
    doc = report.to_json()
    for load in doc["loads"]:
        names = {file["name"] for file in load["files"]}
        if language_note := no_such_language(load, languages or ("en",), [f for f in inside if f.name in names]):
            warn(language_note)
    if not dry_run:
        tell(doc["loads"])
        if not feeds:
            keep(doc["loads"], str(path))
    doc |= {"bulk": {event.kind.partition(".")[2]: dict(event.data) for event in bulk_events}} if bulk_events else {}
    if partial is not None:
        doc["failed"] = [{"name": name, "reason": str(error)} for name, error in partial.failed]
    if as_json:
        out(json_text(doc))
    else:
        _print(doc)
        _print_pending(doc, hold=hold and not dry_run)
    if not dry_run:
        _tell_changes([str(load["name"]) for load in doc["loads"]], store=store, hold=hold)
    if partial is not None:
        raise partial


def _print_pending(doc: dict[str, Any], *, hold: bool) -> None:
    for name in (clean(load["name"]) for load in doc["loads"] if hold):
        out(
            f"{name} is loaded and waits: hydra-kg sources show {name} shows the differences, sources flip {name} "
            f"switches to it, sources discard {name} removes it."
        )


def _tell_changes(names: list[str], *, store: str, hold: bool) -> None:
    """Print which saved answers changed, or would change if the waiting load were in use."""
    from hydra_kg.cli.curation.saved import tell_changes

    for name in names if hold else [""]:
        tell_changes(store, flip=name)


def _print_skipped(event: Event) -> None:
    why = "is empty" if event.data.get("empty") else "was not recognised"
    why = "belongs to a store" if event.data.get("store") else why
    warn(f"{clean(event.data['file'])} {why} and was left out.")


def _print(doc: dict[str, Any]) -> None:
    from hydra_kg.cli.loading.reconciliation import load_lines

    for load in doc["loads"]:
        out_all(load_lines(load))
        out()
    out_all(command_lines(doc.get("bulk", {})))
