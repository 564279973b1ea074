"""Define ``hydra-kg chat``: questions one after another, each of which may refer to the one before."""

from __future__ import annotations

from collections.abc import Mapping

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
from hydra_kg.cli.terminal import note, warn


@click.command(
    cls=LongCommand,
    shown=("--after", "--sources", "--no-history", "--strategy", "--agent", "--no-network", "--json", "--store"),
    epilog='Example: printf "where was mozart born?\\nand when did he die?\\n" | hydra-kg chat',
)
@click.option(
    "--after",
    default="",
    metavar="ID",
    shell_complete=completing.answers,
    help="Go on from this answer, by its id or last.",
)
@sources_option
@click.option("--no-history", is_flag=True, help="Do not remember what is typed for the next time.")
@judging_options
@model_options
@keep_web_option
@common_options
def chat(
    *,
    after: str,
    sources: str,
    no_history: bool,
    strategy: str,
    preset: str,
    agent: str,
    budget: Mapping[str, float | None],
    model: Mapping[str, str],
    keep_web: bool,
    no_network: bool | None,
    store: str,
    as_json: bool,
) -> None:
    """Ask one question after another.

    A question may refer to what was said before: "and when did he die?", "what about Italy?", "how many of them are
    from Germany?". How it is understood is printed first. Every answer is stored for hydra-kg show. /help lists
    commands; Ctrl-C stops a question, Ctrl-D ends the chat.
    """
    from hydra_kg.cli.chatting.session import ChatSession
    from hydra_kg.cli.chatting.typing_in import read_typed_lines
    from hydra_kg.client import Hydra
    from hydra_kg.settings.folders import state_folder

    settings = settings_from(store=store, no_network=no_network, budget=budget, preset=preset, strategy=strategy)
    hydra = Hydra(
        settings=settings,
        strategy=strategy,
        agent=chosen_agent(agent, settings, model=model),
        warn=warn,
        record=model["record"],
        replay=model["replay"],
        prompts=model["prompts"],
        keep_web=keep_web,
    )
    with hydra:
        session = ChatSession(hydra, sources=sources, as_json=as_json)
        if after:
            session.last = hydra.show("" if after == "last" else after)
        history = None if no_history else state_folder() / "chat_history"
        lines, live = read_typed_lines(history, session.names, warn=warn)
        if live and not as_json:
            note("Ask a question. /help lists commands, Ctrl-C stops a question, Ctrl-D ends.")
        for line in lines:
            if not session.say(line, echo=not live):
                break
