"""A conversation forgotten for good: it, what was made of it, and what short words only its turns said."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memvault import Memvault
from memvault.agents.hooks.handler import answer_event
from memvault.context import injection_log as injected
from memvault.errors import Ambiguous, AmbiguousSession, Forgotten, NotFound, NothingToDo, OnlyAPerson
from memvault.storage import web_taint as tainting
from memvault.storage.journal import exchanges
from memvault.storage.journal.exchanges import Interaction
from tests.conftest import Clock, Opener
from tests.privacy.purge.test_purge import everything, transcript, where

SESSION = "11111111-2222-4333-8444-555555555555"
DECIDED = "We decided to use PostgreSQL for the gauge data, and not SQLite."
SAID = (
    ("user", DECIDED),
    ("assistant", "Noted: the gauge data goes into PostgreSQL, which runs on the old server below the stairs."),
    ("user", "Yes, below the stairs."),
    ("user", "Hollin."),
)


@pytest.fixture
def source(vault: Memvault, tmp_path: Path) -> Path:
    """A transcript that was taken in, and its session in every log of this machine."""
    found = transcript(tmp_path, *SAID)
    vault.ingest([found])
    at = datetime(2026, 1, 28, 10, tzinfo=UTC)
    state = vault.state_folder
    exchanges.record_exchange(state, Interaction(at=at, session=SESSION, asked=DECIDED, answered="Noted."))
    injected.append_record(state, injected.InjectionRecord(at=at, session=SESSION, event="SessionStart", ids=("one",)))
    (state / "progress.json").write_text(json.dumps({SESSION: "a summary", "another": {"of": SESSION}}))
    return found


def test_purge_session_removes_the_conversation_and_its_memories(
    vault: Memvault, source: Path, environment: dict[str, str]
) -> None:
    assert vault.list().total == 1
    assert where(vault, environment, "PostgreSQL")
    done, proof = vault.purge(SESSION[:8], is_session=True, verify=True)
    assert (len(done.notes), len(done.talks)) == (1, 1)
    assert proof is not None
    assert (proof.found, proof.unread) == ((), ())
    for text in ("PostgreSQL", "below the stairs", "Hollin", SESSION):
        assert where(vault, environment, text) == []
    assert not list(vault.root.rglob("*.jsonl.gz"))


def test_purged_session_is_not_restored_by_maintain_or_ingest(
    vault: Memvault, source: Path, environment: dict[str, str], clock: Clock
) -> None:
    vault.purge(SESSION, is_session=True)
    clock.pass_(days=1)
    vault.maintain()
    again = vault.ingest([source])
    assert (again.taken, again.forgotten) == ((), 1)
    source.write_text(source.read_text() + source.read_text().replace("00000000-", "10000000-"))  # it went on
    vault.ingest([source])
    assert where(vault, environment, "PostgreSQL") == []
    assert vault.list().total == 0


def test_purge_session_redacts_sessions_that_repeat_it(
    vault: Memvault, source: Path, tmp_path: Path, environment: dict[str, str]
) -> None:
    """An agent that resumes a session writes its lines again, under the same ids, and goes on."""
    rows = [json.loads(line) for line in source.read_text().splitlines()]
    more = {**rows[0], "uuid": "20000000-0000-4000-8000-000000000009", "parentUuid": rows[-1]["uuid"]}
    more["message"] = {"role": "user", "content": "And how is the boat moored at the east quay?"}
    other = "99999999-2222-4333-8444-555555555555"
    resumed = tmp_path / f"{other}.jsonl"
    resumed.write_text("".join(json.dumps({**row, "sessionId": other}) + "\n" for row in (*rows, more)))
    vault.ingest([resumed])
    vault.purge(SESSION, is_session=True)
    for _ in range(2):
        assert where(vault, environment, "PostgreSQL") == []
        assert where(vault, environment, "below the stairs") == []
        assert where(vault, environment, "east quay")
        vault.ingest([resumed])


EVENTS: tuple[dict[str, object], ...] = (
    {"hook_event_name": "SessionStart", "source": "resume"},
    {"hook_event_name": "UserPromptSubmit", "prompt": "What do you remember about the boat?"},
    {"hook_event_name": "PostToolUse", "tool_name": "Edit", "tool_input": {"file_path": "/home/me/boat/a.py"}},
    {"hook_event_name": "PostToolUse", "tool_name": "WebFetch", "tool_input": {"url": "https://example.org"}},
    {"hook_event_name": "Stop", "last_assistant_message": "It is moored at the east quay."},
    {"hook_event_name": "PreCompact", "trigger": "auto"},
    {"hook_event_name": "SessionEnd", "reason": "other"},
)


def goes_on(vault: Memvault, source: Path, environment: dict[str, str]) -> None:
    """Every event of the session once more, as its agent knows nothing of what was forgotten here."""
    around = {**environment, "MEMVAULT_DIR": str(vault.root), "MEMVAULT_SCHEDULE_AT_SESSION_START": "no"}
    for event in EVENTS:
        told = {"cwd": str(source.parent), "session_id": SESSION, "transcript_path": str(source), **event}
        answer_event(json.dumps(told).encode(), (), around)


def test_purged_session_that_goes_on_is_not_named_again(
    vault: Memvault, source: Path, environment: dict[str, str], open_vault: Opener
) -> None:
    vault.remember("The boat is moored at the east quay in winter.", more={"scope": "global"})
    vault.purge(SESSION, is_session=True)
    goes_on(vault, source, environment)
    vault.ingest(everything=True)
    vault.ingest([source])
    open_vault(vault.root, agent="claude-code", session=SESSION).remember("The mast is of ash and was oiled in May.")
    with pytest.raises(NothingToDo):
        vault.save_progress(session=SESSION)
    assert where(vault, environment, SESSION) == []


@pytest.mark.points(only=True)
def test_memories_from_a_purged_session_are_quarantined(
    vault: Memvault, source: Path, environment: dict[str, str], open_vault: Opener
) -> None:
    """That it read the web is forgotten with it."""
    tainting.mark_tainted(vault.state_folder, session=SESSION, project="boat", now=vault.now())
    vault.purge(SESSION, is_session=True)
    again = open_vault(vault.root, agent="claude-code", session=SESSION)
    assert again.remember("The mast is of ash and was oiled in May.").memory.more["tainted"]
    assert tainting.is_tainted(vault.state_folder, session=SESSION, project="", now=vault.now())


@pytest.mark.points(only=True)
def test_maintain_removes_the_name_of_a_session_purged_elsewhere(
    vault: Memvault, source: Path, tmp_path: Path, open_vault: Opener, environment: dict[str, str]
) -> None:
    away = {**environment, "XDG_STATE_HOME": str(tmp_path / "away/state"), "XDG_CACHE_HOME": str(tmp_path / "away/c")}
    shutil.copytree(vault.root, tmp_path / "copy")
    copy = open_vault(tmp_path / "copy", environment=away)
    at = datetime(2026, 1, 28, 10, tzinfo=UTC)
    injected.append_record(
        copy.state_folder, injected.InjectionRecord(at=at, session=SESSION, event="SessionStart", ids=("one",))
    )
    vault.purge(SESSION, is_session=True)
    shutil.copytree(vault.root / ".memvault/ledger", copy.root / ".memvault/ledger", dirs_exist_ok=True)
    copy.maintain()
    assert not list(copy.root.rglob("*.jsonl.gz"))
    goes_on(copy, source, away)
    found = [path for path in copy.state_folder.rglob("*") if path.is_file() and SESSION in path.read_text()]
    assert found == []


@pytest.mark.points(only=True)
def test_purge_session_keeps_other_sessions(vault: Memvault, source: Path, open_vault: Opener) -> None:
    other = open_vault(vault.root, agent="claude-code", session="77777777-aaaa-4bbb-8ccc-dddddddddddd")
    kept = other.remember("The boat is moored at the east quay in winter.").memory
    vault.purge(SESSION, is_session=True)
    assert [row.memory.id for row in vault.list().rows] == [kept.id]
    assert vault.find(kept.id).more["session"] == "77777777-aaaa-4bbb-8ccc-dddddddddddd"


@pytest.mark.points(only=True)
def test_purge_session_keeps_use_counts_of_other_memories(vault: Memvault, source: Path, open_vault: Opener) -> None:
    kept = vault.remember("The boat is moored at the east quay in winter.").memory
    open_vault(vault.root, agent="claude-code", session=SESSION).show(kept.id)
    vault.purge(SESSION, is_session=True)
    assert vault.run(lambda context: context.memory_uses([context.find_memory(kept.id)]))[kept.id].count == 1


@pytest.mark.parametrize("gone", ["file", "nothing"])
def test_purge_session_handles_a_conversation_without_memories(vault: Memvault, tmp_path: Path, gone: str) -> None:
    source = transcript(tmp_path, ("user", "Hello."), ("assistant", "Hello to you."))
    if gone == "file":
        vault.ingest([source])
    done, _ = vault.purge(SESSION, is_session=True)
    assert len(done.talks) == (gone == "file")
    assert vault.ingest([source]).forgotten == 1


def test_purge_session_rejects_an_unknown_session(vault: Memvault, source: Path, open_vault: Opener) -> None:
    with pytest.raises(NotFound):
        vault.purge("abcdef", is_session=True)
    second = open_vault(vault.root, agent="claude-code", session=f"{SESSION[:-1]}6")
    second.remember("The boat is moored at the east quay in winter.")
    with pytest.raises(Ambiguous):
        vault.purge(SESSION[:8], is_session=True)
    with pytest.raises(OnlyAPerson):
        second.purge(SESSION, is_session=True)


# -- killed on its way


@pytest.mark.parametrize(
    "died_at", ["kept.drop_copies", "transcripts.purge_turns", "records.purge_pages", "kept.remove_notes"]
)
@pytest.mark.points(only=True)
def test_maintain_finishes_a_killed_session_purge(
    vault: Memvault, source: Path, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch, died_at: str
) -> None:
    class Killed(BaseException):
        pass

    def die(*_args: object, **_options: object) -> None:
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(f"memvault.privacy.purge.purge.{died_at}", die)
        with pytest.raises(Killed):
            vault.purge(SESSION, is_session=True)
    left = vault.list().total
    assert left == 1
    [found] = [finding for finding in vault.doctor().findings if finding.check == "forgotten"]
    assert found.path.startswith("2-memories/")
    vault.maintain()
    assert vault.list().total == 0
    for text in ("PostgreSQL", "below the stairs", "Hollin"):
        assert where(vault, environment, text) == []


@pytest.mark.points(only=True)
def test_purge_session_keeps_a_restored_note(vault: Memvault, source: Path, clock: Clock) -> None:
    [path] = (vault.root / "2-memories").rglob("*.md")
    kept = path.read_bytes()
    vault.purge(SESSION, is_session=True)
    path.write_bytes(kept)
    clock.pass_(days=1)
    vault.maintain()
    assert path.exists()
    assert [finding.path for finding in vault.doctor().findings if finding.check == "forgotten"]


# -- which one is meant


def test_purge_session_prefers_an_exact_id(vault: Memvault, open_vault: Opener) -> None:
    for name, text in (("sitting1", "The boat is moored at the east quay."), ("sitting12", "The west quay is ice.")):
        open_vault(vault.root, agent="claude-code", session=name).remember(text)
    with pytest.raises(AmbiguousSession, match="2 sessions: sitting1, sitting12"):
        vault.purge("sitting", is_session=True)
    done, _ = vault.purge("sitting1", is_session=True)
    assert (done.id, len(done.notes)) == ("sitting1", 1)
    assert [row.memory.more["session"] for row in vault.list().rows] == ["sitting12"]


# -- turns of few words


SHORT: tuple[Callable[[Path], object], ...] = (
    lambda _source: None,
    lambda source: source.write_text(source.read_text().replace("Noted.", "I have noted it.")),
)


@pytest.mark.parametrize("change", SHORT)
@pytest.mark.points(only=True)
def test_purged_short_turn_is_not_restored(
    vault: Memvault, tmp_path: Path, environment: dict[str, str], change: Callable[[Path], None]
) -> None:
    source = transcript(tmp_path, ("user", "Password hint: Hollin."), ("assistant", "Noted."), ("user", "Thank you."))
    vault.ingest([source])
    made = vault.remember(
        "The hint is the name of a gauge.",
        title="Hint",
        refs={"session": (SESSION,), "turns": ("00000000-0000-4000-8000-000000000000",)},
    ).memory
    vault.purge(made.id)
    assert where(vault, environment, "Hollin") == []
    change(source)
    vault.ingest([source])
    assert where(vault, environment, "Hollin") == []
    said = " ".join(text for path, text in everything(vault, environment).items() if path.suffix == ".gz")
    assert "Thank you." in said
    for path in vault.root.rglob("*.jsonl.gz"):
        path.unlink()
    vault.ingest([source])
    assert where(vault, environment, "Hollin") == []


# -- what comes after


@pytest.mark.points(only=True)
def test_sealing_skips_purged_text(
    vault: Memvault, tmp_path: Path, open_vault: Opener, environment: dict[str, str]
) -> None:
    pytest.importorskip("pyrage")
    vault.private_init()
    sealing = open_vault(vault.root, settings={"transcripts.secrets": "seal"})
    key = "sk-ant-api03-" + "Q7w9" * 24
    source = transcript(tmp_path, ("user", f"The key of the gauge server is {key} for now."), ("assistant", "Noted."))
    sealing.ingest([source])
    assert len(list(vault.root.rglob("*.age"))) == 1
    sealing.purge(SESSION, is_session=True)
    assert list(vault.root.rglob("*.age")) == []
    sealing.ingest([source])
    assert [path for path in vault.root.rglob("*") if path.name.endswith(".age")] == []


@pytest.mark.points(only=True)
def test_capture_stores_nothing_from_a_purged_session(vault: Memvault, source: Path, open_vault: Opener) -> None:
    agent = open_vault(vault.root, agent="claude-code", session=SESSION)
    vault.purge(SESSION, is_session=True)
    for each in (agent, open_vault(vault.root, agent="claude-code", session=SESSION)):
        with pytest.raises(Forgotten):
            each.capture("The boat is moored at the east quay in winter, as the west quay freezes over.")
    other = open_vault(vault.root, agent="claude-code", session="another")
    assert other.capture("The boat is moored at the east quay in winter, as the west quay freezes over.").op
