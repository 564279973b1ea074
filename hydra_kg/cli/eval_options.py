"""Options that several verbs of ``hydra-kg eval`` share."""

from __future__ import annotations

from pathlib import Path

import click

FOLDER = click.Path(file_okay=False, path_type=Path)
limit_option = click.option(
    "--limit",
    type=click.IntRange(0),
    default=0,
    metavar="N",
    show_default="all",
    help="Draw this many questions of each set.",
)
jobs_option = click.option(
    "--jobs", type=click.IntRange(1), default=1, show_default=True, metavar="J", help="Ask in this many processes."
)
strategy_option = click.option(
    "--strategy", default="hydra", show_default=True, metavar="S,...", help="One or several strategies."
)
gold_topics_option = click.option(
    "--gold-topics", is_flag=True, help="Hand over the gold topic entities instead of linking."
)


def strategies_of(text: str) -> tuple[str, ...]:
    """The names in a list, each once, in its order. Raises UsageError for none and for what is no strategy."""
    from hydra_kg.strategies.making import make_strategy

    names = tuple(dict.fromkeys(s.strip() for s in text.split(",") if s.strip()))
    if not names:
        raise click.UsageError("--strategy names none.")
    for name in names:
        make_strategy(name)
    return names
