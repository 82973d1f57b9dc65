"""The hook: answers what it knows, leaves the rest alone, and never fails, whatever it is given."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from memvault import Memvault
from memvault.agents.hooks import handler
from memvault.agents.hooks.event import HookEvent
from memvault.storage.journal.exchanges import latest_exchanges
from memvault.system import files
from tests.conftest import Opener

ROOT = Path(__file__).resolve().parents[3]
SESSION = "00000000-0000-4000-8000-000000000001"

Ask = Callable[..., tuple[int, str, str]]


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A folder that the person works in."""
    work = tmp_path / "work"
    work.mkdir()
    return work


@pytest.fixture
def around(vault: Memvault, environment: dict[str, str]) -> dict[str, str]:
    """An environment in which the vault is found."""
    own = {"MEMVAULT_DIR": str(vault.root), "MEMVAULT_SCHEDULE_AT_SESSION_START": "no", "PYTHONPATH": str(ROOT)}
    return {**environment, **own}


@pytest.fixture
def ask(around: dict[str, str], work: Path, capfd: pytest.CaptureFixture[str]) -> Ask:
    """Asks the hook within this process: its exit code, what it answers, what it complains of."""

    def run(payload: dict[str, object], **more: str) -> tuple[int, str, str]:
        told = handler.answer_event(event(work, payload), [], {**around, **more})
        said = capfd.readouterr()
        return 0, told.decode(), said.out + said.err

    return run


def event(work: Path, payload: dict[str, object]) -> bytes:
    """What an agent writes."""
    return json.dumps({"cwd": str(work), "session_id": SESSION, **payload}).encode()


@pytest.fixture
def ask_a_process(around: dict[str, str], work: Path) -> Ask:
    """Runs the real hook in a process of its own: its exit code, what it prints, what it complains of."""

    def run(payload: dict[str, object], **more: str) -> tuple[int, str, str]:
        done = subprocess.run(
            [sys.executable, "-m", "memvault", "hook"],
            input=event(work, payload),
            env={**around, **more},
            cwd=work,
            capture_output=True,
            check=False,
            timeout=60,
        )
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    return run


def prompt(text: str, **more: object) -> dict[str, object]:
    return {"hook_event_name": "UserPromptSubmit", "prompt": text, **more}


def context(answer: str) -> str:
    return str(json.loads(answer)["hookSpecificOutput"]["additionalContext"]) if answer else ""


def test_a_prompt_gets_the_memory_it_calls_for_once_in_a_session(vault: Memvault, ask_a_process: Ask) -> None:
    vault.remember("The spare modem of the Hollin gauge lies in the green box.", more={"scope": "global"})
    code, out, err = ask_a_process(prompt("Where is the spare modem of the Hollin gauge?"))
    assert (code, err) == (0, "")
    assert "green box" in context(out)
    assert json.loads(out)["systemMessage"] == "memvault: 1 memory given"
    assert ask_a_process(prompt("Where was the spare modem of the Hollin gauge again?"))[:2] == (0, "")


def test_nothing_relevant_is_nothing_said(vault: Memvault, ask: Ask) -> None:
    vault.remember("The spare modem of the Hollin gauge lies in the green box.", more={"scope": "global"})
    assert ask(prompt("What is the capital of Portugal?")) == (0, "", "")
    assert ask(prompt("yes, go on")) == (0, "", "")


@pytest.mark.points(only=True)
def test_a_spoken_command_is_obeyed_and_the_user_is_told(vault: Memvault, ask_a_process: Ask) -> None:
    code, out, _ = ask_a_process(prompt("Remember this: the harbour office opens at nine on weekdays."))
    assert code == 0
    assert json.loads(out)["systemMessage"].startswith("memvault: ")
    assert [row.memory.source for row in vault.list().rows] == ["user"]


def test_what_a_machine_wrote_in_the_persons_place_is_left_alone(vault: Memvault, ask: Ask) -> None:
    assert ask(prompt("<task-notification>\nremember this: nothing\n</task-notification>")) == (0, "", "")
    assert ask(prompt("Remember this: nothing.", source="system")) == (0, "", "")
    assert not vault.list().rows


@pytest.mark.points(only=True)
def test_a_session_begins_with_what_is_due(vault: Memvault, ask_a_process: Ask) -> None:
    due = vault._clock().replace(year=2020)  # by the real clock of the process
    vault.remember("Call Maja about the Quay station.", kind="prospective", more={"due": due, "scope": "global"})
    _, out, _ = ask_a_process({"hook_event_name": "SessionStart", "source": "startup"})
    assert "Call Maja" in context(out)


def test_a_session_begins_with_nothing_of_another_project_and_nothing_private(vault: Memvault, ask: Ask) -> None:
    due = vault._clock().replace(year=2020)
    text = "Call Maja. <private>The door code is kumquat.</private> " + "She knows of the station. " * 400
    vault.remember(text, kind="prospective", more={"due": due, "scope": "global"})
    elsewhere = {"scope": "project", "project": "folder:elsewhere"}
    vault.remember("Tell Ilse about the ferry.", kind="prospective", more={"due": due, **elsewhere})
    path = vault.path_of("Call Maja")
    path.write_text(path.read_text() + "\n<private>The alarm code is tamarind.</private>\n")
    _, out, _ = ask({"hook_event_name": "SessionStart", "source": "startup"})
    assert "Call Maja" in context(out)
    assert not any(word in out for word in ("Ilse", "kumquat", "tamarind"))
    assert len(context(out)) < 9_500


def test_a_session_that_goes_on_has_its_own_tasks_in_hand(vault: Memvault, ask: Ask, open_vault: Opener) -> None:
    open_vault(vault.root, agent="claude-code", session=SESSION).work_start("Mend the poller of the gauges.")
    open_vault(vault.root, agent="claude-code", session="another").work_start("Sweep the boat house.")
    _, out, _ = ask({"hook_event_name": "SessionStart", "source": "resume"})
    assert "Mend the poller" in context(out)
    assert "boat house" not in out


@pytest.mark.points(only=True)
def test_a_session_that_ended_is_kept_by_another_process(vault: Memvault, ask_a_process: Ask, tmp_path: Path) -> None:
    lines = [
        {
            "type": "user",
            "message": {
                "role": "user",
                "content": "From now on the poller of the gauges is restarted at six each night, we decided.",
            },
        },
        {
            "type": "assistant",
            "message": {
                "id": "m",
                "role": "assistant",
                "content": "The modem restarts then.",
                "stop_reason": "end_turn",
            },
        },
    ]
    common = {"sessionId": SESSION, "timestamp": "2026-01-28T09:00:00Z", "cwd": "/home/noor/gauges"}
    path = tmp_path / f"{SESSION}.jsonl"
    path.write_text("".join(json.dumps({**common, "uuid": f"u{n}", **line}) + "\n" for n, line in enumerate(lines)))
    event = {"hook_event_name": "SessionEnd", "transcript_path": str(path), "reason": "other"}
    assert ask_a_process(event) == (0, "", "")
    deadline = time.monotonic() + 60
    while not any(row.memory.type == "milestone" for row in vault.list().rows):
        assert time.monotonic() < deadline, "the progress was never saved"
        time.sleep(0.1)  # another process is at work, and tells nobody when it is done


def test_a_pause_is_obeyed_and_can_be_ended_by_word(vault: Memvault, ask: Ask) -> None:
    vault.remember("The spare modem of the Hollin gauge lies in the green box.", more={"scope": "global"})
    vault.pause()
    assert ask(prompt("Where is the spare modem of the Hollin gauge?")) == (0, "", "")
    assert ask(prompt("memvault, resume"))[0] == 0


def test_a_hook_within_what_memvault_started_does_nothing(vault: Memvault, ask: Ask) -> None:
    assert ask(prompt("Remember this: the office opens at nine."), MEMVAULT_INSIDE="1") == (0, "", "")
    assert not vault.list().rows


# -- a command and what is said around it


@pytest.mark.points(only=True)
def test_a_question_about_what_is_remembered_gives_the_model_the_answer(vault: Memvault, ask: Ask) -> None:
    vault.remember("The spare modem of the Hollin gauge lies in the green box.", more={"scope": "global"})
    for asked in ("What do you remember about the Hollin gauge?", "Dig deeper into the Hollin gauge"):
        _, out, _ = ask(prompt(asked))
        assert "green box" in context(out)
        assert "</memvault-recall" in context(out)
        assert json.loads(out)["systemMessage"].startswith("memvault: found 1 memory")


def test_what_stands_beside_a_command_is_served_all_the_same(vault: Memvault, ask: Ask) -> None:
    vault.remember("The spare modem of the Hollin gauge lies in the green box.", more={"scope": "global"})
    vault.remember("The crane lifts nine tonnes.", triggers=("harbour crane",), more={"scope": "global"})
    _, out, _ = ask(
        prompt("Remember this: tea is at four.\n\nWhere is the spare modem of the Hollin gauge, by the harbour crane?")
    )
    assert "green box" in context(out)
    assert "nine tonnes" in context(out)
    assert "tea" not in context(out)
    (kept,) = (row.memory for row in vault.list().rows if "tea" in row.memory.title)
    assert context(out).startswith(f"memvault has kept this as {kept.id[:8]}.\n")
    first, second = json.loads(out)["systemMessage"].splitlines()
    assert "remembered: “tea is at four”" in first
    assert second == "memvault: 2 memories given"


def test_tasks_in_hand_come_with_a_command_too(vault: Memvault, ask: Ask, open_vault: Opener) -> None:
    open_vault(vault.root, agent="claude-code", session=SESSION).work_start("Mend the poller.")
    assert "Mend the poller" in context(ask(prompt("Remember this: tea is at four."))[1])


def test_behind_a_pause_nothing_is_given(vault: Memvault, ask: Ask) -> None:
    vault.remember("The spare modem of the Hollin gauge lies in the green box.", more={"scope": "global"})
    _, out, _ = ask(prompt("Pause memvault. Where is the spare modem of the Hollin gauge?"))
    assert "paused" in json.loads(out)["systemMessage"]
    assert context_or_none(out) is None


def context_or_none(answer: str) -> object:
    return json.loads(answer).get("hookSpecificOutput")


# -- a command that cannot be carried out


@pytest.mark.points(only=True)
def test_a_command_without_a_vault_is_said_to_have_come_to_nothing(ask_a_process: Ask, tmp_path: Path) -> None:
    _, out, _ = ask_a_process(prompt("Remember this: tea is at four."), MEMVAULT_DIR=str(tmp_path / "gone"))
    assert json.loads(out)["systemMessage"].startswith("memvault: not stored, as far as is known: ")
    assert ask_a_process(prompt("Where is the tea?"), MEMVAULT_DIR=str(tmp_path / "gone"))[1] == ""


@pytest.mark.points(only=True)
def test_a_command_that_waits_too_long_for_another_writer_is_said_to_be_lost(
    vault: Memvault, ask_a_process: Ask
) -> None:
    with files.lock(vault.root / ".memvault" / "lock", wait=1):
        _, out, _ = ask_a_process(prompt("Remember this: tea is at four."))
    assert "not stored, as far as is known: the time was up" in json.loads(out)["systemMessage"]
    assert vault.list().rows == ()


def test_who_wants_no_commands_obeyed_is_told_of_none(ask: Ask, tmp_path: Path) -> None:
    out = ask(prompt("Remember this: tea."), MEMVAULT_DIR=str(tmp_path / "gone"), MEMVAULT_INTENTS_OBEY="no")[1]
    assert out == ""


@pytest.mark.skipif(sys.platform == "win32", reason="no alarm to wake it")
@pytest.mark.points(only=True)
def test_an_agent_that_leaves_stdin_open_is_not_waited_for(environment: dict[str, str], tmp_path: Path) -> None:
    around = {**environment, "PYTHONPATH": str(ROOT)}
    started = subprocess.Popen(
        [sys.executable, "-m", "memvault", "hook"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=around,
        cwd=tmp_path,
    )
    assert started.stdin is not None
    assert started.stdout is not None
    started.stdin.write(b'{"hook_event_name": ')
    started.stdin.flush()
    assert started.wait(timeout=30) == 0
    assert started.stdout.read() == b""
    started.stdin.close()
    started.stdout.close()


# -- Codex


def rollout(tmp_path: Path, *said: tuple[str, str]) -> str:
    """A transcript as Codex writes it."""
    meta = {"type": "session_meta", "payload": {"id": SESSION, "cwd": str(tmp_path)}}
    told = [
        {
            "type": "response_item",
            "payload": {"type": "message", "role": role, "content": [{"type": kind, "text": text}]},
        }
        for role, text in said
        for kind in ("input_text" if role == "user" else "output_text",)
    ]
    path = tmp_path / f"rollout-2026-01-29T09-30-00-{SESSION}.jsonl"
    lines = (json.dumps({"timestamp": "2026-01-29T09:30:00.000Z", **one}) for one in (meta, *told))
    path.write_text("".join(f"{line}\n" for line in lines))
    return str(path)


def test_this_is_understood_in_codex_too(vault: Memvault, ask: Ask, tmp_path: Path) -> None:
    path = rollout(tmp_path, ("user", "Which knot holds a wet rope?"), ("assistant", "A bowline holds a wet rope."))
    _, out, _ = ask(prompt("remember this", transcript_path=path, turn_id="t1"))
    assert "remembered" in json.loads(out)["systemMessage"]
    (row,) = vault.list().rows
    assert "bowline" in vault.show(row.memory.id).memory.body


def test_an_exchange_with_codex_is_recorded(vault: Memvault, ask: Ask, tmp_path: Path) -> None:
    path = rollout(tmp_path, ("user", "Which knot holds a wet rope?"), ("assistant", "A bowline holds a wet rope."))
    ask({"hook_event_name": "Stop", "transcript_path": path, "turn_id": "t1", "last_assistant_message": None})
    (one,) = latest_exchanges(vault.state_folder)
    assert (one.asked, one.answered) == ("Which knot holds a wet rope?", "A bowline holds a wet rope.")


def test_who_tells_of_an_event_is_known_by_how_it_is_told() -> None:
    assert HookEvent({"turn_id": "t1"}).agent == "codex"
    assert HookEvent({"transcript_path": "/x/rollout-2026-01-29T09-30-00-x.jsonl"}).agent == "codex"
    assert HookEvent({"prompt_id": "p", "transcript_path": "/x/y.jsonl"}).agent == "claude-code"
