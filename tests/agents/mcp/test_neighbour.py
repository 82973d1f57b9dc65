"""Beside a daemon the server gives the very same answers, whatever becomes of that process."""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp")

import anyio
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp_types import Implementation

from memvault.agents.mcp import caller, queries
from memvault.agents.mcp.caller import DaemonClient, VaultOpener
from memvault.agents.mcp.queries import TOOLS
from memvault.agents.mcp.server import build_server
from memvault.api import Memvault
from memvault.system import daemon, daemon_client
from memvault.system import daemon_protocol as protocol
from tests.daemon.porters import UNIX_ONLY, at_home, pid_of, running, serving, until

pytestmark = UNIX_ONLY
__all__ = ["at_home"]
Act = Callable[[Any], Awaitable[Any]]

TALK = (
    '{"type": "user", "sessionId": "s1", "uuid": "u1", "timestamp": "2026-01-20T10:00:00Z",'
    ' "message": {"role": "user", "content": "Which battery goes into the gauge of the mill pond?"}}\n'
    '{"type": "assistant", "sessionId": "s1", "uuid": "u2", "timestamp": "2026-01-20T10:00:09Z",'
    ' "message": {"role": "assistant", "content": [{"type": "text", "text": "The gauge takes two C cells."}]}}\n'
)


@pytest.fixture
def home(at_home: dict[str, str], tmp_path: Path) -> dict[str, str]:
    """A machine with the sample vault and a conversation in it, found from anywhere."""
    root = tmp_path / "vault"
    Memvault.init(root, sample=True)
    made = {**at_home, "MEMVAULT_DIR": str(root), "CLAUDE_PROJECT_DIR": str(tmp_path)}
    (tmp_path / "talk.jsonl").write_text(TALK, encoding="utf-8")
    with Memvault(root, environment=made) as vault:
        vault.ingest([tmp_path / "talk.jsonl"], learn=False)
        vault.remember("Čaj 茶 is kept beside the gauge battery.", title="čaj & 茶", tags=("drink",))
    return made


def talk(environment: Mapping[str, str], act: Act) -> Any:
    """Has a client do something with a server of this process."""

    async def talked() -> Any:
        async with Client(
            build_server(VaultOpener(None, environment=environment)),
            client_info=Implementation(name="Test Agent", version="1"),
        ) as agent:
            return await act(agent)

    return anyio.run(talked)


def alone(environment: Mapping[str, str]) -> dict[str, str]:
    return {**environment, daemon_client.OFF: "1"}


LOOKING = (
    ("recall", {"query": "gauge battery"}),
    ("recall", {"query": "čaj 茶", "detail": "titles", "limit": 1}),
    ("recall", {"tags": "drink", "kinds": ["semantic", "episodic"], "since": "7d"}),
    ("recall", {"query": "xyzzy"}),
    ("timeline", {"memories": ["čaj & 茶"], "around": 2}),
    ("show", {"memory": "čaj & 茶"}),
    ("dig", {"topic": "gauge battery"}),
    ("dig", {"topic": "gauge battery", "map_only": True}),
    ("status", {}),
)


async def everything(agent: Any) -> dict[str, str]:
    """What every tool that only looks gives, and every resource, as it goes over the wire."""
    told = {}
    for name, given in LOOKING:
        found = await agent.call_tool(name, given)
        assert not found.is_error, found.content
        told[f"{name} {given}"] = found.model_dump_json()
    rows = sorted((await agent.list_resources()).resources, key=lambda row: str(row.uri))
    told["resources"] = "\n".join(row.model_dump_json() for row in rows)
    for row in rows[:2]:
        told[str(row.uri)] = (await agent.read_resource(row.uri)).model_dump_json()
    # Each connection is a session of its own, in which `show` adds to a weight.
    return {name: re.sub(r'(weight"?[: ])[0-9.]+', r"\1", text) for name, text in told.items()}


@pytest.mark.points(only=True)
def test_whoever_answers_it_is_the_same_to_the_byte(home: dict[str, str]) -> None:
    assert {name for name, _ in LOOKING} == {tool.name for tool in TOOLS.values() if tool.is_read_only}
    talk(alone(home), everything)  # what a first use changes has changed by now
    with running(home):
        until(lambda: talk(home, everything) is not None and daemon.read_status(home).answered > 0)
        whole = 0
        for _ in range(10):  # on a machine with much else to do, not every question is answered in time
            before = daemon.read_status(home).answered
            warm = talk(home, everything)
            whole += daemon.read_status(home).answered - before == len(warm)
            assert warm == talk(alone(home), everything)
            if whole == 2:  # the second time with all that is kept by now
                break
        assert whole == 2


def over_a_pipe(environment: dict[str, str], act: Act) -> Any:
    """Has a client do something with a server that is a process."""

    async def talked() -> Any:
        words = ["-P", "-m", "memvault", "mcp"]
        async with Client(StdioServerParameters(command=sys.executable, args=words, env=environment)) as agent:
            return await act(agent)

    return anyio.run(talked)


async def found(agent: Any, word: str) -> bool:
    """Whether a recall finds a word; it must come to an end."""
    with anyio.fail_after(30):
        answer = await agent.call_tool("recall", {"query": word})
    assert not answer.is_error, answer.content
    return word in answer.content[0].text


def test_what_was_just_remembered_is_found_and_what_was_forgotten_is_not(home: dict[str, str]) -> None:
    async def act(agent: Any) -> None:
        for number in range(2):
            word = f"quillmark{number}"
            kept = await agent.call_tool("remember", {"text": f"The {word} is in the {number}th drawer of the desk."})
            assert await found(agent, word)
            (Path(home["MEMVAULT_DIR"]) / "2-memories" / f"{word}.md").write_text(f"Saved by hand: {word}b.\n")
            assert await found(agent, f"{word}b")
            await agent.call_tool("forget", {"memory": kept.structured_content["id"]})
            assert not await found(agent, word + " drawer")

    with running(home):
        until(lambda: talk(home, everything) is not None and daemon.read_status(home).answered > 0)
        before = daemon.read_status(home).answered
        over_a_pipe(home, act)
        assert daemon.read_status(home).answered > before


@pytest.mark.points(only=True)
def test_a_daemon_that_dies_and_another_in_its_place_change_nothing(home: dict[str, str]) -> None:
    def answers() -> int:
        return daemon.read_status(home).answered

    async def act(agent: Any) -> None:
        with running(home):
            while not answers():
                assert await found(agent, "battery")
            os.kill(pid_of(home), signal.SIGKILL)
            assert await found(agent, "battery")
        assert await found(agent, "battery")
        with running(home):
            while not answers():
                assert await found(agent, "battery")
            os.kill(pid_of(home), signal.SIGSTOP)
            assert await found(agent, "battery")
            assert await found(agent, "battery")

    over_a_pipe(home, act)


def test_what_changes_something_is_never_asked_of_it(home: dict[str, str]) -> None:
    asked: list[str] = []

    async def act(agent: Any) -> None:
        kept = await agent.call_tool("remember", {"text": "The spare key of the boathouse is in the blue tin."})
        assert not kept.is_error
        assert await found(agent, "boathouse")

    with serving(home, {protocol.TOOL: lambda request: asked.append(queries.decode_question(request.data)[1].name)}):
        talk(alone(home), act)
        assert asked == []
        until(lambda: talk(home, act) is None and bool(asked))
    assert set(asked) == {"recall"}


def test_code_that_was_replaced_since_the_server_began_is_another_version(
    home: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(home, {protocol.TOOL: lambda _request: (b"{}",)}):
        current = DaemonClient(home)
        with monkeypatch.context() as then:
            then.setattr(daemon_client, "package_stamp", lambda: b"what lay there before")
            former = DaemonClient(home)
        until(lambda: current.ask_daemon(b"") == {})
        assert former.ask_daemon(b"") is None


def test_one_that_hangs_is_left_in_peace_for_ten_times_as_long(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    asked = []

    def hang(*_given: object, **_more: object) -> None:
        asked.append(now[0])
        now[0] += 3.0
        raise daemon_client.NoReply

    monkeypatch.setattr(caller.client, "send_request", hang)
    beside = DaemonClient({}, clock=lambda: now[0])
    assert beside.ask_daemon(b"") is None
    for now[0] in (103.0, 110.0, 132.9, 133.1):
        assert beside.ask_daemon(b"") is None
    assert asked == [100.0, 133.1]


@pytest.mark.parametrize(("wish", "off", "started"), [("true", "", 1), ("false", "", 0), ("true", "1", 0)])
def test_one_is_started_for_the_next_time_where_the_user_wants_that(
    wish: str, off: str, started: int, at_home: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []
    monkeypatch.setattr(daemon, "start_daemon", lambda environment, *, wait: calls.append(wait))
    beside = DaemonClient({**at_home, "MEMVAULT_LIVE_AUTOSTART": wish, daemon_client.OFF: off})
    beside.start_daemon()
    beside.start_daemon()  # one that cannot live is not started at every question
    assert calls == [False] * started
