"""Processes that go on for long are known to a purge, and told apart by whether they began before it."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from memvault.system import memory_holders
from memvault.system.memory_holders import open_port, read_mark, register_holder, renew_holders
from tests.daemon.porters import machine

HOLDING = """
import sys
from memvault.system.memory_holders import read_mark, register_holder
environment = dict(zip(("HOME", "XDG_STATE_HOME"), sys.argv[1:], strict=True))
with register_holder(environment, read_mark(environment)):
    print("there", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def holder(environment: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    given = (environment["HOME"], environment["XDG_STATE_HOME"])
    words = [sys.executable, "-c", HOLDING, *given]
    with subprocess.Popen(
        words, env=machine(environment), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "there\n"
        yield process
        process.kill()


def test_one_that_goes_on_after_a_purge_is_named_and_one_that_ended_is_not(
    environment: dict[str, str], holder: subprocess.Popen[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory_holders, "_LOOKS", 1)
    assert renew_holders(environment) == (holder.pid,)
    holder.communicate("")
    assert renew_holders(environment) == ()
    assert list((Path(environment["XDG_STATE_HOME"]) / "memvault" / "holders").iterdir()) == []


def test_a_process_does_not_wait_for_itself(environment: dict[str, str]) -> None:
    with register_holder(environment, read_mark(environment)):
        assert renew_holders(environment) == ()


def test_an_answer_is_sent_piece_by_piece_without_a_wait() -> None:
    with open_port(0) as listening, socket.create_connection(listening.getsockname()):
        connection, _ = listening.accept()
        with connection:
            assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
