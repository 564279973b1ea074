"""Define ``hydra-kg up`` and ``down``: a local Neo4j server."""

from __future__ import annotations

from typing import Any

import click

from hydra_kg.cli.options import debug_option, json_option, number_option
from hydra_kg.cli.terminal import json_text, note, out, out_all, table
from hydra_kg.text.plain_text import clean


@click.command()
@json_option
@debug_option
def down(*, as_json: bool) -> None:
    """Stop the server that hydra-kg up started; its data stays.

    The next hydra-kg up continues with the same data, address and password.
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
        compose.stop_container(server.home, engine=engine, tell=note)
        stopped = True
    if as_json:
        out(json_text({"stopped": stopped, "data": str(server.home.data)}))
    elif stopped:
        out(f"Neo4j has ended. Its data stays in {clean(server.home.root)}.")
    else:
        out("No server of hydra-kg is running.")


@click.command()
@click.option("--local", is_flag=True, help="Start it without a container, even where an engine runs.")
@click.option(
    "--bolt-port",
    type=click.IntRange(1, 65535),
    metavar="PORT",
    envvar="HYDRA_NEO4J_BOLT_PORT",
    help="The port for drivers (default: 7687, or any that is free).",
)
@click.option(
    "--http-port",
    type=click.IntRange(1, 65535),
    metavar="PORT",
    envvar="HYDRA_NEO4J_HTTP_PORT",
    help="The port for Neo4j Browser (default: 7474, or any that is free).",
)
@click.option(
    "--heap",
    type=click.IntRange(256),
    metavar="MIB",
    envvar="HYDRA_NEO4J_HEAP",
    help="Java's memory in MiB (default: an eighth of the machine's, 512 to 2048).",
)
@click.option(
    "--page-cache",
    type=click.IntRange(16),
    metavar="MIB",
    envvar="HYDRA_NEO4J_PAGE_CACHE",
    help="Memory for pages of the store in MiB (default: an eighth of the machine's, 128 to 4096).",
)
@number_option("--wait", click.FloatRange(1), 180.0, "How long to wait until it is ready.", metavar="SECONDS")
@json_option
@debug_option
def up(
    *,
    local: bool,
    bolt_port: int | None,
    http_port: int | None,
    heap: int | None,
    page_cache: int | None,
    wait: float,
    as_json: bool,
) -> None:
    """Start a Neo4j server on this machine.

    It listens on this machine only, has its own password in a file that only you can read, and keeps running when the
    terminal is closed. The command prints how to reach it, also if it runs already. hydra-kg down ends it.
    """
    doc = start(local=local, bolt=bolt_port, http=http_port, heap=heap, page_cache=page_cache, seconds=wait)
    if as_json:
        out(json_text(doc))
        return
    out(f"Neo4j is running ({clean(doc['how'])}).")
    rows = [
        ("URI", doc["uri"]),
        ("Browser", doc["browser"]),
        ("user", doc["user"]),
        ("password", f"in {doc['password_file']}"),
        ("data", doc["data"]),
    ]
    out_all(table(rows, indent="  "))
    out(f"Use it:  hydra-kg load FILE --store {doc['uri']}   (or: export HYDRA_STORE={doc['uri']})")


def start(
    *, local: bool, bolt: int | None, http: int | None, heap: int | None, page_cache: int | None, seconds: float
) -> dict[str, Any]:
    """Start the kind of server that fits this machine, and describe it. Raise StoreError, UsageError, DiskFullError."""
    from hydra_kg.stores.neo4j.connection.local_home import USER
    from hydra_kg.stores.neo4j.local_server import compose
    from hydra_kg.stores.neo4j.local_server.server import LocalServer

    server = LocalServer()
    before = server.status()
    # What has data in the one way goes on in the same way.
    engine = None if local or (before.instance and before.instance.kind == "local") else compose.engine()
    if engine is not None:
        instance = compose.up(
            server.home, engine=engine, bolt=bolt, http=http, heap=heap, page_cache=page_cache, tell=note
        )
        how, data = f"{engine} compose", "in the volume hydra-kg_neo4j"
    else:
        if not before.running:
            note("starting Neo4j …")
        status = server.start(bolt=bolt, http=http, heap=heap, page_cache=page_cache, seconds=seconds, tell=note)
        assert status.instance is not None  # a server that started has one
        instance, how, data = status.instance, f"process {status.pid}", str(server.home.data)
    return {
        "how": how,
        "started": not before.running,
        "uri": instance.uri,
        "browser": instance.browser,
        "user": USER,
        "password_file": str(server.home.password_file),
        "data": data,
    }
