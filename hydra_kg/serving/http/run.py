"""Starts the service: what may be listened on, worker processes, bounds of connections, a graceful end."""

from __future__ import annotations

import asyncio
import ipaddress
import os
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from hydra_kg.errors import UsageError
from hydra_kg.serving.http.options import ServeOptions
from hydra_kg.serving.shared.keys import Keys

try:
    import fastapi  # noqa: F401
    import h11
    import prometheus_client  # noqa: F401
    import sse_starlette  # noqa: F401
    import uvicorn
    from uvicorn.protocols.http.h11_impl import H11Protocol
except ImportError as e:
    raise UsageError("The HTTP service needs more packages.", remedy="pip install 'hydra-kg[serve]'") from e

CONNECTIONS: Final = 512
"""Of one worker, at most; more are answered 503."""

HUNG: Final = 30
"""Seconds without a sign of life after which a worker is replaced, and loses what it was answering. One that opens a
large store, or that others leave no processor, is silent for longer than the five seconds of uvicorn."""


class BoundedProtocol(H11Protocol):
    """HTTP/1.1 of uvicorn whose requests must have a whole head in time: it waits for one without end by itself."""

    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A client came: it must begin."""
        super().connection_made(transport)
        self._await_head()

    def data_received(self, data: bytes) -> None:
        """Something came; between two requests the next head has its time from here."""
        super().data_received(data)
        if self.conn.their_state is h11.IDLE and not self.transport.is_closing():
            self._await_head()
        elif self._late is not None:
            self._late.cancel()
            self._late = None

    def connection_lost(self, exc: Exception | None) -> None:
        """The client went."""
        if self._late is not None:
            self._late.cancel()
        super().connection_lost(exc)

    def _await_head(self) -> None:
        if self._late is None:
            patience = ServeOptions.from_environment().patience
            self._late = self.loop.call_later(patience, self.transport.close)


def loopback(host: str) -> bool:
    """Whether only this machine reaches an address."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def checked(options: ServeOptions) -> ServeOptions:
    """The options with ``open_`` decided: keys are needed where there are any, and everywhere but on this machine.
    Raises UsageError where there are none there."""
    active = [key for key in Keys(Path(options.keys)).list() if key.revoked is None]
    if not active and not loopback(options.host):
        raise UsageError(
            f"Whoever reaches {options.host} could ask, for there are no keys.",
            remedy="Make one with hydra-kg keys add NAME, or listen on 127.0.0.1.",
        )
    return replace(options, open_=not active)


def run(options: ServeOptions, *, workers: int, tell: Callable[[str], None]) -> None:
    """Serve until SIGINT or SIGTERM; what is being answered then may end. Raises UsageError."""
    options = checked(options)
    options.into_environment()
    place = f"[{options.host}]" if ":" in options.host else options.host
    tell(f"http://{place}:{options.port}/ (Ctrl-C ends it)")
    if not options.open_:
        tell("Requests need a key: Authorization: Bearer KEY (hydra-kg keys list).")
    if not loopback(options.host):
        tell("Other machines reach it, unencrypted: put a proxy with TLS before it.")
    more: dict[str, Any] = {"workers": workers} if workers > 1 else {}
    with tempfile.TemporaryDirectory(prefix="hydra-kg-metrics-") as metrics:
        if workers > 1:
            os.environ["PROMETHEUS_MULTIPROC_DIR"] = metrics
        uvicorn.run(
            "hydra_kg.serving.http.app:from_environment",
            factory=True,
            host=options.host,
            port=options.port,
            http=BoundedProtocol,
            ws="none",
            loop="asyncio",
            lifespan="on",
            access_log=False,
            log_level="warning",
            server_header=False,
            proxy_headers=False,
            limit_concurrency=CONNECTIONS,
            timeout_keep_alive=5,
            timeout_graceful_shutdown=options.grace,
            timeout_worker_healthcheck=HUNG,
            h11_max_incomplete_event_size=16_384,
            **more,
        )
