"""A session of the real Claude Code against a stand-in for its API: what is put before the model, what is kept.

Skipped where the program is not there: it is looked for in MEMVAULT_TEST_CLAUDE, then as `claude` on the path.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memvault import Memvault
from memvault.core.memory import Memory
from memvault.storage.journal.exchanges import latest_exchanges
from tests.agents.claude_code.stand_in import Reply, StandIn, says, stand_in, uses

CLAUDE = os.environ.get("MEMVAULT_TEST_CLAUDE") or shutil.which("claude") or ""
ROOT = Path(__file__).resolve().parents[3]
SESSION = "11111111-2222-4333-8444-555555555555"
LOCKER = "The kingfisher locker holds the spare modem of the Hollin gauge."
OFFICE = "the harbour office opens at nine on weekdays"
TIDES = "The tide table of the quay station says low water at four."

pytestmark = pytest.mark.skipif(not CLAUDE, reason="Claude Code is not here")


@dataclass
class Played:
    """What there is after the session."""

    vault: Memvault
    project: Path
    sent: list[list[str]] = field(default_factory=list)  # by turn


def until(is_so: Callable[[], object], what: str) -> None:
    """Wait for another process, which tells nobody when it is done."""
    deadline = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < deadline, what
        time.sleep(0.05)


def milestones(vault: Memvault) -> list[Memory]:
    return [row.memory for row in vault.list().rows if row.memory.type == "milestone"]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Played]:
    home = tmp_path_factory.mktemp("home")
    project = home / "gauges"
    project.mkdir()
    environment = {
        "HOME": str(home),
        "PATH": os.environ.get("PATH", ""),
        "PYTHONPATH": str(ROOT),
        "MEMVAULT_USER_VAULT": str(home / "vault"),
        "MEMVAULT_SCHEDULE_AT_SESSION_START": "no",
        "ANTHROPIC_API_KEY": "none",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
    }
    Memvault.init(home / "vault")
    with stand_in() as api, Memvault(home / "vault", environment=environment) as vault:
        vault.remember(LOCKER, more={"scope": "global"})
        due = datetime(2020, 1, 1, tzinfo=UTC)
        vault.remember("Call Maja about the quay.", kind="prospective", more={"due": due, "scope": "global"})
        told = Played(vault, project)
        subprocess.run(
            [sys.executable, "-m", "memvault", "--vault", str(vault.root), "hooks", "install"],
            env=environment,
            cwd=project,
            check=True,
            capture_output=True,
        )
        _play(told, api, {**environment, "ANTHROPIC_BASE_URL": api.address})
        yield told


def _play(told: Played, api: StandIn, environment: dict[str, str]) -> None:
    vault, notes = told.vault, told.project / "notes.txt"

    def turn(prompt: str, *replies: Reply, first: bool = False) -> None:
        before = len(api.sent)
        api.answer_with(*replies)
        named = ["--session-id", SESSION] if first else ["--resume", SESSION]
        done = subprocess.run(
            [CLAUDE, "-p", prompt, *named, "--allowedTools", "Write,Bash"],
            env=environment,
            cwd=told.project,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        told.sent.append(api.sent[before:])

    def after_the_mark(reply: Reply) -> Reply:
        def wait() -> dict[str, object]:
            until((vault.state_folder / "tainted.jsonl").exists, "reading the web left no mark")
            return dict(reply())

        return wait

    remember = shlex.join([sys.executable, "-m", "memvault", "--vault", str(vault.root), "remember", TIDES])
    turn(
        "Where is the spare modem of the Hollin gauge?",
        uses("Write", file_path=str(notes), content="It is in the locker.\n"),
        says("Look into the kingfisher locker."),
        first=True,
    )
    turn(f"Remember this: {OFFICE}.", says("Noted."))
    turn(
        "Look the tide table up.",
        uses("Bash", command="true || curl -s https://tides.example/", description="Look it up"),
        after_the_mark(uses("Bash", command=remember, description="Keep it")),
        says("Low water is at four."),
    )
    # Every turn ends with a save; the last one knows that the web was read.
    until(lambda: any(memory.more.get("tainted") for memory in milestones(vault)), "the progress was never saved")


def test_the_model_is_given_what_is_due_at_the_start_and_what_a_prompt_calls_for(played: Played) -> None:
    first = played.sent[0][0]
    assert "Call Maja about the quay." in first
    assert LOCKER in first


def test_nothing_is_given_twice(played: Played) -> None:
    assert played.sent[-1][-1].count(f"> {LOCKER}") == 1
    assert played.sent[-1][-1].count("> Call Maja about the quay.") == 1


def test_what_the_person_wants_remembered_is(played: Played) -> None:
    [memory] = [row.memory for row in played.vault.list().rows if OFFICE in row.memory.title]
    assert memory.more["source"] == "user"


def test_what_was_recalled_is_not_learnt_again(played: Played) -> None:
    assert sum("kingfisher" in row.memory.title for row in played.vault.list().rows) == 1


def test_exchanges_are_recorded_with_the_files_that_were_touched(played: Played) -> None:
    kept = latest_exchanges(played.vault.state_folder)
    assert [each.asked for each in kept] == [
        "Look the tide table up.",
        f"Remember this: {OFFICE}.",
        "Where is the spare modem of the Hollin gauge?",
    ]
    assert kept[-1].answered == "Look into the kingfisher locker."
    assert kept[-1].files == ("notes.txt",)
    assert {each.session for each in kept} == {SESSION}


def test_a_memory_that_shows_in_the_answer_was_used(played: Played) -> None:
    journals = (played.vault.root / ".memvault/journal").rglob("*.jsonl")
    assert sum('"answer"' in line for path in journals for line in path.read_text().splitlines()) == 1


def test_what_the_agent_remembers_after_reading_the_web_is_marked(played: Played) -> None:
    [memory] = [row.memory for row in played.vault.list().rows if row.memory.title.startswith("The tide table")]
    assert memory.more["source"] == "agent"
    assert (memory.more["session"], memory.more["tainted"]) == (SESSION, True)


def test_the_session_is_archived_and_its_progress_saved(played: Played) -> None:
    [milestone] = milestones(played.vault)
    assert SESSION in milestone.refs["session"]
    assert any((played.vault.root / "3-raw/transcripts").rglob("*.gz"))
    found = played.vault.recall("spare modem Hollin", spoken=True)
    assert found


def test_nothing_went_wrong(played: Played) -> None:
    home = played.project.parent
    assert not list(home.rglob("hooks.log"))
