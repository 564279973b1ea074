"""Choose the engine of ``hydra-kg load --engine``: this process or a Spark cluster, and what that cannot split."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import click

from hydra_kg.cli.terminal import warn
from hydra_kg.events import Event, Listener
from hydra_kg.text.plain_text import clean

if TYPE_CHECKING:
    from hydra_kg.ingest.contract.choices import Engine

_DUCKDB: Final = "duckdb"
_SPARK: Final = "spark"


def check_engine(ctx: click.Context, param: click.Parameter, value: str) -> str:
    """Check the value ``duckdb``, ``spark`` or ``spark=MASTER``, and return it."""
    name, given, master = value.partition("=")
    if name not in {_DUCKDB, _SPARK} or (given and (name == _DUCKDB or not master)):
        raise click.BadParameter(f"{value!r} is not duckdb, spark or spark=MASTER.")
    return value


@contextmanager
def engine_called(name: str, *, no_network: bool) -> Iterator[Engine | None]:
    """Yield the named engine, or None to read in this process. Raise UsageError if not installed, NetworkError."""
    if name == _DUCKDB:
        yield None
        return
    from hydra_kg.ingest.spark import SparkEngine

    with SparkEngine(name.partition("=")[2], no_network=no_network) as engine:
        yield engine


def unsplit(listener: Listener) -> Listener:
    """Return the listener, with a warning for each file that only one executor can read."""

    def listen(event: Event) -> None:
        if event.kind == "load.unsplit":
            file = clean(event.data["file"])
            warn(f"{file} cannot be split, and one executor reads it. Plain and .bz2 files are shared out.")
        else:
            listener(event)

    return listen
