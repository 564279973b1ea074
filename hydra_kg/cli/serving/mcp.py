"""Define ``hydra-kg mcp``: tools for a program that speaks the Model Context Protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from hydra_kg.cli.options import chosen_agent, debug_option, judging_options, settings_from, store_option
from hydra_kg.cli.terminal import warn

if TYPE_CHECKING:
    from hydra_kg.client import Hydra


@click.command(short_help="Serve the store over MCP (standard input and output).")
@judging_options
@store_option
@debug_option
def mcp(
    *, store: str, strategy: str, preset: str, agent: str, budget: dict[str, float | None], no_network: bool | None
) -> None:
    """Serve read-only tools to a program that speaks the Model Context Protocol.

    The tools are ask, verify_claim, check_text, find_entity, facts_about,
    explain, why_not and sources. They use standard input and output. A client
    starts this command itself; docs/mcp.md says how to configure it.

    The store is opened by the first call that needs it. Answers are stored, so
    that explain and hydra-kg show have them.
    """
    from hydra_kg.serving.mcp import run

    settings = settings_from(store=store, no_network=no_network, budget=budget, preset=preset, strategy=strategy)
    judge = chosen_agent(agent, settings)

    def opened() -> Hydra:
        from hydra_kg.client import Hydra

        return Hydra(settings=settings, strategy=strategy, agent=judge, warn=warn)

    run(opened)
