"""Add two time limits to uvicorn's HTTP/1.1: clients must send the head of a request, and must read replies."""

from __future__ import annotations

import asyncio
import socket
import struct

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from hydra_kg.serving.http.gate import sharing
from hydra_kg.serving.http.gate.options import ServeOptions


class BoundedProtocol(H11Protocol):
    """One connection of a client. uvicorn alone would wait forever for a head, or for a reply to be read."""

    _late: asyncio.TimerHandle | None = None
    _unread: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the time limit of the first head."""
        super().connection_made(transport)
        self._patience = ServeOptions.from_environment().patience
        transport.set_write_buffer_limits(high=0)  # so that pause_writing is called for every unread byte
        self._await_head()

    def data_received(self, data: bytes) -> None:
        """Take bytes of a request. The time limit of the next head starts when a request is complete."""
        super().data_received(data)
        if self.conn.their_state is h11.IDLE and not self.transport.is_closing():
            self._await_head()
        elif self._late is not None:
            self._late.cancel()
            self._late = None

    def pause_writing(self) -> None:
        """Start the time limit for reading: the system takes no more bytes for this client."""
        super().pause_writing()
        self._await_reader()

    def resume_writing(self) -> None:
        """End the time limit for reading: the client has read what was sent."""
        super().resume_writing()
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget both time limits."""
        for timer in (self._late, self._unread):
            if timer is not None:
                timer.cancel()
        sharing.left()
        super().connection_lost(exc)

    def _await_head(self) -> None:
        if self._late is None:
            self._late = self.loop.call_later(self._patience, self.transport.close)

    def _await_reader(self) -> None:
        unread = self.transport.get_write_buffer_size()

        def look() -> None:
            if self.transport.get_write_buffer_size() < unread:
                self._await_reader()
            else:
                self._drop()

        self._unread = self.loop.call_later(self._patience, look)

    def _drop(self) -> None:
        """End the connection and discard unread data; closing it would wait for the client."""
        own: socket.socket = self.transport.get_extra_info("socket")
        own.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.transport.abort()
