"""The server as a process: a client of the protocol over a pipe and over HTTP, and the official inspector."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("mcp")

import anyio
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

import memvault
from memvault.agents.mcp.queries import TOOLS
from tests.conftest import LaidDown
from tests.daemon.porters import memory_of

PACKAGE = str(Path(memvault.__file__).parent.parent)
# A call of every tool, in an order in which each has something to work with.
EVERY_TOOL = (
    ("remember", {"text": "Ines keeps the spare key of the boathouse in the blue tin.", "title": "key"}),
    ("recall", {"query": "gauge battery"}),
    ("timeline", {"memories": ["key"]}),
    ("show", {"memory": "key"}),
    ("dig", {"topic": "gauge"}),
    ("update", {"memory": "key", "append": "Dov has the other one."}),
    ("pin", {"memory": "key"}),
    ("link", {"memory": "key", "to": "maja-and-hazelnuts"}),
    ("resolve", {"keep": "key", "other": "maja-and-hazelnuts", "holds": "both"}),
    ("save_progress", {"text": "Found the key."}),
    ("forget", {"memory": "key"}),
    ("undo", {}),
    ("maintain", {"dry_run": True}),
    ("status", {}),
)


@pytest.fixture
def machine(tmp_path: Path, environment: dict[str, str], laid_down: LaidDown) -> dict[str, str]:
    """The variables of a process that finds the package and the sample vault."""
    shutil.copytree(laid_down(True), tmp_path / "vault")
    needed = {name: value for name, value in os.environ.items() if name in ("SYSTEMROOT", "TEMP", "TMP")}
    return {**needed, **environment, "PYTHONPATH": PACKAGE, "MEMVAULT_DIR": str(tmp_path / "vault")}


async def every_tool(client: Client) -> dict[str, str]:
    """Calls every tool; says what was told where one failed."""
    failed = {}
    for name, arguments in EVERY_TOOL:
        answer = await client.call_tool(name, arguments)
        if answer.is_error:
            failed[name] = answer.content[0].text  # type: ignore[union-attr]
    return failed


def test_a_client_over_a_pipe_uses_every_tool(machine: dict[str, str]) -> None:
    assert {name for name, _ in EVERY_TOOL} == set(TOOLS)

    async def talked() -> None:
        words = ["-P", "-m", "memvault", "mcp"]
        server = StdioServerParameters(command=sys.executable, args=words, env=machine)
        async with Client(server) as client:
            assert [tool.name for tool in (await client.list_tools()).tools] == list(TOOLS)
            assert await every_tool(client) == {}

    anyio.run(talked)


def hello() -> bytes:
    """What an older client says first."""
    params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    return json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}).encode()


@pytest.mark.points(only=True)
def test_whatever_comes_nothing_but_the_protocol_goes_out(machine: dict[str, str]) -> None:
    lines = (b"", b"nonsense", b"{}", b"[]", b"\x00", b'{"jsonrpc": "2.0", "id": 1, "method": "no/such"}', b"")
    ran = subprocess.run(
        [sys.executable, "-P", "-m", "memvault", "mcp"],
        input=b"\n".join((hello(), *lines)),
        capture_output=True,
        env=machine,
        check=False,
        timeout=60,
    )
    assert ran.returncode == 0
    answers = [json.loads(row) for row in ran.stdout.decode().splitlines()]
    assert answers[0]["result"]["serverInfo"]["name"] == "memvault"
    assert all(answer["jsonrpc"] == "2.0" for answer in answers)


NO_REQUESTS = (
    b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "recall", "arguments": {"query": "\\ud800"}}}',
    b'{"jsonrpc": "1.0", "id": 2, "method": "ping"}',
    b'{"id": 3, "method": "ping"}',
    b'{"jsonrpc": "2.0", "id": 4, "method": 5}',
)


@pytest.mark.points(only=True)
def test_whoever_waits_for_an_answer_gets_one(machine: dict[str, str]) -> None:
    words = [sys.executable, "-P", "-m", "memvault", "mcp"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=machine) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(hello() + b"\n")
        for number, line in enumerate(NO_REQUESTS, 1):
            process.stdin.write(line + b'\n{"jsonrpc": "2.0", "id": %d, "method": "ping"}\n' % (10 + number))
        process.stdin.flush()
        read = (json.loads(process.stdout.readline()) for _ in range(1 + 2 * len(NO_REQUESTS)))
        answers = {answer["id"]: answer for answer in read}
        process.stdin.close()
        assert process.wait(timeout=30) == 0
    for number in range(1, len(NO_REQUESTS) + 1):
        assert answers[number]["error"]["code"] == -32600
        assert "result" in answers[10 + number]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signal for another process")
@pytest.mark.points(only=True)
def test_ctrl_c_ends_it_at_once(machine: dict[str, str]) -> None:
    words = [sys.executable, "-P", "-m", "memvault", "mcp"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=machine) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(hello() + b"\n")
        process.stdin.flush()
        assert process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) != 0


@pytest.fixture
def served(machine: dict[str, str], tmp_path: Path) -> Iterator[tuple[str, str]]:
    """The address of a server over HTTP, and its token."""
    path = tmp_path / "token"
    words = ["-P", "-m", "memvault", "mcp", "--http", "--port", "0", "--token-file", str(path)]
    process = subprocess.Popen([sys.executable, *words], stderr=subprocess.PIPE, env=machine, text=True)
    try:
        assert process.stderr is not None
        said = process.stderr.readline() + process.stderr.readline()
        found = re.search(r"http://127\.0\.0\.1:\d+/mcp", said)
        assert found, said
        yield found[0], path.read_text(encoding="utf-8").strip()
    finally:
        process.terminate()
        process.communicate(timeout=30)


@pytest.mark.points(only=True)
def test_a_client_over_http_uses_every_tool_and_strangers_are_refused(served: tuple[str, str]) -> None:
    from httpx2 import AsyncClient

    address, token = served
    own = {"authorization": f"Bearer {token}"}

    async def talked() -> None:
        async with AsyncClient(headers=own) as http:
            async with Client(streamable_http_client(address, http_client=http)) as client:
                assert [tool.name for tool in (await client.list_tools()).tools] == list(TOOLS)
                assert await every_tool(client) == {}
            refused = [
                await http.post(address, headers={"origin": "https://evil.example"}, json={}),
                await http.post(address, headers={"host": "evil.example"}, json={}),
                await http.post(address, headers={"authorization": "Bearer wrong"}, json={}),
            ]
            assert [answer.status_code for answer in refused] == [403, 421, 401]

    anyio.run(talked)


@pytest.mark.skipif(shutil.which("mcp-inspector") is None, reason="the inspector is not installed here")
def test_the_official_inspector_lists_the_tools(machine: dict[str, str]) -> None:
    words = ["mcp-inspector", "--cli", sys.executable, "-m", "memvault", "mcp", "--method", "tools/list"]
    ran = subprocess.run(
        words, capture_output=True, env={**os.environ, **machine}, cwd=PACKAGE, check=False, timeout=120
    )
    assert ran.returncode == 0, ran.stderr
    assert [tool["name"] for tool in json.loads(ran.stdout)["tools"]] == list(TOOLS)


@pytest.mark.skipif(sys.platform == "win32", reason="there it ends, and its client starts it again")
@pytest.mark.points(only=True)
def test_after_a_purge_a_server_starts_again_and_its_client_goes_on(machine: dict[str, str]) -> None:
    words = [sys.executable, "-P", "-m", "memvault"]
    with subprocess.Popen([*words, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=machine) as process:
        assert process.stdin is not None
        assert process.stdout is not None

        def ask(number: int, tool: str, **arguments: object) -> str:
            assert process.stdin is not None
            assert process.stdout is not None
            params = {"name": tool, "arguments": arguments}
            said = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
            process.stdin.write(json.dumps(said).encode() + b"\n")
            process.stdin.flush()
            answer = json.loads(process.stdout.readline())
            assert answer["id"] == number
            return json.dumps(answer["result"])

        process.stdin.write(hello() + b'\n{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
        process.stdin.flush()
        process.stdout.readline()
        ask(1, "remember", text="The heron nests above the gauge at Hollin.", title="Heron")
        assert "heron nests" in ask(2, "recall", query="heron gauge").lower()
        held = b"heron nests above" in memory_of(process.pid) if sys.platform == "linux" else None
        purged = [*words, "vault", "purge", "--verify", "--yes", "Heron"]
        ran = subprocess.run(purged, env=machine, capture_output=True, check=False, timeout=60)
        assert b"verified" in ran.stdout, ran.stdout + ran.stderr
        assert "heron nests" not in ask(3, "recall", query="heron gauge").lower()
        if held is not None:
            assert held
            assert b"heron nests above" not in memory_of(process.pid)
        process.stdin.close()
        assert process.wait(timeout=30) == 0


@pytest.mark.skipif(sys.platform == "win32", reason="there it ends")
@pytest.mark.points(only=True)
def test_after_a_purge_a_server_over_http_answers_at_the_same_address(
    served: tuple[str, str], machine: dict[str, str]
) -> None:
    from httpx2 import AsyncClient

    address, token = served

    async def call(tool: str, **arguments: object) -> str:
        async with (
            AsyncClient(headers={"authorization": f"Bearer {token}"}) as http,
            Client(streamable_http_client(address, http_client=http)) as client,
        ):
            return str(await client.call_tool(tool, arguments))

    anyio.run(lambda: call("remember", text="The heron nests above the gauge at Hollin.", title="Heron"))
    purged = [sys.executable, "-P", "-m", "memvault", "vault", "purge", "--verify", "--yes", "Heron"]
    ran = subprocess.run(purged, env=machine, capture_output=True, check=False, timeout=60)
    assert b"verified" in ran.stdout, ran.stdout + ran.stderr
    assert "heron nests" not in anyio.run(lambda: call("recall", query="heron gauge")).lower()
