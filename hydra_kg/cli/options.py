"""Options that several verbs share, as decorators: one name, one help text, one meaning."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])


def _note_debug(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value:
        ctx.find_root().meta["hydra_kg.debug"] = True


def store_option(function: F) -> F:
    """``--store``: passed on as text, "" for the setting."""
    return click.option(
        "--store",
        default="",
        metavar="FOLDER",
        show_default="HYDRA_STORE, or a folder of yours",
        help="The store to use.",
    )(function)


def json_option(function: F) -> F:
    """``--json``: passed on as ``as_json``."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of text.")(function)


def debug_option(function: F) -> F:
    """``--debug``: not passed on; errors then come with their traceback."""
    return click.option(
        "--debug",
        is_flag=True,
        expose_value=False,
        is_eager=True,
        callback=_note_debug,
        help="Show where an error comes from.",
    )(function)


def yes_option(function: F) -> F:
    """``--yes``: do not ask back."""
    return click.option("--yes", is_flag=True, help="Do not ask back.")(function)


def strategy_option(function: F) -> F:
    """``--strategy``."""
    return click.option(
        "--strategy",
        default="hydra",
        show_default=True,
        metavar="NAME",
        help="How to search and judge; hydra-kg strategies lists them.",
    )(function)


def agent_option(function: F) -> F:
    """``--agent``: passed on as one of auto, llm, offline; see ``chosen_agent``."""
    return click.option(
        "--agent",
        type=click.Choice(["auto", "llm", "offline"]),
        default="auto",
        show_default=True,
        help="Who judges: a language model (llm; not in this version) or rules and vectors (offline). "
        "auto is offline until a model is named.",
    )(function)


def no_network_option(function: F) -> F:
    """``--no-network``: passed on as None where it is not given, so that the setting decides."""
    return click.option(
        "--no-network",
        is_flag=True,
        flag_value=True,
        default=None,
        help="Open no socket but the store's.",
    )(function)


def chosen_agent(agent: str) -> str:
    """The agent that ``auto`` stands for. Raises UsageError for ``llm``, which this version does not have."""
    from hydra_kg.errors import UsageError

    if agent == "llm":
        raise UsageError(
            "--agent llm is not part of this version yet.",
            remedy="Use --agent offline, which needs no model, no key and no network.",
        )
    return "offline"


def settings_from(*, store: str = "", no_network: bool | None = None) -> Any:
    """The settings (hydra.toml, environment, then these flags). Raises SettingsError."""
    from hydra_kg.settings import load_settings

    return load_settings({"store": store or None, "no_network": no_network})
