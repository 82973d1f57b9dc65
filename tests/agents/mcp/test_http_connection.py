"""What a caller over HTTP may hold: so many connections, for so long, with so much in a body."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import pytest
import uvicorn
from mcp.server.lowlevel import Server
from uvicorn.server import ServerState

from memvault.agents.mcp.transport import _MAX_BODY_BYTES, MOST_CONNECTIONS, BoundedConnection, RequestGuard
from tests.agents.mcp.test_guard import OWN, TOKEN

HEAD = b"POST /mcp HTTP/1.1\r\nhost: 127.0.0.1:8765\r\ncontent-length: 10\r\n\r\n"


class Timer:
    def __init__(self, seconds: float, act: Callable[[], object]) -> None:
        self.seconds, self.act, self.is_set = seconds, act, True

    def cancel(self) -> None:
        self.is_set = False


class Loop:
    """A loop whose time stands still until a timer is asked for."""

    def __init__(self) -> None:
        self.timers: list[Timer] = []

    def call_later(self, seconds: float, act: Callable[..., object], *given: object) -> Timer:
        self.timers.append(Timer(seconds, lambda: act(*given)))
        return self.timers[-1]

    def create_task(self, work: Any) -> Any:
        work.close()
        return Future()

    def pass_seconds(self, seconds: float) -> None:
        for timer in [timer for timer in self.timers if timer.is_set and timer.seconds <= seconds]:
            timer.cancel()
            timer.act()


class Transport:
    def __init__(self) -> None:
        self.written, self.is_closed = b"", False

    def write(self, data: bytes) -> None:
        self.written += data

    def close(self) -> None:
        self.is_closed = True

    def is_closing(self) -> bool:
        return self.is_closed

    def get_extra_info(self, _name: str) -> None:
        return None

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...


@pytest.fixture
def state() -> ServerState:
    return ServerState()


def connect(state: ServerState, loop: Loop) -> tuple[BoundedConnection, Transport]:
    async def app(scope: Any, receive: Any, send: Any) -> None: ...

    made = BoundedConnection(uvicorn.Config(app, log_level="error"), state, {}, loop)  # type: ignore[arg-type]
    transport = Transport()
    made.connection_made(transport)
    return made, transport


def test_headers_that_do_not_arrive_within_ten_seconds_end_a_connection(state: ServerState) -> None:
    loop = Loop()
    made, transport = connect(state, loop)
    made.data_received(HEAD[:20])
    loop.pass_seconds(9)
    assert not transport.is_closed
    made.data_received(HEAD[20:30])  # a byte now and then buys no time
    assert len([timer for timer in loop.timers if timer.is_set]) == 1
    loop.pass_seconds(10)
    assert transport.is_closed
    assert b" 408 " in transport.written


def test_a_body_that_does_not_arrive_within_thirty_seconds_ends_a_connection(state: ServerState) -> None:
    loop = Loop()
    made, transport = connect(state, loop)
    made.data_received(HEAD)
    made.data_received(b"1234")
    loop.pass_seconds(29)
    assert not transport.is_closed
    loop.pass_seconds(30)
    assert transport.is_closed


def test_a_request_that_has_arrived_is_answered_however_long_that_takes(state: ServerState) -> None:
    loop = Loop()
    made, transport = connect(state, loop)
    made.data_received(HEAD + b"1234567890")
    loop.pass_seconds(3600)
    assert not transport.is_closed


def test_of_more_than_64_connections_the_last_are_refused(state: ServerState) -> None:
    loop = Loop()
    held = [connect(state, loop) for _ in range(MOST_CONNECTIONS)]
    late, transport = connect(state, loop)
    assert transport.is_closed
    assert b" 503 " in transport.written
    late.connection_lost(None)
    assert [one for _, one in held if one.is_closed] == []
    held[0][0].connection_lost(None)
    assert not connect(state, loop)[1].is_closed


@pytest.mark.parametrize("declared", [True, False])
def test_a_body_without_end_is_refused_while_it_is_read(*, declared: bool) -> None:
    read, sent = [0], []

    async def receive() -> dict[str, object]:
        read[0] += 65_536
        return {"type": "http.request", "body": b"x" * 65_536, "more_body": True}

    async def send(message: Any) -> None:
        sent.extend([message["status"]] if "status" in message else [])

    app = Server("any").streamable_http_app(max_request_body_size=_MAX_BODY_BYTES)
    more = [("content-length", str(10**12))] if declared else [("transfer-encoding", "chunked")]
    headers = [(name.encode(), value.encode()) for name, value in (*OWN, *more)]
    scope = {"type": "http", "method": "POST", "path": "/mcp", "headers": headers, "query_string": b""}
    asyncio.run(RequestGuard(app, port=8765, token=TOKEN)(scope, receive, send))
    assert sent == [413]
    assert read[0] <= (0 if declared else _MAX_BODY_BYTES + 65_536)
