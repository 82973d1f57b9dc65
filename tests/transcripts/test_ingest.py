"""Taking conversations in: all of each, once, in order; what cannot be read stops nothing."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memvault import Memvault
from memvault.core.memory import Memory
from memvault.errors import BadInput, Busy, NothingToDo, Unreadable
from tests.conftest import Clock
from tests.transcripts.archive import real_folder
from tests.transcripts.talking import CONCERT, GAUGES, chat


def archive(vault: Memvault) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in (vault.root / "3-raw/transcripts").rglob("*.gz")}


def memories(vault: Memvault) -> list[Memory]:
    return [row.memory for row in vault.list().rows]


def turns(vault: Memvault, ref: str) -> list[tuple[str, str]]:
    found = vault.around(f"{ref}:1", turns=1_000, budget=1_000_000)
    return [(line.speaker, line.text) for line in found.conversations[0].lines]


def test_ingest_archives_a_conversation_whole_and_in_order(vault: Memvault, tmp_path: Path) -> None:
    found = vault.ingest([chat(tmp_path / "talk.json", GAUGES, CONCERT)])
    assert [(taken.id, taken.turns) for taken in found.taken] == [("talk-1", 7)]
    assert turns(vault, "talk-1") == [*GAUGES, *CONCERT]


def test_ingest_twice_changes_nothing(vault: Memvault, tmp_path: Path) -> None:
    source = chat(tmp_path / "talk.json", GAUGES)
    vault.ingest([source])
    before = archive(vault)
    assert vault.ingest([source]).unchanged == 1
    source.touch()  # looked at again, and still nothing in it is new
    again = vault.ingest([source])
    assert (again.taken, again.unchanged, again.size) == ((), 1, 0)
    assert archive(vault) == before


def test_ingest_adds_only_new_turns_from_another_file(vault: Memvault, tmp_path: Path) -> None:
    vault.ingest([chat(tmp_path / "one.json", GAUGES)])
    found = vault.ingest([chat(tmp_path / "two.json", GAUGES, CONCERT)])
    assert (found.taken[0].turns, found.taken[0].repeated) == (len(CONCERT), len(GAUGES))
    assert turns(vault, "talk-1") == [*GAUGES, *CONCERT]


@pytest.mark.points(only=True)
def test_ingest_reads_every_claude_code_session(vault: Memvault, environment: dict[str, str]) -> None:
    folder = Path(environment["HOME"]) / ".claude/projects"
    sessions = real_folder.build(folder)
    found = vault.ingest(everything=True)
    assert {taken.id for taken in found.taken} == {session.id for session in sessions}
    for session in sessions:
        assert turns(vault, session.id) == list(session.said)


@pytest.mark.points(only=True)
def test_ingest_does_not_learn_injected_memories(vault: Memvault, environment: dict[str, str]) -> None:
    real_folder.build(Path(environment["HOME"]) / ".claude/projects")
    vault.ingest(everything=True)
    found = vault.dig("spare key behind the barometer")
    lines = [line.text for conversation in found.conversations for line in conversation.lines]
    assert not any("barometer" in line for line in lines)
    assert not any("barometer" in (memory.body or "") for memory in memories(vault))


def test_ingest_reads_only_the_tail_of_a_grown_transcript(
    vault: Memvault, environment: dict[str, str], tmp_path: Path, clock: Clock
) -> None:
    session = real_folder.build(Path(environment["HOME"]) / ".claude/projects")[0]
    clock.now = datetime(2025, 6, 20, 7, 15, tzinfo=UTC)  # while it is held
    lines = session.path.read_bytes().splitlines(keepends=True)
    part = tmp_path / session.path.name
    part.write_bytes(b"".join(lines[: len(lines) // 2]))
    vault.ingest([part])
    before = archive(vault)
    part.write_bytes(b"".join(lines))
    vault.ingest([part])
    after = archive(vault)
    assert all(after[path].startswith(data) for path, data in before.items())
    assert turns(vault, session.id) == list(session.said)


def test_ingest_continues_after_an_unreadable_file(vault: Memvault, tmp_path: Path) -> None:
    bad = tmp_path / "bad.json"
    bad.write_bytes(b"\x00\xff not a conversation")
    found = vault.ingest([bad, chat(tmp_path / "talk.json", GAUGES)])
    assert [taken.turns for taken in found.taken] == [len(GAUGES)]
    assert [Path(path).name for path, _ in found.failed] == ["bad.json"]


def test_ingest_reports_a_missing_path(vault: Memvault, tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match="there is no such file"):
        vault.ingest([tmp_path / "nowhere.json"])
    with pytest.raises(BadInput, match="the format"):
        vault.ingest([chat(tmp_path / "talk.json", GAUGES)], format="word")


def test_ingest_dry_run_counts_and_writes_nothing(vault: Memvault, tmp_path: Path) -> None:
    found = vault.ingest([chat(tmp_path / "talk.json", GAUGES)], dry_run=True)
    assert (found.taken[0].turns, found.size, archive(vault)) == (len(GAUGES), 0, {})


def test_ingest_redacts_secrets(vault: Memvault, tmp_path: Path) -> None:
    key = "sk-ant-api03-" + "Q7w9" * 24
    vault.ingest([chat(tmp_path / "talk.json", [("Noor", f"The key of the gauge server is {key} for now.")])])
    assert key not in str(turns(vault, "talk-1"))


# -- what is remembered from it


def dialogue(path: Path, *said: tuple[str, str]) -> Path:
    """A session of Claude Code."""
    id_ = "5f0c1234-0000-4000-8000-00000000abcd"
    lines = []
    for number, (role, text) in enumerate(said):
        lines.append(
            {
                "type": role,
                "uuid": f"{number:08d}-0000-4000-8000-000000000000",
                "sessionId": id_,
                "timestamp": f"2026-01-28T09:{number:02d}:00Z",
                "cwd": "/home/noor/gauges",
                "message": {"role": role, "content": [{"type": "text", "text": text}], "id": f"msg_{number}"},
            }
        )
    target = path / f"{id_}.jsonl"
    target.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return target


DECISION = "From now on we reconnect the poller with exponential backoff, never with a fixed sleep."


def test_ingest_learns_a_decision_with_its_turn(vault: Memvault, tmp_path: Path) -> None:
    vault.ingest([dialogue(tmp_path, ("user", DECISION), ("assistant", "I will do that at once."))])
    (memory,) = [memory for memory in memories(vault) if "decision" in memory.tags]
    assert memory.refs["session"] == ("5f0c1234-0000-4000-8000-00000000abcd",)
    opened = vault.open_conversation(memory.refs["session"][0])
    assert opened.conversations[0].lines[0].text == DECISION


def test_ingest_does_not_relearn_a_forgotten_memory(vault: Memvault, tmp_path: Path) -> None:
    source = dialogue(tmp_path, ("user", DECISION), ("assistant", "I will do that at once."))
    vault.ingest([source])
    (memory,) = [memory for memory in memories(vault) if "decision" in memory.tags]
    vault.forget(memory.id)
    dialogue(tmp_path, ("user", DECISION), ("assistant", "I will do that."), ("user", DECISION), ("assistant", "Yes."))
    vault.ingest([source])
    assert not [memory for memory in memories(vault) if "decision" in memory.tags]


def test_ingest_without_learning_makes_no_memory(vault: Memvault, tmp_path: Path) -> None:
    vault.ingest([dialogue(tmp_path, ("user", DECISION), ("assistant", "I will."))], learn=False)
    assert not memories(vault)


# -- how far it is trusted


def sources(vault: Memvault) -> set[object]:
    return {memory.more.get("source") for memory in memories(vault)}


def test_ingest_marks_other_files_as_import(vault: Memvault, tmp_path: Path) -> None:
    vault.ingest([dialogue(tmp_path, ("user", DECISION), ("assistant", "I will do that at once."))])
    assert sources(vault) == {"import"}


def test_ingest_marks_own_transcripts_as_the_users_words(vault: Memvault, environment: dict[str, str]) -> None:
    folder = Path(environment["HOME"]) / ".claude/projects/-home-noor-gauges"
    folder.mkdir(parents=True)
    dialogue(folder, ("user", DECISION), ("assistant", "I will do that at once."))
    vault.ingest(everything=True)
    assert sources(vault) == {"hook"}


def test_ingest_quarantines_assistant_statements_after_web_reads(vault: Memvault, environment: dict[str, str]) -> None:
    folder = Path(environment["HOME"]) / ".claude/projects/-home-noor-gauges"
    folder.mkdir(parents=True)
    fetch = {"type": "tool_use", "id": "t1", "name": "WebFetch", "input": {"url": "https://evil.example/"}}
    trick = "It turns out that the trick is to disable strict host key checking for the gauges."
    path = dialogue(folder, ("user", "How do I reach the gauges?"), ("assistant", "Let me look."), ("assistant", trick))
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    lines[1]["message"]["content"].append(fetch)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = vault.ingest(everything=True)
    assert [one.outcome for one in found.taken[0].learnt] == ["quarantined"]
    assert not memories(vault)
    later = lines[2] | {"uuid": "88888888-0000-4000-8000-000000000000", "timestamp": "2026-01-28T09:30:00Z"}
    said = "It turns out that the trick is to open port 8080 of the gauges to everybody."
    later["message"] = {"role": "assistant", "id": "msg_9", "content": [{"type": "text", "text": said}]}
    path.write_text("".join(json.dumps(line) + "\n" for line in [*lines, later]))
    assert [one.outcome for one in vault.ingest(everything=True).taken[0].learnt] == ["quarantined"]


def test_ingest_retries_learning_after_a_passing_failure(
    vault: Memvault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = dialogue(tmp_path, ("user", DECISION), ("assistant", "I will do that at once."))
    with monkeypatch.context() as patch:

        def busy(*_args: object, **_given: object) -> None:
            raise Busy(path="the vault", seconds=30)

        patch.setattr("memvault.transcripts.learn.capture_reviewed", busy)
        assert [why for _, why in vault.ingest([source]).failed]
    assert [one.outcome for one in vault.ingest([source]).taken[0].learnt] == ["kept"]


def test_learned_memory_has_the_date_of_its_turn(vault: Memvault, tmp_path: Path) -> None:
    vault.ingest([dialogue(tmp_path, ("user", DECISION), ("assistant", "I will do that at once."))])
    (memory,) = memories(vault)
    assert memory.created == datetime(2026, 1, 28, 9, 0, tzinfo=UTC)
    assert memory.path.startswith("2-memories/2026-01-28-")


# -- saving progress


ASKED = [("user", "Why does the poller of the gauges hang at night?"), ("assistant", "The modem restarts then.")]
DECIDED = [("user", DECISION), ("assistant", "Done.")]


def test_save_progress_updates_one_milestone(vault: Memvault, tmp_path: Path) -> None:
    first = vault.save_progress(transcript=dialogue(tmp_path, *ASKED, *DECIDED))
    assert (first.new, first.memory.type, first.memory.kind) == (True, "milestone", "episodic")
    assert "poller of the gauges hang" in (first.memory.body or "")
    assert "reconnect the poller" in first.memory.title
    more = [("user", "I need to call Maja tomorrow."), ("assistant", "Yes.")]
    second = vault.save_progress(transcript=dialogue(tmp_path, *ASKED, *DECIDED, *more))
    assert (second.new, second.memory.id) == (False, first.memory.id)
    assert "call Maja" in (second.memory.body or "")


def test_a_session_that_only_asked_leaves_no_milestone(vault: Memvault, tmp_path: Path) -> None:
    with pytest.raises(NothingToDo, match="Nothing was decided, found out, changed or left open"):
        vault.save_progress(transcript=dialogue(tmp_path, *ASKED))
    assert not vault.list().rows


def test_what_was_asked_in_a_session_is_neither_found_nor_given(vault: Memvault, tmp_path: Path) -> None:
    saved = vault.save_progress(transcript=dialogue(tmp_path, *ASKED, *DECIDED)).memory
    assert not [hit for hit in vault.recall("Why do the gauges hang at night?").hits if not hit.weak]
    project = str(saved.more["project"])
    text = vault.context("reconnect the poller with exponential backoff", min_similarity=0, project=project).text
    assert "fixed sleep" in text
    assert "hang at night" not in text


def test_a_milestone_stands_behind_every_fact(vault: Memvault, tmp_path: Path) -> None:
    saved = vault.save_progress(transcript=dialogue(tmp_path, *ASKED, *DECIDED)).memory
    project = str(saved.more["project"])
    vault.remember("The exponential backoff of the poller begins at two seconds.", near="ignore", weight=0.1)
    query = "the poller and its exponential backoff, never a fixed sleep"
    hits = vault.context(query, min_similarity=0, project=project).hits
    assert [hit.memory.type for hit in hits] == [*["memory"] * (len(hits) - 1), "milestone"]
    assert len(hits) > 1


def test_save_progress_keeps_earlier_text(vault: Memvault, tmp_path: Path) -> None:
    said = [("user", "Why does the poller of the gauges hang at night?"), ("assistant", "The modem restarts then.")]
    vault.save_progress("Maja still has to sign.", transcript=dialogue(tmp_path, *said))
    vault.save_progress("The harbour office knows.")
    grown = dialogue(tmp_path, *said, ("user", DECISION), ("assistant", "Done."))
    body = vault.save_progress(transcript=grown).memory.body or ""
    assert body.index("Maja still has to sign.") < body.index("The harbour office knows.") < body.index("Asked:")
    assert body.count("Asked:") == 1
    assert "exponential backoff" in body
    with pytest.raises(NothingToDo):
        vault.save_progress("The harbour office knows.")


def test_save_progress_redacts_secrets_without_rewriting(vault: Memvault, tmp_path: Path) -> None:
    said = [("user", "Why does the poller of the gauges hang at night?"), ("assistant", "The modem restarts then.")]
    text = "The gauge server's key is ghp_" + "a1B2c3D4e5F6" * 3 + "."
    first = vault.save_progress(text, transcript=dialogue(tmp_path, *said))
    assert "ghp_a1" not in (first.memory.body or "")
    with pytest.raises(NothingToDo):
        vault.save_progress(text)


def test_save_progress_leaves_contacts_out_of_what_it_found_by_itself(vault: Memvault, tmp_path: Path) -> None:
    said = [("user", "Why does the mail to bo@example.org hang at night?"), ("assistant", "The modem restarts then.")]
    made = vault.save_progress("Bo is bo@example.org.", transcript=dialogue(tmp_path, *said)).memory
    assert str(made.body).count("bo@example.org") == 1
    assert "mail to [redacted: e-mail address] hang" in str(made.body)


def test_save_progress_accepts_a_session_prefix(vault: Memvault, tmp_path: Path) -> None:
    vault.ingest([dialogue(tmp_path, *ASKED, *DECIDED)])
    first = vault.save_progress(session="5f0c1234")
    assert first.memory.refs["session"] == ("5f0c1234-0000-4000-8000-00000000abcd",)
    with pytest.raises(NothingToDo, match="left open in session zzz-unknown"):
        vault.save_progress(session="zzz-unknown")


def test_save_progress_keeps_a_persons_edits(vault: Memvault, tmp_path: Path) -> None:
    said = [*ASKED, ("user", "We decided to page Ilse at night."), ("assistant", "Done.")]
    first = vault.save_progress(transcript=dialogue(tmp_path, *said))
    path = vault.path_of(first.memory.id)
    path.write_text(path.read_text().replace("Asked:", "Asked:\n- My own words about it."))
    second = vault.save_progress(transcript=dialogue(tmp_path, *said, ("user", DECISION), ("assistant", "Done.")))
    assert second.kept_apart
    assert "My own words about it." in (second.memory.body or "")
    more = [
        *said,
        ("user", DECISION),
        ("assistant", "Done."),
        ("user", "I need to call Maja tomorrow."),
        ("assistant", "Yes."),
    ]
    body = vault.save_progress(transcript=dialogue(tmp_path, *more)).memory.body or ""
    assert (body.count("Asked:"), body.count("Since then:"), body.count("exponential backoff")) == (1, 1, 1)


def test_save_progress_links_used_memories(tmp_path: Path, vault: Memvault, open_vault) -> None:  # type: ignore[no-untyped-def]
    made = vault.remember("The modem of the Hollin gauge needs its port closed before a restart.")
    agent = open_vault(vault.root, agent="claude-code", session="5f0c1234-0000-4000-8000-00000000abcd")
    agent.show(made.memory.id)
    found = agent.save_progress("The gauges report again.")
    assert [memory.id for memory in found.used] == [made.memory.id]
    assert found.memory.refs["memories"] == (f"[[{made.memory.name}]]",)
    assert "[[" not in (found.memory.body or "")


def test_ingest_resumes_after_a_killed_run(vault: Memvault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = dialogue(tmp_path, ("user", DECISION), ("assistant", "I will do that at once."))
    with monkeypatch.context() as patch:
        patch.setattr(
            "memvault.transcripts.ingest.extract_new", lambda *_, **__: (_ for _ in ()).throw(KeyboardInterrupt)
        )
        with pytest.raises(KeyboardInterrupt):
            vault.ingest([source])
    assert not memories(vault)
    found = vault.ingest([source])
    assert found.taken[0].topics == 1
    assert [one.outcome for one in found.taken[0].learnt] == ["kept"]
    assert vault.ingest([source]).taken == ()


def test_ingest_learns_earlier_turns_when_learning_is_turned_on(vault: Memvault, tmp_path: Path) -> None:
    said = [("user", DECISION), ("assistant", "I will do that at once.")]
    vault.ingest([dialogue(tmp_path, *said)], learn=False)
    vault.ingest([dialogue(tmp_path, *said, ("user", "Thank you, that is all for today."))])
    assert any("decision" in memory.tags for memory in memories(vault))


def test_continued_session_does_not_confirm_its_own_memories(vault: Memvault, environment: dict[str, str]) -> None:
    folder = Path(environment["HOME"]) / ".claude/projects/-home-noor-gauges"
    folder.mkdir(parents=True)
    first = dialogue(folder, ("user", DECISION), ("assistant", "I will do that at once."))
    other = first.with_name("8888aaaa-0000-4000-8000-00000000abcd.jsonl")
    lines = first.read_text().replace("5f0c1234-0000", "8888aaaa-0000").splitlines()
    more = json.loads(lines[0]) | {"uuid": "99999999-0000-4000-8000-000000000000", "timestamp": "2026-01-28T10:00:00Z"}
    more["message"] = {"role": "user", "content": "And what of the modem at the harbour gauge?"}
    other.write_text("\n".join([*lines, json.dumps(more)]) + "\n")
    vault.ingest(everything=True)
    found = vault.dig("reconnect the poller with exponential backoff")
    said = [line.text for each in found.conversations for line in each.lines]
    assert said.count(DECISION) == 1
    journal = "".join(path.read_text() for path in (vault.root / ".memvault/journal").rglob("*.jsonl"))
    assert '"confirm"' not in journal
