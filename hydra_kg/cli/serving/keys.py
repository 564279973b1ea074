"""Define ``hydra-kg keys``: who may use the service."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hydra_kg.cli.options import debug_option, json_option, number_option
from hydra_kg.cli.terminal import json_text, note, out
from hydra_kg.text.plain_text import clean

if TYPE_CHECKING:
    from hydra_kg.serving.shared.service_keys import Keys

file_option = click.option(
    "--keys", "file", default="", metavar="FILE", show_default="a file of yours", help="The file of keys."
)


def _budget_options(command: Any) -> Any:
    """Add the options for a key's daily budget."""
    for name, text in (
        ("tokens", "Tokens of a language model a day, of prompts and replies."),
        ("calls", "Calls of a language model a day."),
        ("questions", "Questions a day."),
    ):
        shown = f"{text} 0 is no limit."
        option = click.option(f"--{name}-a-day", name, type=click.IntRange(0), default=None, metavar="N", help=shown)
        command = option(command)
    return command


@click.group(short_help="Make, list and revoke keys of the HTTP service.")
def keys() -> None:
    """Who may ask the service: hydra-kg serve needs a key in every request as soon as there is one."""


@keys.command(epilog="Example: hydra-kg keys add alice --store alices-store --limit 60 --questions-a-day 500")
@click.argument("name")
@click.option(
    "--scope",
    "scopes",
    type=click.Choice(["ask", "read", "metrics", "admin"]),
    multiple=True,
    default=["ask"],
    show_default=True,
    help="What it opens: asking (and reading), reading only, metrics, admin (loading, and reading); repeat for more.",
)
@click.option("--store", default="", metavar="FOLDER", show_default="the service's", help="The store that it asks.")
@number_option("--limit", click.FloatRange(0), 120, "Requests a minute; 0 is no limit.")
@_budget_options
@click.option(
    "--inbox",
    default=None,
    metavar="FOLDER",
    type=click.Path(exists=True, file_okay=False),
    help="Scope admin, with --store: the folder whose files it may load.",
)
@file_option
@debug_option
def add(
    *,
    name: str,
    scopes: tuple[str, ...],
    store: str,
    limit: float,
    questions: int | None,
    calls: int | None,
    tokens: int | None,
    inbox: str | None,
    file: str,
) -> None:
    """Make a key called NAME. It is printed once, and only its hash is stored."""
    from hydra_kg.serving.shared.day_budget import DayBudget

    address = str(Path(store).absolute()) if store and "://" not in store else store
    budget = DayBudget(questions or 0, calls or 0, tokens or 0)
    folder = str(Path(inbox).absolute()) if inbox else ""
    out(_keys(file).add(name, scopes=scopes, store=address, per_minute=limit, budget=budget, inbox=folder))
    note("Save it now: it is not shown again.")


@keys.command(epilog="Example: hydra-kg keys change alice --questions-a-day 1000")
@click.argument("name")
@click.option("--limit", type=click.FloatRange(0), default=None, metavar="N", help="Requests a minute; 0 is no limit.")
@_budget_options
@file_option
@debug_option
def change(*, name: str, limit: float | None, file: str, **budget: int | None) -> None:
    """Set the limit or the budget of the key NAME (or with this id), from its next request on."""
    given = {part: most for part, most in budget.items() if most is not None}
    key = _keys(file).change(name, per_minute=limit, budget=given)
    note(clean(f"{key.name}: {_limits(key.per_minute, key.budget.limits)}."))


@keys.command("list")
@file_option
@json_option
@debug_option
def list_(*, file: str, as_json: bool) -> None:
    """List keys, without their secrets."""
    file_of_keys = _keys(file)
    rows = [
        {
            "id": key.id,
            "name": key.name,
            "scopes": sorted(key.scopes),
            "store": key.store,
            "limit": key.per_minute,
            "budget": key.budget.limits,
            "spent": file_of_keys.account(key).spent() if key.budget.limits else {},
            "created": time.strftime("%Y-%m-%d", time.gmtime(key.created)),
            "state": "in use" if key.revoked is None else "revoked",
        }
        for key in file_of_keys.list()
    ]
    if as_json:
        out(json_text(rows))
        return
    if not rows:
        out("No API keys exist, so requests need none. Add one: hydra-kg keys add NAME")
    for row in rows:
        limit = _limits(row["limit"], row["budget"], row["spent"])  # type: ignore[arg-type]
        where = f" · {row['store']}" if row["store"] else ""
        scopes = ", ".join(sorted(map(str, row["scopes"])))  # type: ignore[arg-type]
        out(clean(f"{row['id']}  {row['name']}  {scopes} · {limit} · {row['state']} · {row['created']}{where}"))


@keys.command()
@click.argument("name")
@file_option
@debug_option
def revoke(*, name: str, file: str) -> None:
    """Revoke the key NAME (or with this id) at once: it opens nothing any more."""
    _keys(file).revoke(name)
    note("Revoked.")


def _limits(per_minute: float, budget: Mapping[str, int], spent: Mapping[str, int] | None = None) -> str:
    """Return limits in words: ``60 a minute, 3 of 500 questions a day``."""
    said = {name: f"{spent[name]:,} of {most:,}" if spent else f"{most:,}" for name, most in budget.items()}
    parts = [f"{per_minute:g} a minute"] if per_minute else []
    return ", ".join([*parts, *(f"{text} {name} a day" for name, text in said.items())]) or "no limit"


def _keys(file: str) -> Keys:
    from hydra_kg.serving.shared.service_keys import Keys, keys_file

    return Keys(Path(file) if file else keys_file())
