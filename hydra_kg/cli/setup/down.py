"""``hydra-kg down``: ends the server that ``hydra-kg up`` started; the data stays."""

from __future__ import annotations

import click

from hydra_kg.cli.options import debug_option, json_option
from hydra_kg.cli.terminal import json_text, note, out
from hydra_kg.text.plain_text import clean


@click.command()
@json_option
@debug_option
def down(*, as_json: bool) -> None:
    """Stop the server that hydra-kg up started; its data stays.

    The next hydra-kg up goes on with the same data, address and password.
    """
    from hydra_kg.errors import StoreError
    from hydra_kg.stores.neo4j.local_server import compose
    from hydra_kg.stores.neo4j.local_server.server import LocalServer

    server = LocalServer()
    stopped = server.stop(tell=note)
    instance = server.home.instance()
    if not stopped and instance is not None and instance.kind == "compose":
        engine = compose.engine()
        if engine is None:
            raise StoreError(
                "The server runs in a container, but no container engine answers.",
                remedy="Start the engine that it was started with, then try again.",
            )
        compose.down(server.home, engine=engine, tell=note)
        stopped = True
    if as_json:
        out(json_text({"stopped": stopped, "data": str(server.home.data)}))
    elif stopped:
        out(f"Neo4j has ended. Its data stays in {clean(server.home.root)}.")
    else:
        out("No server of hydra-kg is running.")
