"""What a person told memvault in a conversation is obeyed when that is ingested, as of when it was said."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

from memvault import Memvault
from tests.conftest import Clock, Opener

SAID = "2026-01-15T09:{:02d}:00.000Z"  # a Thursday; ingested two weeks later


def session(folder: Path, *said: str) -> Path:
    """A session of Claude Code: each text was typed by the person."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = [
        {
            "type": "user",
            "uuid": f"u{number}",
            "sessionId": "s1",
            "timestamp": SAID.format(number),
            "message": {"role": "user", "content": text},
        }
        for number, text in enumerate(said)
    ]
    path = folder / "s1.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")
    return path


def titles(vault: Memvault) -> list[str]:
    return sorted(row.memory.title for row in vault.list().rows)


def own(environment: dict[str, str]) -> Path:
    return Path(environment["HOME"]) / ".claude/projects/tidemark"


def test_a_reminder_in_a_transcript_is_one_memory_with_the_day_after_it_was_said(
    vault: Memvault, environment: dict[str, str]
) -> None:
    found = vault.ingest([session(own(environment), "Remind me on Sunday to water the tomatoes.")])
    (reminder,) = vault.list_reminders().reminders
    assert reminder.memory.title == "water the tomatoes"
    assert f"{reminder.due:%Y-%m-%d}" == "2026-01-18"  # not the Sunday after the ingest
    assert (reminder.is_due, reminder.memory.more.get("source", "user")) == (True, "user")
    assert titles(vault) == ["water the tomatoes"]
    assert [one.outcome for one in found.taken[0].learnt] == ["obeyed"]


def test_what_was_forgotten_in_a_conversation_is_forgotten_unless_it_is_newer(
    vault: Memvault, environment: dict[str, str], clock: Clock
) -> None:
    now, clock.now = clock.now, datetime(2026, 1, 2, tzinfo=UTC)
    vault.remember("The school gate opens outwards.")
    clock.now = now
    vault.remember("The school gate is painted green these days.")
    found = vault.ingest([session(own(environment), "You can forget what I said about the school gate.")])
    assert titles(vault) == ["The school gate is painted green these days"]
    assert "forgotten: “The school gate opens outwards”" in found.taken[0].learnt[0].why


def test_a_file_from_elsewhere_forgets_and_replaces_nothing(vault: Memvault, tmp_path: Path) -> None:
    vault.remember("The school gate opens outwards.")
    texts = (
        "Forget the school gate.",
        "Actually the school gate opens inwards now.",
        "Remember that Noor plays the viola.",
    )
    vault.ingest([session(tmp_path, *texts)])
    assert titles(vault) == ["Noor plays the viola", "The school gate opens outwards"]
    assert {row.memory.more.get("source", "user") for row in vault.list().rows} == {"user", "import"}


def test_what_a_hook_obeyed_is_not_obeyed_or_learned_again(
    vault: Memvault, open_vault: Opener, environment: dict[str, str], clock: Clock
) -> None:
    clock.now = datetime(2026, 1, 15, 9, 0, 2, tzinfo=UTC)
    agent = open_vault(vault.root, agent="claude-code", session="s1")
    agent.say("Remember that Noor plays the viola in the quartet.", by_person=True)
    agent.forget(agent.list().rows[0].memory.path)
    found = vault.ingest([session(own(environment), "Remember that Noor plays the viola in the quartet.")])
    assert titles(vault) == []
    assert [one.why for one in found.taken[0].learnt] == ["it was obeyed when it was said"]


def test_commands_are_not_obeyed_where_that_is_switched_off(
    vault: Memvault, open_vault: Opener, environment: dict[str, str]
) -> None:
    deaf = open_vault(vault.root, settings={"intents.obey": False})
    found = deaf.ingest([session(own(environment), "Remind me on Sunday to water the tomatoes.")])
    assert all(one.outcome != "obeyed" for one in found.taken[0].learnt)
