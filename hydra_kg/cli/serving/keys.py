"""``hydra-kg keys``: who may ask the service."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hydra_kg.cli.options import debug_option, json_option
from hydra_kg.cli.terminal import json_text, note, out
from hydra_kg.text.plain_text import clean

if TYPE_CHECKING:
    from hydra_kg.serving.http.keys import Keys

file_option = click.option(
    "--keys", "file", default="", metavar="FILE", show_default="a file of yours", help="The file of keys."
)


@click.group(short_help="Make, list and revoke keys of the HTTP service.")
def keys() -> None:
    """Who may ask the service: hydra-kg serve needs a key in every request as soon as there is one."""


@keys.command(epilog="Example: hydra-kg keys add alice --store alices-store --limit 60")
@click.argument("name")
@click.option(
    "--scope",
    "scopes",
    type=click.Choice(["ask", "read", "metrics"]),
    multiple=True,
    default=["ask"],
    show_default=True,
    help="What it opens: asking (and reading), reading only, metrics; repeat for more.",
)
@click.option("--store", default="", metavar="FOLDER", show_default="the service's", help="The store that it asks.")
@click.option(
    "--limit",
    type=click.FloatRange(0),
    default=120,
    show_default=True,
    metavar="N",
    help="Requests a minute; 0 is no limit.",
)
@file_option
@debug_option
def add(*, name: str, scopes: tuple[str, ...], store: str, limit: float, file: str) -> None:
    """Make a key called NAME. It is printed once, and only its hash is kept."""
    address = str(Path(store).absolute()) if store and "://" not in store else store
    out(_keys(file).add(name, scopes=scopes, store=address, per_minute=limit))
    note("Keep it: it is not shown again.")


@keys.command("list")
@file_option
@json_option
@debug_option
def list_(*, file: str, as_json: bool) -> None:
    """List keys, without their secrets."""
    rows = [
        {
            "id": key.id,
            "name": key.name,
            "scopes": sorted(key.scopes),
            "store": key.store,
            "limit": key.per_minute,
            "created": time.strftime("%Y-%m-%d", time.gmtime(key.created)),
            "state": "in use" if key.revoked is None else "revoked",
        }
        for key in _keys(file).list()
    ]
    if as_json:
        out(json_text(rows))
        return
    for row in rows:
        limit = f"{row['limit']:g} a minute" if row["limit"] else "no limit"
        where = f" · {row['store']}" if row["store"] else ""
        scopes = ", ".join(sorted(map(str, row["scopes"])))  # type: ignore[arg-type]
        out(clean(f"{row['id']}  {row['name']}  {scopes} · {limit} · {row['state']} · {row['created']}{where}"))


@keys.command()
@click.argument("name")
@file_option
@debug_option
def revoke(*, name: str, file: str) -> None:
    """Let the key NAME (or with this id) open nothing any more, at once."""
    _keys(file).revoke(name)
    note("Revoked.")


def _keys(file: str) -> Keys:
    from hydra_kg.serving.http.keys import Keys, keys_file

    return Keys(Path(file) if file else keys_file())
