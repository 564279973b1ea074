"""Define ``hydra-kg ask``: one question, its answer, the evidence, and citations that open."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from hydra_kg.cli import completing
from hydra_kg.cli.help_all import LongCommand
from hydra_kg.cli.options import (
    chosen_agent,
    common_options,
    judging_options,
    keep_web_option,
    model_options,
    settings_from,
    sources_option,
)
from hydra_kg.cli.terminal import json_text, note, out, out_all, store_suffix, warn
from hydra_kg.text.plain_text import clean

if TYPE_CHECKING:
    from hydra_kg.events import Event

NO_ANSWER = 3


@click.command(
    cls=LongCommand,
    shown=("--topic", "--after", "--strategy", "--agent", "--sources", "--show-paths", "--json", "--store"),
    epilog='Example: hydra-kg ask "who directed forrest gump?" --show-paths 5',
)
@click.argument("words", nargs=-1, metavar="QUESTION")
@click.option(
    "--topic",
    "topics",
    multiple=True,
    metavar="[NAME=]ID",
    help="Take a name of the question for this entity: Germany=m.0345h, or m.0345h alone if it is clear which name is "
    "meant; repeat for more.",
)
@click.option(
    "--after",
    default="",
    metavar="ID",
    shell_complete=completing.answers,
    help="Answer that QUESTION follows up, by its id or last: “and when did he die?” is then understood.",
)
@sources_option
@click.option(
    "--depth",
    type=click.IntRange(0),
    default=0,
    metavar="D",
    show_default="as the question needs",
    help="Search this many hops deep.",
)
@click.option(
    "--show-paths",
    type=click.IntRange(0),
    default=None,
    metavar="N",
    show_default="the answer's own",
    help="Print N paths: the answer's own first, then the next best, and why each was selected or pruned.",
)
@click.option("--events", is_flag=True, help="Write events to stderr, one JSON object per line.")
@click.option("--verbose", "-v", is_flag=True, help="Print scores, phases, times and what the model cost too.")
@judging_options
@model_options
@keep_web_option
@common_options
@click.pass_context
def ask(
    ctx: click.Context,
    *,
    words: tuple[str, ...],
    topics: tuple[str, ...],
    after: str,
    strategy: str,
    preset: str,
    agent: str,
    sources: str,
    depth: int,
    show_paths: int | None,
    events: bool,
    verbose: bool,
    budget: Mapping[str, float | None],
    model: Mapping[str, str],
    keep_web: bool,
    no_network: bool | None,
    store: str,
    as_json: bool,
) -> None:
    """Answer QUESTION and show why.

    Prints the answer, how far the sources agree, how the names in the question were understood, the paths that lead to
    the answer, and where each hop is stated. The answer is stored for hydra-kg show.

    Exit status 3: no answer in these sources.
    """
    from hydra_kg.cli.printing import answer_lines
    from hydra_kg.client import Hydra
    from hydra_kg.serialise import answer_json

    if len(words) > 1:
        raise click.UsageError(f"Put the question in quotes: hydra-kg ask {_quote_words(words)}")
    question = "".join(words)
    if not question.strip():
        raise click.UsageError('There is no question. Ask one: hydra-kg ask "where was mozart born?"')
    settings = settings_from(store=store, no_network=no_network, budget=budget, preset=preset, strategy=strategy)
    hydra = Hydra(
        settings=settings,
        strategy=strategy,
        agent=chosen_agent(agent, settings, model=model),
        listener=_event if events else _first_use,
        warn=warn,
        record=model["record"],
        replay=model["replay"],
        prompts=model["prompts"],
        keep_web=keep_web,
    )
    with hydra:
        before = hydra.show("" if after == "last" else after) if after else ""
        answer = hydra.ask(question, topics=topics, sources=_names(sources), depth=depth, keep=False, after=before)
        doc = answer_json(answer)
        try:
            if as_json:
                out(json_text(doc))
            else:
                at = store_suffix(store)
                out_all(answer_lines(doc, show_paths=show_paths, verbose=verbose, at=at))
                out(f"More: hydra-kg show {clean(doc['id'])} [--why | --html FILE]{at}", dim=True)
        finally:
            # After the answer, so that a full or read-only disk costs a warning and never the answer; also when the
            # reader of a pipe had enough.
            hydra.traces.save(doc)
    if answer.abstained:
        ctx.exit(NO_ANSWER)


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _quote_words(words: tuple[str, ...]) -> str:
    import shlex

    text = " ".join(words)
    return shlex.quote(text) if {'"', "$", "`", "\\", "!"} & set(text) else f'"{text}"'


def _event(event: Event) -> None:
    note(json_text(event.to_json(), indent=None))


def _first_use(event: Event) -> None:
    """Print why the first question that needs the index of names, or the vectors of relations, takes longer."""
    if not event.kind.startswith("load.") or event.data["done"] != event.data["total"]:
        return
    if event.kind == "load.index":
        note(f"Indexed {event.data['total']:,} names of {clean(event.data['load'])}, once for all questions.")
    elif event.kind == "load.embed":
        note(f"Embedded {event.data['total']:,} relation texts, once for all questions.")
