"""Define options that several commands of ``hydra-kg eval`` share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from hydra_kg.cli.options import number_option, strategy_option_of

if TYPE_CHECKING:
    from hydra_kg.evaluate.questions.datasets import Question

F = TypeVar("F", bound=Callable[..., Any])

FOLDER = click.Path(file_okay=False, path_type=Path)
limit_option = click.option(
    "--limit",
    type=click.IntRange(0),
    default=0,
    metavar="N",
    show_default="all",
    help="Sample this many questions of each set.",
)
jobs_option = number_option("--jobs", click.IntRange(1), 1, "Use this many processes.", metavar="J")
answerable_option = click.option(
    "--answerable",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="What the store can answer, from hydra-kg eval gold or the data pack's answerable.dev.tsv.gz: adds the rows "
    "'reachable' and 'gold query runs'. Default: answerable.tsv in DIR, if it is there.",
)
only_option = click.option(
    "--only-answerable",
    "only",
    is_flag=True,
    help="Ask, and draw with --limit, only what the store can answer: questions whose gold query finds a gold answer; "
    "in a set where none does, those with an answer within three hops; all of a set of which nothing is known.",
)


def run_budget_calls_option(text: str) -> Callable[[F], F]:
    """Return the option ``--run-budget-calls``, 0 for no limit. ``text`` says in words what is limited."""
    return click.option(
        "--run-budget-calls", type=click.IntRange(0), default=0, metavar="N", show_default="no limit", help=text
    )


strategy_option = strategy_option_of("S,...", "One or several strategies.")
gold_topics_option = click.option(
    "--gold-topics", is_flag=True, help="Use the gold topic entities instead of linking names."
)


def strategies_of(text: str, *, model: bool, web: bool) -> tuple[str, ...]:
    """Return the named strategies without repeats. Raise UsageError for unknown or unavailable ones."""
    from hydra_kg.strategies.registry import make_strategy, refuse_undefined

    names = tuple(dict.fromkeys(s.strip() for s in text.split(",") if s.strip()))
    if not names:
        raise click.UsageError("--strategy needs a name.")
    refuse_undefined([make_strategy(name) for name in names], model=model, web=web)
    return names


def questions_of(
    datasets: Sequence[str], *, limit: int, seed: int, only: bool, answerable: Path | None, folder: Path
) -> list[Question]:
    """Return the questions of the sets. Raise UsageError.

    ``answerable`` and ``folder`` have the tables for ``only``.
    """
    from hydra_kg.evaluate.questions.answerable import FILE
    from hydra_kg.evaluate.questions.datasets import read_answerable, read_questions

    table = answerable or folder / FILE
    if only and not table.is_file():
        raise click.UsageError(
            "--only-answerable needs --answerable FILE, or answerable.tsv in DIR, which hydra-kg eval gold makes."
        )
    known = read_answerable(table) if only else None
    sets = [read_questions(d, limit=limit, seed=seed, only=known) for d in datasets]
    names = [qs[0].dataset for qs in sets if qs]
    if len(set(names)) < len(names):
        raise click.UsageError("Two of the sets have the same name. Rename a file: a set is called like it.")
    return [q for qs in sets for q in qs]
