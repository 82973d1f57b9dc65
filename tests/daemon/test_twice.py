"""An event that the daemon had begun, and its caller then did alone, is done once, and told as it is."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

from memvault.agents.hooks import handler
from memvault.agents.hooks.event import TimedOut
from memvault.api import Memvault
from memvault.daemon import handlers
from memvault.system import files
from tests.daemon.porters import SOON, UNIX_ONLY, AskedHandlers, ask, at_home, memvault, prompt_event, running, until

pytestmark = UNIX_ONLY
__all__ = ["at_home"]
COMMAND = "Remember this: the badger sleeps below the third oak."
QUESTION = "Does Sara prefer tea or coffee in the morning?"


class Home(AskedHandlers):
    """A vault on a machine with a daemon, which is asked within this one."""

    @property
    def root(self) -> Path:
        return self.folder

    def warmly(self, prompt: str, *, is_taken: bool = True, **more: Any) -> str | None:
        """What is told of a prompt, taken or not; None where it is left to the caller."""
        told = self.warm.answer_event(self.make_request((), prompt_event("one", prompt), **more))
        if told is None:
            return None
        told.finish(is_taken)
        return told.fields[0].decode()

    def coldly(self, prompt: str, *, again: bool = False) -> str:
        """What the caller tells who does it alone."""
        return handler._answer_in_time(
            prompt_event("one", prompt), [], self.environment, is_retry=again, seconds_spent=0.0
        ).decode()

    def about(self, word: str) -> list[str]:
        """The notes that hold a word."""
        return [path.name for path in (self.root / "2-memories").rglob("*.md") if word in path.read_text()]


@pytest.fixture
def home(tmp_path: Path, environment: dict[str, str]) -> Iterator[Home]:
    """A vault that is watched already."""
    root = tmp_path / "vault"
    Memvault.init(root)
    with Memvault(root, environment=environment) as vault:
        vault.remember("Sara prefers tea to coffee.", title="tea", more={"scope": "global"})
    made = Home({**environment, "MEMVAULT_DIR": str(root)}, root)
    with made.watching():
        yield made


@contextmanager
def locked(root: Path) -> Iterator[int]:
    """The vault while another process writes; gives what to unlock."""
    descriptor = os.open(root / ".memvault" / "lock", os.O_RDWR | os.O_CREAT)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield descriptor
    finally:
        os.close(descriptor)


@pytest.mark.points(only=True)
def test_what_the_daemon_wrote_before_it_was_given_up_is_told_and_not_written_again(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = home.warmly(COMMAND, is_taken=False)
    assert told is not None
    # Both look for what is alike before either has written.
    monkeypatch.setattr("memvault.memories.remember.find_similar", lambda *_: None)
    again = home.coldly(COMMAND, again=True)
    assert "remembered: " in told
    assert json.loads(again)["systemMessage"] == json.loads(told)["systemMessage"]
    assert len(home.about("badger")) == 1


def test_a_claim_of_one_who_died_before_it_wrote_keeps_nobody_from_it(home: Home) -> None:
    from memvault.agents.hooks.event import claim_event, claim_write

    with Memvault(home.root, environment=home.environment) as vault:
        assert claim_event(vault.state_folder, prompt_event("one", COMMAND), vault.now())
        assert claim_write(vault.state_folder, prompt_event("one", COMMAND), vault.now())
    assert "remembered" in home.coldly(COMMAND, again=True)
    assert len(home.about("badger")) == 1


def test_what_the_caller_has_begun_the_daemon_leaves_alone(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    from memvault.agents.hooks.event import claim_write

    def overtaken(state: Path, raw: bytes, now: Any) -> bool:
        assert claim_write(state, raw, now)  # the caller, a moment before
        return claim_write(state, raw, now)

    monkeypatch.setattr("memvault.agents.hooks.event.claim_write", overtaken)
    assert home.warmly(COMMAND) is None
    assert home.about("badger") == []


@pytest.mark.parametrize(
    "gone", [{"is_awaited": lambda: False}, {"received_at": monotonic() - 60}], ids=["gone", "late"]
)
def test_nothing_is_begun_for_a_caller_who_has_gone_or_soon_will(gone: dict[str, Any], home: Home) -> None:
    assert home.warmly(COMMAND, **gone) is None
    assert home.about("badger") == []
    assert "remembered" in home.coldly(COMMAND)  # who does it alone need not know that somebody else had begun
    assert len(home.about("badger")) == 1


def test_a_caller_who_goes_while_we_wait_for_our_turn_is_noticed_before_anything_is_written(home: Home) -> None:
    answers = iter([True])
    assert home.warmly(COMMAND, is_awaited=lambda: next(answers, False)) is None
    assert home.about("badger") == []


@pytest.mark.points(only=True)
def test_a_vault_that_stays_locked_is_left_to_the_caller_in_time(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handlers, "_EVENT_SECONDS", 0.3)
    with locked(home.root):
        began = monotonic()
        assert home.warmly(COMMAND) is None
        assert monotonic() - began < 20  # and not files.lock_seconds, which is thirty
    assert "remembered" in home.coldly(COMMAND)
    assert len(home.about("badger")) == 1


def test_a_command_that_may_ask_a_model_is_left_to_the_caller(home: Home) -> None:
    asking = {**home.environment, "MEMVAULT_MODEL_PROVIDER": "command", "MEMVAULT_MODEL_COMMAND": "true"}
    assert home.warmly(COMMAND, environment=asking) is None
    assert home.warmly(QUESTION, environment=asking) is not None
    assert "remembered" in home.coldly(COMMAND)


def test_what_was_given_to_nobody_is_given_at_the_next_event(home: Home) -> None:
    for is_taken, prompt in ((False, QUESTION), (True, f"{QUESTION} "), (True, f"{QUESTION}  ")):
        told = home.warmly(prompt, is_taken=is_taken)
        assert told is not None
        assert ("Sara prefers tea" in told) == (prompt != f"{QUESTION}  ")


def test_what_was_not_answered_in_time_is_not_booked_by_the_caller_either(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    def late(*_given: object, **_more: object) -> None:
        raise TimedOut

    with monkeypatch.context() as patched:
        patched.setattr("memvault.agents.hooks.prompt.build_reply", late)
        assert home.coldly(QUESTION) == ""
    assert "Sara prefers tea" in home.coldly(f"{QUESTION} ")


def test_what_was_done_when_the_time_was_up_is_told(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    def late(*_given: object) -> None:
        raise TimedOut

    monkeypatch.setattr("memvault.memories.remember.remember_recent", late)  # the first thing after it is written
    assert "remembered: " in home.coldly(COMMAND)
    assert len(home.about("badger")) == 1


@pytest.mark.points(only=True)
def test_one_suspended_at_its_work_writes_nothing_behind_its_callers_back(
    at_home: dict[str, str], tmp_path: Path
) -> None:
    root = tmp_path / "vault"
    Memvault.init(root)
    home = {**at_home, "MEMVAULT_DIR": str(root)}
    assert memvault(home, "list").returncode == 0
    claims = Path(home["XDG_STATE_HOME"])
    with running(home) as porter, locked(root) as held:
        until(lambda: ask(home, "list") is not None)
        caller = _hook(home)
        digest = files.digest(prompt_event("one", COMMAND))
        until(lambda: any(claims.rglob(digest)))
        porter.send_signal(signal.SIGSTOP)
        fcntl.flock(held, fcntl.LOCK_UN)
        told, _ = caller.communicate(timeout=SOON)
        porter.send_signal(signal.SIGCONT)
        until(lambda: ask(home, "list") is not None)
        stored = [path for path in (root / "2-memories").rglob("*.md") if "badger" in path.read_text()]
    assert len(stored) == (b"remembered: " in told)  # on a machine with much other work its time may be up


def _hook(environment: dict[str, str]) -> subprocess.Popen[bytes]:
    caller = subprocess.Popen(
        [sys.executable, "-m", "memvault", "hook"],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert caller.stdin is not None
    caller.stdin.write(prompt_event("one", COMMAND))
    caller.stdin.close()
    caller.stdin = None
    return caller
