"""A server on loopback that gives vectors as OpenAI's API does, well or badly, and files as a place of models does."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event
from typing import Any

from tests.models.server import PlainHandler, listening
from tests.models.static_model import MEANINGS


class ShelfServer:
    """What the server has and does, and what it was asked."""

    def __init__(self) -> None:
        self.how = "good"
        self.files: dict[str, bytes] = {}
        self.cut_after = 0  # bytes of a file, once
        self.asked: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.requests: list[str] = []
        self.over = Event()
        self.host = ""

    @property
    def url(self) -> str:
        """Where vectors are given."""
        return f"{self.host}/v1"


def vector(text: str) -> list[float]:
    """How often each meaning is in a text; what has none of them has a direction of its own."""
    said = set(text.casefold().split())
    counts = [float(len(said.intersection(words.split()))) for words in MEANINGS.values()]
    return [*counts, 0.0 if any(counts) else 1.0]


class _Handler(PlainHandler):
    stage: ShelfServer

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.stage.asked.append(asked)
        self.stage.headers.append(dict(self.headers))
        self.stage.requests.append(self.path)
        how = self.stage.how
        if how == "hang":
            self.stage.over.wait(10)
        elif how.isdecimal():
            self.give(int(how), b"the secret of the server")
        else:
            self.give(200, how.encode() if how[:1] in "{[<" else json.dumps(self._answer(asked["input"], how)).encode())

    def _answer(self, texts: list[str], how: str) -> dict[str, Any]:
        rows: list[dict[str, Any]] = [{"index": place, "embedding": vector(text)} for place, text in enumerate(texts)]
        match how:
            case "fewer":
                rows.pop()
            case "shorter":
                rows[-1]["embedding"].pop()
            case "words":
                rows[0]["embedding"] = ["one", "two"]
            case "endless":
                rows[0]["embedding"] = [float("inf")] * len(rows[0]["embedding"])
            case "twice":
                rows[-1]["index"] = 0
            case "backwards":
                rows.reverse()
        return {"data": rows}

    def do_HEAD(self) -> None:
        self._file(body=False)

    def do_GET(self) -> None:
        self._file(body=True)

    def _file(self, *, body: bool) -> None:
        stage = self.stage
        stage.requests.append(f"{self.command} {self.path} {self.headers.get('Range', '')}".strip())
        data = stage.files.get(self.path.rpartition("/resolve/main/")[2])
        if data is None:
            return self.give(404, b"")
        start = int(self.headers.get("Range", "bytes=0-").removeprefix("bytes=").removesuffix("-"))
        self.send_response(206 if start and stage.how != "no-ranges" else 200)
        rest = data if stage.how == "no-ranges" else data[start:]
        if stage.how != "no-length":
            self.send_header("Content-Length", str(len(rest)))
        self.end_headers()
        if body:
            cut, stage.cut_after = stage.cut_after, 0
            self.wfile.write(rest[: cut or None] + (b"more" if stage.how == "grows" else b""))
        return None


@contextmanager
def serving_shelf() -> Iterator[ShelfServer]:
    """A server for as long as the block lasts."""
    server = ShelfServer()
    with listening(type("Handler", (_Handler,), {"stage": server}), server.over) as port:
        server.host = f"http://127.0.0.1:{port}"
        yield server
