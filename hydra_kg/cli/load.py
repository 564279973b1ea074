"""``hydra-kg load``: files into the store, with every line accounted for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from hydra_kg.cli.options import debug_option, json_option, settings_from, store_option
from hydra_kg.cli.terminal import clean, json_text, note, out


def _rules(ctx: click.Context, param: click.Parameter, values: Sequence[str]) -> dict[str, bool]:
    rules = {}
    for value in values:
        name, _, state = value.partition("=")
        if state.lower() not in {"on", "off"} or not name:
            raise click.BadParameter(f"{value!r} is not NAME=on or NAME=off.")
        rules[name] = state.lower() == "on"
    return rules


def _list_rules(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if not value or ctx.resilient_parsing:
        return
    from hydra_kg.ingest.loader import loaders

    for name, loader in loaders().items():
        out(clean(name), bold=True)
        for rule, about in loader.rules.items():
            out(f"  {clean(rule):<24} {'on ' if about.default else 'off'}  {clean(about.text)}")
    ctx.exit()


@click.command(epilog="Example: hydra-kg load freebase.nt.gz wikidata.nt.gz fb2w.nt.gz wikipedia.jsonl.gz")
@click.argument(
    "files", nargs=-1, required=True, metavar="FILE...", type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@click.option(
    "--as",
    "format_",
    default="auto",
    show_default="recognised by content",
    metavar="FORMAT",
    help="The format of the files; an unknown name lists all.",
)
@click.option(
    "--source", default="", metavar="NAME", show_default="by format", help="Attribute the facts to this source."
)
@click.option("--replace", is_flag=True, help="Replace what is loaded under that name, in one step.")
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
    help="Explain the cleaning rules of all formats and leave.",
)
@store_option
@json_option
@debug_option
def load(
    *,
    files: tuple[Path, ...],
    format_: str,
    source: str,
    replace: bool,
    dry_run: bool,
    strict: bool,
    limit: int,
    keep_reverse: bool,
    rules: dict[str, bool],
    store: str,
    as_json: bool,
) -> None:
    """Load FILEs into the store.

    Each source lands alone and all at once: before that moment nothing of it is visible, and a load that was killed
    is taken up where it stopped when the same command is run again. Lines read = kept + dropped by a named rule +
    rejected with a reason + duplicates; rejects do not stop a load.
    """
    from hydra_kg.cli.progress import progress
    from hydra_kg.face import Hydra

    with Hydra(settings=settings_from(store=store)) as hydra:
        note(f"{'Would load' if dry_run else 'Loading'} into {hydra.path}")
        with progress() as listener:
            hydra.listener = listener
            report = hydra.load(
                *files,
                format=format_,
                source=source,
                replace=replace,
                dry_run=dry_run,
                strict=strict,
                limit=limit,
                keep_reverse=keep_reverse,
                rules=rules,
            )
    doc = report.to_json()
    if as_json:
        out(json_text(doc))
    else:
        _print(doc)


def _print(doc: dict[str, Any]) -> None:
    from hydra_kg.cli.reconciliation import load_lines

    for load in doc["loads"]:
        for line in load_lines(load):
            out(line)
        out()
