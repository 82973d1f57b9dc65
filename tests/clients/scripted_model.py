"""A scripted model behind the API that Claude Code talks to: it answers by a script, and keeps what it was sent."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Block = Mapping[str, Any]
Reply = Callable[[], Block]


def says(text: str) -> Reply:
    """An answer in words."""
    return lambda: {"type": "text", "text": text}


def uses(tool: str, **given: object) -> Reply:
    """An answer that calls a tool."""
    return lambda: {"type": "tool_use", "id": f"toolu_{abs(hash((tool, str(given)))):x}", "name": tool, "input": given}


class ScriptedModel:
    """Answers requests for messages, one reply after the other; of requests without tools it takes no notice."""

    def __init__(self) -> None:
        self.requests: list[Mapping[str, Any]] = []
        self._replies: list[Reply] = []
        self._lock = threading.Lock()
        self.address = ""

    def answer_with(self, *replies: Reply) -> None:
        """What the next requests are answered with."""
        self._replies = list(replies)

    def block_for(self, body: Mapping[str, Any]) -> Block:
        """The answer to one request."""
        if not body.get("tools"):  # a title, a summary: nobody asked for those
            return says("A session")()
        with self._lock:
            self.requests.append(body)
            reply = self._replies.pop(0) if self._replies else says("Done.")
        return reply()


@contextmanager
def scripted_model() -> Iterator[ScriptedModel]:
    """A scripted model that listens on this machine alone."""
    script = ScriptedModel()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(script))
    server.daemon_threads = True
    script.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield script
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)


def _handler(script: ScriptedModel) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            """Say nothing."""

        def do_GET(self) -> None:
            self._send(b"{}", "application/json")

        do_HEAD = do_GET

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
            if self.path.partition("?")[0] != "/v1/messages":
                self._send(b'{"input_tokens": 1}', "application/json")
                return
            events = list(_events(script.block_for(body), str(body.get("model"))))
            if body.get("stream"):
                self._send(_streamed(events), "text/event-stream")
            else:
                self._send(json.dumps(_whole(events)).encode(), "application/json")

        def _send(self, data: bytes, kind: str) -> None:
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(data)

    return Handler


def _events(block: Block, model: str) -> Iterator[dict[str, Any]]:
    """An answer as the API streams it."""
    is_text = block["type"] == "text"
    message = {"id": f"msg_{id(block):x}", "type": "message", "role": "assistant", "model": model, "content": []}
    usage = {"input_tokens": 1, "output_tokens": 1}
    yield {"type": "message_start", "message": {**message, "stop_reason": None, "stop_sequence": None, "usage": usage}}
    empty = {"type": "text", "text": ""} if is_text else {**block, "input": {}}
    yield {"type": "content_block_start", "index": 0, "content_block": empty}
    delta = (
        {"type": "text_delta", "text": block["text"]}
        if is_text
        else {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    )
    yield {"type": "content_block_delta", "index": 0, "delta": delta}
    yield {"type": "content_block_stop", "index": 0}
    stop = {"stop_reason": "end_turn" if is_text else "tool_use", "stop_sequence": None}
    yield {"type": "message_delta", "delta": stop, "usage": {"output_tokens": 1}}
    yield {"type": "message_stop"}


def _streamed(events: Sequence[Mapping[str, Any]]) -> bytes:
    return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events).encode()


def _whole(events: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    started = next(event["message"] for event in events if event["type"] == "message_start")
    text = "".join(event["delta"].get("text", "") for event in events if event["type"] == "content_block_delta")
    return {**started, "content": [{"type": "text", "text": text}], "stop_reason": "end_turn"}
