"""The door of the hooks: whatever comes in and whatever is wrong with the vault, the agent is not harmed."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from memvault import Memvault
from memvault.agents.hooks import handler
from memvault.agents.hooks.event import AfterReply, HookEvent
from memvault.agents.hooks.handler import EVENTS
from memvault.agents.mcp.caller import work_in
from memvault.storage.journal.exchanges import latest_exchanges
from tests import points
from tests.conftest import START, Opener
from tests.stress import hooks

ROOT = Path(__file__).resolve().parents[3]
SESSION = hooks.SESSION
FACT = "The spare modem of the Hollin gauge lies in the green box."
ASKED = {
    "hook_event_name": "UserPromptSubmit",
    "session_id": SESSION,
    "cwd": "/nowhere",
    "prompt": "Where is the spare modem of the Hollin gauge?",
}

Ask = Callable[..., bytes]


@pytest.fixture
def around(vault: Memvault, environment: dict[str, str]) -> dict[str, str]:
    """An environment in which the vault is found, and nothing is started that outlives a test."""
    return {**environment, "MEMVAULT_DIR": str(vault.root), "MEMVAULT_SCHEDULE_AT_SESSION_START": "no"}


@pytest.fixture
def ask(around: dict[str, str]) -> Ask:
    """Asks the hook within this process."""

    def ask(payload: Mapping[str, object], **more: str) -> bytes:
        return handler.answer_event(json.dumps(payload).encode(), [], {**around, **more})

    return ask


def logged(environment: Mapping[str, str]) -> str:
    path = Path(environment["XDG_STATE_HOME"], "memvault", "hooks.log")
    return path.read_text() if path.exists() else ""


# -- what comes in


@pytest.mark.points(only=True)
def test_events_and_mutations_of_them_are_answered_validly_or_not_at_all(
    vault: Memvault, around: dict[str, str], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("memvault.agents.hooks.session.start_save", lambda *_, **__: None)
    vault.remember(FACT, more={"scope": "global"})
    answered = 0
    for raw in hooks.inputs(hooks.EVENTS, 300, seed=7):
        told, seconds = hooks.answer(raw, around)
        hooks.check(told)
        assert seconds < hooks.LONGEST_SECONDS
        answered += bool(told)
    assert answered
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("raw", [b"", b" ", b"{", b"[]", b"null", b"\xff\xfe", b"[" * 100_000, b'{"a":' * 50_000])
def test_what_is_no_event_is_left_alone(around: dict[str, str], raw: bytes) -> None:
    assert handler.answer_event(raw, [], around) == b""
    assert not logged(around)


def test_an_event_longer_than_any_is_left_alone(around: dict[str, str]) -> None:
    raw = json.dumps({**ASKED, "prompt": "x" * handler.MAX_EVENT_BYTES}).encode()
    assert handler.parse_event(raw) is None
    assert handler.answer_event(raw, [], around) == b""


def test_an_event_of_tomorrow_is_left_alone(ask: Ask) -> None:
    assert ask({**ASKED, "hook_event_name": "SomethingNew", "version": 99}) == b""


def test_members_that_nobody_knows_are_no_matter(vault: Memvault, ask: Ask) -> None:
    vault.remember(FACT, more={"scope": "global"})
    assert b"green box" in ask({**ASKED, "version": "99.1", "news": {"a": [1, 2]}})


def test_halves_of_letters_are_no_matter(vault: Memvault, ask: Ask) -> None:
    vault.remember(FACT, more={"scope": "global"})
    assert b"green box" in ask({**ASKED, "prompt": f"{ASKED['prompt']} \ud83d"})


def test_every_event_has_a_file_that_serves_it() -> None:
    from importlib import import_module

    for served in EVENTS.values():
        module, _, function = served.partition(".")
        assert callable(getattr(import_module(f"memvault.agents.hooks.{module}"), function))


# -- what is wrong with the vault


def test_a_vault_that_is_not_there_is_told_to_the_log_alone(around: dict[str, str], ask: Ask, tmp_path: Path) -> None:
    assert ask(ASKED, MEMVAULT_DIR=str(tmp_path / "nowhere")) == b""
    assert SESSION in logged(around)
    assert "modem" not in logged(around)


def test_a_vault_with_broken_settings_is_told_to_the_log_alone(
    vault: Memvault, around: dict[str, str], ask: Ask
) -> None:
    (vault.root / "memvault.toml").write_bytes(b"[[[ \xff")
    assert ask(ASKED) == b""
    assert logged(around)


def test_a_damaged_index_is_built_again(vault: Memvault, around: dict[str, str], ask: Ask) -> None:
    vault.remember(FACT, more={"scope": "global"})
    vault.recall("modem")
    vault.close()
    for path in Path(around["XDG_CACHE_HOME"]).rglob("*"):
        if path.is_file():
            path.write_bytes(b"rubbish")
    assert b"green box" in ask(ASKED)


def test_while_somebody_else_writes_the_hook_answers_all_the_same(
    vault: Memvault, around: dict[str, str], ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memvault.system import files

    vault.remember(FACT, more={"scope": "global"})
    vault.recall("modem")
    monkeypatch.setenv("MEMVAULT_FILES_LOCK_SECONDS", "0")
    with files.lock(vault.root / ".memvault" / "lock", wait=1):
        assert b"green box" in ask(ASKED, MEMVAULT_FILES_LOCK_SECONDS="0")
        said = {**ASKED, "prompt": "Remember this: the office opens at nine on weekdays."}
        hooks.check(ask(said, MEMVAULT_FILES_LOCK_SECONDS="0"))


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="nothing is read-only for this user")
def test_a_vault_that_cannot_be_written_still_answers(vault: Memvault, ask: Ask) -> None:
    vault.remember(FACT, more={"scope": "global"})
    for folder in (vault.root, *(path for path in vault.root.rglob("*") if path.is_dir())):
        folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        assert b"green box" in ask(ASKED)
    finally:
        for folder in (vault.root, *(path for path in vault.root.rglob("*") if path.is_dir())):
            folder.chmod(stat.S_IRWXU)


def test_a_state_folder_that_cannot_be_written_is_no_matter(
    vault: Memvault, around: dict[str, str], ask: Ask, tmp_path: Path
) -> None:
    vault.remember(FACT, more={"scope": "global"})
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where a folder should be")
    hooks.check(ask(ASKED, XDG_STATE_HOME=str(blocked)))


def test_whatever_breaks_is_told_by_its_name_alone(
    around: dict[str, str], ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    def break_down(*_: object, **__: object) -> None:
        raise RuntimeError("the door code is kumquat")

    monkeypatch.setattr("memvault.agents.hooks.prompt.inject_prompt", break_down)
    assert ask({**ASKED, "session_id": "the door code is kumquat"}) == b""
    assert "RuntimeError" in logged(around)
    assert "kumquat" not in logged(around)


def test_the_log_never_grows_beyond_some_size(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handler, "_FULL", 1_000)
    for number in range(100):
        handler.append_log(environment, f"Stop {number}: OSError", START)
    assert "Stop 99" in logged(environment)
    folder = Path(environment["XDG_STATE_HOME"], "memvault")
    assert sum(path.stat().st_size for path in folder.iterdir()) < 3_000


# -- who asks


def test_a_vault_that_is_open_already_serves(vault: Memvault, environment: dict[str, str], open_vault: Opener) -> None:
    vault.remember(FACT, more={"scope": "global"})
    asked: list[tuple[str | None, str]] = []

    @contextmanager
    def opened(named: str | None, event: HookEvent) -> Iterator[Memvault]:
        asked.append((named, event.session))
        yield open_vault(vault.root, agent="claude-code", session=event.session)

    raw = json.dumps(ASKED).encode()
    told = handler.answer_event(raw, ["--vault", "/some/vault"], environment, open_vault=opened)
    assert b"green box" in told
    assert asked == [("/some/vault", SESSION)]


def test_what_nobody_waits_for_is_left_to_whoever_asks_for_the_answer_first(
    vault: Memvault, environment: dict[str, str], open_vault: Opener
) -> None:
    ended = {"hook_event_name": "Stop", "session_id": SESSION, "last_assistant_message": "It is in the green box."}

    @contextmanager
    def opened(_named: str | None, event: HookEvent) -> Iterator[Memvault]:
        yield open_vault(vault.root, agent="claude-code", session=event.session)

    rest = AfterReply()
    raw = json.dumps(ended).encode()
    assert handler.answer_early(raw, [], environment, rest, open_vault=opened, is_awaited=lambda _event: True) == b""
    assert latest_exchanges(vault.state_folder) == ()
    rest.close(is_delivered=False)
    assert [one.answered for one in latest_exchanges(vault.state_folder)] == ["It is in the green box."]


def test_what_goes_wrong_after_the_answer_changes_nothing_in_it(
    vault: Memvault, ask: Ask, around: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ValueError("secret words")

    vault.remember(FACT, more={"scope": "global"})
    assert b"green box" in ask(ASKED)
    assert vault.list_injections()[0].injection.agent == "claude-code"
    monkeypatch.setattr("memvault.context.prompt.append_record", fail)
    assert b"green box" in ask({**ASKED, "session_id": "another"})
    assert "ValueError" in logged(around)
    assert "secret" not in logged(around)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no alarm")
@pytest.mark.points(only=True)
def test_what_takes_too_long_is_given_up(
    vault: Memvault, around: dict[str, str], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def hang(*_: object, **__: object) -> None:
        while True:
            pass

    for name, value in around.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("memvault.agents.hooks.prompt.inject_prompt", hang)
    monkeypatch.setattr(handler, "_SECONDS", {"UserPromptSubmit": 0.05})
    handler.main([], json.dumps(ASKED).encode())
    assert capfd.readouterr() == ("", "")
    assert "the time was up" in logged(around)


def test_a_session_that_begins_starts_overdue_upkeep_once(
    vault: Memvault, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[list[str]] = []
    monkeypatch.setattr(
        "memvault.system.programs.start_memvault", lambda words, _environment: started.append(list(words))
    )
    around = {**environment, "MEMVAULT_DIR": str(vault.root)}
    for number in range(2):
        event = {"hook_event_name": "SessionStart", "session_id": f"s{number}", "cwd": "/nowhere", "source": "startup"}
        hooks.check(handler.answer_event(json.dumps(event).encode(), [], around))
    assert [words[2:] for words in started] == [["maintain", "--scheduled"]]


@pytest.mark.parametrize("name", ["Stop", "PostToolUse", "SubagentStop", "PreCompact", "SessionEnd"])
def test_nothing_is_answered_where_an_answer_would_make_the_agent_go_on(ask: Ask, name: str) -> None:
    given = {"tool_name": "Edit", "tool_input": {"file_path": "a.py"}, "last_assistant_message": "Done."}
    assert ask({"hook_event_name": name, "session_id": SESSION, "cwd": "/nowhere", **given}) == b""


def test_an_agent_that_was_told_to_go_on_is_not_recorded_twice(vault: Memvault, ask: Ask) -> None:
    stop = {"hook_event_name": "Stop", "session_id": SESSION, "cwd": "/nowhere", "last_assistant_message": "Done."}
    ask(stop)
    ask({**stop, "stop_hook_active": True, "last_assistant_message": "Done, and told so."})
    assert [each.answered for each in latest_exchanges(vault.state_folder)] == ["Done."]


def test_while_paused_nothing_is_noted(vault: Memvault, ask: Ask) -> None:
    vault.pause()
    edit = {"tool_name": "Edit", "tool_input": {"file_path": "a.py"}, "tool_response": {}}
    for more in (
        {"hook_event_name": "PostToolUse", **edit},
        {"hook_event_name": "Stop", "last_assistant_message": "x"},
    ):
        ask({"session_id": SESSION, "cwd": "/nowhere", **more})
    assert not latest_exchanges(vault.state_folder)
    assert not (vault.state_folder / "observed.jsonl").exists()


def test_that_the_web_was_read_is_kept_in_mind_in_a_pause_too(vault: Memvault, ask: Ask, open_vault: Opener) -> None:
    vault.pause()
    web = {"tool_name": "WebFetch", "tool_input": {"url": "https://example.org"}, "tool_response": {}}
    ask({"session_id": SESSION, "cwd": "/nowhere", "hook_event_name": "PostToolUse", **web})
    vault.resume()
    agent = open_vault(vault.root, agent="claude-code", session=SESSION)
    assert agent.remember(FACT).memory.more["tainted"] is True


def test_a_command_that_fails_may_have_read_the_web_before(vault: Memvault, ask: Ask, open_vault: Opener) -> None:
    read = {"tool_name": "Bash", "tool_input": {"command": "curl example.org; false"}, "error": "Exit code 1"}
    ask({"session_id": SESSION, "cwd": "/nowhere", "hook_event_name": "PostToolUseFailure", **read})
    agent = open_vault(vault.root, agent="claude-code", session=SESSION)
    assert agent.remember(FACT).memory.more["tainted"] is True
    assert not (vault.state_folder / "observed.jsonl").exists()


def test_an_incognito_session_is_known_as_such_when_it_is_over(
    vault: Memvault, around: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memvault.agents.hooks.session.start_save", lambda *_, **__: pytest.fail("it was kept"))
    ends = {"session_id": SESSION, "cwd": "/nowhere", "hook_event_name": "SessionEnd", "transcript_path": "/t.jsonl"}
    assert handler.answer_event(json.dumps(ends).encode(), [], {**around, "MEMVAULT_INCOGNITO": "1"}) == b""
    assert (vault.state_folder / "incognito.jsonl").exists()


def test_a_fork_of_a_session_that_read_the_web_is_marked_and_a_session_that_ended_is_over(
    vault: Memvault, ask: Ask, open_vault: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memvault.agents.hooks.session.start_save", lambda *_, **__: None)
    web = {"tool_name": "WebFetch", "tool_input": {"url": "https://example.org"}, "tool_response": {}}
    ask({"session_id": SESSION, "cwd": "/nowhere", "hook_event_name": "PostToolUse", **web})
    vault.pause()
    ask({"session_id": "forked", "cwd": "/nowhere", "hook_event_name": "SessionStart", "source": "fork"})
    ask({"session_id": SESSION, "cwd": "/nowhere", "hook_event_name": "SessionEnd", "reason": "clear"})
    agent = open_vault(vault.root, agent="claude-code", session="forked")
    assert agent.remember(FACT).memory.more["tainted"] is True
    assert work_in(agent, SESSION, else_in="mcp-00") == "mcp-00"


# -- many at once


@pytest.mark.points(only=True)
def test_several_sessions_at_once_are_all_answered(vault: Memvault, around: dict[str, str], tmp_path: Path) -> None:
    vault.remember(FACT, more={"scope": "global"})
    vault.recall("modem")
    running, sessions = [], points.of(4, 10)
    for number in range(sessions):
        payload = {**ASKED, "session_id": f"session-{number}", "cwd": str(tmp_path)}
        process = subprocess.Popen(
            [sys.executable, "-m", "memvault", "hook"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**around, "PYTHONPATH": str(ROOT)},
            cwd=tmp_path,
        )
        assert process.stdin is not None
        process.stdin.write(json.dumps(payload).encode())
        process.stdin.close()
        process.stdin = None
        running.append(process)
    answers = []
    for process in running:
        out, err = process.communicate(timeout=60)
        assert (process.returncode, err) == (0, b"")
        hooks.check(out)
        answers.append(b"green box" in out)
    # Where the machine is busy, some may be late, and then they say nothing; of other trouble there is none.
    late = logged(around).splitlines()
    assert all(line.endswith("the time was up") for line in late)
    assert sum(answers) + len(late) == sessions


@pytest.mark.points(only=True)
def test_two_ends_of_one_session_at_once_make_one_milestone(
    vault: Memvault, around: dict[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """PreCompact and SessionEnd may come together; each starts a process, and both do the same work."""
    started: list[list[str]] = []
    monkeypatch.setattr(
        "memvault.system.programs.start_memvault", lambda words, _environment: started.append(list(words))
    )
    path = tmp_path / f"{SESSION}.jsonl"
    common = {"sessionId": SESSION, "timestamp": "2026-01-28T09:00:00Z", "cwd": "/home/noor/gauges"}
    said = [
        ("user", "From now on the poller of the gauges is restarted at six each night, we decided."),
        ("assistant", "The modem restarts then."),
    ]
    lines = [
        {**common, "uuid": f"u{n}", "type": r, "message": {"role": r, "content": t}} for n, (r, t) in enumerate(said)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    for name in ("PreCompact", "SessionEnd"):
        event = {"hook_event_name": name, "session_id": SESSION, "cwd": "/nowhere", "transcript_path": str(path)}
        assert handler.answer_event(json.dumps(event).encode(), [], around) == b""
    assert len(started) == 2
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "memvault", *words],
            env={**around, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for words in started
    ]
    for process in running:
        process.wait(timeout=60)
    vault.recall("poller")
    milestones = [row.memory for row in vault.list().rows if row.memory.type == "milestone"]
    assert len(milestones) == 1
