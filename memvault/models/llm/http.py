"""One POST over HTTP: to the host that was named and no other, read as far as it is carried, over by the deadline."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from threading import Thread
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import (
    HTTPDefaultErrorHandler,
    HTTPErrorProcessor,
    HTTPHandler,
    HTTPSHandler,
    OpenerDirector,
    Request,
)

from memvault.models.llm.ask import MAX_ANSWER, Deadline, Failure

_CHUNK = 65_536


@dataclass(frozen=True, slots=True)
class HttpReply:
    """What a server answered: its status, and the text where the status is a good one."""

    status: int
    text: str = ""


def post_body(
    url: str, body: bytes, headers: Mapping[str, str], deadline: Deadline, *, most: int = MAX_ANSWER
) -> HttpReply | Failure:
    """Post a body and read the reply, of so many bytes at most; no proxy is asked and no redirect followed."""
    exchange = _HttpExchange(Request(url, data=body, headers=dict(headers), method="POST"), deadline, most)
    # Each read has its time, but a server that drips has any number of them: so the whole has its own.
    worker = Thread(target=exchange.run, daemon=True)
    worker.start()
    worker.join(max(0.0, deadline.left))
    if worker.is_alive():
        exchange.close_sockets()
        return Failure("late", "the server did not answer in time")
    return exchange.outcome


class _HttpExchange:
    """One request and what became of it, carried out by a thread that can be left behind."""

    def __init__(self, request: Request, deadline: Deadline, most: int) -> None:
        self.outcome: HttpReply | Failure = Failure("failed", "the exchange was broken off")
        self._request = request
        self._deadline = deadline
        self._most = most
        self._sockets: list[socket.socket] = []

    def run(self) -> None:
        """Send the request and read the reply."""
        try:
            self.outcome = self._send_request()
        except HTTPError as error:
            error.close()
            self.outcome = HttpReply(error.code)
        except (OSError, HTTPException, ValueError) as error:
            self.outcome = _describe_error(error)

    def close_sockets(self) -> None:
        """Cut the line, so that whoever still reads from it stops."""
        for line in self._sockets:
            with suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)

    def _send_request(self) -> HttpReply | Failure:
        opener = OpenerDirector()
        for handler in (
            _HttpHandler(self._sockets),
            _HttpsHandler(self._sockets),
            HTTPErrorProcessor(),
            HTTPDefaultErrorHandler(),
        ):
            opener.add_handler(handler)
        reply = opener.open(self._request, timeout=max(0.01, self._deadline.left))
        if reply is None:
            return Failure("unset", "model.url must begin with http:// or https://")
        with reply:
            return self._read_reply(reply)

    def _read_reply(self, reply: HTTPResponse) -> HttpReply | Failure:
        read = bytearray()
        while chunk := reply.read1(_CHUNK):
            read += chunk
            if len(read) > self._most:
                return Failure("oversized", f"the server gave more than {self._most:,} bytes")
            if self._deadline.left <= 0:
                return Failure("late", "the server did not answer in time")
        return HttpReply(reply.status, read.decode("utf-8", "replace"))


def _describe_error(error: Exception) -> Failure:
    """What went wrong on the way, in our own words: theirs may hold what was sent."""
    cause = error.reason if isinstance(error, URLError) else error
    match cause:
        case TimeoutError():
            return Failure("late", "the server did not answer in time")
        case ssl.SSLError():
            return Failure("failed", "no safe connection could be made (the server's certificate, or its protocol)")
        case ConnectionRefusedError() | socket.gaierror():
            return Failure("missing", "nobody listens at model.url")
        case _:
            return Failure("failed", f"the connection broke down ({type(cause).__name__})")


class _HttpHandler(HTTPHandler):
    """HTTP whose sockets can be reached from outside."""

    def __init__(self, sockets: list[socket.socket]) -> None:
        super().__init__()
        self._sockets = sockets

    def http_open(self, req: Request) -> HTTPResponse:
        return self.do_open(_recording_factory(HTTPConnection, self._sockets), req)


class _HttpsHandler(HTTPSHandler):
    """HTTPS likewise."""

    def __init__(self, sockets: list[socket.socket]) -> None:
        super().__init__()
        self._sockets = sockets

    def https_open(self, req: Request) -> HTTPResponse:
        return self.do_open(_recording_factory(HTTPSConnection, self._sockets), req)


def _recording_factory(kind: type[HTTPConnection], sockets: list[socket.socket]) -> Callable[..., HTTPConnection]:
    class RecordingConnection(kind):  # type: ignore[misc,valid-type]
        def connect(self) -> None:
            super().connect()
            sockets.append(self.sock)

    def make_connection(host: str, **given: Any) -> HTTPConnection:
        return RecordingConnection(host, **given)

    return make_connection
