"""What the tests of the archive share: an archive in a fresh folder, and turns of any sort."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from hypothesis import strategies as st

from memvault.core.conversation import Conversation, Turn
from memvault.core.settings import Settings
from memvault.storage.vault.layout import Layout
from memvault.transcripts.archive.append import AppendResult
from memvault.transcripts.archive.archive import Archive, split_conversations
from memvault.transcripts.archive.source_file import SourceFile
from memvault.transcripts.formats import FORMATS
from memvault.transcripts.model.record import ReadStart, TranscriptEntry, TranscriptRecord

NOW = datetime(2026, 1, 29, 9, 30, tzinfo=UTC)
HEAD = Conversation(id="conv-26", source="chat", title="Tides", speakers=("Ana", "Ben"))


def archive(root: Path) -> Archive:
    """The archive of a vault, looked at anew."""
    return Archive(root, Layout.from_settings(Settings({}), adopted=False))


def says(number: int, text: str, **given: object) -> Turn:
    """A turn with a number for an id."""
    return Turn(id=f"t{number}", speaker="Ana", text=text, **given)  # type: ignore[arg-type]


def kept(*turns: Turn) -> list[TranscriptRecord]:
    """Turns as a reader gives them."""
    return [TranscriptEntry(turn=turn) for turn in turns]


def ingest(talks: Archive, path: Path, name: str = "claude-code", *, closed: bool = True) -> list[AppendResult]:
    """Read a file into the archive, from where it was read before."""
    origin, source = SourceFile.open_file(path), FORMATS[name]
    start = talks.resume_point(origin, source, ReadStart(closed=closed))
    parts = split_conversations(source.read(origin.read_chunks(start.at), start))
    done = (talks.append_conversation(head, part, now=NOW, origin=origin) for head, part in parts)
    return [appended for appended in done if appended.head or appended.unreadable_count or appended.purged]


# Any text there is, with neither private spans nor what could be a secret in it.
texts = st.text(st.characters(exclude_characters="<0123456789"), max_size=60).map(lambda text: f"{text}.")
times = st.none() | st.datetimes(datetime(1970, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
names = st.text(st.characters(codec="utf-8", exclude_characters="<"), min_size=1, max_size=8)
said = st.builds(
    Turn,
    id=names,
    speaker=st.sampled_from(["Ana", "Ben", "user", ""]),
    text=texts,
    time=times,
    session=st.sampled_from(["", "one", "two"]),
    role=st.sampled_from(["", "user", "assistant"]),
    deeds=st.lists(st.sampled_from(["Edit src/a.py", "Bash git status"]), max_size=2, unique=True).map(tuple),
)
talks_of_any_sort = st.lists(said, max_size=12, unique_by=lambda turn: turn.id)
