"""Switch off the usage reports of libraries, before any of them is loaded, here and in processes that we start.

onnxruntime reports its use unless ``ORT_DISABLE_TELEMETRY`` is set before it is loaded. The hub client of embedding
models adds usage to its requests. DuckDB fetches extensions that a query could use. Settings of the user are not
changed.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from hydra_kg.util.interrupts import interrupts_later

if TYPE_CHECKING:
    import duckdb

VARIABLES = {"ORT_DISABLE_TELEMETRY": "1", "HF_HUB_DISABLE_TELEMETRY": "1", "DO_NOT_TRACK": "1"}


def silence_libraries() -> None:
    """Set the environment variables that libraries read when they are loaded."""
    for name, value in VARIABLES.items():
        os.environ.setdefault(name, value)


def connect_duckdb(database: str = "", *, read_only: bool = False, **config: Any) -> duckdb.DuckDBPyConnection:
    """Return a connection to a DuckDB file, or to one in memory, that fetches no extension."""
    with interrupts_later():
        import duckdb

    quiet = {"autoinstall_known_extensions": False, "autoload_known_extensions": False}
    return duckdb.connect(database or ":memory:", read_only=read_only, config={**quiet, **config})
