"""Bound what a caller over HTTP may hold: connections, and the time in which a request has to arrive."""

from __future__ import annotations

from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

MOST_CONNECTIONS = 64
_SECONDS = {h11.IDLE: 10, h11.SEND_BODY: 30}  # for the headers, and for the body
_TOO_LATE = b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
_TOO_MANY = b"HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


class BoundedConnection(H11Protocol):
    """One connection, which is closed when a request does not arrive in time, or when there are too many."""

    _awaited: Any = None  # the part of a request that a timer waits for
    _timer: Any = None

    def connection_made(self, transport: Any) -> None:
        """Begin with a caller, unless too many are there."""
        if len(self.connections) >= MOST_CONNECTIONS:
            self.transport = transport
            self._refuse_caller(_TOO_MANY)
            return
        super().connection_made(transport)
        self._await_part()

    def data_received(self, data: bytes) -> None:
        """Take in what came; a byte now and then buys no more time."""
        super().data_received(data)
        self._await_part()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing any more."""
        self._stop_timer()
        super().connection_lost(exc)

    def _await_part(self) -> None:
        part = self.conn.their_state
        if part is self._awaited:
            return
        self._stop_timer()
        if part in _SECONDS:
            self._awaited = part
            self._timer = self.loop.call_later(_SECONDS[part], self._refuse_caller, _TOO_LATE)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._awaited = self._timer = None

    def _refuse_caller(self, answer: bytes) -> None:
        if self.cycle is None or not self.cycle.response_started:
            self.transport.write(answer)
        self.transport.close()
