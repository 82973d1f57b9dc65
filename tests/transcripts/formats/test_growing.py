"""Transcripts as an agent leaves them go in whole, once, and grow by what came since."""

from __future__ import annotations

import gzip
import json
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.errors import Unreadable
from memvault.transcripts.archive.source_file import SourceFile
from memvault.transcripts.formats import FORMATS, guess_format
from memvault.transcripts.model.record import ReadStart
from tests.transcripts.archive import real_folder
from tests.transcripts.archive.bench import NOW, archive, ingest
from tests.transcripts.archive.real_folder import Session


@pytest.fixture
def sessions(tmp_path: Path) -> tuple[Session, ...]:
    return real_folder.build(tmp_path / "projects")


def said(root: Path, session: Session) -> list[tuple[str, str]]:
    talks = archive(root)
    [path] = talks.find_paths(session.id)
    return [(turn.speaker, turn.text) for turn in talks.open_transcript(path).read_turns()]


def test_real_folder_is_archived_complete_and_in_order(sessions: tuple[Session, ...], tmp_path: Path) -> None:
    for session in sessions:
        [tally] = ingest(archive(tmp_path), session.path)
        assert said(tmp_path, session) == list(session.said)
        assert (tally.turns, tally.unreadable_count) == (len(session.said), session.bad)
        head = archive(tmp_path).open_transcript(tally.path).read_head()
        assert (head.id, head.project, head.title) == (session.id, session.project, session.title)


def test_archive_keeps_every_line_but_the_clients_own_prompts(sessions: tuple[Session, ...], tmp_path: Path) -> None:
    for session in sessions:
        [tally] = ingest(archive(tmp_path), session.path)
        stored = gzip.decompress((tmp_path / tally.path).read_bytes()).splitlines()
        kept = [told["raw"] for line in stored if "raw" in (told := json.loads(line))]
        given_lines = session.path.read_text(encoding="utf-8").splitlines()
        readable = [json.loads(line) for line in given_lines if line.endswith("}")]
        missing = [line for line in readable if line not in kept and "ghp_" not in json.dumps(line)]
        assert all(line.get("isMeta") or "message" not in line for line in missing)


def test_injected_memories_and_tool_results_make_no_turn(sessions: tuple[Session, ...], tmp_path: Path) -> None:
    for session in sessions:
        ingest(archive(tmp_path), session.path)
        text = "\n".join(text for _, text in said(tmp_path, session))
        for foreign in ("barometer", "TOOL OUTPUT", "helper", "THOUGHT", "reminder", "Caveat", "API Error", "hologram"):
            assert foreign not in text


def test_archiving_again_changes_nothing(sessions: tuple[Session, ...], tmp_path: Path) -> None:
    for session in sessions:
        ingest(archive(tmp_path), session.path)
    before = archive(tmp_path).list_conversations()
    for session in sessions:
        assert sum(tally.size for tally in ingest(archive(tmp_path), session.path)) == 0
    assert archive(tmp_path).list_conversations() == before


def test_grown_transcript_is_read_from_its_old_end(sessions: tuple[Session, ...], tmp_path: Path) -> None:
    session = sessions[2]
    ingest(archive(tmp_path), session.path)
    script = real_folder.Script(session.id, session.project, "2.1.329", NOW)
    script.put("system", subtype="turn_duration")
    script.prompt("And the lowest of all?")
    with session.path.open("a", encoding="utf-8") as file:
        file.write("\n".join(script.lines) + "\n")
    origin, source = SourceFile.open_file(session.path), FORMATS["claude-code"]
    start = archive(tmp_path).resume_point(origin, source, ReadStart())
    assert origin.size - start.at == sum(len(line.encode()) + 1 for line in script.lines)
    [tally] = ingest(archive(tmp_path), session.path)
    assert (tally.turns, tally.other_lines, tally.repeated) == (1, 1, 0)
    assert said(tmp_path, session)[-1] == ("user", "And the lowest of all?")


def test_rewritten_transcript_is_read_from_the_beginning(sessions: tuple[Session, ...], tmp_path: Path) -> None:
    session = sessions[2]
    ingest(archive(tmp_path), session.path)
    shuffled = session.path.read_text(encoding="utf-8").splitlines()[::-1]
    session.path.write_text("\n".join(shuffled) + "\n", encoding="utf-8")
    [tally] = ingest(archive(tmp_path), session.path)
    assert (tally.turns, tally.other_lines) == (0, 0)
    assert sorted(said(tmp_path, session)) == sorted(session.said)


@given(data=st.data())
@pytest.mark.points(only=True)
def test_transcript_read_while_written_gives_the_same_conversation(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    root = tmp_path_factory.mktemp("growing")
    session = real_folder.build(root / "projects")[data.draw(st.integers(0, 2))]
    whole = session.path.read_bytes()
    for cut in sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=3))):
        session.path.write_bytes(whole[:cut])
        ingest(archive(root), session.path, closed=False)
    session.path.write_bytes(whole)
    ingest(archive(root), session.path)
    assert said(root, session) == list(session.said)


# -- files that hold exports


EXPORT = [
    {
        "uuid": "5f0c2a9e-8d1b-4c77-9b0e-6a1f2e3d4c5b",
        "name": "Knots",
        "chat_messages": [{"uuid": "m1", "sender": "human", "text": "Which knot holds a wet rope?"}],
    }
]


def test_export_zip_reads_only_conversations(tmp_path: Path) -> None:
    path = tmp_path / "data-2026-01-29.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as box:
        box.writestr("users.json", "[]")
        box.writestr("../../escaped/conversations.json.exe", "[]")
        box.writestr("__MACOSX/conversations.json", "[]")
        box.writestr("export/conversations-001.json", json.dumps([{**EXPORT[0], "uuid": "second"}]))
        box.writestr("export/conversations-000.json", json.dumps(EXPORT))
    assert guess_format(SourceFile.open_file(path).first) == "claude-ai"
    tallies = ingest(archive(tmp_path), path, "claude-ai")
    assert [tally.head.id for tally in tallies if tally.head] == [str(EXPORT[0]["uuid"]), "second"]
    assert sorted(one.name for one in tmp_path.iterdir()) == ["3-raw", path.name]


def test_gzipped_export_is_read(tmp_path: Path) -> None:
    path = tmp_path / "conversations.json.gz"
    path.write_bytes(gzip.compress(b"[") + gzip.compress(json.dumps(EXPORT[0]).encode() + b"]"))
    assert SourceFile.open_file(path).name == "conversations"
    assert [tally.turns for tally in ingest(archive(tmp_path), path, "claude-ai")] == [1]


def broken_zip(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as box:
        box.writestr("conversations.json", json.dumps(EXPORT) * 50)
    data = path.read_bytes()
    path.write_bytes(data[:200] + b"#" * 20 + data[220:])


def other_zip(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as box:
        box.writestr("user.json", "{}")


def broken_gzip(path: Path) -> None:
    path.write_bytes(gzip.compress(json.dumps(EXPORT).encode())[:-20] + b"#" * 20)


@pytest.mark.parametrize("make", [broken_zip, other_zip, broken_gzip], ids=lambda make: make.__name__)
def test_damaged_zip_is_reported_by_path(make: object, tmp_path: Path) -> None:
    path = tmp_path / "export.zip"
    make(path)  # type: ignore[operator]
    with pytest.raises(Unreadable, match=r"export\.zip"):
        ingest(archive(tmp_path), path, "claude-ai")


def test_missing_file_or_folder_is_reported(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "nowhere.jsonl"):
        with pytest.raises(Unreadable):
            SourceFile.open_file(path)
