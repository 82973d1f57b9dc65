"""The server as a process of its own, over a real port: asked by real clients, ended, and killed while it answers."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from http.client import HTTPException
from pathlib import Path
from threading import Event, Thread
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from tests.team import invented
from tests.team.servers import Server, new_database

pytestmark = pytest.mark.postgres
pytest.importorskip("psycopg", reason="the extra `team` is not installed")
pytest.importorskip("jwt", reason="the extra `team` is not installed")

from memvault.team.control import TeamControl  # noqa: E402
from memvault.team.server import VERBS  # noqa: E402
from tests import points  # noqa: E402
from tests.team.databases import Database  # noqa: E402
from tests.team.test_tokens import KEY, RULES, Provider, token  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
_WAIT = 120


def free_port() -> int:
    """A port on which nobody listens."""
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Served:
    """A vault of Maja's in a database, and one process that serves it."""

    def __init__(self, dsn: str, folder: Path) -> None:
        self.database = Database(dsn)
        self.vault = self.database.add_vault("person:maja")
        self.database.engine.take(self.vault, invented.batch(invented.vault()))
        (folder / "keys.json").write_bytes(Provider(one=KEY)(RULES.keys))
        self.port, self.metrics_port = free_port(), free_port()
        self.token = token(exp=int(time.time()) + 3_600, groups=[])
        self._words = ("--port", str(self.port), "--metrics-port", str(self.metrics_port), "--dsn", dsn)
        self._keys = ("--issuer", RULES.issuer, "--audience", RULES.audience, "--keys", str(folder / "keys.json"))
        self._environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "PYTHONPATH": str(ROOT)}
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> subprocess.Popen[bytes]:
        """Start the server, and wait until it answers."""
        words = (sys.executable, "-m", "memvault", "serve", *self._words, *self._keys)
        self.process = subprocess.Popen(words, env=self._environment, stderr=subprocess.PIPE)
        assert self.process.stderr is not None
        assert b"Serving on" in (said := self.process.stderr.readline()), said
        until = time.monotonic() + _WAIT
        while self.status("/readyz") != 200:  # it says so just before it listens
            assert self.process.poll() is None
            assert time.monotonic() < until
        return self.process

    def end(self, *, kill: bool = False) -> int:
        """End the server as a supervisor does, or kill it."""
        assert self.process is not None
        (self.process.kill if kill else self.process.terminate)()
        self.process.communicate(timeout=_WAIT)
        return self.process.returncode

    def ask(self, path: str, body: object = None, *, port: int = 0) -> bytes:
        """Send one request."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        request = Request(f"http://127.0.0.1:{port or self.port}{path}", data, headers)
        with urlopen(request, timeout=_WAIT) as answer:
            return bytes(answer.read())

    def status(self, path: str) -> int:
        """The status of an answer; 0 where there is none."""
        try:
            self.ask(path)
        except HTTPError as error:
            return error.code
        except OSError:
            return 0
        return 200


@pytest.fixture
def served(postgres_server: Server, tmp_path: Path) -> Iterator[Served]:
    with ExitStack() as stack:
        made = Served(stack.enter_context(new_database(postgres_server)), tmp_path)
        stack.callback(made.database.close)
        made.start()
        yield made
        if made.process is not None and made.process.poll() is None:
            made.end(kill=True)


def test_a_real_client_of_the_model_context_protocol_and_the_json_api_over_a_port(served: Served) -> None:
    anyio = pytest.importorskip("anyio")
    from httpx2 import AsyncClient
    from mcp import Client
    from mcp.client.streamable_http import streamable_http_client

    async def talk() -> tuple[list[str], Any]:
        async with (
            AsyncClient(headers={"authorization": f"Bearer {served.token}"}) as http,
            Client(streamable_http_client(f"http://127.0.0.1:{served.port}/mcp", http_client=http)) as client,
        ):
            tools = (await client.list_tools()).tools
            return [tool.name for tool in tools], await client.call_tool("recall", {"query": "kayak lantern"})

    tools, called = anyio.run(talk)
    assert tools == list(VERBS)
    answer = json.loads(served.ask("/v1/recall", {"query": "kayak lantern"}))
    assert called.structured_content == answer
    assert answer["hits"]
    assert served.status("/healthz") == 200
    assert b"openapi" in served.ask("/openapi.json")
    metrics = served.ask("/metrics", port=served.metrics_port).decode()
    assert 'memvault_requests_total{verb="recall",status="200"} 1' in metrics
    assert served.status("/metrics") == 404, "they have a port of their own"
    assert served.end() == -signal.SIGTERM, "it finishes what it is at, and ends as it was told"


def test_a_server_that_is_killed_while_it_answers_gave_nothing_that_is_not_in_the_audit(served: Served) -> None:
    digest = served.database.engine.digest(served.vault)
    given: list[tuple[str, ...]] = []
    ending = Event()

    def client(number: int) -> None:
        while not ending.is_set():
            with suppress(OSError, ValueError, HTTPException):  # killed before, or in the middle
                word = invented.WORDS[number % len(invented.WORDS)]
                hits = json.loads(served.ask("/v1/recall", {"query": f"{word} ledger"}))["hits"]
                given.append(tuple(hit["memory"]["id"] if "memory" in hit else hit["turn"]["ref"] for hit in hits))

    clients = [Thread(target=client, args=(number,)) for number in range(4)]
    for each in clients:
        each.start()
    try:
        for _ in range(points.of(2, 10)):
            answered = len(given)
            while len(given) < answered + 5:
                ending.wait(0.005)
            served.end(kill=True)
            served.start()
    finally:
        ending.set()
        for each in clients:
            each.join()
    control = TeamControl(served.database.connection)
    count, broken = control.verify_audit()
    assert broken == []
    assert count >= len(given)
    recorded = [tuple(json.loads(line)["ids"]) for line in control.export_audit()]
    assert set(given) <= set(recorded)
    assert served.database.engine.digest(served.vault) == digest
