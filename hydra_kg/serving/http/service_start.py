"""Start the service: allowed addresses, worker processes, bounds of connections, a graceful end."""

from __future__ import annotations

import ipaddress
import os
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from hydra_kg.errors import UsageError
from hydra_kg.serving.http.gate import sharing
from hydra_kg.serving.http.gate.options import ServeOptions
from hydra_kg.serving.shared.service_keys import Keys

try:
    import fastapi  # noqa: F401
    import prometheus_client  # noqa: F401
    import sse_starlette  # noqa: F401
    import uvicorn

    from hydra_kg.serving.http.gate.connections import BoundedProtocol
except ImportError as e:
    raise UsageError("The HTTP service needs more packages.", remedy="pip install 'hydra-kg[serve]'") from e

CONNECTIONS: Final = 512
"""Most connections of one worker; more are answered 503."""

IDLE: Final = 75
"""Seconds that an idle connection stays open: longer than with clients and proxies, to avoid races."""

HUNG: Final = 30
"""Seconds of silence after which a worker is replaced. Opening a large store takes longer than uvicorn's five."""


def loopback(host: str) -> bool:
    """Return whether only this machine reaches an address."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def require_keys(options: ServeOptions) -> ServeOptions:
    """Decide ``open_``: keys are needed if there are any, or if other machines reach the service. Raise UsageError."""
    active = [key for key in Keys(Path(options.keys)).list() if key.revoked is None]
    if not active and not loopback(options.host):
        raise UsageError(
            f"Without keys, everybody who reaches {options.host} could ask.",
            remedy="Make one with hydra-kg keys add NAME, or listen on 127.0.0.1.",
        )
    return replace(options, open_=not active)


def run(options: ServeOptions, *, workers: int, tell: Callable[[str], None]) -> None:
    """Serve until SIGINT or SIGTERM, then let running requests end. Raise UsageError."""
    options = require_keys(options)
    options.into_environment()
    place = f"[{options.host}]" if ":" in options.host else options.host
    tell(f"http://{place}:{options.port}/ (Ctrl-C ends it)")
    if not options.open_:
        tell("Requests need a key: Authorization: Bearer KEY (hydra-kg keys list).")
    if not loopback(options.host):
        tell("Other machines reach it, unencrypted: put a proxy with TLS before it.")
    more: dict[str, Any] = {"loop": "asyncio"}
    with tempfile.TemporaryDirectory(prefix="hydra-kg-metrics-") as metrics, tempfile.NamedTemporaryFile() as counts:
        if workers > 1:
            os.environ["PROMETHEUS_MULTIPROC_DIR"] = metrics
            os.environ[sharing.VARIABLE] = counts.name
            sharing.Connections.write(Path(counts.name), workers)
            more = {"loop": f"{sharing.__name__}:{sharing.SharingLoop.__name__}", "workers": workers}
        uvicorn.run(
            "hydra_kg.serving.http.app:app_from_environment",
            factory=True,
            host=options.host,
            port=options.port,
            http=BoundedProtocol,
            ws="none",
            lifespan="on",
            access_log=False,
            log_level="warning",
            server_header=False,
            proxy_headers=False,
            limit_concurrency=CONNECTIONS,
            timeout_keep_alive=IDLE,
            timeout_graceful_shutdown=options.grace,
            timeout_worker_healthcheck=HUNG,
            h11_max_incomplete_event_size=16_384,
            **more,
        )
