"""Define ``hydra-kg serve``: the HTTP service with its page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hydra_kg.cli.help_all import LongCommand
from hydra_kg.cli.options import chosen_agent, debug_option, judging_options, number_option, settings_from, store_option
from hydra_kg.cli.terminal import note

if TYPE_CHECKING:
    from hydra_kg.settings import Settings

host_option = click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    metavar="ADDRESS",
    help="Listen here; any other than this machine's own needs keys.",
)


@click.command(
    cls=LongCommand,
    shown=("--store", "--host", "--port", "--workers", "--keys", "--inbox", "--strategy", "--agent"),
    short_help="Serve the store over HTTP, with a page in the browser.",
    epilog="Example: hydra-kg serve --store my-store --port 8000",
)
@store_option
@click.option(
    "--from",
    "published",
    default="",
    metavar="ADDRESS",
    help="Serve what db publish wrote there (s3://…, gs://…, file://…), and take what is newer meanwhile. --store is "
    "then the folder of the copy.",
)
@host_option
@click.option("--port", type=click.IntRange(1, 65535), default=8000, show_default=True, metavar="N", help="The port.")
@number_option("--workers", click.IntRange(1, 64), 1, "Processes that answer; one a core is best.")
@number_option("--threads", click.IntRange(1, 16), 2, "Questions that a process answers at a time.")
@number_option("--queue", click.IntRange(0, 1000), 16, "Questions that may wait in a process; more get 503.")
@number_option("--seconds", click.FloatRange(0.1, 3600), 60.0, "Stop a question after so long, waiting included.")
@number_option(
    "--patience",
    click.FloatRange(0.1, 600),
    10.0,
    "Hang up if a request does not arrive, or a reply is not read, for so long.",
)
@number_option("--grace", click.IntRange(0, 600), 10, "Seconds that running requests get when the service is stopped.")
@click.option("--keys", default="", metavar="FILE", show_default="a file of yours", help="The file of keys.")
@click.option(
    "--name",
    "names",
    multiple=True,
    metavar="HOST",
    help="A name by which the service is reached, as a proxy before it has; repeat for more.",
)
@click.option(
    "--inbox",
    default=None,
    metavar="FOLDER",
    type=click.Path(exists=True, file_okay=False),
    help="A folder whose files a key with the scope admin may load.",
)
@click.option("--allow-loading", is_flag=True, help="Without keys: everybody on this machine may load and remove data.")
@click.option("--log-questions", is_flag=True, help="Write the text of questions into the log, too.")
@judging_options
@debug_option
def serve(
    *,
    store: str,
    published: str,
    host: str,
    port: int,
    workers: int,
    keys: str,
    names: tuple[str, ...],
    inbox: str | None,
    strategy: str,
    preset: str,
    agent: str,
    budget: dict[str, float | None],
    no_network: bool | None,
    **limits: Any,  # those of ServeOptions, under their names
) -> None:
    """Answer questions over HTTP, with a page in the browser.

    Answers come as JSON, as events or as jobs. docs/service.md lists the
    addresses; /openapi.json describes them, and /mcp speaks the Model Context
    Protocol.

    Only this machine can reach the service unless --host says otherwise; then
    every request needs a key (hydra-kg keys).
    """
    from hydra_kg.serving.http.gate.options import ServeOptions
    from hydra_kg.serving.http.service_start import run
    from hydra_kg.serving.shared.service_keys import keys_file
    from hydra_kg.stores import open_store

    settings = settings_from(
        store=published or store, no_network=no_network, budget=budget, preset=preset, strategy=strategy
    )
    if published and store:
        settings = settings.changed(readers={"copy_folder": store})
    judge = chosen_agent(agent, settings)
    empty = bool(limits["allow_loading"]) and not published  # what is loaded on the page may be the first
    open_store(settings.store, create=empty, readers=settings.readers).close()  # what is wrong with it is said here
    options = ServeOptions(
        store=settings.store,
        keys=keys or str(keys_file()),
        host=host,
        port=port,
        hosts=tuple(name.lower() for name in names),
        strategy=strategy,
        agent=judge,
        settings=_list_changed_settings(settings),
        inbox=str(Path(inbox).absolute()) if inbox else "",
        **limits,
    )
    run(options, workers=workers, tell=note)


def _list_changed_settings(settings: Settings) -> dict[str, Any]:
    """Return the settings that are not defaults, as JSON."""
    from hydra_kg.settings import Settings

    usual = Settings().by_name()
    given = {name: value for name, value in settings.by_name().items() if value != usual[name]}
    prices = given.get("model.prices")
    return {**given, "model.prices": dict(prices)} if prices else given
