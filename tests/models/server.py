"""A server on loopback that speaks the chat form of OpenAI's API, well or badly, and remembers what it was asked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

from tests.models.program import GOOD


class Server:
    """What the server does, and what it was asked."""

    def __init__(self) -> None:
        self.how = "good"
        self.content: Any = json.dumps(GOOD)
        self.asked: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.over = Event()
        self.url = ""

    @property
    def prompts(self) -> list[str]:
        """What each request asked, without what all requests say."""
        return [request["messages"][1]["content"] for request in self.asked]

    @property
    def forms(self) -> list[str]:
        """The form of answer that each request asked for."""
        return [request.get("response_format", {}).get("type", "none") for request in self.asked]


class PlainHandler(BaseHTTPRequestHandler):
    """What all servers of tests do alike."""

    def give(self, status: int, body: bytes) -> None:
        """Answer with a status and a body."""
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class _Handler(PlainHandler):
    """One request, answered as the server is told to."""

    stage: Server

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.stage.asked.append(json.loads(body))
        self.stage.headers.append(dict(self.headers))
        self.stage.paths.append(self.path)
        how = self.stage.how
        status = REFUSALS.get((how, self.stage.forms[-1]), int(how) if how.isdecimal() else 0)
        if status:
            self.give(status, b'{"error": {"message": "the secret of the server"}}')
        else:
            getattr(self, how.replace("-", "_"), self.good)()

    def do_GET(self) -> None:
        """Nobody should come this way: only who follows a redirect does."""
        self.stage.paths.append(self.path)
        self.good()

    def good(self) -> None:
        message = {"role": "assistant", "content": self.stage.content}
        self.give(200, json.dumps({"choices": [{"index": 0, "message": message}]}).encode())

    def raw(self) -> None:
        self.give(200, self.stage.content)

    def redirect(self) -> None:
        status, url = self.stage.content
        self.send_response(status)
        self.send_header("Location", url)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def hang(self) -> None:
        self.stage.over.wait(10)

    def drip(self) -> None:
        """One byte after the other, each well before a read would give up."""
        self._pour(b" ", pause=0.02)

    def drip_headers(self) -> None:
        """The same before the reply has properly begun."""
        self.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
        self._drop(b"x", pause=0.02)

    def flood(self) -> None:
        self._pour(b"x" * 65_536, pause=0)

    def _pour(self, drop: bytes, *, pause: float) -> None:
        self.send_response(200)
        self.end_headers()
        self._drop(drop, pause=pause)

    def _drop(self, drop: bytes, *, pause: float) -> None:
        with suppress(OSError):
            while not self.stage.over.wait(pause):
                self.wfile.write(drop)


REFUSALS = {
    ("refuse-schema", "json_schema"): 400,
    ("refuse-forms", "json_schema"): 400,
    ("refuse-forms", "json_object"): 422,
}


class _Quiet(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """A client that hangs up is what some tests are about."""


@contextmanager
def listening(handler: type[BaseHTTPRequestHandler], over: Event) -> Iterator[int]:
    """A server on a port of loopback, which is given, for as long as the block lasts."""
    with _Quiet(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        try:
            yield server.server_port
        finally:
            over.set()
            server.shutdown()


@contextmanager
def serving() -> Iterator[Server]:
    """A server for as long as the block lasts."""
    server = Server()
    with listening(type("Handler", (_Handler,), {"stage": server}), server.over) as port:
        server.url = f"http://127.0.0.1:{port}/v1"
        yield server
