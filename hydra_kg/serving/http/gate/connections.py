"""HTTP/1.1 of uvicorn with a bound: the whole head of a request must come in time."""

from __future__ import annotations

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from hydra_kg.serving.http.gate import sharing
from hydra_kg.serving.http.gate.options import ServeOptions


class BoundedProtocol(H11Protocol):
    """One connection of a client; uvicorn by itself waits for a head without end."""

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
        sharing.left()
        super().connection_lost(exc)

    def _await_head(self) -> None:
        if self._late is None:
            patience = ServeOptions.from_environment().patience
            self._late = self.loop.call_later(patience, self.transport.close)
